# Goal: A paused queue delivers nothing until it is resumed; everything else in it continues.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "--pause: no deliveries, but puts and promotion; --resume" {
	dq-put -q -d 1m "$q" x
	run -0 --separate-stderr dq-promote --pause "$q"
	equal "$output$stderr" ''
	dq-put -q "$q" y
	later 60001
	dq-promote "$q"
	holds 0 2 0 0
	run -1 dq-take "$q"
	run -0 --separate-stderr dq-promote --resume "$q"
	equal "$output$stderr" ''
	dq-take -n 2 "$q" >/dev/null
	holds 0 0 2 0
	equal "$(rcli EXISTS "dq:{$q}:conf")" 0
}

@test "--pause of a queue that does not exist: done, with a warning" {
	run -0 --separate-stderr dq-promote --pause "$q"
	equal "$stderr" "dq-promote: $q: no such queue yet: paused before its first put"
	equal "$(field conf paused)" 1
	run -0 --separate-stderr dq-promote --resume "$q"
	equal "$stderr" ''
	run -0 --separate-stderr dq-promote --resume "$q"
	equal "$stderr" "dq-promote: $q: no such queue yet: nothing to resume"
}

@test "--pause -v, --resume -v: report the state before" {
	dq-put -q "$q" x
	dq-put -q "$q.b" x
	run -0 --separate-stderr dq-promote --pause -v "$q" "$q.b"
	equal "$stderr" "dq-promote: $q: paused: it was not paused"$'\n'"dq-promote: $q.b: paused: it was not paused"
	run -0 --separate-stderr dq-promote --pause -v "$q"
	equal "$stderr" "dq-promote: $q: paused: it was paused"
	run -0 --separate-stderr dq-promote --resume -v "$q"
	equal "$stderr" "dq-promote: $q: resumed: it was paused"
	run -0 --separate-stderr dq-promote --resume -v "$q"
	equal "$stderr" "dq-promote: $q: resumed: it was not paused"
}

@test "--pause: a broken queue is 70, the next one is paused" {
	dq-put -q "$q.b" x
	rcli SET "dq:{$q}:conf" text >/dev/null
	fails 70 "^$q: not paused: dq:\{$q\}:conf is a string, not a hash\$" dq-promote --pause "$q" "$q.b"
	equal "$(field conf paused "$q.b")" 1
	fails 70 "^$q: not resumed: " dq-promote --resume "$q" "$q.b"
	equal "$(field conf paused "$q.b")" ''
}
