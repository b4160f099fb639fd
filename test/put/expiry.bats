# Goal: A message with an expiry (-x) is never delivered after it, and its id becomes free.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

past() { # MS
	[ "$(server_ms)" -gt "$1" ]
}

@test "-x: must be after the due time" {
	fails 64 "^$q/.*: not put: the expiry is not after the due time" dq-put -x 5s -d 5s "$q" x
	fails 64 'expiry is not after the due time' dq-put -x 5s -d 1h "$q" x
	fails 64 'expiry is not after the due time' dq-put -x 5s -a @4000000000 "$q" x
	fails 64 'not put: .*expiry' dq-put -x 0 "$q" x
	equal "$(states)" '0 0 0 0'
	dq-put -q -x 5s -d 4s "$q" x
	dq-put -q --expires 5s -a @1000000000 "$q" x
	holds 1 1 0 0
	local text
	for text in -1 nan x '' 36526d; do
		fails 64 '^-x: ' dq-put -x "$text" "$q" x
	done
}

@test "-x: an expired message is never delivered, and removed; others stay" {
	dq-put -q -i short -x 1ms "$q" short
	dq-put -q -i long -x 1h "$q" long
	dq-put -q -i none "$q" none
	matches "$(field msg short | head -1)" '^x=[0-9]+$'
	wait_until 20 past "$(field msg short | sed -n '1s/x=//p')"
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'long none'
	holds 0 0 2 0
	equal "$(field stat expired)" 1
	dq-put -q -i short "$q" again
	equal "$(dq-take "$q" | cut -f2)" again
}

@test "-x: a running handler may still ack, and a retry does not outlive the expiry" {
	dq-put -q -i a -x 1h "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" >"$T/two"
	sed -n 2p "$T/two" | dq-ack -r -d 0
	rcli HSET "dq:{$q}:msg" a $'x=1\na' b $'x=1\nb' >/dev/null
	run -1 dq-take "$q"
	holds 0 0 1 0
	sed -n 1p "$T/two" | dq-ack
	holds 0 0 0 0
}

# ID: has the message expired, by the server's clock?
expired() {
	past "$(field msg "$1" | sed -n '1s/^x=\([0-9]*\).*/\1/p')"
}

@test "-x: the id of an expired message is free, whatever -e says; for --existing there is no message" {
	local mode
	for mode in fail keep replace earlier later; do
		dq-put -q -i "$mode" -x 1ms "$q" old
		wait_until 20 expired "$mode"
		run -1 --separate-stderr dq-put --existing -e replace -i "$mode" "$q" none
		matches "$stderr" 'there is no such message'
		equal "$(dq-put -e "$mode" -i "$mode" "$q" "new $mode")" "$q/$mode"
		equal "$(dq-take "$q" | cut -f2)" "new $mode"
	done
	equal "$(field stat expired) $(field stat put)" '5 10'
	holds 0 0 5 0
}

@test "-x: a message leased past its expiry still exists, and so do the dead" {
	dq-put -q -i a -x 1h "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" | tail -n 1 | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1\na' b $'x=1\nb' >/dev/null
	equal "$(dq-put -e keep -i a "$q" x; dq-put -e keep -i b "$q" x)" "$q/a"$'\n'"$q/b"
	holds 0 0 1 1
	equal "$(field msg a)$(field msg b)" $'x=1\nax=1\nb'
}

@test "-x: a message cannot be rescheduled past its expiry" {
	dq-put -q -i a -d 1h -x 2h "$q" a
	fails 1 "^$q/a: not put: the existing message expires before the new due time" dq-put -e later -d 3h -i a "$q" x
	fails 1 "^$q/a: not put: the existing message expires before the new due time" dq-put --existing -e later -d 3h -i a "$q"
	run -1 dq-put --existing -e later --tsv "$q" <<<$'3h\ta\t'
	between 3590000 $(($(score delayed a) - $(server_ms))) 3600000
	equal "$(dq-put -e later -d 90m -i a "$q" x)" "$q/a"
	between 5390000 $(($(score delayed a) - $(server_ms))) 5400000
	dq-promote -q "$q/a"
	dq-take "$q" | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1\na' >/dev/null
	fails 1 'not put: the existing message expires before' dq-put -e earlier -i a "$q" x
	holds 0 0 0 1
}

@test "-x: a redriven dead message is delivered, even if its expiry has passed" {
	dq-put -q -i a -x 1h -p 7 "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1 p=7\na' >/dev/null
	rcli HSET "dq:{$q}:try" a "1 0 1 x=1 p=7"$'\n' >/dev/null
	dq-promote -q --dead "$q"
	equal "$(field msg a)" $'p=7\na'
	matches "$(field msg b)" $'^x=[0-9]+\nb'
	equal "$(dq-take -n 2 "$q" | cut -f2 | xargs)" 'a b'
}

@test "-x with many messages: each has the same expiry, first in its header" {
	seq 3 | dq-put -q -l -x 1h -p 5 -r 2 -b 1s,2s -t 9s --unique-for 7s "$q"
	holds 0 3 0 0
	equal "$(rcli HVALS "dq:{$q}:msg" | grep -cE '^x=[0-9]{13} b=1000,2000 p=5 r=2 t=9000 u=7000$')" 3
}
