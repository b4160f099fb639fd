# Goal: dq-run reports a paused queue once, and takes nothing from it until it is resumed.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

paused() {
	grep -c "^dq-run: $q: paused: nothing is taken until it is resumed (dq-set $q paused=no)\$" "$D/err"
}

@test "a paused queue is reported once, however often it is polled; other queues are served, and this one when resumed" {
	dq-set "$q" paused=yes
	dq-put -q "$q" first
	work "$q" "$q.other" -- cat
	wait_until 10 paused
	local n
	for n in 1 2 3; do
		dq-put -q "$q.other" "other$n"
		wait_until 10 grep -q "other$n" "$D/out"
	done
	holds 0 1 0 0
	equal "$(paused)" 1
	dq-set "$q" paused=no
	wait_until 10 grep -q first "$D/out"
	dq-set "$q" paused=yes
	dq-put -q "$q" second
	dq-put -q "$q.other" other4
	wait_until 10 grep -q other4 "$D/out"
	wait_until 10 eval '[ "$(paused)" = 2 ]'
	kill "$worker"
	exits 143 "$worker"
	holds 0 1 0 0
}

@test "--once of a paused queue: 1, with the reason" {
	dq-set "$q" paused=yes
	dq-put -q "$q" x
	fails 1 "^$q: paused: nothing is taken" dq-run --once "$q" -- true
	holds 0 1 0 0
}
