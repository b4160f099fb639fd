# Goal: dq-take -f takes many messages in a call while its reader keeps up, and otherwise one, because the leases of unread messages run.

bats_require_minimum_version 1.5.0

load ../helper

calls() { # COMMAND  of scripts
	rcli INFO commandstats | sed -n "s/^cmdstat_$1:calls=\([0-9]*\).*/\1/p"
}

# Records of one length, so many bytes.
fill() { # N BYTES
	seq -f "%0$2.0f" "$1" | dq-put -q -l "$q"
	rcli CONFIG RESETSTAT >/dev/null
}

# Takes all messages, and ends; $T/taken has a line for each.
follow() { # N [OPTION...]
	local pid
	: >"$T/taken" # of the round before
	dq-take -f "${@:2}" "$q" > >(cat >"$T/taken") 3>&- &
	pid=$!
	wait_until 60 eval "[ \$(wc -l <'$T/taken') -eq $1 ]"
	kill "$pid"
	exits 143 "$pid"
}

# Whether a reader keeps up depends on the load of the machine, too: so the test has several rounds.
@test "a reader that keeps up: fewer calls than messages, each message once, in order" {
	local _
	for _ in {1..10}; do
		fill 3000 10
		follow 3000
		equal "$(cut -f2 "$T/taken" | uniq | wc -l)" 3000
		equal "$(cut -f2 "$T/taken" | sort -c && echo sorted)" sorted
		holds 0 0 3000 0
		[ "$(calls evalsha)" -ge 1500 ] || break
		dq-rm -qfa "$q"
	done
	[ "$(calls evalsha)" -lt 1500 ]
}

@test "-n 1: never more than one message in a call" {
	fill 300 10
	follow 300 -n 1
	[ "$(calls evalsha)" -ge 300 ]
}

# A usual take asks no types; another kind has its turn once in GUARD_MS (500 ms), and asks 13.
@test "-n 1: usual calls of take, also while the tool waits" {
	fill 1000 10
	follow 1000 -n 1
	[ "$(calls type)" -lt 6500 ]
}

# Prints how many messages are leased and unread when the reader has stopped.
unread() { # KIND LINES OPTION...
	python3 "$top/test/take/stalls.py" "$T/main/s" "$q" "$1" "$2" dq-take "${@:3}" "$q"
}

@test "a reader that stops: -n 1: no more than one message is unread" {
	fill 1000 100
	equal "$(unread pipe 100 -f -n 1)" 1
	equal "$(unread socket 100 -f -n 1)" 1
}

@test "a reader that stops: no more than one call is unread; what was asked for ahead is given back" {
	local bytes
	fill 3000 10
	between 1 "$(unread pipe 500 -f)" 64
	between 1 "$(unread pipe 500 --until-empty -n 100)" 100
	for bytes in 1000 10000; do
		q=q$BATS_TEST_NUMBER.$bytes
		fill 1000 "$bytes"
		between 1 "$(unread pipe 300 -f)" $((16384 / bytes))
	done
}

@test "output that is no pipe: one in a call" {
	local pid
	fill 100 10
	dq-take -f "$q" >"$T/taken" 3>&- &
	pid=$!
	wait_until 60 eval "[ \$(wc -l <'$T/taken') -eq 100 ]"
	kill "$pid"
	exits 143 "$pid"
	[ "$(calls evalsha)" -ge 100 ]
}

# The messages of the take that was sent ahead, too.
@test "TERM in the middle: unprinted messages are given back" {
	local pid
	fill 20000 100
	dq-take -f "$q" > >(cat >"$T/taken"; : >"$T/read") 3>&- &
	pid=$!
	wait_until 60 eval "[ \$(wc -l <'$T/taken') -ge 2000 ]"
	kill "$pid"
	exits 143 "$pid"
	wait_until 60 test -e "$T/read"
	equal "$(states)" "0 $((20000 - $(wc -l <"$T/taken"))) $(wc -l <"$T/taken") 0"
	audit
}
