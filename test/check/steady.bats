# Goal: make steady, which runs each file many times on a busy machine, counts failures and keeps the output of failed runs.
# shellcheck disable=SC2016
# once: no tool runs
# bats file_tags=once

bats_require_minimum_version 1.5.0

@test "a test that fails now and then is counted, and what it said is kept" {
	# bats 1.8 to 1.11 wait the whole time limit when a test ends before the one who watches the time has set its trap.
	export KEEP=$BATS_TEST_TMPDIR/kept COUNT=$BATS_TEST_TMPDIR/count BATS_TEST_TIMEOUT=20
	printf '@test "each second time" {\n echo x >>"$COUNT"\n [ $(($(wc -l <"$COUNT") %% 2)) -eq 0 ]\n}\n' \
		>"$BATS_TEST_TMPDIR/flaky.bats"
	printf '@test "always" {\n true\n}\n' >"$BATS_TEST_TMPDIR/good.bats"
	run -1 "$BATS_TEST_DIRNAME/../steady" 2 "$BATS_TEST_TMPDIR/good.bats" "$BATS_TEST_TMPDIR/flaky.bats"
	[ "${lines[0]}" = 'good                   2 passed   0 failed' ]
	[ "${lines[1]}" = 'flaky                  1 passed   1 failed' ]
	[ "$(cd "$KEEP" && echo *.tap)" = flaky.1.tap ]
	grep -q '^not ok 1 each second time' "$KEEP/flaky.1.tap"
	run -0 "$BATS_TEST_DIRNAME/../steady" 1 "$BATS_TEST_TMPDIR/good.bats"
}
