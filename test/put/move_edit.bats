# Goal: dq-put -e move sets the due time of an existing message, earlier or later, and -e edit its payload; each changes nothing else, and
# loses nothing if the message is leased.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load says

# All that is known of the message but these members, in one line.
but() { # MEMBERS
	dq-stat --json "$q/x" | jq -cS "del($1, .now_ms)"
}

@test "move: exactly the due time of the put, earlier or later, delayed or ready; nothing else changes" {
	local before at
	dq-put -q -i x -d 1h -p 7 -t 9s -r 3 -b 1m,2m "$q" text
	before=$(but .due_ms)
	for at in 4000000000 3900000000 4100000000; do
		says moved -i x -e move -a @$at -p 9 -r 1 "$q" other
		equal "$(score delayed x)" "${at}000.6367"
		equal "$(but .due_ms)" "$before"
	done
	says 'kept as it was: there is such a message already' -i x -e move -a @4100000000 "$q" other
	dq-put -q --existing -i x -e move "$q"
	holds 0 1 0 0
	dq-put -q --existing -i x -e move -d 10m "$q" </dev/null
	holds 1 0 0 0
	between 590000 $(($(score delayed x | cut -d. -f1) - $(server_ms))) 600000
	equal "$(but .due_ms)" "$before"
}

@test "move: of many with --tsv; what does not exist is put, or with --existing refused" {
	printf '1h\ta\tA\n1h\tb\tB\n' | dq-put -q --tsv "$q"
	run -1 --separate-stderr dq-put --existing -e move --tsv "$q" <<<$'-\ta\t\n2h\tb\t\n2h\tc\t'
	equal "$output" "$q/a"$'\n'"$q/b"
	equal "$stderr" "dq-put: $q/c: not put: there is no such message (--existing)"
	holds 1 1 0 0
	dq-put -q -e move -d 5s -i c "$q" C
	holds 2 1 0 0
	equal "$(dq-stat --payload "$q/b")" B
}

@test "move: not past the expiry, but a put with a later one changes both" {
	dq-put -q -i x -x 1h "$q" text
	fails 1 'not put: the existing message expires before the new due time$' dq-put --existing -i x -e move -d 2h "$q"
	dq-put -q --existing -i x -e move -d 2h -x 3h "$q"
	holds 1 0 0 0
	later 7200001
	equal "$(dq-take --ack "$q" | cut -f2)" text
}

@test "move: a message that is taken is delivered again at that time, the last one of several, however its delivery ends" {
	local ends
	for ends in dq-ack 'dq-ack -r' 'dq-ack -b' 'dq-ack -g'; do
		dq-put -q -i x "$q" text
		dq-take "$q" >"$T/running"
		says moved -i x -e move -d 9s "$q" other
		says moved -i x -e move -d 5s "$q" other
		holds 0 0 1 0
		$ends - <"$T/running"
		holds 1 0 0 0
		later 4000
		run -1 dq-take "$q"
		later 1001
		equal "$(dq-take --json "$q" | jq -r '"\(.try) \(.payload)"')" '1 text'
		dq-rm "$q/x"
	done
}

@test "move: a dead letter is delivered again, with all its tries" {
	dq-put -q -i x -r 1 "$q" text
	dq-take "$q" | dq-ack -r -m why
	holds 0 0 0 1
	says moved -i x -e move -d 5s "$q" other
	holds 1 0 0 0
	later 5001
	equal "$(dq-take --json "$q" | jq -r '"\(.try) of \(.max_tries) \(.payload)"')" '1 of 1 text'
}

@test "edit: the payload of a delayed and of a ready message; nothing else changes" {
	local before
	TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 \
		dq-put -q -i x -d 1h -p 7 -t 9s -r 3 -b 1m,2m -x 1d "$q" text
	before=$(but .size)
	says edited -i x -e edit -d 5s -p 9 -r 1 "$q" 'other text'
	equal "$(dq-stat --payload "$q/x")" 'other text'
	equal "$(but .size)" "$before"
	says 'kept as it was: there is such a message already' -i x -e edit "$q" 'other text'
	printf 'two\nlines' | dq-put -q --existing -i x -e edit "$q"
	later 3600001
	dq-promote "$q"
	dq-put -q --existing -i x -e edit "$q" ''
	equal "$(dq-take --json "$q" | jq -r '"\(.try) of \(.max_tries) <\(.payload)>"')" '1 of 3 <>'
}

@test "edit: needs a payload" {
	dq-put -q -i x "$q" kept
	fails 65 'not put: standard input is empty' dq-put --existing -e edit -i x "$q" </dev/null
	equal "$(dq-stat --payload "$q/x")" kept
	fails 1 "^$q/y: not put: there is no such message" dq-put --existing -e edit -i y "$q" new
	dq-put -q -e edit -d 1h -i y "$q" new
	holds 1 1 0 0
}

@test "edit: a dead letter stays dead, with its tries and reason; redriven, it has the new payload and its own schedule" {
	local before
	dq-put -q -i x -r 2 -b 0 "$q" bad
	dq-take "$q" | dq-ack -r -m first
	dq-take "$q" | dq-ack -r -m 'no such user'
	before=$(but .size)
	says edited -i x -e edit "$q" good
	equal "$(but .size)" "$before"
	holds 0 0 0 1
	dq-promote --dead "$q/x"
	equal "$(dq-take --json "$q" | jq -r '"\(.try) of \(.max_tries) \(.payload)"')" '1 of 2 good'
}

@test "edit: a message that is taken is delivered again with the new payload as soon as its delivery ends" {
	local ends
	for ends in dq-ack 'dq-ack -r' 'dq-ack -b' 'dq-ack -g'; do
		dq-put -q -i x -b 1h "$q" old
		dq-take "$q" >"$T/running"
		says edited -i x -e edit -d 1h "$q" new
		holds 0 0 1 0
		$ends - <"$T/running"
		holds 0 1 0 0
		equal "$(dq-take --json "$q" | jq -r '"\(.try) \(.payload)"')" '1 new'
		fails 1 'no longer valid$' dq-ack - <"$T/running"
		dq-rm "$q/x"
	done
	dq-put -q -i x "$q" old
	dq-take "$q" >"$T/running"
	dq-put -q -i x -e move -d 1h "$q" other
	dq-put -q -i x -e edit "$q" new # when it was to be due stays
	dq-ack - <"$T/running"
	holds 1 0 0 0
}

@test "edit: after the lease expired a late ack does not lose it, neither ready nor dead" {
	local tries
	for tries in 1 2; do
		dq-put -q -i x -r $tries "$q" old
		dq-take "$q" >"$T/running"
		later 60001
		dq-promote "$q"
		says edited -i x -e edit "$q" new
		fails 1 'no longer valid$' dq-ack - <"$T/running"
		equal "$(dq-stat --payload "$q/x")" new
		dq-rm "$q/x"
	done
}

@test "edit: four workers, and edits all the time: the last payload is the last one that is worked on" {
	local i worker
	: >"$T/ran"
	dq-run -q -j 4 "$q" -- sh -c 'cat >>"$0/ran"; echo >>"$0/ran"' "$T" 3>&- &
	worker=$!
	for i in {1..60}; do
		dq-put -q -i x -e edit "$q" "$i"
	done
	idle() { [ "$(states)" = '0 0 0 0' ]; }
	wait_until 20 idle
	kill "$worker"
	exits 143 "$worker"
	equal "$(tail -1 "$T/ran")" 60
}

@test "--existing: an option that would change nothing is refused" {
	local mode option
	dq-put -q -d 1h -i x "$q" old
	for mode in earlier later move edit; do
		for option in '-p 1' '-t 5s' '-r 2' '-b 1s' '--unique-for 1h'; do
			# shellcheck disable=SC2086
			fails 64 "^${option% *}: no effect with --existing -e $mode\$" dq-put --existing -i x -e "$mode" $option "$q"
		done
	done
	for mode in earlier later move; do
		fails 64 "^PAYLOAD: no effect with --existing -e $mode\$" dq-put --existing -i x -e "$mode" -d 2h "$q" new
		dq-put -q --existing -i x -e "$mode" -d 1h -x 2h "$q"
	done
	for option in '-d 2h' '-a @4000000000' '-x 3h'; do
		# shellcheck disable=SC2086
		fails 64 "^${option% *}: no effect with --existing -e edit\$" dq-put --existing -i x -e edit $option "$q" new
	done
	equal "$(dq-stat --payload "$q/x")" old
	dq-put -q --existing -i x -e replace -d 2h -p 1 "$q" new
	dq-put -q -i y -e edit -d 2h -p 1 "$q" new
	equal "$(dq-stat --json "$q/x" "$q/y" | jq -c '[.priority, .state]' | uniq -c | xargs)" '2 [1,delayed]'
}
