# Goal: The mistakes that make mutants seeds apply to the sources as they are. make mutants itself takes longer.

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
