# Goal: make mutants, which makes mistakes on purpose, reports a mistake that no test catches. This tests only that; make mutants itself
# takes longer.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	dir=$BATS_TEST_TMPDIR/mutants
	mkdir "$dir"
}

mutants() { # <mutants of lua/ack.lua
	cat <(echo 'file: lua/ack.lua') - >"$dir/made.mutants"
}

@test "all mutants apply to the tree, and there are some" {
	test/mutants/run --check
	[ "$(grep -rh --include='*.mutants' '^mutant: ' test/mutants | wc -l)" -ge 250 ]
}

@test "a mutant that no longer applies is named" {
	mutants <<-'MUTANTS'
		mutant: gone
		It was there once.
		suite: sim
		-this is not there

		mutant: twice
		It is there more than once.
		suite: sim
		-end
	MUTANTS
	run -1 test/mutants/run --check --mutants "$dir"
	[ "${lines[0]}" = 'gone no longer applies: lua/ack.lua has this 0 times: this is not there' ]
	[[ ${lines[1]} =~ ^'twice no longer applies: lua/ack.lua has this '[0-9]+' times: end'$ ]]
	[ "${#lines[@]}" -eq 2 ]
}

one_that_is_caught() {
	cat >"$dir/caught.mutants" <<-'MUTANTS'
		file: lua/lib/receipts.lua
		mutant: caught
		No token is compared.
		suite: sim
		-string.match(entries[i], '^%d+ (%d+) %d+>?%d* ') == token
		+string.match(entries[i], '^%d+ (%d+) %d+>?%d* ')
	MUTANTS
}

@test "a mutant that is caught, and one that nothing catches" {
	one_that_is_caught
	mutants <<-'MUTANTS'
		mutant: harmless
		A comment.
		suite: sim
		-  local done, rare, n = {}, {}, 0
		+  local done, rare, n = {}, {}, 0 -- harmless
	MUTANTS
	run -1 test/mutants/run --mutants "$dir" --seeds 10
	echo "$output"
	[[ ${lines[1]} =~ ^'caught  '\ *'sim  ' ]]
	[[ ${lines[2]} =~ ^'harmless  '\ *'NOTHING  ' ]]
	[ "${#lines[@]}" -eq 3 ]
}

@test "a suite that fails without a mutant is named" {
	one_that_is_caught
	DQ_TEST_SERVER=false run -1 test/mutants/run --mutants "$dir"
	[[ $output == *'sim FAILS WITHOUT A MUTANT'* ]]
}
