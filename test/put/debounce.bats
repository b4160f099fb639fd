# Goal: A put of a leased message with -e later or -e earlier: the message is redelivered when that delivery ends, and never runs twice at
# once.

bats_require_minimum_version 1.5.0

load ../helper

@test "debounce, -e later: five quiet seconds after the last call, once" {
	local i
	for i in 1 2 3 4; do
		dq-put -q -i reload -e later -d 5s "$q" reload
		later 3000
		run -1 dq-take "$q"
	done
	holds 1 0 0 0
	later 2001
	run -0 dq-take --json "$q"
	equal "${#lines[@]}" 1
	equal "$(jq -r '"\(.id) \(.try)"' <<<"$output")" 'reload 1'
}

# The message is leased, and rescheduled to be due in five seconds; $T/running has the record.
asked() { # [MODE]
	dq-put -q -i x -p 7 "$q" text
	dq-take "$q" >"$T/running"
	run -0 --separate-stderr dq-put -v -i x -e "${1:-later}" -d 5s "$q" other
	matches "${stderr_lines[0]}" "made ${1:-later}\$"
	holds 0 0 1 0
	run -1 dq-take "$q"
}

# The message exists once again, with all its tries.
comes_again() {
	holds 1 0 0 0
	run -1 dq-take "$q"
	later 5001
	equal "$(dq-take --json "$q" | jq -r '"\(.try) \(.payload)"')" '1 text'
	fails 1 'no longer valid$' dq-ack - <"$T/running"
	holds 0 0 1 0
	dq-rm "$q/x"
}

@test "debounce and coalescing: a put while the handler runs starts after it, however it ends" {
	local mode ends
	for mode in later earlier; do
		for ends in dq-ack 'dq-ack -r' 'dq-ack -r -d 0' 'dq-ack -b -m why' 'dq-ack -g'; do
			asked $mode
			$ends - <"$T/running"
			comes_again
		done
	done
}

@test "debounce: an expired lease starts nothing before the new time, and a late ack loses no put" {
	asked
	later 60001
	dq-promote "$q"
	fails 1 'no longer valid$' dq-ack - <"$T/running"
	comes_again
}

@test "debounce: the handler ends after the new time: ready at once" {
	asked
	rcli HSET "dq:{$q}:try" x "$(field try x | sed '1s/>[0-9]*/>1000/')"$'\n' >/dev/null
	dq-ack - <"$T/running"
	holds 0 1 0 0
}

@test "debounce: the last time counts, in whatever order; coalescing: the first" {
	asked
	dq-put -q -i x -e later -a @4000000000 "$q" other
	dq-put -q -i x -e later -d 1h "$q" other
	matches "$(field try x | head -1)" '>4000000000000@[^ ]+ p=7$'
	dq-put -q -i x -e earlier -a @3900000000 "$q" other
	dq-put -q -i x -e earlier -a @3950000000 "$q" other
	matches "$(field try x | head -1)" '>3900000000000@[^ ]+ p=7$'
	dq-ack -x 1h - <"$T/running"
	dq-ack - <"$T/running"
	matches "$(score delayed x)" '^3900000000000\.'
}

@test "after the lease expired: a ready message is postponed or stays, and a late ack loses neither put" {
	local mode
	for mode in later earlier; do
		dq-put -q -i x "$q" text
		dq-take "$q" >"$T/running"
		later 60001
		dq-promote "$q"
		dq-put -q -i x -e $mode -d 5s "$q" other
		fails 1 'no longer valid$' dq-ack - <"$T/running"
		dq-rm "$q/x"
	done
}

@test "keep does not change a leased message; replace and dq-rm remove it, with its rescheduled time" {
	asked
	dq-put -q -i x -e keep -d 9s "$q" other
	dq-put -q -i x -e replace -d 9s "$q" other
	fails 1 'no longer valid$' dq-ack - <"$T/running"
	holds 1 0 0 0
	dq-rm "$q/x"
	asked
	dq-rm "$q/x"
	holds 0 0 0 0
	asked
	dq-put -q -e replace -i x "$q" text
	dq-take "$q" | dq-ack
	holds 0 0 0 0
}

@test "the later expiry counts: a put that is accepted while a handler runs does not expire with its message" {
	local mode
	for mode in earlier later; do
		dq-put -q -i x -x 5s "$q" text
		dq-take "$q" >"$T/running"
		dq-put -q -i x -e "$mode" -x 1h "$q" other
		later 6000
		dq-ack - <"$T/running"
		equal "$(dq-take --ack "$q" | cut -f2)" text
		holds 0 0 0 0
	done
	dq-put -q -i x -d 1s -x 5s "$q" text
	dq-put -q -i x -e later -d 10s -x 1h "$q" other # the same line again and again
	dq-put -q -i x -e earlier -d 20s -x 2h "$q" other # stays, but for its expiry
	dq-put -q -i x -e earlier -d 9s -x 2s --existing "$q" 2>"$T/refused" || equal $? 64
	dq-put -q -i x -e earlier -d 9s -x 30s "$q" other # an earlier expiry changes nothing
	later 3600001
	equal "$(dq-take --ack "$q" | cut -f2)" text
	equal "$(rcli ZCARD "dq:{$q}:expiry")" 0
	holds 0 0 0 0
}

@test "--unique-for begins with the ack after which the message is gone" {
	dq-put -q -i x --unique-for 1h "$q" text
	dq-take "$q" >"$T/running"
	dq-put -q -i x -e earlier "$q" text
	dq-ack - <"$T/running"
	equal "$(score settled x)" ''
	dq-take "$q" | dq-ack
	holds 0 0 0 0
	fails 1 'the id is still reserved' dq-put -i x "$q" text
}

@test "four workers, and calls all the time: never two at work, and the last call is followed by a run" {
	local mode i worker
	for mode in earlier later; do
		: >"$T/ran"
		# shellcheck disable=SC2016
		dq-run -j 4 "$q" -- sh -c 'mkdir "$0/lock" || echo overlap >>"$0/ran"; cat "$0/last" >>"$0/ran"; rmdir "$0/lock"' "$T" \
			3>&- &
		worker=$!
		for i in {1..60}; do
			echo "$i" >"$T/last"
			dq-put -q -i x -e $mode "$q" text
		done
		idle() { [ "$(states)" = '0 0 0 0' ]; }
		wait_until 20 idle
		kill "$worker"
		exits 143 "$worker"
		equal "$(tail -1 "$T/ran")" 60
		run ! grep overlap "$T/ran"
	done
}
