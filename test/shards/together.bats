# Goal: A tool that calls several shards, or several queues, sends all calls before it waits for the first reply.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate
load shards

setup() {
	begin_test
	start_gate
}

ran() { # N  scripts since $before
	[ "$(scripts_run)" -ge $((before + $1)) ]
}

# Of COMMAND, from the moment at which it has learnt the number of shards, no answer arrives until N scripts have run.
all_before_an_answer() { # N COMMAND...
	local tool n=$1
	rm -f "$T"/rules/held.*
	: >"$T/rules/hold.HGET"
	DQ_URL=unix://$T/gate "${@:2}" >"$T/out" 2>"$T/err" 3>&- &
	tool=$!
	wait_until 10 test -e "$T/rules/held.HGET"
	before=$(scripts_run)
	: >"$T/rules/late.EVALSHA"
	rm "$T/rules/hold.HGET"
	wait_until 10 test -e "$T/rules/held.EVALSHA"
	wait_until 10 ran "$n"
	rm "$T/rules/late.EVALSHA"
	exits 0 "$tool"
}

@test "dq-stat: all shards" {
	spread 6
	seq 30 | dq-put -q -l "$q"
	dq-stat "$q" >"$T/expected"
	all_before_an_answer 6 dq-stat "$q"
	equal "$(awk '{ print $1, $4 }' "$T/out")" "$(awk '{ print $1, $4 }' "$T/expected")"
}

@test "dq-stat: more shards than are asked together" {
	spread 40
	seq 80 | dq-put -q -l "$q"
	dq-stat "$q" >"$T/expected"
	all_before_an_answer 16 dq-stat "$q"
	equal "$(awk '{ print $1, $4 }' "$T/out")" "$(awk '{ print $1, $4 }' "$T/expected")"
}

@test "dq-stat of named queues: all of them; once if named twice" {
	local tool
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	dq-stat --no-header "$q.a" "$q.b" "$q.c" "$q.a" >"$T/expected"
	equal "$(awk '{ print $1 }' "$T/expected" | paste -sd' ')" "$q.a $q.b $q.c"
	before=$(scripts_run)
	: >"$T/rules/late.EVALSHA"
	DQ_URL=unix://$T/gate dq-stat --no-header "$q.a" "$q.b" "$q.c" >"$T/out" 3>&- &
	tool=$!
	wait_until 10 test -e "$T/rules/held.EVALSHA"
	wait_until 10 ran 3
	rm "$T/rules/late.EVALSHA"
	exits 0 "$tool"
	equal "$(awk '{ print $1, $4 }' "$T/out")" "$(awk 'NR < 4 { print $1, $4 }' "$T/expected")"
}

@test "dq-set paused=yes and paused=no: all shards" {
	spread 6
	seq 30 | dq-put -q -l "$q"
	dq-set "$q" paused=yes
	dq-set "$q" paused=no
	all_before_an_answer 6 dq-set -v "$q" paused=yes
	equal "$(<"$T/err")" "dq-set: $q: paused: it was not paused"
	run -1 dq-take "$q"
	all_before_an_answer 6 dq-set -v "$q" paused=no
	equal "$(<"$T/err")" "dq-set: $q: resumed: it was paused"
	equal "$(dq-take --ack -n 30 "$q" | wc -l)" 30
}
