# Goal: One load at a time has a queue. A load that another one has overtaken changes nothing more, and no load resumes a queue for another.

bats_require_minimum_version 1.5.0

load ../helper
load ../shards/shards
load ../gate

# $T/long has 2,000 messages, $T/short one more.
setup() {
	begin_test
	seq 2000 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/long"
	dq-put -q --prefix other -i extra "$q" x
	dq-dump --prefix other "$q" >"$T/short"
	export DQ_PREFIX=new
}

# A load of $T/long that has read the queue's first line and 1,500 messages, and waits for more: its process is $loader.
begin_load() { # [SHARDS]
	local shards=${1:-1}
	mkfifo "$T/lines"
	dq-load <"$T/lines" >"$T/names" 2>"$T/err" 3>&- &
	loader=$!
	exec 8>"$T/lines"
	head -n 1501 "$T/long" >&8
	if [ "$shards" = 1 ]; then wait_until 20 has 1500; else wait_until 20 begun "$shards"; fi
}

# The rest of it.
go_on() { # STATUS
	tail -n +1502 "$T/long" >&8 || true # it may have ended
	exec 8>&-
	exits "$1" "$loader"
}

has() { # MESSAGES
	[ "$(dq-stat --json "$q" | jq '[.queues[].messages | .delayed, .ready, .leased] | add')" = "$1" ]
}

begun() { # SHARDS
	local i
	for ((i = 0; i < $1; i++)); do [ -n "$(rcli HGET "new:{$(tag "$i" "$1")}:stat" claim)" ] || return; done
}

is_paused() {
	[ "$(dq-stat --json "$q" | jq '.queues[].paused')" = true ]
}

dump_of() { # FILE
	head -n 1 "$1" | jq .dump
}

held() { # the load of $T/short is refused for that of $T/long
	run -75 --separate-stderr dq-load "$T/short"
	equal "$output" ''
	equal "${stderr_lines[0]}" "dq-load: $q: its beginning was not loaded: another load has the queue: load its dump to the end, or \
give it up (dq-set QUEUE paused=yes): dump $(dump_of "$T/long")"
	equal "${stderr_lines[1]}" \
		"dq-load: the rest was not read: 0 there already, 0 replaced, 0 kept, 0 loaded, 0 refused, 0 unknown"
	equal "${#stderr_lines[@]}" 2
	is_paused
	run -1 dq-take -q "$q"
}

overtaken() { # DUMP: what the load of $T/long says
	matches "$(<"$T/err")" "^dq-load: $q: [0-9]+ messages? not loaded: another load has taken the queue over: dump $1($|"$'\n)'
	equal "$(grep -c 'not loaded' "$T/err")" 1
	run ! grep -q 'stays paused' "$T/err"
}

@test "a load that was stopped while its dump was loaded and acked: it loads nothing more" {
	begin_load
	kill -STOP "$loader"
	dq-load -q "$T/long"
	dq-take -n 1000 --ack "$q" >/dev/null
	kill -CONT "$loader"
	go_on 75
	overtaken "$(dump_of "$T/long")"
	has 1000
	run -0 --separate-stderr dq-load -q -v "$T/long"
	has 1000
	run -1 is_paused
}

@test "a load of another dump is refused until the first one has ended; then both are there whole" {
	begin_load
	held
	go_on 0
	has 2000
	run -1 is_paused
	dq-load -q "$T/short"
	has 2001
	run -1 is_paused
}

@test "a load that was killed: its dump is loaded at once, and nothing is there twice" {
	begin_load
	kill -9 "$loader"
	exits 137 "$loader"
	held
	dq-load -q "$T/long"
	has 2000
	equal "$(field stat put)" 2000
	run -1 is_paused
}

@test "a load that was killed, and is given up by paused=yes: another dump is loaded, and the queue stays paused" {
	begin_load
	kill -9 "$loader"
	exits 137 "$loader"
	dq-set -q "$q" paused=yes
	dq-load -q "$T/short"
	has 1501
	is_paused
	dq-set -q "$q" paused=no
	run -0 dq-take -q "$q"
}

@test "a load that was given up, and goes on after another dump was loaded: it is refused" {
	begin_load
	dq-set -q "$q" paused=no
	dq-load -q "$T/short"
	go_on 75
	overtaken "$(dump_of "$T/short")"
	has 1501
}

@test "a queue that is resumed during the load: the load goes on" {
	begin_load
	dq-set -q "$q" paused=no
	run -0 dq-take -q "$q"
	go_on 0
	has 2000
}

@test "a queue that is removed during the load: exit 75, and a repeat loads all" {
	begin_load
	dq-rm -q -f -a "$q"
	go_on 75
	matches "$(<"$T/err")" "^dq-load: $q: [0-9]+ messages? not loaded: the load lost the queue, \
which was removed or got other shards: load the dump again"
	dq-load -q "$T/long"
	has 2000
	run -1 is_paused
}

@test "a dump without its end: the queue stays paused, and a new dump is loaded and resumes it" {
	run -65 dq-load -q < <(head -n 1501 "$T/long")
	is_paused
	dq-load -q "$T/short"
	has 1501
	run -1 is_paused
}

@test "several shards: a load has all of them, and each of them refuses a load that another one has overtaken" {
	dq-set -q "$q" shards=3
	begin_load 3
	held
	kill -STOP "$loader"
	dq-load -q "$T/long"
	dq-take -n 2000 --ack "$q" >"$T/taken"
	equal "$(wc -l <"$T/taken")" 2000
	kill -CONT "$loader"
	go_on 75
	overtaken "$(dump_of "$T/long")"
	has 0
	dq-load -q "$T/short"
	has 1
	run -1 is_paused
}

@test "several shards: a load that was killed when it had resumed some of them: a repeat completes the others" {
	local i
	dq-set -q "$q" shards=3
	begin_load 3
	kill -9 "$loader"
	exits 137 "$loader"
	dq-load -q "$T/long"
	# As if it had ended only shard 2, from which a consumer has taken since.
	for i in 0 1; do
		rcli HDEL "new:{$(tag "$i" 3)}:stat" loaded >/dev/null
		rcli HSET "new:{$(tag "$i" 3)}:stat" limits p claim 7 loading "$(dump_of "$T/long")" >/dev/null
		rcli HSET "new:{$(tag "$i" 3)}:conf" paused load >/dev/null
	done
	dq-take -n 2000 --ack "$q" >"$T/taken"
	run -75 dq-load -q "$T/short"
	equal "$(rcli HGET "new:{$(tag 2 3)}:stat" loading)" ''
	dq-load "$T/long" >"$T/names"
	equal "$(wc -l <"$T/names")" 2000
	has $((2000 - $(wc -l <"$T/taken")))
	run -1 is_paused
}

@test "shards that were made since the first load, and an empty queue: the second load loads all" {
	dq-load -q "$T/long"
	dq-take -n 2000 --ack "$q" >/dev/null
	dq-set -q "$q" shards=3
	run -0 --separate-stderr dq-load "$T/long"
	equal "${#lines[@]}" 2000
	equal "$stderr" ''
	has 2000
}

@test "a load whose replies are lost, and which another one overtakes meanwhile: one line says so, and none that it is paused" {
	local first slow
	first=$(sed -n 2p "$T/long" | jq -r .id)
	start_gate
	rule "late.$first"
	dq-load -u "unix://$T/gate" "$T/long" >"$T/names" 2>"$T/err" 3>&- &
	slow=$!
	wait_until 20 came "$first"
	dq-load -q "$T/long"
	dq-take -n 2000 --ack "$q" >/dev/null
	rule eat.nnnn
	lift "late.$first"
	exits 75 "$slow"
	matches "$(grep 'not loaded' "$T/err")" \
		"^dq-load: $q: [0-9]+ messages perhaps not loaded: another load has taken the queue over: dump $(dump_of "$T/long")\$"
	equal "$(grep -c 'not loaded' "$T/err")" 1
	run ! grep -q 'paused' "$T/err"
	has 0
	run -1 is_paused
}

@test "a load without its end, that lost its queue: nothing of the queue comes back, and no line says that it is paused" {
	begin_load
	dq-rm -q -f -a "$q"
	exec 8>&-
	exits 75 "$loader"
	equal "$(<"$T/err")" "dq-load: $q: its end was not loaded: the load lost the queue, which was removed or got other shards: \
load the dump again
dq-load: standard input: the end of the dump is missing: load the whole dump, or a new one"
	equal "$(rcli EXISTS "new:{$q}:stat" "new:{$q}:conf")" 0
}
