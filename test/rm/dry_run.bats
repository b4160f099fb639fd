# Goal: dq-rm --dry-run prints what would be removed, and changes nothing.

bats_require_minimum_version 1.5.0

load ../helper
load states

@test "--dry-run: prints the names, changes nothing, needs no -f" {
	one_of_each
	local before
	before=$(digest)
	run -0 --separate-stderr dq-rm -a --dry-run "$q" </dev/null
	equal "$(sort <<<"$output" | paste -sd' ')" "$q/dead $q/delayed $q/due $q/leased $q/ready"
	equal "$stderr" ''
	run -0 --separate-stderr dq-rm -av --dry-run --state due "$q" </dev/null
	equal "$output" "$q/due"
	equal "$stderr" 'dq-rm: 1 would be removed'
	run -1 --separate-stderr dq-rm --dry-run "$q/due" "$q/none" "$q/leased@7"
	equal "$output" "$q/due"$'\n'"$q/leased"
	equal "$stderr" "dq-rm: $q/none: not removed: no such message"
	run -1 --separate-stderr dq-rm --dry-run --state ready <<<"$q/ready"$'\n'"$q/due"
	equal "$output" "$q/ready"
	equal "$stderr" "dq-rm: $q/due: not removed: due"
	equal "$(digest)" "$before"
}

@test "--dry-run: more than a page, each once; what it prints can be removed" {
	seq 2500 | dq-put -l "$q" | sort >"$T/names"
	dq-rm -a --dry-run "$q" </dev/null | sort | cmp - "$T/names"
	dq-rm -a --dry-run --state ready "$q" </dev/null | head -1500 | dq-rm
	holds 0 1000 0 0
}

@test "--dry-run into a full device: 74, once" {
	dq-put -q -i x "$q" x
	fails_full dq-rm --dry-run "$q/x"
	fails_full dq-rm -a --dry-run "$q"
	seq 5000 | dq-put -ql "$q"
	fails_full dq-rm -a --dry-run "$q"
	holds 0 5001 0 0
}

fails_full() {
	run -74 --separate-stderr into_full "$@"
	equal "$stderr" 'dq-rm: standard output: No space left on device'
}

into_full() {
	"$@" >/dev/full </dev/null
}

@test "--dry-run with a closed reader: ends by SIGPIPE, without a message" {
	seq 9000 | dq-put -ql "$q"
	run -141 --separate-stderr gone
	equal "$stderr" ''
}

gone() {
	mkfifo "$T/gone"
	exec 8<>"$T/gone"
	exec 7>"$T/gone" 8<&-
	dq-rm -a --dry-run "$q" >&7 3>&-
}
