# Goal: while a tool that reads lines waits for Redis, it goes on reading: its producer goes on, and what came meanwhile is one call.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

# By hash: of scripts that the server has.
calls() {
	rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p'
}

# The tool reads a pipe, on descriptor 9, and Redis answers its first call only when the rule is lifted.
begin() { # COMMAND...
	start_gate
	mkfifo "$T/in"
	exec 9<>"$T/in"
	DQ_URL=unix://$T/gate "$@" <"$T/in" >"$T/out" 2>"$T/err" 9>&- 3>&- &
	pid=$!
	rcli CONFIG RESETSTAT >/dev/null
	rule late.EVAL
	head -n 1 "$T/lines" >&9
	wait_until 20 came EVAL
	tail -n +2 "$T/lines" >&9
	wait_until 20 python3 "$top/test/failure/drained.py" 9
}

# dq-ack begins with 101 receipts.
begin_ack() {
	warm_up "$q"
	seq 101 | dq-put -ql "$q"
	dq-take -n 101 "$q" >"$T/lines"
	begin dq-ack
}

# The tool gets the answer, and ends when there are no more lines.
finish() {
	lift late.EVAL
	exec 9>&-
	exits 0 "$pid"
	equal "$(cat "$T/err")" ''
}

@test "dq-ack: 100 receipts that come while it waits are one call" {
	begin_ack
	holds 0 0 100 0 # the answer to the first is on its way
	finish
	holds 0 0 0 0
	equal "$(calls)" 2
}

@test "dq-put -l: likewise, and names are printed in order" {
	warm_up "$q"
	seq 101 >"$T/lines"
	begin dq-put -l "$q"
	holds 0 1 0 0
	finish
	equal "$(calls)" 2
	equal "$(wc -l <"$T/out")" 101
	equal "$(dq-take -n 200 "$q" | cut -f2)" "$(seq 101)"
}

@test "dq-rm: likewise" {
	warm_up "$q"
	dq-put "$q" x | dq-rm
	seq 101 | dq-put -l "$q" >"$T/lines"
	begin dq-rm
	finish
	holds 0 0 0 0
	equal "$(calls)" 2
}

@test "dq-ack, the connection is lost while it waits: it settles what it has read meanwhile, too" {
	begin_ack
	rule eat.d
	lift late.EVAL
	exec 9>&-
	exits 75 "$pid" # the first was settled, but the answer is lost
	holds 0 0 0 0
	matches "$(cat "$T/err")" 'not known whether it was settled'
}

@test "dq-ack, TERM while it waits: it ends, and what it has sent is settled" {
	begin_ack
	kill "$pid"
	exits 143 "$pid"
	exec 9>&-
	lift late.EVAL
	holds 0 0 100 0
}
