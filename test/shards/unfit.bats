# Goal: A queue whose removal, or making, was interrupted does not keep dq-take and dq-run from their other queues.

bats_require_minimum_version 1.5.0

load ../helper
load shards
load ../run/worker

# As dq-rm -a, or dq-promote --shards, leaves it when it is killed at first.
half() { # SAYS
	rcli HSET "dq:{$q.half}:stat" shards "$1" >/dev/null
}

whole() {
	rcli HDEL "dq:{$q.half}:stat" shards >/dev/null
	dq-put -q "$q.half" late
}

said_once() {
	equal "$(grep -c "^$1: $q.half: .*: trying again\$" "$D/err")" 1
	run -1 grep 'connect' "$D/err"
}

follow() { # ARG...
	dq-take "$@" >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
}

# The other queue is served at once, again and again; then this one, too.
others_go_on() { # TOOL
	local n
	for n in 1 2 3; do
		dq-put -q "$q.ok" "ok$n"
		wait_until 3 grep -q "ok$n" "$D/out"
	done
	wait_until 5 grep -q "$q.half: .*: trying again" "$D/err"
	sleep 1 # several attempts
	said_once "$1"
	whole
	wait_until 5 grep -q late "$D/out"
	wait_until 5 grep -qx "$1: $q.half: served again" "$D/err"
	dq-put -q "$q.ok" last
	wait_until 3 grep -q last "$D/out"
	said_once "$1"
	kill "$worker"
	exits 143 "$worker"
}

@test "dq-take -f, in any order: the other queue is served, and it is said once, and that it is served again" {
	local says
	for says in 2- 2+; do
		half "$says"
		follow -f --ack "$q.ok" "$q.half"
		others_go_on dq-take
		half "$says"
		follow -f --ack "$q.half" "$q.ok"
		others_go_on dq-take
	done
}

@test "dq-run, in any order: the other queue is served, and it is said once, and that it is served again" {
	local says
	for says in 2- 2+; do
		half "$says"
		work -j 2 "$q.ok" "$q.half" -- cat
		others_go_on dq-run
		half "$says"
		work "$q.half" "$q.ok" -- cat
		others_go_on dq-run
	done
}

@test "dq-take -f and dq-run of that queue alone: it is said once, and they get its messages in the end" {
	half 2-
	follow -f --ack "$q.half"
	wait_until 5 grep -q 'being removed' "$D/err"
	sleep 1
	said_once dq-take
	whole
	wait_until 5 grep -q late "$D/out"
	kill "$worker"
	exits 143 "$worker"
	half 2-
	work "$q.half" -- cat
	wait_until 5 grep -q 'being removed' "$D/err"
	sleep 1
	said_once dq-run
	whole
	wait_until 5 grep -q late "$D/out"
}

@test "a short run serves the others; 75 if there is nothing else, with the reason" {
	half 2-
	dq-put -q "$q.ok" a
	run -0 --separate-stderr dq-take --until-empty --ack "$q.half" "$q.ok"
	matches "$output" $'\ta$'
	matches "$stderr" "^dq-take: $q.half: the queue is being removed; if that was interrupted: dq-rm -a $q.half\$"
	for option in -n1 --until-empty -w1s; do
		run -75 --separate-stderr dq-take "$option" "$q.half" "$q.ok"
		matches "$stderr" "^dq-take: $q.half: the queue is being removed; "
		run -75 --separate-stderr dq-take "$option" "$q.half"
	done
	dq-put -q "$q.ok" b
	run -75 --separate-stderr dq-run --until-empty --timeout 500ms "$q.half" "$q.ok" -- cat
	equal "$output" b
	run -75 --separate-stderr dq-run --once --timeout 500ms "$q.half" -- cat
}

@test "only some of its shards are there: those of the others go on" {
	q=$q.half spread 3
	rcli HDEL "dq:{$(q=$q.half tag 1 3)}:stat" shards >/dev/null
	follow -f --ack "$q.half" "$q.ok"
	others_after_repair() {
		dq-put -q "$q.ok" ok1
		wait_until 3 grep -q ok1 "$D/out"
		wait_until 5 grep -q 'not all of its 3 shards are there' "$D/err"
		sleep 1
		said_once "$1"
		dq-promote --shards 3 "$q.half"
		wait_until 5 grep -qx "$1: $q.half: served again" "$D/err"
		seq -f late%g 9 | dq-put -q -l "$q.half"
		wait_until 5 has_lines 10 "$D/out"
		kill "$worker"
		exits 143 "$worker"
	}
	others_after_repair dq-take
	rcli HDEL "dq:{$(q=$q.half tag 1 3)}:stat" shards >/dev/null
	work "$q.half" "$q.ok" -- sh -c 'cat; echo'
	others_after_repair dq-run
}
