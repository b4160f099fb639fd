# Goal: make steady, which runs each file many times on a busy machine, counts failures and keeps the output of failed runs.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

setup() {
	# bats 1.8 to 1.11 wait the whole time limit when a test ends before the one who watches the time has set its trap.
	export KEEP=$BATS_TEST_TMPDIR/kept T=$BATS_TEST_TMPDIR DQ_BIN=$BATS_TEST_TMPDIR BATS_TEST_TIMEOUT=20
}

steady() {
	"$BATS_TEST_DIRNAME/../by_hand/steady" "$@"
}

@test "a test that fails now and then is counted, and what it said is kept" {
	export JOBS=1
	printf '@test "each second time" {\n echo x >>"$T/count"\n [ $(($(wc -l <"$T/count") %% 2)) -eq 0 ]\n}\n' >"$T/flaky.bats"
	printf '@test "always" {\n true\n}\n' >"$T/good.bats"
	run -1 steady 2 "$T/good.bats" "$T/flaky.bats"
	[ "$output" = 'flaky                  1 passed   1 failed
good                   2 passed   0 failed' ]
	[ "$(cd "$KEEP" && echo *.tap)" = flaky.1.tap ]
	grep -q '^not ok 1 each second time' "$KEEP/flaky.1.tap"
	[ "$(cut -d ' ' -f 1-3 "$KEEP/runs")" = '1 good passed
1 flaky failed
2 good passed
2 flaky passed' ]
	run -0 steady 1 "$T/good.bats"
}

@test "files run beside each other, and see the environment of the suite" {
	mkfifo "$T/meet" # who opens it waits for the other
	printf '@test "left" {\n : >"$T/meet"\n}\n' >"$T/left.bats"
	printf '@test "right" {\n : <"$T/meet"\n}\n' >"$T/right.bats"
	printf '@test "seen" {\n [ "$LC_ALL" = C ] && [ -z "${LANG:-}${STEADY_LOAD:-}" ] && [ -z "$(ls -A "$HOME")" ]\n}\n' >"$T/seen.bats"
	cd "$BATS_TEST_DIRNAME/../.."
	mkdir "$T/test"
	steady() { test/by_hand/steady "$@"; }
	# What would send cd elsewhere, and end reading early.
	CDPATH=$T TMOUT=1 POSIXLY_CORRECT=1 LANG=de_DE.UTF-8 JOBS=2 run -0 steady 1 "$T/left.bats" "$T/right.bats" "$T/seen.bats"
}

@test "a skipped test is a failure" {
	printf '@test "not here" {\n skip\n}\n' >"$T/skips.bats"
	run -1 steady 1 "$T/skips.bats"
	[ "$output" = 'skips                  0 passed   1 failed' ]
}

@test "nothing counts once the load has ended" {
	mkdir "$T/bin"
	printf '#!/bin/sh\necho "cc: killed"\nexit 2\n' >"$T/bin/make"
	chmod +x "$T/bin/make"
	printf '@test "always" {\n true\n}\n' >"$T/good.bats"
	PATH=$T/bin:$PATH run -1 steady 3 "$T/good.bats"
	[[ $output == *'the load has ended:'*'cc: killed'* ]]
}
