# Goal: dq-take gives back messages that it could not write; it writes whole records, as fast as their reader reads.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "a full disk: 74, given back, tries not counted, nothing else lost" {
	dq-put -q -i x "$q" hello
	run -74 --separate-stderr bash -c 'dq-take "$0" >/dev/full' "$q"
	equal "$stderr" "dq-take: $q/x: not delivered: No space left on device"
	holds 0 1 0 0
	equal "$(tries x)" 0
	equal "$(dq-take --json "$q" | jq .try)" 1
}

@test "each write has whole records, as many as a pipe writes in one piece" {
	command -v strace >/dev/null || skip 'no strace'
	local sizes
	{
		printf '%01000d\n' 1 2 3 4 5 6 7
		printf '%05000d\n' 8
		printf '%s\n' 9
	} | dq-put -lq "$q"
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write -s 0 -o "$T/trace" dq-take -n 9 "$q" >"$T/written"
	equal "$(wc -l <"$T/written")" 9
	sizes=$(sed -n 's/^[0-9]* *write(1, .* = //p' "$T/trace" | paste -sd' ')
	matches "$sizes" '^3[0-9]{3} 3[0-9]{3} 1[0-9]{3} 5[0-9]{3} [0-9]{2}$'
}

# How many writes of dq-take it takes for a payload of 1 MiB to go through a pipe, whole. STRACE-OPTIONs may let calls fail.
large() { # STRACE-OPTION...
	dq-put -q "$q" <"$T/large"
	ASAN_OPTIONS=detect_leaks=0 strace -f -e "trace=/^(write|open|openat)\$" -s 0 -o "$T/trace" "$@" dq-take --ack "$q" |
		cat >"$T/record"
	cut -f2 "$T/record" | tr -d '\n' | cmp - "$T/large" || return
	grep -c ' write(.* = [1-9]' "$T/trace" || true
}

@test "a large record goes to a file, and to /dev/null, in one write" {
	command -v strace >/dev/null || skip 'no strace'
	local to
	for to in "$T/written" /dev/null; do
		head -c 1048576 /dev/zero | tr '\0' x | dq-put -q "$q"
		ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write -s 0 -o "$T/trace" dq-take --ack "$q" >"$to"
		equal "$(grep -c ' write(1,' "$T/trace")" 1
	done
}

@test "a large record goes through a pipe as fast as its reader is" {
	command -v strace >/dev/null || skip 'no strace'
	head -c 1048576 /dev/zero | tr '\0' x >"$T/large"
	between 1 "$(large)" 20
	# where the pipe cannot be opened once more, writes are short, and all comes the same
	large -P /proc/self/fd/1 -e "inject=/^open(at)?\$:error=EACCES" >/dev/null
	grep -qE 'open(at)?[(].*"/proc/self/fd/1".* = -1 EACCES' "$T/trace"
}

# The tool's standard output is a pipe or a socket whose reader reads no more than that. Prints how it ends.
unread() { # KIND BYTES
	python3 "$top/test/take/unread.py" "$q" "$@"
}

@test "TERM in the middle of a large record: it is given back, and the output stays valid for others" {
	local kind
	head -c 1048576 /dev/zero | dq-put -q -i x "$q"
	for kind in pipe socket; do
		equal "$(unread "$kind" 200000)" 'blocking -15'
		holds 0 1 0 0
		equal "$(tries x)" 0
	done
}
