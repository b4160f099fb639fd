# Goal: A waiter that ends in order returns its marks; marks of a killed waiter are replaced soon.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

waits() { # [N]
	[ "$(rcli CLIENT LIST | grep -c 'name=dq-take-wait .*cmd=bzpopmin')" -ge "${1:-1}" ]
}

promoter_waits() {
	rcli CLIENT LIST | grep -q 'name=dq-promote-wait .*cmd=bzpopmin'
}

mark() { # PART MEMBER
	[ -n "$(score "$1" "$2")" ]
}

no_mark() {
	! mark "$@"
}

calls() { # COMMAND
	rcli INFO commandstats | tr -d '\r' | awk -F'[:=,]' -v command="cmdstat_$1" '$1 == command { n = $3 } END { print n + 0 }'
}

# Those of the tools. Each CLIENT UNBLOCK is one of four: MULTI, ZREM, it, EXEC.
commands_sent() {
	echo $(($(calls evalsha) + $(calls bzpopmin) + 4 * $(calls 'client|unblock')))
}

follow() { # [OPTION...]: dq-take -f, $taker
	env --default-signal=TERM dq-take -f "$@" "$q" >>"$T/taken" 2>>"$T/said" 3>&- &
	taker=$!
}

@test "a waiter that gets a message releases the time for others to watch" {
	dq-put -q -i later -d 1h "$q" x
	dq-take -w 60s -t 2h "$q" >"$T/taken" 3>&- &
	local taker=$!
	wait_until 10 no_mark timer t
	wait_until 10 waits
	dq-put -q "$q" now
	exits 0 "$taker"
	equal "$(score timer t)" "$(field stat armed)"
	between 1 "$(score timer t)" "$(score delayed later)"
}

# Else a tool that begins to wait calls in vain.
@test "the mark of what is ready goes with the last that is ready, and while the queue is paused" {
	local receipt
	dq-put -q -i x "$q" hello
	mark wake r
	dq-put -q -i x -e later -d 1h "$q" hello
	no_mark wake r
	dq-promote -q "$q/x"
	mark wake r
	dq-set "$q" paused=yes
	no_mark wake r
	dq-set "$q" paused=no
	mark wake r
	receipt=$(dq-take "$q" | cut -f 1)
	no_mark wake r
	dq-ack -g "$receipt"
	mark wake r
	dq-rm -q "$q/x"
	no_mark wake r
}

@test "a waiter that is ended by a signal puts back the time that it held" {
	dq-put -q -i later -d 1h "$q" x
	env --default-signal=TERM dq-take -f "$q" >"$T/taken" 3>&- &
	local taker=$!
	wait_until 10 no_mark timer t
	wait_until 10 waits
	kill -TERM "$taker"
	exits 143 "$taker"
	equal "$(score timer t)" "$(score delayed later)"
}

@test "a mark that comes while a blocked command is ended is put back for the others" {
	local began _
	start_gate
	for _ in {1..9}; do # a tool that ends has a second for this, and a busy machine may take longer: then again
		rm -f "$T/rules/held.UNBLOCK"
		dq-rm -qaf "$q" || true
		follow -u "unix://$T/gate"
		wait_until 10 waits
		rule hold.UNBLOCK
		began=${EPOCHREALTIME/./}
		kill -TERM "$taker"
		wait_until 10 came UNBLOCK
		dq-put -q "$q" second
		wait_until 10 no_mark wake r
		lift hold.UNBLOCK
		exits 143 "$taker"
		[ $((${EPOCHREALTIME/./} - began)) -ge 800000 ] || break
	done
	mark wake r
	equal "$(dq-take -w 60s "$q" | cut -f2)" second
}

# The timekeeper puts the time back when it ends: so a test can see that there is one.
keeps_time() { # OF-MESSAGE
	wait_until 10 no_mark timer t
	wait_until 10 waits
	kill -TERM "$taker"
	exits 143 "$taker"
	equal "$(score timer t)" "$(score delayed "$1")"
}

@test "a time that is lost with the connection for waiting is marked anew by the waiter that lost it" {
	start_gate
	follow -u "unix://$T/gate"
	wait_until 10 waits
	rule eat.:timer
	dq-put -q -i later -d 1h "$q" x
	eaten() { ! [ -e "$T/rules/eat.:timer" ]; }
	wait_until 10 eaten
	keeps_time later
}

@test "a time that its killed timekeeper held is marked anew by the next waiter" {
	dq-put -q -i later -d 1h "$q" x
	follow
	wait_until 10 no_mark timer t
	wait_until 10 waits
	kill -9 "$taker"
	exits 137 "$taker"
	follow
	keeps_time later
}

@test "a tool that does not wait marks nothing anew" {
	dq-put -q -i later -d 1h "$q" x
	dq-promote -f "$q" 3>&- &
	wait_until 10 no_mark timer t
	wait_until 10 promoter_waits
	dq-put -q "$q" now
	wait_until 10 no_mark timer t # the promoter has it, and waits again
	wait_until 10 promoter_waits
	rcli CONFIG RESETSTAT
	dq-take -w 5s -t 2h "$q"
	run -1 dq-take "$q"
	wait_until 10 promoter_waits
	# A mark would have ended a wait of the promoter without a look. One that began before counts as a look only.
	[ "$(calls bzpopmin)" -le $(($(calls evalsha) - 2)) ]
}

@test "CLIENT UNBLOCK that arrives before its BZPOPMIN is sent again, and the marks held go back meanwhile" {
	dq-put -q -i later -d 1h "$q" x
	start_gate
	follow --ack -u "unix://$T/gate"
	wait_until 10 no_mark timer t
	wait_until 10 waits
	rule hold.BZPOPMIN
	dq-put -q "$q" now # whoever got it waits again, for the other one
	wait_until 10 came BZPOPMIN
	rcli CONFIG RESETSTAT
	kill -TERM "$taker"
	twice() { [ "$(calls 'client|unblock')" -ge 2 ]; }
	wait_until 10 twice
	lift hold.BZPOPMIN
	exits 143 "$taker"
	equal "$(score timer t)" "$(field stat armed)" # of that message's lease
}

# By the server's clock. On a busy machine a waiter may be late by itself: one of five attempts shows that it need not be.
is_once_in_time() { # LATE COMMAND: it leaves a waiter, $taker
	local _ late
	for _ in 1 2 3 4 5; do
		q=$q.x
		rm -f "$T/taken" "$T"/rules/*.EVALSHA
		"$2"
		wait_until 20 test -s "$T/taken"
		late=$(rcli --raw HKEYS "dq:{$q}:stat" | grep late:)
		[[ ! $late =~ ^late:$1$ ]] || return 0
		kill "$taker"
		exits 143 "$taker"
	done
	matches "$late" "^late:$1\$"
}

reply_is_late() {
	rule late.EVALSHA
	dq-put -q -d 4s "$q" x
	follow -u "unix://$T/gate" --ack
	wait_until 10 came EVALSHA
	# The reply is late by this time.
	sleep 3
	lift late.EVALSHA
}

@test "a late reply hardly changes the estimate of the server's clock" {
	start_gate
	is_once_in_time '(.|10)' reply_is_late
}

at() { # MS
	dq-put -q -a "@${1:0:-3}.${1: -3}" "$q" x
}

# The commands of 20 takers for ten messages that are due one after the other, if before them come so many, each put with an
# earlier due time than the last.
commands_after() { # PUTS
	local i start takers=()
	: >"$T/taken"
	for i in {1..20}; do
		follow --ack
		takers+=("$taker")
	done
	wait_until 10 waits 20
	start=$(($(server_ms) + 2000))
	for ((i = 1; i <= $1; i++)); do at $((start - i * 20)); done
	for ((i = 1; i <= 10; i++)); do at $((start + i * 200)); done
	taken() { [ "$(wc -l <"$T/taken")" -ge "$1" ]; }
	wait_until 20 taken "$1"
	rcli CONFIG RESETSTAT
	seconds=$SECONDS
	wait_until 20 taken $(($1 + 10))
	wait_until 10 waits 20
	commands=$(commands_sent)
	seconds=$((SECONDS - seconds))
	kill "${takers[@]}"
	for i in "${takers[@]}"; do exits 143 "$i"; done
}

@test "puts of ever earlier due times wake no crowd: later messages cost as much as before" {
	local before seconds
	commands_after 0
	before=$commands
	commands_after 19
	echo "before $before, after $commands"
	# two for each that looks by itself meanwhile, once in five seconds
	between 0 "$commands" $((before + 60 + 8 * seconds))
}

# Two seconds, at most: whom no guard wakes looks by itself five seconds after its last look.
in_time='(.|1[01])'

timekeeper_is_killed() {
	local timekeeper
	follow --ack
	timekeeper=$taker
	wait_until 10 waits 1
	follow --ack
	wait_until 10 waits 2
	dq-put -q -d 2s "$q" x # who has waited longest gets the time
	wait_until 10 no_mark timer t
	wait_until 10 no_mark guard u
	kill -9 "$timekeeper"
}

@test "the timekeeper is killed: another waiter has the guard, and the message is half a second late" {
	is_once_in_time "$in_time" timekeeper_is_killed
}

@test "the timekeeper leaves its guard to later waiters" {
	follow
	wait_until 10 waits
	dq-put -q -i later -d 1h "$q" x
	wait_until 10 no_mark timer t
	blocked() { rcli INFO clients | grep -q '^blocked_clients:1'; }
	wait_until 10 blocked
	equal "$(score guard u)" "$(($(score delayed later) + 500))"
	kill "$taker"
	exits 143 "$taker"
}

first_is_killed() {
	local first
	follow --ack -u "unix://$T/gate"
	first=$taker
	wait_until 10 waits 1
	follow --ack
	wait_until 10 waits 2
	rule hold.EVALSHA
	dq-put -q "$q" x
	wait_until 10 came EVALSHA
	kill -9 "$first"
}

@test "the waiter that popped the mark of a ready message is killed: the others take within half a second" {
	start_gate
	is_once_in_time "$in_time" first_is_killed
}

# A look that comes a moment early, as the server's clock is known to a millisecond or so, costs one more, and so does each that comes
# by itself in a round that takes long: so two of some rounds count. A herd would come in each of them, or grow from one to the next.
@test "one due message among five waiters costs at most 15 commands, with its guard" {
	local i takers=() cheap=0 _
	for i in {1..5}; do
		follow --ack
		takers+=("$taker")
	done
	for _ in {1..12}; do
		wait_until 10 waits 5
		: >"$T/taken"
		rcli CONFIG RESETSTAT
		dq-put -q -d 200ms "$q" x
		wait_until 10 test -s "$T/taken"
		guarded() { [ "$(server_ms)" -gt $(($(field stat armed) - 60000 + 600)) ]; } # armed: the end of that lease
		wait_until 10 guarded
		wait_until 10 waits 5
		commands=$(commands_sent)
		echo "$commands"
		[ "$commands" -ge 6 ]
		[ "$commands" -gt 15 ] || [ "$((++cheap))" -lt 2 ] || break
	done
	kill "${takers[@]}"
	equal "$cheap" 2
}
