# Goal: A cluster's URL may name any of its nodes, although all of those are replicas at the moment.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

# r0, r1 and r2 are replicas of n0, n1 and n2.
setup_file() {
	begin_file
	start_cluster
	local i
	for i in 0 1 2; do
		start_replica "r$i" "n$i"
		echo "$port" >>"$F/replicas"
	done
}

setup() {
	begin_test
	begin_cluster
	mapfile -t replicas <"$F/replicas"
}

of_ports() { # PORT...: a URL
	local hosts
	hosts=$(printf ',127.0.0.1:%s' "$@")
	echo "redis://${hosts:1}"
}

# Each tool does its work on all three nodes, with the present URL.
all_tools() {
	local queue
	for queue in "$one" "$two" "$three"; do
		dq-put -q -d 1h -i x "$queue" hello
		dq-promote -q "$queue/x"
		equal "$(dq-stat --no-header "$queue" | awk '{ print $1, $4 }')" "$queue 1"
		equal "$(dq-take "$queue" | tee "$T/taken" | cut -f 2)" hello
		dq-ack <"$T/taken"
		dq-put -q -i y "$queue" job
		equal "$(dq-run --once "$queue" -- cat)" job
		dq-put -q -i z "$queue" kept
		dq-dump "$queue" >"$T/dump"
		dq-rm -q "$queue/z"
		dq-load -q <"$T/dump"
		equal "$(dq-take --ack "$queue" | cut -f 2)" kept
		dq-gc "$queue"
		dq-rm -q -f -a "$queue"
	done
	equal "$(dq-stat --check | grep -c 'answers$')" 3
}

@test "one replica, or several: each tool finds the masters" {
	DQ_URL=$(of_ports "${replicas[0]}") all_tools
	DQ_URL=$(of_ports "${replicas[1]}" "${replicas[2]}") all_tools
}

@test "a host that is gone, and replicas" {
	DQ_URL=$(of_ports 1 "${replicas[@]}" 2) all_tools
}

@test "a master is preferred: its replica gets no call" {
	in_cluster r0 CONFIG RESETSTAT >/dev/null
	DQ_URL=$(of_ports "${replicas[0]}" "${ports[0]}") dq-put -q "$one" x
	matches "$(in_cluster r0 INFO commandstats)" 'cmdstat_hello:calls=1,'
	run ! grep -q cmdstat_evalsha <(in_cluster r0 INFO commandstats)
}

@test "a user needs no right to find the masters" {
	local node
	for node in r1 r2 n0 n1 n2; do
		in_cluster "$node" ACL SETUSER few reset on '>pw' '~*' +evalsha +eval +time +type +hexists +hget +hincrby +hmget +hset \
			+zadd +zcard +zrange >/dev/null
	done
	DQ_URL=redis://few:pw@127.0.0.1:${replicas[1]},127.0.0.1:${replicas[2]} dq-put -q "$two" x
	equal "$(states_of "$two")" '0 1 0 0'
}

@test "a host that is alone, cut off from its cluster: the next one is asked" {
	local taker
	start_node alone
	equal "$(DQ_URL=$(of_ports "$port" "${replicas[0]}") dq-put -i x "$one" hello)" "$one/x"
	DQ_URL=$(of_ports "$port" "${ports[0]}") dq-take -f --ack "$one" "$two" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	dq-put -q "$two" there
	wait_until 20 has_lines "$T/out" 2
	kill "$taker"
	exits 143 "$taker"
	stop_server alone
}

@test "long-running tools whose URL names replicas only deliver from all nodes" {
	export DQ_URL
	DQ_URL=$(of_ports "${replicas[@]}")
	dq-take -f --ack "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$! queue
	for queue in "$one" "$two" "$three"; do dq-put -q "$queue" now; done
	wait_until 20 has_lines "$T/out" 3
	dq-promote -f "$one" "$two" "$three" 2>"$T/promote.err" 3>&- &
	local promoter=$!
	for queue in "$one" "$two" "$three"; do dq-put -q -d 200ms "$queue" later; done
	wait_until 20 has_lines "$T/out" 6
	kill "$taker" "$promoter"
	exits 143 "$taker"
	exits 143 "$promoter"
	run ! grep -q connecting "$T/err" "$T/promote.err"
}

# The last test: it exchanges masters and replicas.
@test "all hosts of the URL become replicas by CLUSTER FAILOVER" {
	export DQ_URL
	DQ_URL=$(of_ports "${ports[@]}")
	local i queue
	for queue in "$one" "$two" "$three"; do dq-put -q "$queue" before; done
	for i in 0 1 2; do
		wait_until 60 in_step "r$i"
		takes_over "r$i"
		wait_until 60 is_role "n$i" slave
		wait_until 60 in_step "n$i"
	done
	for i in 0 1 2; do
		wait_until 60 cluster_is_ok "n$i"
		wait_until 60 cluster_is_ok "r$i"
	done
	for queue in "$one" "$two" "$three"; do
		equal "$(dq-take --ack --timeout 60s "$queue" | cut -f 2)" before
	done
	all_tools
}
