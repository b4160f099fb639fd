# Goal: dq-run says once why a limited queue gives it nothing, and runs what its limits let through.

bats_require_minimum_version 1.5.0

load ../helper
load worker

ran() { # COUNT
	[ "$(wc -l <"$D/out")" = "$1" ]
}

@test "each reason once, however often a limit stops it" {
	dq-set -q "$q" rate=1/2h
	seq 9 | dq-put -q -l "$q"
	work -j 4 "$q" -- echo x
	wait_until 20 grep -q 'limited by rate' "$D/err"
	local i
	for i in 2 3 4; do
		dq-set "$q" rate="$i/2h"
		wait_until 20 ran "$i"
	done
	dq-set "$q" rate=none
	wait_until 20 ran 9
	wait_until 20 holds 0 0 0 0 # a command that has written may not have ended yet: then dq-run says that it waits for it
	kill "$worker"
	exits 143 "$worker"
	equal "$(<"$D/err")" "dq-run: $q: limited by rate: ready messages wait until another delivery may begin (dq-set $q shows the limit)"
}

@test "--once of a limited queue: 1, with the reason" {
	dq-set -q "$q" max-leased=1
	dq-put -q -t 2h "$q" x y
	dq-take "$q" >/dev/null
	fails 1 "^$q: limited by max-leased: ready messages wait until a delivery ends" dq-run --once "$q" -- true
	dq-set "$q" max-leased=none paused=2h
	fails 1 "^$q: paused: nothing is taken until 2" dq-run --once "$q" -- true
}

@test "--until-empty ends when nothing more can be taken" {
	dq-set -q "$q" rate=2/2h
	seq 5 | dq-put -q -l "$q"
	run -0 --separate-stderr timeout 20 dq-run --until-empty "$q" -- echo x
	equal "$output" $'x\nx'
	matches "$stderr" "^dq-run: $q: limited by rate: "
	holds 0 3 0 0
}

@test "-q: silent about limits and pauses, as from cron" {
	local i
	dq-set -q "$q" rate=2/2h
	seq 5 | dq-put -q -l "$q"
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty "$q" -- echo x
	equal "$output$stderr" $'x\nx'
	for i in rate=none paused=2h paused=yes; do
		dq-set "$q" "max-leased=1" "$i"
		dq-take -q "$q" >/dev/null || true # max-leased is reached, or the queue is paused
		run -0 --separate-stderr timeout 20 dq-run -q --until-empty "$q" -- echo x
		equal "$output$stderr" ''
		run -1 --separate-stderr dq-run -q --once "$q" -- echo x
		equal "$output$stderr" ''
	done
	holds 0 2 1 0
}

@test "--drain waits for a limit, and leaves nothing; --until-empty leaves what the limit holds back" {
	dq-set -q "$q" rate=2/1s
	seq 5 | dq-put -ql "$q"
	run -0 dq-run -q -j 4 --until-empty "$q" -- true
	holds 0 3 0 0
	run -0 dq-run -q -j 4 --drain "$q" -- true
	holds 0 0 0 0
}
