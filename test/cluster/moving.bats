# Goal: While the slot of a queue moves, only that queue waits, and the other queues of the tool are served at once. The tool reports
# the beginning and the end once.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load move

setup_file() {
	begin_file
	start_cluster
}

setup() {
	begin_test
	begin_cluster
	begin_moving
}

teardown() {
	end_moving
	end_test
}

# Redis has done what the tool reports a moment later; and dq-run would speak of a command that still runs.
ends_after_report() { # PID
	wait_until 20 grep -q ': served again$' "$T/err"
	wait_until 20 are_states '0 0 0 0' "${others[@]}"
	kill "$1"
	exits 143 "$1"
}

# The beginning and the end were reported once, for $two.
said_once() { # FILE
	equal "$(grep -c "^dq-[a-z]*: ${two}[^:]*: TRYAGAIN .*: its slot is being moved: trying again\$" "$1")" 1
	equal "$(grep -c "^dq-[a-z]*: ${two}[^:]*: its slot was moved: served again\$" "$1")" 1
	equal "$(wc -l <"$1")" 2
}

@test "dq-take -f: the other queues are served at once; the moving one after the move, each message once" {
	dq-put -q "$two" "$two"
	half_move
	dq-take -q -f --ack --timeout 60s "$two" "${others[@]}" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$! n
	wait_until 10 is_refused
	for n in 1 2 3; do
		put_others "$n"
		wait_until 5 has_lines "$T/out" $((3 * n))
	done
	run ! grep -q "$two" "$T/out"
	finish_move
	wait_until 5 has_lines "$T/out" 10
	wait_until 5 is_after_move '0 0 0 0'
	dq-put -q "$two" again
	wait_until 10 has_lines "$T/out" 11
	ends_after_report "$taker"
	equal "$(cut -f 2 "$T/out" | sort | uniq -c | awk '{ print $1 }' | paste -sd' ')" '3 3 3 1 1'
	said_once "$T/err"
}

@test "dq-take -w: likewise, until its time is over" {
	dq-put -q "$two" x
	half_move
	run --separate-stderr timeout 20 dq-take -q -w 1s --timeout 60s "$two" "$one"
	equal "$status$output" 75
	matches "$stderr" "^dq-take: $two: TRYAGAIN .*: its slot is being moved: trying again\$"
}

@test "dq-take over several queues takes from the others; if these are empty, it waits" {
	dq-put -q "$two" x
	put_others x
	half_move
	run --separate-stderr timeout 20 dq-take -n 9 --ack --timeout 60s "$two" "${others[@]}"
	equal "$status" 0
	equal "${#lines[@]}" 3
	matches "$stderr" "^dq-take: $two: TRYAGAIN "
	dq-take --ack --timeout 60s "$two" "${others[@]}" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$!
	wait_until 10 is_refused 6
	finish_move
	exits 0 "$taker"
	equal "$(cut -f 2 "$T/out")$(said "$T/err")" x
}

@test "dq-take -f --ack: an ack that must wait does not delay the others" {
	local taker large
	mkfifo "$T/pipe"
	large=$(head -c 300000 /dev/zero | tr '\0' x)
	printf %s "$large" | dq-put -q "$two"
	dq-take -q -f --ack --timeout 60s "$two" "${others[@]}" >"$T/pipe" 2>"$T/err" 3>&- &
	taker=$!
	exec 7<"$T/pipe"
	wait_until 10 is_leased
	half_move # before it is written as a whole
	cat <&7 >"$T/out" 3>&- &
	exec 7<&-
	wait_until 10 is_refused
	put_others y
	wait_until 5 has_lines "$T/out" 4
	finish_move
	wait_until 5 is_after_move '0 0 0 0'
	ends_after_report "$taker"
	equal "$(cut -f 2 "$T/out" | cut -c 1 | sort | paste -sd' ')" 'x y y y'
	said_once "$T/err"
}

is_leased() {
	[ "$(states_of "$two")" = '0 0 1 0' ]
}

@test "dq-take -f --ack that is stopped reports the messages that it could not settle" {
	local taker
	mkfifo "$T/pipe"
	head -c 300000 /dev/zero | tr '\0' x | dq-put -q "$two"
	dq-take -q -f --ack --timeout 3s "$two" "${others[@]}" >"$T/pipe" 2>"$T/err" 3>&- &
	taker=$!
	exec 7<"$T/pipe"
	wait_until 10 is_leased
	half_move
	cat <&7 >"$T/out" 3>&- &
	exec 7<&-
	wait_until 10 is_refused
	wait_until 10 grep -q TRYAGAIN "$T/err"
	kill "$taker"
	exits 143 "$taker"
	equal "$(tail -n 1 "$T/err")" \
		"dq-take: $two: 1 messages were written but not settled: TRYAGAIN Multiple keys request during rehashing of slot"
}

@test "dq-run: neither a take nor a verdict of the moving queue delays the others" {
	local worker n
	dq-put -q "$two" first
	# shellcheck disable=SC2016
	dq-run -q -j 2 --timeout 60s "$two" "${others[@]}" -- sh -c 'read -r what; echo "$DQ_QUEUE $what" >>"$0"
		[ "$what" != first ] || until [ -e "$1" ]; do sleep 0.02; done' "$T/out" "$T/go" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 has_lines "$T/out" 1
	dq-put -q "$two" second
	wait_until 10 has_lines "$T/out" 2
	wait_until 10 is_leased
	dq-put -q -d 200ms "$two" third
	half_move
	: >"$T/go"
	wait_until 10 is_refused
	for n in 1 2 3; do
		put_others "$n"
		wait_until 5 has_lines "$T/out" $((2 + 3 * n))
	done
	finish_move
	wait_until 5 grep -q "^$two third" "$T/out"
	wait_until 5 is_after_move '0 0 0 0'
	ends_after_report "$worker"
	equal "$(sort "$T/out" | uniq -d)$(wc -l <"$T/out")" 12
	said_once "$T/err"
}

@test "dq-run: verdicts of all its commands wait for the slot, and the others go on at once" {
	local worker n
	dq-put -q "$two" held
	# shellcheck disable=SC2016
	dq-run -q --timeout 60s "${others[@]}" "$two" -- sh -c 'read -r what; echo "$DQ_QUEUE $what" >>"$0"
		[ "$what" != held ] || until [ -e "$1" ]; do sleep 0.02; done' "$T/out" "$T/go" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 has_lines "$T/out" 1
	half_move
	: >"$T/go"
	wait_until 10 is_refused
	for n in 1 2 3; do
		put_others "$n"
		wait_until 5 has_lines "$T/out" $((1 + 3 * n))
	done
	wait_until 5 are_states '0 0 0 0' "$one"
	finish_move
	wait_until 5 is_after_move '0 0 0 0'
	ends_after_report "$worker"
	equal "$(sort "$T/out" | uniq -d)$(wc -l <"$T/out")" 10
	said_once "$T/err"
}

@test "dq-run --until-empty: the other queues are emptied at once; the moving one after the move" {
	local worker
	dq-put -q "$two" x
	put_others y
	half_move
	dq-run -q --until-empty --timeout 60s "$two" "${others[@]}" -- cat >"$T/out" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 5 are_states '0 0 0 0' "${others[@]}"
	finish_move
	exits 0 "$worker"
	equal "$(<"$T/out")" yyyx
}

# Each call on that node takes 100 ms, which is longer than the first pauses between the calls for a slot that moves.
slow_node() { # NODE
	while [ ! -e "$T/fast" ]; do in_cluster "$1" CLIENT PAUSE 100 ALL; done
}

@test "dq-run --until-empty: likewise if the other nodes are slow" {
	local worker slow
	dq-put -q "$two" x
	put_others y
	half_move
	slow_node n2 >/dev/null 3>&- &
	slow=$!
	dq-run -q --until-empty --timeout 60s "$two" "${others[@]}" -- cat >"$T/out" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 20 is_refused 6
	: >"$T/fast"
	wait "$slow"
	wait_until 20 are_states '0 0 0 0' "${others[@]}"
	finish_move
	exits 0 "$worker"
	equal "$(<"$T/out")" yyyx
}

@test "dq-run --until-empty: while it waits for the moving queue, it does not ask the others again and again" {
	local i queues=() before
	dq-put -q "$two" x
	half_move
	for i in {121..320}; do
		[ "${#queues[@]}" -ge 20 ] || [ "$(node_of "$q.$i")" != n0 ] || queues+=("$q.$i")
	done
	before=$(SERVER=n0 scripts_run)
	run --separate-stderr timeout 20 dq-run -q --until-empty --timeout 2s "$two" "${queues[@]}" -- cat
	equal "$status$output" 75
	between 20 $(($(SERVER=n0 scripts_run) - before)) 100
}

@test "dq-run: a move that lasts longer than --timeout ends --once and --until-empty, and the last line says so" {
	local option
	dq-put -q "$two" x
	put_others y
	half_move
	for option in --until-empty --once; do # the first leaves no other messages, though each command takes longer than that
		run --separate-stderr timeout 60 dq-run -q "$option" --timeout 2s "$two" "${others[@]}" -- sh -c 'sleep 2.2; cat'
		equal "$status" 75
		[ "$option" = --once ] || equal "$output" yyy
		matches "$stderr" "^dq-run: $two: TRYAGAIN .*: trying again"$'\n'
		matches "${stderr##*$'\n'}" "^dq-run: ($two: still not served|.*: a slot is still being moved): ending\$"
	done
}

# Not 124: long before --timeout.
ends_soon() { # COMMAND...
	run --separate-stderr timeout 60 "$@"
	equal "$status" 75
}

@test "a --retry-for that is shorter than --timeout is the end for a slot that moves, too" {
	dq-put -q -i a "$two" x
	half_move
	seq 300 >"$T/lines"
	export DQ_RETRY_FOR=300ms
	ends_soon dq-put --timeout 10m "$two" y
	matches "${stderr_lines[0]}" ': TRYAGAIN .*: trying again for 300ms$'
	matches "${stderr_lines[1]}" "^dq-put: $two: 1 message not put: TRYAGAIN "
	ends_soon dq-put -l --timeout 10m "$two" <"$T/lines"
	matches "${stderr_lines[-1]}" ': 300 messages not put: TRYAGAIN '
	ends_soon dq-take --timeout 10m "$two" "$one"
	ends_soon dq-promote --timeout 10m
	ends_soon dq-rm --timeout 10m "$two/a"
	ends_soon dq-stat --timeout 10m
	ends_soon dq-run --until-empty --timeout 10m "$two" -- cat
	matches "${stderr_lines[-1]}" ": (still not served|a slot is still being moved): ending$"
	are_states '0 0 0 0' "$one"
}

@test "dq-promote -f: the others are promoted in time" {
	local promoter
	dq-put -q -d 100ms "$two" x
	half_move
	dq-promote -q -f --timeout 60s "$two" "${others[@]}" 2>"$T/err" 3>&- &
	promoter=$!
	wait_until 10 is_refused
	put_others -d 100ms y
	wait_until 5 are_states '0 1 0 0' "${others[@]}"
	finish_move
	wait_until 5 is_after_move '0 1 0 0'
	kill "$promoter"
	exits 143 "$promoter"
	equal "$(<"$T/err")" ''
}

@test "dq-promote -f reports the move once" {
	local promoter
	dq-put -q -d 100ms "$two" x
	half_move
	dq-promote -f --timeout 60s "$two" "${others[@]}" 2>"$T/err" 3>&- &
	promoter=$!
	wait_until 10 is_refused 3
	finish_move
	wait_until 5 is_after_move '0 1 0 0'
	ends_after_report "$promoter"
	sed -i '/no such queue/d' "$T/err"
	said_once "$T/err"
}

@test "dq-promote over many queues: the others are promoted at once; that one last, within --timeout" {
	local promoter
	dq-put -q -d 1ms "$two" x
	put_others -d 1ms y
	half_move
	dq-promote --timeout 60s "$two" "${others[@]}" 2>"$T/err" 3>&- &
	promoter=$!
	wait_until 5 are_states '0 1 0 0' "${others[@]}"
	finish_move
	exits 0 "$promoter"
	is_after_move '0 1 0 0'
	equal "$(said "$T/err")" ''
}

@test "dq-promote of all queues: likewise; 75 when its time is over" {
	dq-put -q -d 1ms "$two" x
	put_others -d 1ms y
	half_move
	run --separate-stderr timeout 60 dq-promote --timeout 3s
	equal "$status" 75
	equal "$(said <(echo "$stderr"))" "dq-promote: $two: not promoted: TRYAGAIN Multiple keys request during rehashing of slot"
	are_states '0 1 0 0' "${others[@]}"
}

@test "dq-gc over many queues: likewise, and each fault is reported once" {
	local gc name
	for name in "$two" "${others[@]}"; do
		dq-put -q -i a "$name" x
		in_cluster "$(node_of "$name")" ZADD "dq:{$name}:ready" 5 ghost >/dev/null
	done
	half_move
	dq-gc --repair --timeout 60s "$two" "${others[@]}" >"$T/out" 2>"$T/err" 3>&- &
	gc=$!
	wait_until 5 are_states '0 1 0 0' "${others[@]}"
	finish_move
	exits 0 "$gc"
	equal "$(cut -d/ -f1 "$T/out" | sort)" "$(printf '%s\n' "$two" "${others[@]}" | sort)"
	is_after_move '0 1 0 0'
	equal "$(said "$T/err")" ''
}

# Its verdict is refused while the slot moves.
ends_with_a_verdict() { # RUN-OPTION...
	dq-put -q "$two" x
	# shellcheck disable=SC2016
	dq-run "$@" "$two" -- sh -c ': >"$0"; until [ -e "$1" ]; do sleep 0.02; done' "$T/out" "$T/go" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 test -e "$T/out"
	half_move
}

@test "an ending dq-run says that it waits for the slot, not for a connection, and what is not settled" {
	local worker waits='1 message to settle: trying again while a slot is being moved for at most'
	ends_with_a_verdict --once --timeout 2s
	: >"$T/go"
	exits 75 "$worker"
	grep -qE "^dq-run: .*: $waits (2s|1([.][0-9])?s|[0-9]+ms)\$" "$T/err"
	grep -qE "^dq-run: $two/.*: not settled: a slot is being moved: redelivered when its lease ends\$" "$T/err"
	run -1 grep -E 'connecting|no answer' "$T/err"
}

@test "a second signal ends the wait of dq-run for a slot" {
	local worker began
	ends_with_a_verdict --timeout 60s
	kill "$worker"
	: >"$T/go"
	wait_until 10 grep -q 'trying again while a slot' "$T/err"
	began=${EPOCHREALTIME/./}
	kill "$worker"
	exits 143 "$worker"
	between 0 "$((${EPOCHREALTIME/./} - began))" 20000000 # of a minute
	grep -q 'not settled: a slot is being moved' "$T/err"
}
