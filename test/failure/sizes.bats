# Goal: As built, each tool needs little memory, whatever a server announces or sends. (hostile.bats tries every answer. With sanitizers
# a tool may need eight times as much there.)

bats_require_minimum_version 1.5.0

load ../helper

@test "sizes that are announced, and do not come; or do" {
	local names
	mapfile -t names < <(sed -n '/^# --- sizes /,/^$/s/ .*| \(call\|any\) .*//p' "$top/test/hostile/answers.txt")
	between 7 "${#names[@]}" 20
	run -0 python3 "$top/test/hostile/check.py" "${names[@]}" deep deep-errors huge-map huge-in-huge wait-deep wait-bulk-flood
	matches "$output" "^$((${#names[@]} + 6)) rows, .* 0 bad\$"
}
