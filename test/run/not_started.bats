# Goal: A command that cannot be started ends the worker (126, 127), and the try does not count; if it was started before, or is being
# written, the worker tries again for ten seconds. A command that itself ends with 126 or 127 fails its try.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

# bats warns of 127 unless run itself is told.
not_found() { # REGEX COMMAND...
	local regex=$1
	shift
	run -127 --separate-stderr "$@"
	equal "$output" ''
	equal "${#stderr_lines[@]}" 1
	matches "${stderr#dq-run: }" "$regex"
}

@test "126: a command that cannot be run stops the worker at once, and the message is given back" {
	dq-put -q -i x "$q" x
	echo 'not a program' >"$D/file"
	fails 126 'file: Permission denied$' dq-run "$q" -- "$D/file"
	fails 126 ': Permission denied$' dq-run "$q" -- "$D"
	chmod +x "$D/file"
	printf '\0\1' >"$D/file"
	fails 126 'file: Exec format error$' dq-run "$q" -- "$D/file"
	holds 0 1 0 0
	equal "$(tries x)" 0
}

@test "127: a command that does not exist" {
	seq 1 5 | dq-put -ql "$q"
	not_found '^dq-no-such: No such file or directory$' dq-run -j 3 "$q" -- dq-no-such
	not_found '^\\x1b\[31m/none: No such file or directory$' dq-run --drain "$q" -- $'\e[31m/none'
	not_found '^: No such file or directory$' dq-run --once "$q" -- ''
	printf '#!/no/such/interpreter\n' >"$D/script"
	chmod +x "$D/script"
	not_found 'script: No such file or directory$' dq-run --once "$q" -- "$D/script"
	holds 0 5 0 0
}

@test "126 and 127 as exit status of the command: failed tries, with their reasons, and the worker continues" {
	dq-put -q -i x -b 1h "$q" x
	dq-put -q -i y -b 1h "$q" y
	dq-put -q -i z -r 1 "$q" z
	dq-put -q -i good "$q" good
	run -123 --separate-stderr dq-run --once -j 4 "$q" -- sh -c 'case $(cat) in
		x) exit 126 ;;
		y) dq-no-such-command ;;
		z) exit 127 ;;
		esac'
	holds 2 0 0 1
	equal "$(tries x) $(reason x)" '1 exit status 126'
	matches "$(tries y) $(reason y)" '^1 .*dq-no-such-command: .*not found$'
	equal "$(tries z) $(reason z)" '1 exit status 127'
	matches "$stderr" "dq-run: $q/z: dead: exit status 127"
	dq-put -q "$q" more
	work "$q" -- sh -c 'cat; exit 127'
	wait_until 10 grep -q more "$D/out"
	wait_until 10 eval '[ "$(states)" = "3 0 0 1" ]'
	dq-put -q "$q" again
	wait_until 10 grep -q again "$D/out"
	kill "$worker"
	exits 143 "$worker"
}

# It starts no process: the worker gives up after ten seconds, also on a busy machine.
said() { # TEXT: a line of the worker ends so
	local lines line
	mapfile -t lines <"$D/err"
	for line in "${lines[@]}"; do
		[[ $line != *"$1" ]] || return 0
	done
	return 1
}

# If a command that was started before is missing, the worker waits ten seconds.
@test "127: the command is gone for good: the worker says that it tries again, finishes what runs, and ends" {
	gate
	handler one <<-'SH'
		rm "$D/one"
		true <"$D/gate"
	SH
	dq-put -q -i a "$q" a
	work -j 2 "$q" -- "$D/one"
	wait_until 10 eval '[ ! -e "$D/one" ]'
	dq-put -q -i b "$q" b
	wait_until 60 grep -q '/one: No such file or directory$' "$D/err"
	wait_until 10 eval '[ "$(states)" = "0 1 1 0" ]'
	equal "$(tries b)" 0
	open_gate
	exits 127 "$worker"
	holds 0 1 0 0
	equal "$(sed -n 1p "$D/err")" "dq-run: $D/one: No such file or directory: trying again for 10 s"
}

# The kernel's 6.11 and 6.12 start such a file all the same.
@test "a command that is being written is started as soon as it is complete" {
	handler one <<-'SH'
		cat
	SH
	dq-put -q -i a "$q" payload
	exec 8>>"$D/one"
	work "$q" -- "$D/one" 8>&-
	wait_until 20 eval 'said "/one: Text file busy: trying again for 10 s" || [ -s "$D/out" ]'
	exec 8>&-
	wait_until 20 grep -q payload "$D/out"
	wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
	kill "$worker"
	exits 143 "$worker"
}

@test "a command that is being replaced: the worker waits for the new one, and the try does not count" {
	local kind why
	handler one <<-'SH'
		cat
	SH
	dq-put -q "$q" first
	work "$q" -- "$D/one"
	wait_until 10 grep -q first "$D/out"
	mv "$D/one" "$D/away"
	for kind in missing unexecutable empty; do
		case $kind in
		missing) why='No such file or directory' ;;
		unexecutable) why='Permission denied' && install -m 644 "$D/away" "$D/one" ;;
		empty) why='Exec format error' && install -m 755 /dev/null "$D/one" ;;
		esac
		dq-put -q -r 1 "$q" "$kind" # one try, which does not count
		wait_until 20 said "/one: $why: trying again for 10 s"
		kill -STOP "$worker" # it must not fail again when its ten seconds are over
		install -m 755 "$D/away" "$D/new"
		mv "$D/new" "$D/one"
		kill -CONT "$worker"
		wait_until 20 grep -q "$kind" "$D/out"
		wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
		rm "$D/one"
	done
	kill "$worker"
	exits 143 "$worker"
}

has_tried() { # TIMES
	[ "$(grep -c '/one: No such file or directory: trying again for 10 s$' "$D/err")" = "$1" ]
}

# With an old patience the second failure would be the end.
@test "a command that is missing now and then: each time the worker tries again for ten seconds" {
	local until
	handler one <<-'SH'
		rm "$0"
	SH
	dq-put -q "$q" first
	work "$q" -- "$D/one"
	wait_until 10 eval '[ ! -e "$D/one" ]'
	dq-put -q -i second "$q" x
	wait_until 20 has_tried 1
	dq-rm -q "$q/second"
	until=$((${EPOCHREALTIME/./} + 10500000))
	while [ "${EPOCHREALTIME/./}" -lt "$until" ]; do pause; done
	run ! ended "$worker"
	dq-put -q -i third "$q" x
	wait_until 20 has_tried 2
	dq-rm -q "$q/third"
	kill "$worker"
	exits 143 "$worker"
}

@test "a payload that is refused is no start: a command that does not exist ends the worker at once" {
	head -c 200000 /dev/urandom >"$D/big"
	dq-put -q -i big -p 1 "$q" <"$D/big"
	dq-put -q -p 2 "$q" small
	(ulimit -f 64 && not_found '^/none: No such file or directory$' dq-run "$q" -- /none)
	holds 1 1 0 0
}

# The system refuses dq-run what starts a process: SYSCALLS:error=ERROR:when=WHICH
refused() { # STATUS WHAT ARG...
	ASAN_OPTIONS=detect_leaks=0 run "-$1" --separate-stderr strace -o "$D/trace" -e "inject=$2" "${@:3}"
}

@test "too many processes: fewer run, or it waits for room, and no try counts" {
	seq 6 | dq-put -ql -r 1 "$q"
	refused 0 '?clone,?clone3,?vfork:error=EAGAIN:when=1..2' dq-run --drain "$q" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | paste -sd' ')" '1 2 3 4 5 6'
	equal "$stderr" 'dq-run: sh: Resource temporarily unavailable: trying again for 10 s'
	seq 6 | dq-put -ql -r 1 "$q"
	refused 0 '?clone,?clone3,?vfork:error=EAGAIN:when=3' dq-run -j 4 --drain "$q" -- sh -c 'echo "$(cat)"; sleep 0.2'
	equal "$(sort <<<"$output" | paste -sd' ')" '1 2 3 4 5 6'
	matches "$stderr" '^dq-run: sh: Resource temporarily unavailable: running [12] at once, fewer than -j$'
}

@test "a filter of system calls that refuses clone3: commands start all the same" {
	dq-put -q -i x -r 1 "$q" payload
	refused 123 '?clone3:error=EPERM' dq-run --once "$q" -- sh -c 'cat; echo "bury $(ps -o pgid= $$ | tr -d " ")=$$" >&3; echo err >&2'
	equal "$output" payload
	matches "$(reason x)" '^([0-9]+)=\1$'
	dq-put -q -i y "$q" x
	refused 127 '?clone3:error=EPERM' dq-run --once "$q" -- dq-no-such
	equal "$stderr" 'dq-run: dq-no-such: No such file or directory'
	holds 0 1 0 1
}

@test "orphans that cannot be adopted: said, and dq-run works without" {
	dq-put -q "$q" x
	refused 0 prctl:error=EINVAL dq-run --once "$q" -- cat
	equal "$output" x
	equal "$stderr" 'dq-run: processes that commands leave behind are not collected: Invalid argument'
}
