# Goal: The rights that dq-scripts(7) gives each role suffice on a cluster, and each of them is needed.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load ../acl

setup_file() {
	begin_file
	start_cluster
}

setup() {
	begin_test
	begin_cluster
}

# On each node: the manual's rules, for that queue, and then these.
set_role() { # ROLE QUEUE [RULE...]
	local node words
	read -ra words < <(rights "$1" | sed "s/{$q\*}/{$2}/g")
	for node in n0 n1 n2; do in_cluster "$node" ACL SETUSER "dq-$1" "${words[@]}" "${@:3}" >/dev/null; done
}

from() { # ROLE COMMAND...
	DQ_URL=redis://dq-$1:@127.0.0.1:${ports[0]} REDISCLI_AUTH=secret "${@:2}"
}

@test "a producer and a consumer of a queue on another node, and of no other queue" {
	set_role producer "$two"
	set_role consumer "$two"
	from producer dq-put -q -i now "$two" x
	equal "$(listed | grep -cxF "$two")" 1
	from consumer dq-take -w 5s "$two" >"$T/taken"
	from consumer dq-ack <"$T/taken"
	from producer dq-put -q -i more "$two" x
	equal "$(from consumer dq-run --once "$two" -- cat)" x
	equal "$(states_of "$two")" '0 0 0 0'
	from producer fails 77 NOPERM dq-put "$three" x
	from consumer fails 77 NOPERM dq-take "$three"
	equal "$(states_of "$three")" '0 0 0 0'
}

@test "a queue of several shards: the pattern of shards, besides that of the queue" {
	local status=0
	dq-set -q "$two" shards=6
	seq 12 | dq-put -q -l "$two"
	set_role consumer "$two"
	from consumer dq-take --until-empty "$two" >"$T/taken" 2>"$T/err" || status=$? # it may begin with shard 0
	equal "$status" 77
	grep -q "$two: NOPERM" "$T/err"
	set_role consumer "$two" "~dq:{$two/*}:*"
	set_role producer "$two" "~dq:{$two/*}:*"
	seq 13 24 | from producer dq-put -q -l "$two"
	from consumer dq-take --until-empty -n 5 "$two" >>"$T/taken"
	from consumer dq-ack <"$T/taken"
	equal "$(dq-stat --json "$two" | grep -oE '"(acked|ready|leased)":[0-9]+' | sort | xargs)" 'acked:24 leased:0 ready:0'
	grep -qF '.It Li ~dq:{mail/*}:*' "$top/man/dq-scripts.7"
}

@test "an operator and a monitor: all queues of all nodes" {
	local queue
	for queue in "$one" "$two" "$three"; do dq-put -q -i "$q" -d 1h "$queue" x; done
	set_role operator any '+cluster|slots'
	set_role monitor any '+cluster|slots'
	equal "$(from monitor dq-stat --no-header | awk '{ print $1 }' | grep -cxF -e "$one" -e "$two" -e "$three")" 3
	equal "$(from monitor dq-stat --messages all "$one" "$two" "$three" | grep -c "/$q")" 3
	equal "$(from monitor dq-dump "$one" "$two" "$three" | grep -cF "\"id\":\"$q\"")" 3
	equal "$(from monitor dq-stat --prometheus | grep -c '^dq_server_slots{node=')" 3
	equal "$(from monitor dq-stat --check | grep -c 'answers$')" 3
	for queue in "$one" "$two" "$three"; do from monitor fails 77 NOPERM dq-promote "$queue/$q"; done
	printf "%s/$q\n" "$one" "$two" "$three" | from operator dq-promote -
	for queue in "$one" "$two" "$three"; do equal "$(states_of "$queue")" '0 1 0 0'; done
	from operator dq-promote
	from operator dq-gc --check
	from operator dq-set "$three" paused=yes
	from operator dq-set "$three" paused=no
	printf "%s/$q\n" "$one" "$two" "$three" | from operator dq-rm -
	for queue in "$one" "$two" "$three"; do equal "$(states_of "$queue")" '0 0 0 0'; done
	from operator dq-rm -q -f -a "$one"
}

# Redis takes each key of EVALSHA for one that is written.
@test "only the right to read keys is not enough for a monitor" {
	dq-put -q "$two" x
	set_role monitor any '+cluster|slots' resetkeys '%R~dq:*' '%R~{dq:queues}*'
	from monitor fails 77 NOPERM dq-stat "$two"
	grep -qF '.It Li %R~dq:*' "$top/man/dq-scripts.7"
}

@test "the right to ASKING, while a slot moves" {
	local slot ids node
	slot=$(slot_of "$two")
	ids=("$(in_cluster n1 CLUSTER MYID)" "$(in_cluster n2 CLUSTER MYID)")
	set_role producer "$two"
	in_cluster n2 CLUSTER SETSLOT "$slot" IMPORTING "${ids[0]}" >/dev/null
	in_cluster n1 CLUSTER SETSLOT "$slot" MIGRATING "${ids[1]}" >/dev/null
	from producer fails 75 "not put: (ASK|MOVED) " dq-put --timeout 900ms "$two" x
	in_cluster n2 ACL LOG | grep -qx asking
	in_cluster n2 ACL LOG RESET >/dev/null
	set_role producer "$two" +asking
	from producer fails 75 "not put: (ASK|TRYAGAIN) " dq-put --timeout 900ms "$two" x # until SETSLOT NODE
	equal "$(in_cluster n2 ACL LOG | grep -cx asking)" 0
	for node in n2 n1 n0; do in_cluster "$node" CLUSTER SETSLOT "$slot" NODE "${ids[1]}" >/dev/null; done
	from producer dq-put -q "$two" x
	equal "$(states_of "$two" n2)" '0 1 0 0'
	dq-rm -q -f -a "$two"
	for node in n1 n2 n0; do in_cluster "$node" CLUSTER SETSLOT "$slot" NODE "${ids[0]}" >/dev/null; done
}
