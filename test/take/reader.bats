# Goal: dq-take takes nothing while its reader has not read what was written: at most one message (-n: one round) is leased and unread.

bats_require_minimum_version 1.5.0

load ../helper

# The test is the reader of a pipe, on descriptor 8. It reads a line only when it wants to.
setup() {
	begin_test
	mkfifo "$T/pipe"
	exec 8<>"$T/pipe"
	seq -f '%030.0f' 300 | dq-put -ql "$q"
}

teardown() {
	exec 8>&-
	end_test
}

fill() {
	python3 "$top/test/take/fill.py" "$T/pipe"
}

leased() { # N
	equal "$(rcli ZCARD "dq:{$q}:leased")" "$1"
}

# The tool looks at its output again and again.
looks() { # PID
	local before
	before=$(sleeps "$1")
	wait_until 20 has_slept "$1" "$before" 40
}

# So many are leased; and still, after the tool has looked at its output again and again. It asked Redis nothing.
stays() { # N PID
	local before calls
	wait_until 20 leased "$1"
	before=$(sleeps "$2")
	wait_until 20 has_slept "$2" "$before" 10
	calls=$(scripts_run)
	looks "$2"
	leased "$1"
	equal "$(scripts_run)" "$calls"
}

next_line() {
	local line
	IFS= read -rt 20 line <&8
	matches "$line" "$1"
}

@test "a slow reader: one message is leased and unread, and Redis is not asked while it waits" {
	local options pid n=0 _
	for options in '-f' '-f -n 1' '--until-empty -n 1' '-f --json' "-f $q.other"; do
		# shellcheck disable=SC2086
		dq-take -q $options "$q" >&8 8>&- 3>&- &
		pid=$!
		for _ in 1 2 3; do
			stays $((++n)) "$pid"
			next_line "$q/.*0000"
		done
		stays $((++n)) "$pid"
		kill "$pid"
		exits 143 "$pid"
		leased "$n" # what is in the pipe stays leased
		next_line "$q/.*0000"
	done
	audit
}

@test "-n N: one round is unread; the reader that has read all but a line gets nothing more" {
	local pid _
	dq-take -f -n 10 "$q" >&8 8>&- 3>&- &
	pid=$!
	stays 10 "$pid"
	for _ in {1..9}; do
		next_line "$q/"
	done
	stays 10 "$pid"
	next_line "$q/"
	stays 20 "$pid"
	kill "$pid"
	exits 143 "$pid"
	leased 20
}

@test "--ack: what is acked and unread is one message" {
	local pid
	dq-take -f --ack "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 20 holds 0 299 0 0
	stays 0 "$pid"
	next_line "$q/"
	wait_until 20 holds 0 298 0 0
	kill "$pid"
	exits 143 "$pid"
	holds 0 298 0 0
}

@test "-w in a loop: nothing is taken before the reader has read: 75 if it does not in time" {
	local status=0
	dq-take -w 20s "$q" >&8 8>&-
	dq-take -w 100ms "$q" >&8 8>&- 2>"$T/err" || status=$?
	equal "$status" 75
	equal "$(cat "$T/err")" "dq-take: $q: nothing was taken: the reader of the output has not read what was written before"
	leased 1
	next_line "$q/"
	dq-take -w 20s "$q" >&8 8>&-
	leased 2
	dq-take "$q" >&8 8>&- # it does not wait, for neither
	leased 3
}

@test "what others wrote before is read first; what they write behind our message does not count" {
	local pid
	echo theirs >&8
	dq-take -f "$q" >&8 8>&- 3>&- &
	pid=$!
	stays 0 "$pid"
	next_line '^theirs$'
	stays 1 "$pid"
	echo theirs >&8
	looks "$pid"
	next_line "$q/"
	stays 2 "$pid"
	next_line '^theirs$'
	next_line "$q/"
	wait_until 20 leased 3
	kill "$pid"
	exits 143 "$pid"
}

# Another writer and a reader go on, so that the pipe has room for a moment only; a tool that waits for more than room waits forever.
@test "a pipe that others keep full: a moment with room is enough" {
	local pid
	fill
	dq-take -f "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 60 eval 'head -c 4096 <&8 >/dev/null; pause; fill; leased 1'
	kill "$pid"
	exits 143 "$pid"
	between 299 "$(states | cut -d " " -f 2)" 300
	audit
}

has_come() { # US
	[ "${EPOCHREALTIME/./}" -ge "$1" ]
}

@test "a reader that works for seconds: its pipe is looked at less often" {
	local pid before begun
	dq-take -f "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 20 leased 1
	before=$(sleeps "$pid")
	wait_until 20 has_slept "$pid" "$before" 10 # it waits for its reader
	begun=${EPOCHREALTIME/./}
	wait_until 20 has_come $((begun + 3000000))
	before=$(sleeps "$pid") begun=${EPOCHREALTIME/./}
	wait_until 20 has_come $((begun + 2000000))
	between 0 $(($(sleeps "$pid") - before)) $(((${EPOCHREALTIME/./} - begun) * 30 / 1000000))
	kill "$pid"
	exits 143 "$pid"
}

@test "a reader that ends while it is waited for ends the tool: 141" {
	local pid
	mkfifo "$T/other"
	dq-take -f "$q" >"$T/other" 8>&- 3>&- &
	pid=$!
	exec 7<"$T/other"
	stays 1 "$pid"
	exec 7<&-
	exits 141 "$pid"
	leased 1
}

# Each handler makes the queue older, as if it took 100 s.
work() {
	local record
	while IFS= read -r record; do
		later 100000
		pause
		echo "$record" >>"$T/run"
		dq-ack 2>>"$T/refused" <<<"$record" || true
	done
}

@test "a handler of 100 s for each of 60 messages, leases of 2500 s: each message is handled once, and each ack counts" {
	local options pid
	for options in '-f' '-f -n 1'; do
		q=$q.$BATS_TEST_NUMBER
		seq 60 | dq-put -ql -t 2500s "$q"
		: >"$T/run"
		# shellcheck disable=SC2086
		dq-take $options "$q" 8>&- 3>&- > >(work 8>&- 3>&-) &
		pid=$!
		wait_until 60 holds 0 0 0 0
		kill "$pid"
		exits 143 "$pid"
		equal "$(wc -l <"$T/run")" 60
		equal "$(cat "$T/refused")" ''
	done
}

# How many are leased while each message is handled.
count() {
	local record
	while IFS= read -r record; do
		pause
		rcli ZCARD "dq:{$q}:leased" >>"$T/leased"
		dq-ack 2>>"$T/refused" <<<"$record" || true
	done
}

# A loop's tool takes when all in its pipe was read: so one message is in its handler, and one in its pipe.
@test "two loops share a queue: no more than two messages each are leased" {
	local pids=() _
	for _ in 1 2; do
		dq-take -f -n 1 "$q" 8>&- 3>&- > >(count 8>&- 3>&-) &
		pids+=($!)
	done
	wait_until 60 holds 0 0 0 0
	kill "${pids[@]}"
	exits 143 "${pids[0]}"
	exits 143 "${pids[1]}"
	between 1 "$(sort -n "$T/leased" | tail -n 1)" 4
	equal "$(wc -l <"$T/leased")" 300
	equal "$(cat "$T/refused")" ''
}
