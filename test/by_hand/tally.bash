# shellcheck shell=bash
# Sums of several test runs, each of which ends with a line "N passed, N failed", and perhaps ", N skipped". A skipped test is a
# failure. .ci/run and test/by_hand/trixie read this file.
passed=0 failed=0

# tally COMMAND...: shows what it says, and adds what its last line counts.
tally() {
	local line last=
	while IFS= read -r line; do
		echo "$line"
		[[ $line == make:* ]] || last=$line # what make says of a failure comes after the count
	done < <("$@" 2>&1)
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2] + ${BASH_REMATCH[4]:-0}))
	else
		failed=$((failed + 1)) # it did not come to its end
	fi
}

# The last line, and the exit status.
total() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
