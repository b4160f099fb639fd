# Goal: dq-put -e decides, in each mode, what happens to an existing message with the same id.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load says

@test "--existing -e replace without a payload does not empty the message" {
	dq-put -q -i a "$q" kept
	fails 65 'not put: standard input is empty' dq-put --existing -e replace -i a "$q" </dev/null
	dq-put -q --existing -e later -d 1h -i a "$q" </dev/null
	equal "$(dq-stat --payload "$q/a")" kept
	echo new | dq-put -q --existing -e replace -i a "$q"
	equal "$(dq-take "$q" | cut -f2)" 'new\n'
}

@test "--existing: makes no message, exit 1; reschedules an existing one, without a payload" {
	fails 1 "^$q/a: not put: there is no such message" dq-put --existing -e later -d 1h -i a "$q"
	fails 1 "^$q/a: not put: there is no such message" dq-put --existing -e replace -d 1h -i a "$q" x
	holds 0 0 0 0
	dq-put -q -d 1m -i a "$q" x
	equal "$(dq-put --existing -e later -d 1h -i a "$q")" "$q/a"
	between 3590000 $(($(score delayed a) - $(server_ms))) 3600000
	dq-put --existing -q -e earlier -i a "$q" </dev/null
	equal "$(field msg a)" $'\nx'
	equal "$(dq-take --ack "$q" | cut -f2)" x
	dq-put -q -i a "$q" x
	run dq-put --existing -e replace --tsv "$q" <<<$'1h\ta\ty\n1h\tb\tz'
	equal "$status" 1
	holds 1 0 0 0
	equal "$(field msg a)" $'\ny'
}

@test "-e: -v reports what happened to the message" {
	says '' -i x -d 1h "$q" one
	refused -i x -d 1h "$q" two
	refused -i x -e fail "$q" two
	says 'kept as it was: there is such a message already' -i x -e keep "$q" two
	equal "$(field msg x)" $'\none'
	says 'replaced' -i x -d 1h -t 9s --if-exists replace "$q" two
	equal "$(field msg x)" $'t=9000\ntwo'
	says 'kept as it was: there is such a message already' -i x -d 2h -e earlier "$q" three
	says 'made earlier' -i x -d 30m -e earlier "$q" three
	says 'kept as it was: there is such a message already' -i x -d 20m -e later "$q" three
	says 'made later' -i x -d 2h --if-exists=later "$q" three
	equal "$(field msg x)" $'t=9000\ntwo'
	holds 1 0 0 0
}

@test "-e: the first put creates the message, in each mode" {
	local mode
	for mode in fail keep replace earlier later; do
		q=q$BATS_TEST_NUMBER.$mode
		run -0 --separate-stderr dq-put -v -i x -e $mode -d 5s "$q" one
		equal "$output" "$q/x"
		matches "${stderr_lines[-1]}" '1 accepted, 0 refused$'
		equal "${#stderr_lines[@]}" "$([ $mode = fail ] && echo 1 || echo 2)"
		holds 1 0 0 0
	done
}

@test "-e: without -v only the name is printed; with -q nothing" {
	local mode
	dq-put -q -i x -d 1h "$q" one
	for mode in keep later earlier replace; do
		run -0 --separate-stderr dq-put -i x -d 1h -e $mode "$q" two
		equal "$output/$stderr" "$q/x/"
		run -0 --separate-stderr dq-put -q -i x -d 1h -e $mode "$q" two
		equal "$output/$stderr" /
	done
}

@test "-e: another word is 64" {
	local mode
	for mode in '' kee KEEP ignore repeat 'keep '; do
		fails 64 '^-e: one of fail, keep, replace, earlier, later, move, edit$' dq-put -e "$mode" "$q" x
	done
	equal "$(digest)" ''
}

@test "-e fail: among many, those that are new are put; 1" {
	dq-put -q -i b "$q" old
	run -1 --separate-stderr dq-put --tsv "$q" <<<$'-\ta\t1\n-\tb\t2\n-\tc\t3\n-\ta\t4'
	equal "$output" "$q/a"$'\n'"$q/c"
	equal "$stderr" "dq-put: $q/b: not put: there is such a message already
dq-put: $q/a: not put: there is such a message already"
	holds 0 3 0 0
}

@test "a dead message: the line says so, and names what helps" {
	local line
	dq-put -q -i x "$q" old
	dq-take "$q" | dq-ack -b -m why
	for line in "-i x $q new" "--tsv $q"; do
		# shellcheck disable=SC2086
		fails 1 "^$q/x: not put: there is such a message already, and it is dead \\(dq-promote --dead .*-e replace" \
			dq-put $line <<<$'-\tx\tnew'
	done
	dq-put -q -i x -e replace "$q" new
	equal "$(dq-take "$q" | cut -f2)" new
}

@test "-e replace: a running handler cannot ack the new message" {
	dq-put -q -i x "$q" old
	dq-take "$q" >"$T/old"
	dq-put -q -i x -e replace "$q" new
	fails 1 'no longer valid$' dq-ack - <"$T/old"
	equal "$(dq-take "$q" | cut -f2)" new
}

@test "the last of many with one id wins, with -e replace" {
	seq -f $'-\tx\t%g' 2500 | dq-put -q -e replace --tsv "$q"
	holds 0 1 0 0
	equal "$(dq-take "$q" | cut -f2)" 2500
}

@test "throttle, -e keep: five seconds after the first call, once, however many follow" {
	local due
	dq-put -q -i refresh -e keep -d 5s "$q" 1
	due=$(score delayed refresh)
	for i in 2 3 4; do
		dq-put -q -i refresh -e keep -d 5s "$q" "$i"
		equal "$(score delayed refresh)" "$due"
	done
	later 5001
	equal "$(dq-take "$q" | cut -f2)" 1
	run -1 dq-take "$q"
}

@test "-e earlier: the earliest of several due times counts" {
	local at
	for at in 4000000300 4000000100 4000000200; do
		dq-put -q -i wake -e earlier -a @$at "$q" wake
	done
	equal "$(score delayed wake)" 4000000100000
	holds 1 0 0 0
}

@test "a dead message is rescheduled by earlier and later, with all its tries" {
	local mode
	for mode in earlier later; do
		dq-put -q -i x -r 1 "$q" text
		dq-take "$q" | dq-ack -r
		holds 0 0 0 1
		says "made $mode" -i x -e $mode "$q" text
		equal "$(dq-take --json "$q" | jq -r '"\(.try) of \(.max_tries)"')" '1 of 1'
		script rm '' '' x
	done
}
