# Goal: dq-stat --watch, where standard output is not a terminal: a line for each poll, and what is wrong once on standard error.

bats_require_minimum_version 1.5.0

load ../helper
load queue

@test "not a terminal: a line for each poll; it ends when the reader closes the pipe" {
	dq-put -q a x
	dq-put -q -d 1h b x
	dq-stat --watch --every 100ms 3>&- | head -3 >"$T/out"
	equal "${PIPESTATUS[0]}" 141
	matches "$(sed -n 1p "$T/out")" \
		'^TIME +QUEUES +DELAYED +DUE +READY +LEASED +DEAD +LATE +RETRYING +FAILING +put/s +take/s +ack/s +retry/s +dead/s$'
	matches "$(sed -n 2p "$T/out")" '^20[0-9-]+T[0-9:.]+Z +2 +1 +0 +1 +0 +0 +- +0( +-){6}$'
	matches "$(sed -n 3p "$T/out")" '^20[0-9-]+T[0-9:.]+Z +2 +1 +0 +1 +0 +0 +- +0 +-( +0\.0){5}$'
	run -0 env TERM=dumb python3 "$top/test/tool/screen.py" 160x24 dq-stat --watch a <<<$'wait 0[.]0\nkeys \\x03\nend\nmode'
	equal "$output" $'130\necho cursor normal'
}

@test "not a terminal: standard error reports a lost connection, and the reconnect" {
	start_server own
	export DQ_URL=unix://$T/own/s
	dq-put -q a x
	dq-stat --watch --every 100ms >"$T/out" 2>"$T/err" 3>&- &
	local pid=$!
	wait_until 10 grep -q ' 0\.0' "$T/out"
	redis-cli -s "$T/own/s" shutdown nosave
	wait_until 10 grep -q 'connecting again' "$T/err"
	start_server own
	wait_until 10 grep -q 'connected again' "$T/err"
	kill "$pid"
	exits 143 "$pid"
	stop_server own
}

@test "not a terminal: a broken queue is reported once, and again if it breaks again" {
	local pid
	dq-put -q a x
	polls() { # N more
		wait_until 20 has_lines "$T/out" $(($(wc -l <"$T/out") + $1))
	}
	: >"$T/out"
	rcli SET "$DQ_PREFIX:{b}:stat" text >/dev/null
	dq-stat --watch --every 100ms a b >>"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	polls 4
	equal "$(<"$T/err")" "dq-stat: b: not shown: $DQ_PREFIX:{b}:stat is a string, not a hash"
	rcli DEL "$DQ_PREFIX:{b}:stat" >/dev/null
	polls 3
	rcli SET "$DQ_PREFIX:{b}:stat" text >/dev/null
	polls 3
	equal "$(wc -l <"$T/err")" 2
	kill "$pid"
	exits 143 "$pid"
}
