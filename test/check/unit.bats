# Goal: The unit tests in C pass. Every test/unit/test_X.c is a program of its own, built by make as unit/test_X; 0 is success.

bats_require_minimum_version 1.5.0

@test "unit tests in C" {
	local source program bad=() out=$BATS_TEST_TMPDIR/out
	cd "$BATS_TEST_DIRNAME/../.."
	DQ_BIN=${DQ_BIN:-$PWD/build}
	for source in test/unit/test_*.c; do
		[ -e "$source" ] || skip 'no unit tests'
		program=$(basename "$source" .c)
		if ! (cd "$BATS_TEST_TMPDIR" && "$DQ_BIN/unit/$program") >"$out" 2>&1; then
			bad+=("$program")
			printf -- '--- %s\n' "$program"
			cat "$out"
		fi
	done
	[ ${#bad[@]} -eq 0 ] || {
		echo "failed: ${bad[*]}"
		false
	}
}
