# Goal: dq-promote --dry-run prints what would move, and changes nothing.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load common

@test "--dry-run: the due by name, and nothing changes" {
	dead 1
	dq-put -q -i due -d 1m "$q" x
	later 60001
	dq-put -q -i delayed -d 1h "$q" x
	dq-put -q -i ready "$q" x
	local before
	before=$(digest)
	run -0 --separate-stderr dq-promote --dry-run "$q"
	equal "$output" "$q/due"
	equal "$stderr" ''
	run -1 --separate-stderr dq-promote -v --dry-run "$q/delayed" "$q/due" "$q/ready" "$q/1" "$q/none"
	equal "$output" "$q/delayed"$'\n'"$q/due"
	equal "${stderr_lines[0]}" "dq-promote: $q/ready: ready or leased already"
	equal "${stderr_lines[1]}" "dq-promote: $q/1: not promoted: dead: use --dead"
	equal "${stderr_lines[2]}" "dq-promote: $q/none: not promoted: no such message"
	equal "${stderr_lines[3]}" 'dq-promote: 2 would be promoted'
	run -0 --separate-stderr dq-promote --dead -v --dry-run "$q"
	equal "$output" "$q/1"
	equal "$stderr" 'dq-promote: 1 would be redriven'
	run -1 --separate-stderr dq-promote --dead --dry-run <<<"$q/due"$'\n'"$q/1"
	equal "$output" "$q/1"
	equal "$stderr" "dq-promote: $q/due: not redriven: not dead"
	equal "$(digest)" "$before"
}

@test "--dry-run: all queues, more than a page, each once; -n limits it" {
	local -x DQ_PREFIX=dry
	seq 2500 | dq-put -l -d 1m "$q" | sort >"$T/names"
	dq-put -d 1m "$q.b" x >>"$T/names"
	later 60001
	later 60001 "$q.b"
	dq-promote --dry-run | sort | cmp - <(sort "$T/names")
	equal "$(dq-promote --dry-run -n 1200 | wc -l)" 1200
	holds 2500 0 0 0
}

@test "--dry-run into a full device: 74, once" {
	dq-put -q -i x -d 1m "$q" x
	later 60001
	run -74 --separate-stderr into_full dq-promote --dry-run "$q"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
	seq 5000 | dq-put -ql -d 1m "$q"
	later 60001
	run -74 --separate-stderr into_full dq-promote --dry-run "$q"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
	q=$q.b dead 3
	run -74 --separate-stderr into_full dq-promote --dead --dry-run "$q.b/1"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
}

into_full() {
	"$@" >/dev/full
}
