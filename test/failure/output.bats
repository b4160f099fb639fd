# Goal: A tool that cannot write its output reports it in one line and ends with 74, or with 141 if its reader is gone.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

tools() {
	(cd "$top/cmd" && printf '%s\n' *)
}

# Commands that print something.
printing() {
	dq-put -q "$q" x
	script put 0 fail 100 '' '' dead 0 $'r=1\n' >/dev/null
	script take 0 1 1 '' 1 >/dev/null
	script promote 2 9 >/dev/null
	commands=("dq-put $q x" "dq-take $q" "dq-take --json $q" "dq-stat $q" "dq-stat --json $q" "dq-gc --dry-run --dead-for 1d $q")
}

# It cannot print, and says why in one line; dq-put says in another how many were accepted.
unprinted() { # WHY COMMAND...
	local why=$1 said=1
	shift
	run -74 --separate-stderr timeout -k 1 30 "$@"
	equal "$output" '' || return
	matches "${stderr_lines[0]}" "^dq-[a-z]+: .*: $why\$" || return
	if [[ $* == *dq-put* ]]; then
		matches "${stderr_lines[1]}" "^dq-put: $q: not all names were printed: 1 accepted, 0 refused, 0 unknown\$" || return
		said=2
	fi
	equal "${#stderr_lines[@]}" "$said"
}

@test "a full disk: 74, for each kind of output" {
	local commands command tool
	printing
	for command in "${commands[@]}"; do
		unprinted 'No space left on device' bash -c "$command >/dev/full"
	done
	for tool in $(tools); do
		fails 74 '^standard output: No space left on device$' bash -c "$tool --help >/dev/full"
		fails 74 '^standard output: No space left on device$' bash -c "$tool -h >/dev/full"
		fails 74 '^standard output: No space left on device$' bash -c "$tool --version >/dev/full"
	done
}

@test "standard output is closed: 74, and nothing goes to Redis by mistake" {
	local commands command tool
	printing
	for command in "${commands[@]}"; do
		unprinted 'Bad file descriptor' bash -c "$command >&-"
	done
	for tool in $(tools); do
		fails 74 'Bad file descriptor$' bash -c "$tool --help >&-"
	done
}

@test "a closed reader: 141 without a message; 74 if SIGPIPE is ignored" {
	local commands command
	printing
	mkfifo "$T/pipe"
	exec 7<>"$T/pipe"
	exec 8>"$T/pipe"
	exec 7<&-
	for command in "${commands[@]}"; do
		run -141 --separate-stderr env --default-signal=PIPE bash -c "exec $command >&8"
		equal "$stderr" ''
		unprinted 'Broken pipe' env --ignore-signal=PIPE bash -c "exec $command >&8"
	done
	exec 8>&-
}

@test "closed standard input and standard error cause no error" {
	run -0 --separate-stderr bash -c 'dq-put "$0" x <&- 2>&-' "$q"
	matches "$output" "^$q/"
	run -74 bash -c 'dq-put "$0" <&- 2>&1' "$q"
	matches "$output" '^dq-put: standard input: '
	run -1 bash -c 'dq-ack "$0/x@1" 2>&- <&- >&-' "$q"
	holds 0 1 0 0
}

@test "--help and --version need no Redis, and end with 0" {
	local tool
	for tool in $(tools); do
		run -0 --separate-stderr "$tool" -u "unix://$T/none" --help
		matches "${lines[0]}" "^usage: $tool "
		equal "$stderr" ''
		run -0 --separate-stderr "$tool" -V
		equal "${lines[0]}" "$tool (dq) $(cat "$top/VERSION")"
		equal "$stderr" ''
	done
}
