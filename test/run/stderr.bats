# Goal: The standard error of a command passes through, its last lines are the reason of a failure, and neither a flood nor a full pipe
# stops the work.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

@test "stderr passes through unchanged" {
	{
		printf 'plain\n\n\e[31mred\e[0m \t\r\n'
		odd_bytes
		printf 'no newline at the end'
	} >"$D/says"
	dq-put -q "$q" x
	dq-run --once "$q" -- sh -c 'cat "$D/says" >&2' 2>"$D/err"
	cmp "$D/err" "$D/says"
}

@test "the reason is the last lines of stderr, without blank ones" {
	local n=0 text wanted
	while IFS=$'\t' read -r text wanted; do
		n=$((n + 1))
		dq-put -q -i "$n" -b 1h "$q" x
		TEXT=$text run -123 dq-run --once "$q" -- sh -c 'printf "$TEXT" >&2; exit 1'
		equal "$(reason "$n")" "$(printf %b "$wanted")"
	done <<-'END'
		one\ntwo\n	one\ntwo
		one\ntwo	one\ntwo
		one\n\n\n\t\r\ntwo\n \n	one\ntwo
		 Traceback:\n   in f\n   in g\n\0	Traceback:\n   in f\n   in g
		one\n\n  \n\n	one
		  indented\n	indented
		\n	exit status 1
		tab\there\n	tab	here
	END
	equal "$n" 8
}

@test "the reason is at most 1000 bytes" {
	dq-put -q -i x -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'head -c 5000 /dev/zero | tr "\0" y >&2; exit 1'
	equal "$(reason x | tr -d '\n' | wc -c)" 1000
	dq-put -q -i z -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'head -c 5000 /dev/zero | tr "\0" y >&2; echo >&2; echo short >&2; exit 1'
	equal "$(reason z)" short
}

@test "the reason has whole lines, and as many of the last ones as fit in 1000 bytes" {
	dq-put -q -i x -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'seq 100000 >&2; exit 1'
	equal "$(reason x)" "$(seq 99835 100000)" # 165 of 6 bytes, and one of 6 without LF
	dq-put -q -i y -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'printf "%0499d\n%0500d\n" 1 2 >&2; exit 1'
	equal "$(reason y)" "$(printf '%0499d\n%0500d' 1 2)"
	dq-put -q -i z -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'printf "%0500d\n%0500d\n" 1 2 >&2; exit 1'
	equal "$(reason z)" "$(printf '%0500d' 2)"
}

@test "a reason of several lines: the last one in listings and reports, all of it in dq-stat NAME, in JSON and for the next try" {
	dq-put -q -i x -r 2 -b 0 "$q" x
	run -123 --separate-stderr dq-run --drain "$q" -- sh -c 'printf %s "$DQ_REASON" >"$D/reason"
		printf "fatal: no\nhint: try\n" >&2; exit 1'
	equal "$(tail -n 1 <<<"$stderr")" "dq-run: $q/x: dead: hint: try"
	equal "$(cat "$D/reason")" $'fatal: no\nhint: try'
	equal "$(dq-stat --messages dead "$q" | cut -f5)" 'hint: try'
	equal "$(dq-stat "$q/x" | sed -n 's/^reason\t//p')" 'fatal: no\nhint: try'
	equal "$(dq-stat --json "$q/x" | jq -r .reason)" $'fatal: no\nhint: try'
	equal "$(dq-stat --messages dead --json "$q" | jq -r .reason)" $'fatal: no\nhint: try'
}

@test "a reason is cut at the end of a character, also when that comes later" {
	dq-put -q -i x -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'printf "%0999d\303" 0 >&2; printf "\251 and more\n" >&2; exit 1'
	equal "$(reason x)" "$(printf '%0999d' 0)"
	dq-put -q -i y -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'printf "%0998d\303\251\n" 0 >&2; exit 1'
	equal "$(reason y)" "$(printf '%0998d' 0)é"
}

@test "escapes in a reason are kept, and shown escaped" {
	dq-put -q -i x "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'printf "\033[31mred\001\n" >&2; exit 65'
	equal "$stderr" $'\e[31mred\1\ndq-run: '"$q/x: dead: "'\x1b[31mred\x01'
	equal "$(rcli --raw HGET "dq:{$q}:try" x | sed 1d)" $'\e[31mred\1'
}

@test "the reason of one command is not that of the next" {
	dq-put -q -i a -b 1h "$q" x
	dq-put -q -i b -b 1h "$q" x
	dq-put -q -i c -b 1h "$q" x
	run -0 dq-run --once "$q.none" -- true || true
	work "$q" -- sh -c '[ "$DQ_ID" != a ] || echo from a >&2; exit 1'
	wait_until 10 eval '[ "$(states)" = "3 0 0 0" ]'
	equal "$(reason a),$(reason b),$(reason c)" 'from a,exit status 1,exit status 1'
	kill "$worker"
	exits 143 "$worker"
}

@test "a process that a command leaves behind, with its stderr open, blocks nothing" {
	dq-put -q "$q" a b
	run -0 timeout 60 dq-run --drain "$q" -- sh -c 'tail -f /dev/null >/dev/null & echo said >&2'
	equal "$(paste -sd, <<<"$output")" said,said
	holds 0 0 0 0
}

@test "a command that writes to stderr without end silences no other command" {
	dq-put -q -i x -t 3s "$q" x
	dq-run "$q" -- sh -c 'yes >&2 & yes >&2 & yes >&2 & exec yes >&2' >/dev/null 2>&1 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 eval '[ "$(states)" = "0 0 1 0" ]'
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	holds 0 1 0 0
}

@test "something that is left behind and never stops writing to stderr does not keep its message" {
	dq-put -q -i x "$q" x
	dq-run --once "$q" -- sh -c 'yes >&2 & yes >&2 & yes >&2 & exit 0' >/dev/null 2>&1 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	exits 0 "$worker"
	holds 0 0 0 0
}

@test "the reader of our stderr has closed it: work continues" {
	seq 1 3 | dq-put -ql "$q"
	run -0 bash -c 'dq-run --drain "$0" -- sh -c "echo said >&2; cat" 2> >(exec true)' "$q"
	equal "$output" 123
	holds 0 0 0 0
}

@test "the reader of our stderr has stopped: work and leases continue, and dropped lines are counted" {
	mkfifo "$D/err"
	dq-put -q -i a -t 4s -r 1 "$q" x
	dq-put -q -i b -d 1h "$q" y
	exec 8<>"$D/err"
	dq-run "$q" -- sh -c 'head -c 300000 /dev/zero | tr "\0" x >&2; cat >>"$D/out"; echo end >>"$D/out"' 2>"$D/err" 8>&- 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 eval '[ "$(states)" = "1 0 1 0" ]'
	wait_until 20 eval '[ "$(tries a)" = 1 ] && [ "$(score leased a)" -gt "$(($(server_ms) + 300))" ] &&
		[ "$(server_ms)" -gt "$(($(due_of a) + 5000))" ]'
	holds 1 0 1 0 # renewed by now: a lease of 4 s, and one try
	timeout 20 head -c 300000 <&8 >/dev/null
	wait_until 10 grep -q end "$D/out"
	kill "$worker"
	cat <&8 >/dev/null &
	local reader=$! # wait_until begins processes, too
	wait_until 10 ended "$worker"
	kill "$reader"
	exec 8>&-
}
