# Goal: Password and TLS of the URL apply to all nodes, each node is verified, and an empty host means the node that replied.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

# As start_node of cluster.bash, with TLS on $port, which is the one that nodes name.
start_tls_node() { # NAME CERTIFICATE
	local tls
	tls=$(port_of_node)
	start_node "$1" --tls-port "$tls" --tls-cert-file "$F/certs/$2.crt" --tls-key-file "$F/certs/$2.key" --tls-cluster yes \
		--tls-ca-cert-file "$F/certs/ca.crt" --tls-auth-clients no --requirepass secret --masterauth secret || return
	# shellcheck disable=SC2034 # for start_cluster
	port=$tls
}

setup_file() {
	begin_file
	make_certs
	export REDISCLI_AUTH=secret
	start_cluster tls
}

setup() {
	begin_test
	export REDISCLI_AUTH=secret
	begin_cluster
	local i
	for i in {1..20}; do # the list of queues is not on n2
		export DQ_PREFIX=p$i
		[ "$(node_of "p$i:queues")" = n2 ] || break
	done
	export DQ_URL=rediss://127.0.0.1:${ports[0]} DQ_CACERT=$F/certs/ca.crt
}

@test "password and TLS: each node is reached, and verified" {
	dq-put -q -i x "$two" hello
	equal "$(dq-take --ack "$two" | cut -f 2)" hello
	seq 100 | dq-put -q -l "$two"
	dq-rm -q -f -a "$two"
	dq-take -w 10s "$one" "$two" >"$T/out" 3>&- &
	local taker=$!
	wait_until 10 blocked n1
	dq-put -q "$two" waited
	exits 0 "$taker"
	fails 78 "certificate" dq-put "$three" x # n2 has one of another name
	equal "$(states_of "$three")" '0 0 0 0'
}

@test "an empty host in a redirection: that of the node that answered" {
	in_cluster n0 CONFIG SET cluster-preferred-endpoint-type unknown-endpoint >/dev/null
	matches "$(in_cluster n0 HGET "$DQ_PREFIX:{$two}:stat" token 2>&1)" '^MOVED [0-9]+ :[0-9]+'
	equal "$(dq-put -i x "$two" hello)" "$two/x"
	equal "$(dq-stat --no-header "$two" | awk '{ print $4 }')" 1
	in_cluster n0 CONFIG SET cluster-preferred-endpoint-type ip >/dev/null
}

@test "without the password: 77, as from one server" {
	unset REDISCLI_AUTH
	fails 77 "password" dq-put "$two" x
}

# n2's own certificate, which is not for its address, is put back at the end.
with_certificates() { # of n1 and n2
	local i
	for i in 1 2; do
		in_cluster "n$i" CONFIG SET tls-cert-file "$F/certs/${!i}.crt" tls-key-file "$F/certs/${!i}.key" >/dev/null
	done
}

# Many messages, to, from and on all nodes, and to a queue of as many shards.
all_three_nodes() {
	local queue
	for queue in "$one" "$two" "$three"; do seq 2000 | dq-put -q -l "$queue"; done
	dq-set -q "$q.shards" shards=3
	seq 6000 | dq-put -q -l "$q.shards"
	dq-take --until-empty -n 500 "$one" "$two" "$three" "$q.shards" >"$T/taken"
	equal "$(cut -f 2 "$T/taken" | sort -n | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" '4000 1 2000 4'
	cut -f 1 "$T/taken" | dq-ack
	equal "$(dq-stat --json "$one" "$two" "$three" "$q.shards" | grep -oE '"acked":[0-9]+' | xargs)" \
		'acked:2000 acked:2000 acked:2000 acked:6000'
	equal "$(dq-stat --check | grep -c 'answers$')" 3
	dq-rm -q -f -a "$one" "$two" "$three" "$q.shards"
}

@test "bulk over three TLS nodes, each with a certificate for its address" {
	with_certificates server server
	all_three_nodes
	with_certificates server other
}

@test "each node has a certificate for its own name, which the cluster reports" {
	local i
	with_certificates byname byname
	fails 78 certificate dq-put "$two" x # by its address
	for i in 0 1 2; do
		in_cluster "n$i" CONFIG SET cluster-announce-hostname localhost cluster-preferred-endpoint-type hostname >/dev/null
	done
	wait_until 20 all_know_names
	all_three_nodes
	for i in 0 1 2; do
		in_cluster "n$i" CONFIG SET cluster-announce-hostname '' cluster-preferred-endpoint-type ip >/dev/null
	done
	with_certificates server other
}

all_know_names() {
	local i
	for i in 0 1 2; do [ "$(in_cluster "n$i" CLUSTER SLOTS | grep -cx localhost)" = 3 ] || return; done
}

@test "a database other than 0: 78, with the reason" {
	fails 78 '(SELECT is not allowed in cluster mode|DB index is out of range)' dq-put -u "$DQ_URL/1" "$two" x
}

blocked() { # NODE
	in_cluster "$1" CLIENT LIST | grep -q cmd=bzpopmin
}
