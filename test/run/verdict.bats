# Goal: A line on descriptor 3 of a command says how its delivery ends, whatever its exit status; without one the exit status says it.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

# A message with this id, whose command says what is on standard input of this function, and exits with that status.
once() { # ID STATUS
	cat >"$D/$1.line"
	dq-put -q -i "$1" -b 1h -r 3 "$q" x
	run --separate-stderr dq-run --once "$q" -- sh -c 'cat "$D/$DQ_ID.line" >&3; exit "$0"' "$2"
}

state() { # ID
	dq-stat "$q/$1" | awk -F '\t' '$1 == "state" { print $2 }'
}

shown() { # KEY ID
	dq-stat "$q/$2" | awk -F '\t' -v key="$1" '$1 == key { print $2 }'
}

# ms from now until the message is due
due_in() { # ID
	echo "$(($(shown due_ms "$1") - $(server_ms)))"
}

@test "done: whatever the exit status" {
	for status in 0 1 65 75; do
		once "d$status" "$status" <<<'done'
		equal "$status,$output$stderr" "$status,"
		holds 0 0 0 0
	done
}

@test "retry: also with exit 0; a delay, a reason, both or none; the try counts, and so does the failure" {
	local n=0 line delay reason
	while IFS='|' read -r line delay reason; do
		n=$((n + 1))
		once "r$n" 0 <<<"$line"
		equal "$(state "r$n"),$(tries "r$n"),$(reason "r$n")" "delayed,1,$reason"
		between "$((delay - 60000))" "$(due_in "r$n")" "$((delay * 13 / 10))"
	done <<-'END'
		retry|3600000|the command asked for it
		retry 2h|7200000|the command asked for it
		retry 2h the server is busy|7200000|the server is busy
		retry the server is busy|3600000|the server is busy
		retry - 429 from the server|3600000|429 from the server
		retry   1h30m   two  blanks|5400000|two  blanks
		retry 5400 a number is seconds|5400000|a number is seconds
	END
	equal "$n" 7
	dq-put -q "$q.e" x
	run -123 dq-run --once "$q.e" -- sh -c 'echo retry 1h >&3'
}

@test "retry: dead when the tries are used up" {
	dq-put -q -i x -r 1 "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'echo "retry 1h no" >&3'
	equal "$stderr" "dq-run: $q/x: dead: no"
	holds 0 0 0 1
}

@test "retry without a reason: standard error says why" {
	dq-put -q -i x "$q" x
	run -123 dq-run --once "$q" -- sh -c 'echo busy >&2; echo retry 1h >&3'
	equal "$(reason x)" busy
}

@test "give-back: no try, no failure, exit 0 of the worker; a delay, a time, a reason" {
	local at
	dq-put -q -i x -r 1 "$q" x
	for line in 'give-back 2h' 'give-back 2h the shop is closed'; do
		LINE=$line run -0 --separate-stderr dq-run --once "$q" -- sh -c 'echo "$LINE" >&3; exit 1'
		equal "$(state x),$(tries x)" delayed,0
		between 7140000 "$(due_in x)" 7200000
		dq-promote -q "$q/x"
	done
	equal "$stderr" "dq-run: $q/x: given back: the shop is closed"
	equal "$(reason x)" 'the shop is closed'
	at=$(($(server_ms) / 1000 + 5000))
	AT=$at run -0 dq-run --once "$q" -- sh -c 'echo "give-back @$AT" >&3'
	equal "$(shown due_ms x) $(reason x)" "${at}000 the shop is closed"
	for at in 2099-01-02T03:04:05+01:00=4071002645000 'Fri, 02 Jan 2099 02:04:05 GMT=4071002645000' \
		@4398046511103ms=4398046511103 \
		'Sunday, 06-Nov-67 08:49:37 GMT=3087794977000' 'Sun Nov  6 08:49:37 2067=3087794977000'; do
		dq-promote -q "$q/x"
		AT=${at%=*} run -0 dq-run --once "$q" -- sh -c 'echo "give-back $AT" >&3'
		equal "$(shown due_ms x)" "${at#*=}"
	done
	dq-promote -q "$q/x"
	run -0 dq-run --once "$q" -- sh -c 'echo give-back 0 >&3'
	equal "$(state x),$(tries x)" ready,0
}

@test "give-back without a time, or to one that has passed: after a second, so that a worker does not run it without end" {
	local how before
	dq-put -q -i x "$q" x
	for how in 'echo give-back >&3' 'echo "give-back - not yet" >&3' 'dq-ack -g "$DQ_RECEIPT"' 'echo give-back @1 >&3' \
		'echo "give-back Wed, 21 Oct 2020 07:28:00 GMT 429" >&3' 'dq-ack -g -a @1 "$DQ_RECEIPT"'; do
		dq-promote -q "$q/x"
		before=$(server_ms)
		run -0 timeout --foreground 60 dq-run --until-empty "$q" -- sh -c "$how; echo run"
		between $((before + 1000)) "$(shown due_ms x)" $(($(server_ms) + 1000))
	done
	matches "$(state x),$(tries x)" '^(delayed|due),0$'
}

@test "give-back: how often is counted, and the command knows" {
	dq-put -q -i x "$q" x
	run -123 --separate-stderr dq-run --until-empty "$q" -- sh -c 'echo "$DQ_TRY,$DQ_GIVEN_BACK"
		[ "$DQ_GIVEN_BACK" = 3 ] && echo bury enough >&3 || echo give-back 0 >&3'
	equal "$(paste -sd' ' <<<"$output")" '1,0 1,1 1,2 1,3'
	equal "$(shown tries x),$(shown given_back x),$(reason x)" '1 of 5,3,enough'
}

@test "a lease that is lost after the verdict: what is not given back is not reported so" {
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo "give-back 2h the shop is closed" >&3; echo >"$D/said"; exec tail -f /dev/null'
	wait_until 10 test -e "$D/said"
	dq-rm -q --state leased "$q/x"
	wait_until 10 grep -q 'the lease is lost' "$D/err"
	kill "$worker"
	exits 143 "$worker"
	equal "$(grep -v finishing "$D/err")" "dq-run: $q/x: the lease is lost (settled already, or removed): ending its command"
	holds 0 0 0 0
}

@test "bury: dead at once, with its reason, whatever the exit status" {
	once x 0 <<<'bury 404: no such page'
	equal "$status,$stderr" "123,dq-run: $q/x: dead: 404: no such page"
	equal "$(state x),$(tries x),$(reason x)" 'dead,1,404: no such page'
}

@test "a text of several lines belongs to its verdict: what was done stays done, whatever its text" {
	local text=$'{\n  "sum": 42,\n  "why": "done"\n}' n=0 line
	for line in "done $text" $'done\n'"$text"$'\n\n' "retry 3s"$'\n'"done $text"; do
		n=$((n + 1))
		dq-put -q --keep 1h -i "k$n" "$q" x
		LINE=$line run -0 --separate-stderr dq-run --once "$q" -- sh -c 'printf "%s\n" "$LINE" >&3'
		equal "$stderr,$(dq-wait -w 0 --json "$q/k$n" | jq -r '.outcome, .result')" ",done"$'\n'"$text"
	done
	once a 1 <<<$'bury no such page\nnor another'
	equal "$(state a),$(dq-stat --json "$q/a" | jq -r .reason)" $'dead,no such page\nnor another'
	once b 1 < <(printf 'done\r\n\a\377 %05000d\n' 0)
	equal "$status$stderr" 0
	holds 0 0 0 1
	once c 0 <<<$'done, it is\ndone of 3\nretry 1h of these'
	equal "$stderr" "dq-run: $q/c: said done, and another verdict later, which counts"
	equal "$(reason c)" 'of these'
}

@test "the last line counts, also without a newline at its end" {
	once a 1 <<<$'bury one\nretry 1h two\ndone'
	holds 0 0 0 0
	once b 7 < <(printf 'done')
	holds 0 0 0 0
	once c 0 < <(printf 'done\ngive-back 2h')
	equal "$(state c),$(tries c)" delayed,0
	once d 0 < <(printf 'done\nretry 2')
	equal "$(state d),$(tries d)" delayed,1
	once e 0 < <(printf '\ngiv')
	equal "$(tries e),$(reason e)" '1,wrong verdict on descriptor 3: unknown word: "giv"'
	once f 0 < <(printf '\n\n')
	equal "$status$stderr" 0
}

@test "a line that means nothing fails the try, with that reason" {
	local n=0 line why
	while IFS='|' read -r line why; do
		n=$((n + 1))
		once "w$n" 0 < <(printf %b "$line\n")
		equal "$status" 123
		equal "$(state "w$n"),$(tries "w$n"),$(reason "w$n")" "delayed,1,wrong verdict on descriptor 3: $why"
	done <<-'END'
		ok|unknown word: "ok"
		Done|unknown word: "Done"
		retry 3x|not a duration: "3x"
		retry 1e9d|not a duration: "1e9d"
		retry 20000d|longer than 18250d: "20000d"
		retry 2030-01-02T03:04:05Z|only give-back has a time: "2030-01-02T03:04:05Z"
		retry @1|only give-back has a time: "@1"
		give-back @yesterday|not a time: "@yesterday"
		give-back Wed, 21 Oct 2026 07:28:00 PST|not a time: "Wed, 21 Oct 2026 07:28:00 PST"
		give-back 21 Oct 2026 07:28:00 GMT|not a time: "21 Oct 2026 07:28:00 GMT"
	END
	equal "$n" 10
	# What the exit status says of a failure stays.
	once dead 65 <<<ok
	equal "$stderr" "dq-run: $q/dead: wrong verdict on descriptor 3: unknown word: \"ok\""$'\n'"dq-run: $q/dead: dead: exit status 65"
	equal "$(state dead),$(reason dead)" 'dead,exit status 65'
}

@test "a long reason is kept in part, and escapes in it are read as in lines of dq" {
	once x 0 < <(printf 'bury %0999dé and more\n' 0)
	equal "$(reason x)" "$(printf '%0999d' 0)"
	once y 0 <<<'bury one\ntwo\\three\tfour'
	equal "$(rcli --raw HGET "dq:{$q}:try" y | sed 1d)" $'one\ntwo\\three\tfour'
}

@test "a command that was killed has said it before" {
	dq-put -q -i x -r 1 "$q" x
	run -0 dq-run --once "$q" -- sh -c 'echo give-back 1h >&3; kill -KILL $$'
	equal "$(state x),$(tries x)" delayed,0
}

@test "a command that a second signal ends has said it before" {
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo bury enough >&3; echo >"$D/said"; exec tail -f /dev/null'
	wait_until 10 test -e "$D/said"
	kill "$worker"
	wait_until 10 grep -q finishing "$D/err"
	kill "$worker"
	exits 143 "$worker"
	equal "$(state x),$(reason x)" dead,enough
}

@test "nothing is waited for that still holds descriptor 3, and what it says later does not count" {
	dq-put -q -i x "$q" x
	run -0 timeout 20 dq-run --once "$q" -- sh -c 'trap "" PIPE
		(exec </dev/null >/dev/null 2>&1; until [ -e "$D/over" ]; do sleep 0.05; done; echo bury late >&3; echo "$?" >"$D/late") &
		echo done >&3'
	holds 0 0 0 0
	true >"$D/over"
	wait_until 10 test -s "$D/late"
	[ "$(cat "$D/late")" != 0 ]
}

@test "a flood on descriptor 3 neither blocks nor kills, and what follows it counts" {
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c 'head -c 3000000 /dev/zero | tr "\0" x >&3; echo >&3
		yes bury | head -n 100000 >&3; echo done >&3'
	equal "$output$stderr" ''
	holds 0 0 0 0
}

@test "a flood of what is left behind does not keep the message" {
	dq-put -q -i x -b 1h "$q" x
	dq-run --once "$q" -- sh -c 'yes done >&3 2>/dev/null & yes done >&3 2>/dev/null & exit 1' >/dev/null 2>&1 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 20 ended "$worker"
	[[ "$(states)" == [01]' 0 0 0' ]] # it may have said it before the command ended
}

@test "several at once: each has its own descriptor 3" {
	seq 20 | dq-put -ql "$q"
	run -0 dq-run --drain -j 5 "$q" -- sh -c 'n=$(cat); if [ "$((n % 2))" = 0 ]; then echo done >&3; exit 1; fi'
	holds 0 0 0 0
}

@test "two processes of a command that say something at once: whole lines" {
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c 'for i in 1 2 3; do
			(for j in 1 2 3 4 5 6 7 8 9; do echo "bury $(printf %01000d 0)" >&3; echo done >&3; done) &
		done; wait; echo done >&3'
	holds 0 0 0 0
}

@test "a descriptor 3 that dq-run was given is not that of the command; a payload in memory is no matter" {
	head -c 300000 /dev/zero | dq-put -q -i x "$q"
	run -0 dq-run --once "$q" -- sh -c '[ "$(wc -c)" = 300000 ] || exit; echo done >&3; exit 1' 3>"$D/given"
	equal "$(cat "$D/given")" ''
	holds 0 0 0 0
	dq-put -q -i y "$q" x
	run -0 dq-run --once "$q" -- sh -c 'echo done >&3; exit 1' 3>&-
	holds 0 0 0 0
}

@test "a command that closes descriptor 3, or limits the size of files, is not in trouble" {
	dq-put -q "$q" a b
	run -0 dq-run --drain "$q" -- sh -c 'exec 3>&-'
	dq-put -q "$q" c
	run -0 dq-run --drain "$q" -- sh -c 'ulimit -f 0; echo done >&3; exit 1'
	holds 0 0 0 0
}

@test "timeout(1) passes descriptor 3 on" {
	dq-put -q -i x -r 1 "$q" x
	run -0 dq-run --once "$q" -- timeout 60 sh -c 'echo give-back 1h >&3; kill -TERM $$'
	equal "$(state x),$(tries x)" delayed,0
}
