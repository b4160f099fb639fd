# Goal: The first signal lets running commands finish, the second ends them and gives their messages back, and no signal reaches a command
# by accident.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker
load ../gate

@test "TERM while it waits: the end" {
	work -q "$q" -- true
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-run'
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$D/err")" ''
}

@test "TERM: takes no more, and finishes the commands" {
	gate
	seq 1 5 | dq-put -ql -t 4s "$q"
	work -j 2 "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 2
	kill "$worker"
	local before
	before=$(field stat extended)
	# The leases are still renewed.
	wait_until 30 eval "[ \"\$(field stat extended)\" -gt $((${before:-0} + 4)) ]"
	equal "$(states)" '0 3 2 0'
	equal "$(running | wc -l)" 2
	open_gate
	exits 143 "$worker"
	holds 0 3 0 0
	equal "$(lines "$D/log")" 2
}

@test "a signal: the worker reports how many commands it waits for" {
	gate
	seq 3 | dq-put -ql "$q"
	local jobs signal
	while read -r jobs signal text; do
		env --default-signal=HUP dq-run -j "$jobs" "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"' >"$D/out" 2>"$D/err" 3>&- &
		worker=$! # under nohup HUP would be ignored
		echo "$worker" >>"$D/workers"
		wait_until 10 has_lines "$D/log" "$jobs"
		kill "-$signal" "$worker"
		wait_until 10 grep -qxF "dq-run: $text" "$D/err"
		kill "-$signal" "$worker"
		wait_until 10 ended "$worker"
		equal "$(wc -l <"$D/err")" 1
		rm "$D/log"
	done <<-'END'
		1 TERM finishing 1 command; signal again to end it
		3 HUP finishing 3 commands; signal again to end them
	END
	holds 0 3 0 0
}

@test "TERM twice: the commands get TERM and their messages are given back, without a try" {
	seq 1 5 | dq-put -ql "$q"
	lost_script
	work -j 2 "$q" -- sh -c 'echo >>"$D/log"; exec tail -f /dev/null'
	wait_until 10 has_lines "$D/log" 2
	kill "$worker"
	wait_until 20 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 20 none_run
	holds 0 5 0 0
	equal "$(rcli HVALS "dq:{$q}:try" | grep -cE '^0[+]1 0 ')" 2
}

@test "TERM twice: a command that ignores TERM is killed after --kill-after, and its message given back" {
	dq-put -q -i x "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 20 both_ended
	holds 0 1 0 0
	equal "$(tries x)" 0
}

is_renewed() { # LEASE-END-BEFORE
	[ "$(score leased x)" -gt "$1" ]
}

is_past() { # MS
	[ "$(server_ms)" -gt "$1" ]
}

@test "TERM twice: the lease is kept until the command has ended" {
	local first
	dq-put -q -i x -t 4s "$q" x
	mkfifo "$D/end"
	handler slow <<-'SH'
		trap 'echo >>"$D/log"; read -r <>"$D/end"; exit 1' TERM
		echo "$$" >"$D/child"
		tail -f /dev/null &
		wait
	SH
	work --kill-after 20s "$q" -- bash "$D/slow"
	wait_until 10 test -s "$D/child"
	kill "$worker"
	wait_until 10 test -s "$D/err" # two signals at once would be one word
	wait_until 10 eval 'test -e "$D/log" || kill "$worker"; test -e "$D/log"'
	first=$(score leased x)
	wait_until 20 is_renewed "$first"
	wait_until 20 is_past "$first"
	run -1 dq-take "$q"
	echo >"$D/end"
	exits 143 "$worker"
	equal "$(cat "$D/err")" 'dq-run: finishing 1 command; signal again to end it'
	holds 0 1 0 0
	equal "$(tries x)" 0
}

@test "TERM twice: a command that still ends with 0 is done" {
	dq-put -q -i x "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 10 test -e "$D/child"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 20 both_ended
	holds 0 0 0 0
}

@test "INT to the whole process group: the command does not get it" {
	gate
	dq-put -q "$q" x y
	env --default-signal=INT setsid dq-run "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"' \
		>"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 has_lines "$D/log" 1
	kill -INT -- "-$worker"
	wait_until 10 grep -qxF 'dq-run: finishing 1 command; signal again to end it' "$D/err"
	pause
	run ! ended "$worker"
	equal "$(running | wc -l)" 1
	open_gate
	exits 130 "$worker"
	holds 0 1 0 0
}

@test "TERM before the reply to the take: the message is given back without a try, and no command starts" {
	start_gate
	dq-take -q "$q" || true # the server knows the script now
	rule late.EVALSHA
	dq-put -q -i x "$q" x
	DQ_URL=unix://$T/gate work "$q" -- sh -c 'echo >>"$D/log"'
	wait_until 10 came EVALSHA
	kill "$worker"
	wait_until 10 delivered "$worker"
	lift late.EVALSHA
	exits 143 "$worker"
	[ ! -e "$D/log" ]
	holds 0 1 0 0
	equal "$(tries x)" 0
}

# The reply to a request with that word is late; it was sent while a command of $D/gate ran.
command_of_late() { # WORD
	start_gate
	gate
	dq-put -q -i x -t 1h "$q" x
	DQ_URL=unix://$T/gate work --timeout 1h "$q" -- sh -c 'echo "$$" >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	rule "late.$1"
}

term() {
	kill "$worker"
	wait_until 10 delivered "$worker" # two signals at once would be one
}

@test "TERM twice while a command has ended and its verdict has no reply: the end, whatever --timeout" {
	command_of_late EVALSHA
	open_gate
	wait_until 10 came EVALSHA
	term
	term
	exits 143 "$worker"
	equal "$(grep -c "^dq-run: $q/x: not settled: no answer from Redis" "$D/err")" 1
	run ! grep finishing "$D/err"
}

@test "TERM twice while another request has no reply: the command is counted, and ended at once, and so is the worker" {
	command_of_late HMGET
	wait_until 10 came HMGET
	term
	wait_until 10 grep -qx 'dq-run: finishing 1 command; signal again to end it' "$D/err"
	equal "$(running | wc -l)" 1
	term
	wait_until 10 none_run
	exits 143 "$worker"
	equal "$(grep -c "^dq-run: $q/x: not settled: no answer from Redis" "$D/err")" 1
}

@test "TERM while another request has no reply, and the command has ended meanwhile: none is counted" {
	command_of_late HMGET
	wait_until 10 came HMGET
	open_gate
	wait_until 10 ended "$(<"$D/log")"
	term
	lift late.HMGET
	exits 143 "$worker"
	equal "$(<"$D/err")" ''
	holds 0 0 0 0
}
