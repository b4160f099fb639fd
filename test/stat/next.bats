# Goal: dq-stat --next tells a shell how long it can sleep.

bats_require_minimum_version 1.5.0

load ../helper
load queue

none() {
	run -1 --separate-stderr dq-stat --next "$@"
	equal "$output$stderr" ''
}

# Between the two, in ms.
next() { # LOW HIGH QUEUE...
	run -0 --separate-stderr dq-stat --next "${@:3}"
	equal "$stderr" '' || return
	matches "$output" '^[0-9]+$' || return
	between "$1" "$output" "$2"
}

@test "nothing: 1, without a message; also if all are dead" {
	none
	dq-put -q "$q.x" x
	dq-take "$q.x" | dq-ack -b
	none
	none "$q.x"
}

@test "ready, or due: now" {
	dq-put -q "$q.x" x
	next 0 0 "$q.x"
	dq-put -q -d 1m "$q.y" x
	next 1 60000 "$q.y"
	later 60001 "$q.y"
	next 0 0 "$q.y"
}

@test "delayed: until then; of several queues the soonest" {
	dq-put -q -d 1h "$q.x" x
	dq-put -q -d 2h "$q.x" x
	dq-put -q -d 1m "$q.y" x
	next 3500000 3600000 "$q.x"
	next 50000 60000
	next 50000 60000 "$q.x" "$q.y"
}

@test "leased: until the end of the lease, when its message is redelivered; an expired lease is now" {
	dq-put -q -t 5m "$q.x" x
	dq-take "$q.x"
	next 290000 300000 "$q.x"
	dq-put -q -d 1m "$q.x" x
	next 50000 60000 "$q.x"
	dq-put -q -d 1h "$q.y" x
	dq-put -q -t 1m "$q.y" x
	dq-take "$q.y"
	later 60001 "$q.y"
	next 0 0 "$q.y"
}

@test "a paused queue gives nothing, so it has no next message" {
	dq-put -q "$q.x" x
	dq-put -q -d 1m "$q.y" x
	dq-set -q "$q.x" paused=yes
	none "$q.x"
	next 50000 60000
}

@test "a queue that does not exist: reported; the others count" {
	run -1 --separate-stderr dq-stat --next "$q.none"
	equal "$output" ''
	equal "$stderr" "dq-stat: $q.none: no such queue yet: dq-put creates it"
	dq-put -q "$q.x" x
	run -0 --separate-stderr dq-stat --next "$q.none" "$q.x"
	equal "$output" 0
	equal "$stderr" "dq-stat: $q.none: no such queue yet: dq-put creates it"
	next 0 0 -q "$q.none" "$q.x"
}

@test "a broken queue: 70, and the others count" {
	dq-put -q "$q.x" x
	dq-put -q "$q.y" x
	rcli DEL "$q:{$q.x}:ready" >/dev/null
	rcli SET "$q:{$q.x}:ready" mine >/dev/null
	run -70 --separate-stderr dq-stat --next
	equal "$output" 0
	matches "$stderr" "^dq-stat: $q.x: not shown: .*is a string"
}

@test "usage, and an unreachable Redis: as in every mode" {
	fails 64 '^--next: not with --json$' dq-stat --next --json
	fails 64 '^--check: not with --next$' dq-stat --check --next
	fails 64 '^--next: not with --no-header$' dq-stat --no-header --next
	fails 64 '^--payload: not with --next$' dq-stat --next --payload
	fails 64 "^\"$q/x\": " dq-stat --next "$q/x"
	fails 69 'no such socket' dq-stat --next -u "unix://$T/none"
	dq-put -q "$q.x" x
	fails 74 'No space left on device$' bash -c 'dq-stat --next >/dev/full'
}
