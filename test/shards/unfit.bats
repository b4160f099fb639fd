# Goal: dq-take and dq-run serve their other queues although the creation or removal of one queue was interrupted.
# shellcheck disable=SC2016,SC2154

bats_require_minimum_version 1.5.0

load ../helper
load shards
load ../run/worker

# The state in which dq-rm -a or dq-set shards=N leaves the queue if it is killed after its first step.
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
	rm -f "$D/out" "$D/err" # of the tool before
	dq-take "$@" >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
}

# The other queue is served at once, several times; later this one is served, too.
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

@test "dq-take -f, in any order: the other queue is served; the failure is reported once, and so is its end" {
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

@test "dq-run, in any order: the other queue is served; the failure is reported once, and so is its end" {
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

both_reasons() { # TOOL
	wait_until 5 grep -q 'being created' "$D/err"
	half 2-
	wait_until 5 grep -q 'being removed' "$D/err"
	half 2+
	sleep 1 # several attempts
	equal "$(grep -c "^$1: $q.half: .* being created; " "$D/err")" 1
	equal "$(grep -c "^$1: $q.half: .* being removed; " "$D/err")" 1
	whole
	wait_until 5 grep -q late "$D/out"
	wait_until 5 grep -qx "$1: $q.half: served again" "$D/err"
}

@test "another reason is reported, too, each once until the queue is served again" {
	half 2+
	follow -f --ack "$q.ok" "$q.half"
	both_reasons dq-take
	kill "$worker"
	exits 143 "$worker"
	half 2+
	work "$q.half" "$q.ok" -- cat
	both_reasons dq-run
}

@test "dq-take -f and dq-run of that queue alone: reported once, and they get its messages in the end" {
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
	run -75 --separate-stderr dq-run --until-empty --timeout 2s "$q.half" "$q.ok" -- cat
	equal "$output" b
	run -75 --separate-stderr dq-run --once --timeout 500ms "$q.half" -- cat
}

@test "only some of its shards exist: the messages of the others are delivered" {
	q=$q.half spread 3
	rcli HDEL "dq:{$(q=$q.half tag 1 3)}:stat" shards >/dev/null
	follow -f --ack "$q.half" "$q.ok"
	others_after_repair() {
		dq-put -q "$q.ok" ok1
		wait_until 3 grep -q ok1 "$D/out"
		wait_until 5 grep -q 'not all of its 3 shards are there' "$D/err"
		sleep 1
		said_once "$1"
		dq-set "$q.half" shards=3
		wait_until 5 grep -qx "$1: $q.half: served again" "$D/err"
		seq -f late%g 9 | dq-put -q -l "$q.half"
		wait_until 5 has_lines "$D/out" 10
		kill "$worker"
		exits 143 "$worker"
	}
	others_after_repair dq-take
	rcli HDEL "dq:{$(q=$q.half tag 1 3)}:stat" shards >/dev/null
	work "$q.half" "$q.ok" -- sh -c 'cat; echo'
	others_after_repair dq-run
}

# A removal marks shard 0 first, and removes its messages later.
running_in_shard_0() { # LEASE
	local id
	q=$q.two spread 2
	id=$(q=$q.two first_of 0 2)
	name=$q.two/$id
	dq-put -q -i "$id" -t "$1" "$q.two" x
	gate
	work --once "$q.two" -- sh -c 'echo runs; true <"$D/gate"; echo ended'
	wait_until 5 grep -q runs "$D/out"
	rcli HSET "dq:{$q.two}:stat" shards 2- >/dev/null
}

@test "a removal is interrupted while a command runs: the command keeps its lease, and this is reported" {
	running_in_shard_0 60s
	sleep 2 # the receipt is checked each second
	run -1 grep 'lease is lost' "$D/err"
	open_gate
	wait_until 5 grep -q ended "$D/out"
	exits 0 "$worker"
	grep -qx "dq-run: $name: not settled: the queue is being removed" "$D/err"
	run -1 grep 'settled already, or removed' "$D/err"
}

@test "if the lease ends first, the command is ended; that the lease was not renewed is reported once" {
	running_in_shard_0 3s
	wait_until 10 grep -qx "dq-run: $name: the lease is lost (it expired before it was renewed): ending its command" "$D/err"
	equal "$(grep -cx "dq-run: $name: its lease is not renewed: the queue is being removed: trying again" "$D/err")" 1
	run -1 grep 'connect' "$D/err"
}

@test "a removal that is complete ends the command" {
	running_in_shard_0 60s
	dq-rm -q -f -a "$q.two"
	wait_until 5 grep -q "^dq-run: $name: the lease is lost (settled already, or removed): ending its command" "$D/err"
}

@test "dq-run --until-empty: the other queue is emptied at its usual speed" {
	half 2-
	local ms
	seq 100 | dq-put -q -l "$q.usual"
	seq 1000 | dq-put -q -l "$q.ok"
	# Not 100 ms for each message. What a usual one takes is a matter of the machine's load.
	ms=${EPOCHREALTIME/./}
	dq-run -q --until-empty "$q.usual" -- true
	ms=$(((${EPOCHREALTIME/./} - ms) / 1000))
	run --separate-stderr timeout $((60 + ms * 20 / 1000)) dq-run -q --until-empty --timeout 2s "$q.half" "$q.ok" -- true
	equal "$status" 75
	holds 0 0 0 0 "$q.ok"
}

is_renewed() { # SINCE: the lease of `long`, which is of 4 s
	local until
	until=$(rcli ZSCORE "dq:{$q.ok}:leased" long)
	[ "${until:-0}" -gt $(($1 + 4000)) ]
}

@test "dq-run: a queue gets shards while a command of another runs: its lease is renewed, and then all run" {
	gate
	dq-put -q -i long "$q.ok" long
	work -q -j 2 -t 4s "$q.ok" "$q.grows" -- sh -c 'read -r what; echo "$what" >>"$D/log"
		[ "$what" != long ] || true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	dq-set -q "$q.grows" shards=3
	seq 6 | dq-put -q -l "$q.grows"
	wait_until 20 is_renewed "$(server_ms)"
	open_gate
	wait_until 10 has_lines "$D/log" 7
	kill "$worker"
	exits 143 "$worker"
	equal "$(sort "$D/log" | paste -sd' ')" '1 2 3 4 5 6 long'
}
