# Goal: A command that cannot be started ends the worker (126, 127), and the try does not count; a command that itself ends with 126 or
# 127 fails its try.
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

@test "127: commands that already run are finished first" {
	gate
	handler one <<-'SH'
		rm "$D/one"
		true <"$D/gate"
	SH
	dq-put -q -i a "$q" a
	work -j 2 "$q" -- "$D/one"
	wait_until 10 eval '[ ! -e "$D/one" ]'
	dq-put -q -i b "$q" b
	wait_until 10 grep -q '/one: No such file or directory$' "$D/err"
	holds 0 1 1 0
	equal "$(tries b)" 0
	open_gate
	exits 127 "$worker"
	holds 0 1 0 0
}
