# shellcheck disable=SC2016
# dq-put: what happens when the id is there, for how long it stays taken, priorities, expiry, and the other forms of input.

bats_require_minimum_version 1.5.0

load ../helper

# What dq-put -v says about the message, without the count at the end.
says() { # TEXT OPTION...
	local text=$1
	shift
	run -0 --separate-stderr dq-put -v "$@"
	equal "$output" "$q/x"
	equal "${stderr_lines[*]}" "${text:+dq-put: $q/x: $text }dq-put: $q: 1 accepted, 0 refused"
}

refused() { # OPTION...
	fails 1 "^$q/x: not put: there is such a message already\$" dq-put "$@"
}

past() { # MS
	[ "$(server_ms)" -gt "$1" ]
}

# --- modes ---

@test "-e: what became of the message is said with -v" {
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

@test "-e: the first put is like any other, in each mode" {
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

@test "-e: without -v nothing is said but the name; with -q nothing at all" {
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
		fails 64 '^-e: one of fail, keep, replace, earlier, later$' dq-put -e "$mode" "$q" x
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

@test "-e replace: a handler at work cannot ack the new one" {
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

# --- stories ---

@test "throttle, -e keep: five seconds after the first call, whatever comes in between, once" {
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

@test "the earliest wish counts, -e earlier" {
	local at
	for at in 4000000300 4000000100 4000000200; do
		dq-put -q -i wake -e earlier -a @$at "$q" wake
	done
	equal "$(score delayed wake)" 4000000100000
	holds 1 0 0 0
}

@test "a dead message lives again by earlier and later, with all its tries" {
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

# --- an id that stays taken ---

@test "--unique-for: the id stays taken after the ack, until its time" {
	local before
	dq-put -q -i x --unique-for 1h "$q" one
	refused -i x "$q" two
	before=$(server_ms)
	dq-take "$q" | dq-ack
	holds 0 0 0 0
	between $((before + 3600000)) "$(score settled x)" $((before + 3609000))
	before=$(digest)
	refused -i x "$q" two
	says 'kept as it was: there is such a message already' -i x -e keep "$q" two
	equal "$(digest)" "$before"
	rcli ZADD "dq:{$q}:settled" XX 1 x >/dev/null
	says '' -i x "$q" two
	equal "$(dq-take "$q" | cut -f2)" two
}

@test "--unique-for: the other modes put the message all the same" {
	local mode
	for mode in replace earlier later; do
		q=q$BATS_TEST_NUMBER.$mode
		dq-put -q -i x --unique-for 1h "$q" one
		dq-take --ack "$q" >/dev/null
		refused -i x "$q" two
		says put -i x -e $mode "$q" two
		holds 0 1 0 0
	done
}

@test "--unique-for counts from the ack, however late; neither retry nor death begins it" {
	local before
	dq-put -q -i x -r 2 --unique-for 10s "$q" one
	dq-take "$q" | dq-ack -r -d 0
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	dq-take "$q" >"$T/last"
	later 60001
	dq-promote -q "$q"
	holds 0 0 0 1
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	refused -i x "$q" two
	before=$(server_ms)
	dq-ack <"$T/last"
	between $((before + 10000)) "$(score settled x)" $((before + 19000))
	refused -i x "$q" two
}

@test "--unique-for: a message that was removed, or purged when dead, frees its id at once" {
	dq-put -q -i x --unique-for 1h "$q" one
	equal "$(script rm '' '' x)" d
	dq-put -q -i x --unique-for 1h "$q" two
	dq-take "$q" | dq-ack -b
	refused -i x "$q" three
	later 2000
	dq-gc --dead-for 1s "$q"
	says '' -i x "$q" three
	holds 0 1 0 0
}

@test "--unique-for: an id that is kept after the ack cannot be removed: there is no message" {
	dq-put -q -i x --unique-for 1h "$q" one
	dq-take "$q" | dq-ack
	local before
	before=$(digest)
	equal "$(script rm '' '' x)" u
	equal "$(digest)" "$before"
	refused -i x "$q" two
}

@test "--unique-for: forgotten by gc when their time is over, and as puts go on" {
	seq -f 'id%g' 300 | sed 's/.*/-\t&\tx/' | dq-put -q --unique-for 1h --tsv "$q"
	dq-take -n 300 --ack "$q" >/dev/null
	equal "$(rcli ZCARD "dq:{$q}:settled")" 300
	dq-gc "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 300
	rcli EVAL 'for _, id in ipairs(redis.call("ZRANGE", KEYS[1], 0, 249)) do redis.call("ZADD", KEYS[1], 1, id) end' 1 \
		"dq:{$q}:settled" >/dev/null
	dq-put -q "$q" x
	between 50 "$(rcli ZCARD "dq:{$q}:settled")" 299
	dq-gc "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 50
}

@test "--unique-for 0 keeps nothing; times out of range are refused" {
	dq-put -q -i x --unique-for 0 "$q" one
	equal "$(field msg x)" $'\none'
	dq-take "$q" | dq-ack
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	local text
	for text in -1 nan x '' 36526d; do
		fails 64 '^--unique-for: ' dq-put --unique-for "$text" "$q" x
	done
}

# --- order and expiry ---

@test "-p: the lower first, then the older due time, then the order of putting" {
	dq-put -q -p 255 "$q" last
	dq-put -q "$q" usual1 usual2
	dq-put -q -p 101 "$q" below
	dq-put -q -a @1000000000 "$q" old
	dq-put -q --priority 0 -d 1s "$q" first
	dq-put -q -p 99 "$q" above
	later 1001
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'first above old usual1 usual2 below last'
}

@test "-p: 0 to 255" {
	local text
	for text in -1 256 1.5 nan x '' 1e2 99999999999999999999; do
		fails 64 '^-p: ' dq-put -p "$text" "$q" x
	done
	equal "$(digest)" ''
	dq-put -q -i x -p 100 "$q" x
	equal "$(field msg x)" $'\nx'
}

@test "-p: kept through retry, run-out leases and the grave" {
	dq-put -q -i low -p 200 "$q" low
	dq-put -q -i high -p 1 "$q" high
	dq-take -n 2 "$q" | dq-ack -r -d 0
	equal "$(dq-take "$q" | cut -f2)" high
	dq-take -t 1m "$q" >/dev/null
	later 60001
	equal "$(dq-take "$q" | cut -f2)" high
	dq-take "$q" | dq-ack -b
	script redrive '' low >/dev/null
	later 60001
	equal "$(dq-take -n 2 "$q" | cut -f2 | paste -sd' ')" 'high low'
}

@test "-x: must be after the due time" {
	fails 64 "^$q/.*: not put: the expiry is not after the due time" dq-put -x 5s -d 5s "$q" x
	fails 64 'expiry is not after the due time' dq-put -x 5s -d 1h "$q" x
	fails 64 'expiry is not after the due time' dq-put -x 5s -a @4000000000 "$q" x
	fails 64 'not put: .*expiry' dq-put -x 0 "$q" x
	equal "$(states)" '0 0 0 0'
	dq-put -q -x 5s -d 4s "$q" x
	dq-put -q --expires 5s -a @1000000000 "$q" x
	holds 1 1 0 0
	local text
	for text in -1 nan x '' 36526d; do
		fails 64 '^-x: ' dq-put -x "$text" "$q" x
	done
}

@test "-x: what has expired is never delivered, and gone; what has not is" {
	dq-put -q -i short -x 1ms "$q" short
	dq-put -q -i long -x 1h "$q" long
	dq-put -q -i none "$q" none
	matches "$(field msg short | head -1)" '^x=[0-9]+$'
	wait_until 5 past "$(field msg short | sed -n '1s/x=//p')"
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'long none'
	holds 0 0 2 0
	equal "$(field stat expired)" 1
	dq-put -q -i short "$q" again
	equal "$(dq-take "$q" | cut -f2)" again
}

@test "-x: a handler at work may still ack, and a retry does not outlive it" {
	dq-put -q -i a -x 1h "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" >"$T/two"
	sed -n 2p "$T/two" | dq-ack -r -d 0
	rcli HSET "dq:{$q}:msg" a $'x=1\na' b $'x=1\nb' >/dev/null
	run -1 dq-take "$q"
	holds 0 0 1 0
	sed -n 1p "$T/two" | dq-ack
	holds 0 0 0 0
}

# ID: has its expiry come, by the server's clock?
expired() {
	past "$(field msg "$1" | sed -n '1s/^x=\([0-9]*\).*/\1/p')"
}

@test "-x: an id whose message has expired is free, whatever -e says; with --existing there is none" {
	local mode
	for mode in fail keep replace earlier later; do
		dq-put -q -i "$mode" -x 1ms "$q" old
		wait_until 5 expired "$mode"
		run -1 --separate-stderr dq-put --existing -e replace -i "$mode" "$q" none
		matches "$stderr" 'there is no such message'
		equal "$(dq-put -e "$mode" -i "$mode" "$q" "new $mode")" "$q/$mode"
		equal "$(dq-take "$q" | cut -f2)" "new $mode"
	done
	equal "$(field stat expired) $(field stat put)" '5 10'
	holds 0 0 5 0
}

@test "-x: a handler that is at work past the expiry is there, and so are the dead" {
	dq-put -q -i a -x 1h "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" | tail -n 1 | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1\na' b $'x=1\nb' >/dev/null
	equal "$(dq-put -e keep -i a "$q" x; dq-put -e keep -i b "$q" x)" "$q/a"$'\n'"$q/b"
	holds 0 0 1 1
	equal "$(field msg a)$(field msg b)" $'x=1\nax=1\nb'
}

@test "-x: a message is not moved to where it would have expired" {
	dq-put -q -i a -d 1h -x 2h "$q" a
	fails 1 "^$q/a: not put: the message that is there expires before that" dq-put -e later -d 3h -i a "$q" x
	fails 1 "^$q/a: not put: the message that is there expires before that" dq-put --existing -e later -d 3h -i a "$q"
	run -1 dq-put --existing -e later --tsv "$q" <<<$'3h\ta\t'
	between 3590000 $(($(score delayed a) - $(server_ms))) 3600000
	equal "$(dq-put -e later -d 90m -i a "$q" x)" "$q/a"
	between 5390000 $(($(score delayed a) - $(server_ms))) 5400000
	dq-promote -q "$q/a"
	dq-take "$q" | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1\na' >/dev/null
	fails 1 'not put: the message that is there expires before' dq-put -e earlier -i a "$q" x
	holds 0 0 0 1
}

@test "-x: who brings back a dead message gets it, though its expiry has passed" {
	dq-put -q -i a -x 1h -p 7 "$q" a
	dq-put -q -i b -x 1h "$q" b
	dq-take -n 2 "$q" | dq-ack -b
	rcli HSET "dq:{$q}:msg" a $'x=1 p=7\na' >/dev/null
	rcli HSET "dq:{$q}:try" a "1 0 1 x=1 p=7"$'\n' >/dev/null
	dq-promote -q --dead "$q"
	equal "$(field msg a)" $'p=7\na'
	matches "$(field msg b)" $'^x=[0-9]+\nb'
	equal "$(dq-take -n 2 "$q" | cut -f2 | xargs)" 'a b'
}

@test "-x among many: with each the same span, in the header before the others" {
	seq 3 | dq-put -q -l -x 1h -p 5 -r 2 -b 1s,2s -t 9s --unique-for 7s "$q"
	holds 0 3 0 0
	equal "$(rcli HVALS "dq:{$q}:msg" | grep -cE '^x=[0-9]{13} b=1000,2000 p=5 r=2 t=9000 u=7000$')" 3
}

# --- --tsv and --base64 ---

@test "--tsv: delays, times and ids" {
	local before
	before=$(server_ms)
	run -0 --separate-stderr dq-put --tsv "$q" <<-'LINES'
		-	now	1
		0	zero	2
		1h30m	later	3
		@4000000000.5	epoch	4
		2096-10-02T08:06:40.25+01:00	rfc	5
		@1000000000	past	6
		90	seconds	7
		-	-	8
	LINES
	equal "$stderr" ''
	equal "${#lines[@]}" 8
	equal "$(printf '%s\n' "${lines[@]:0:7}" | paste -sd' ')" "$q/now $q/zero $q/later $q/epoch $q/rfc $q/past $q/seconds"
	matches "${lines[7]}" "^$q/[0-7][0-9A-HJKMNP-TV-Z]{25}\$"
	holds 4 4 0 0
	between $((before + 5400000)) "$(score delayed later)" $((before + 5409000))
	equal "$(score delayed epoch) $(score delayed rfc)" '4000000000500 4000000000250'
	between $((before + 90000)) "$(score delayed seconds)" $((before + 99000))
	equal "$(dq-take "$q" | cut -f2)" 6
}

@test "--tsv: a time that all of a batch have but one is not that one's" {
	{
		seq 999 | sed 's/.*/@4000000000\tm&\t&/'
		printf '@4000000001\tlast\tx\n'
		seq 500 | sed 's/.*/@4000000002\tn&\t&/'
	} | dq-put -q --tsv "$q"
	holds 1500 0 0 0
	equal "$(rcli ZCOUNT "dq:{$q}:delayed" 4000000000000 4000000000000)" 999
	equal "$(score delayed last)" 4000000001000
	equal "$(rcli ZCOUNT "dq:{$q}:delayed" 4000000002000 4000000002000)" 500
	equal "$(field msg m999)" $'\n999'
	equal "$(field msg n500)" $'\n500'
}

@test "--tsv: - takes the delay of -d or -a, a line's own counts more" {
	printf -- '-\ta\tx\n0\tb\tx\n@4000000001\tc\tx\n' | dq-put -q -a @4000000000 --tsv "$q"
	holds 2 1 0 0
	equal "$(score delayed a) $(score delayed c)" '4000000000000 4000000001000'
}

@test "--tsv: escapes as jq writes them, others as they are, TABs in the payload too" {
	printf -- '-\ta\t\\t|\\n|\\r|\\\\|\\0|\\x|\\\\n|\t|\\\n' | dq-put -q --tsv "$q"
	rcli HGET "dq:{$q}:msg" a | sed 1d >"$T/got"
	printf '\t|\n|\r|\\|\0|\\x|\\n|\t|\\\n' | cmp - "$T/got"
	jq -rn '["-", "b", "tab\tnewline\nreturn\rback\\slash \\n é \"\u0001"] | @tsv' | dq-put -q --tsv "$q"
	equal "$(field msg b | sed 1d)" $'tab\tnewline\nreturn\rback\\slash \\n é "\001'
}

@test "--tsv: empty payloads, and a last line without its newline" {
	printf -- '-\ta\t\n-\tb\t' | dq-put -q --tsv "$q"
	holds 0 2 0 0
	equal "$(rcli HSTRLEN "dq:{$q}:msg" a) $(rcli HSTRLEN "dq:{$q}:msg" b)" '1 1'
	run -0 dq-put --tsv "$q" </dev/null
	equal "$output" ''
}

@test "--tsv: a bad line is 65 and named by its number, the others are put" {
	run -65 --separate-stderr dq-put --tsv "$q" <<<"$(
		printf -- '-\tgood1\tx\n'
		printf -- 'x\n'
		printf -- '-\tid\n'
		printf -- '\n'
		printf -- '-\t\tempty id\n'
		printf -- '\tid\tempty delay\n'
		printf -- '-1\tid\tx\n'
		printf -- 'nan\tid\tx\n'
		printf -- '5x\tid\tx\n'
		printf -- '@x\tid\tx\n'
		printf -- '@5000000000\tid\tx\n'
		printf -- '2026-11-21\tid\tx\n'
		printf -- '2026-11-21T09:00:00\tid\tx\n'
		printf -- '2026-02-30T09:00:00Z\tid\tx\n'
		printf -- '-\ta b\tx\n'
		printf -- '-\ta/b\tx\n'
		printf -- '-\t\xc3\xa9\tx\n'
		printf -- '-\t%0129d\tx\n' 1
		printf -- '%070d\tid\tx\n' 1
		printf -- '-\tgood2\tx\n'
	)"
	equal "$output" "$q/good1"$'\n'"$q/good2"
	equal "$(sed -E 's/^dq-put: standard input: line ([0-9]+): not put: .+/\1/' <<<"$stderr" | paste -sd' ')" "$(seq -s' ' 2 19)"
	equal "$(grep -c 'DELAY TAB ID TAB PAYLOAD$' <<<"$stderr")" 3
	holds 0 2 0 0
}

@test "--tsv: an id of 128 bytes is the longest" {
	local id
	id=$(printf '%0128d' 1)
	equal "$(printf -- '-\t%s\tx\n' "$id" | dq-put --tsv "$q")" "$q/$id"
	fails 65 '^standard input: line 1: not put: .*id' dq-put --tsv "$q" <<<$'-\t'"${id}2"$'\tx'
	holds 0 1 0 0
}

@test "--tsv: goes with neither -l, -0, -i nor operands" {
	fails 64 '^only one of -l, -0 and --tsv$' dq-put --tsv -l "$q"
	fails 64 '^only one of -l, -0 and --tsv$' dq-put -0 --tsv "$q"
	fails 64 '^-i: one id' dq-put --tsv -i x "$q"
	fails 64 'take no PAYLOAD$' dq-put --tsv "$q" x
}

@test "--tsv: an over-long payload is 65, the limit is legal, escaped or not" {
	{
		printf -- '-\tover\t12345\n-\tlimit\t1234\n-\tescaped\t\\n\\n\\n\\n\n-\tfive\t\\n\\n\\n\\n\\n\n'
		printf -- '-\tlong\t%05000d\n-\tlast\tx\n' 1
	} >"$T/tsv"
	run -65 --separate-stderr dq-put --max-bytes 4 --tsv "$q" <"$T/tsv"
	equal "$output" "$q/limit"$'\n'"$q/escaped"$'\n'"$q/last"
	equal "${#stderr_lines[@]}" 3
	holds 0 3 0 0
}

@test "--base64: as operand, on standard input, by line" {
	dq-put -q -i a --base64 "$q" AP8KDQk=
	equal "$(rcli HGET "dq:{$q}:msg" a | od -An -tx1 | tr -d ' \n')" 0a00ff0a0d090a
	printf AAECAw== | dq-put -q -i b --base64 "$q"
	equal "$(rcli HGET "dq:{$q}:msg" b | od -An -tx1 | tr -d ' \n')" 0a000102030a
	printf -- '-\tc\tAP8=\n-\td\t\n' | dq-put -q --base64 --tsv "$q"
	equal "$(rcli HGET "dq:{$q}:msg" c | od -An -tx1 | tr -d ' \n')" 0a00ff0a
	equal "$(rcli HSTRLEN "dq:{$q}:msg" d)" 1
	printf 'YQ==\n\nYmI=\n' | dq-put -q --base64 -l "$q"
	printf 'YQ==\0YmI=' | dq-put -q --base64 -0 "$q"
	holds 0 9 0 0
}

@test "--base64: what is not base64 is 65, and the others are put" {
	local text
	for text in A AB ABC 'AP8' 'AP8=AP8=' '====' 'A===' 'AP 8' 'AP8-' 'AP8_' $'AP8=\n' '=AP8' 'AP=8' é 'AAAAA'; do
		fails 65 "^$q: not put: not base64: " dq-put --base64 "$q" "$text"
	done
	run -65 --separate-stderr dq-put --base64 --tsv "$q" <<<$'-\ta\tAP8=\n-\tb\tAP8\n-\tc\tAA*=\n-\td\tAA=='
	equal "$output" "$q/a"$'\n'"$q/d"
	equal "$(cut -d: -f1-4 <<<"$stderr")" $'dq-put: standard input: line 2: not put\ndq-put: standard input: line 3: not put'
	holds 0 2 0 0
}

@test "-b: bad schedules are 64" {
	local text
	for text in '' ',' '1s,' ',1s' '1s,,2s' x 1s,x -1 1s,-1 nan inf '1s 2s' '1s;2s' exp exp: exp:1s exp:1s.. exp:..1h exp:0..1s exp:2s..1s \
		exp:1s..1h,2h exp:1s...1h exp:-1..1s exp:nan..1h 1s,exp:1s..2s EXP:1s..2s 36526d exp:1s..36526d "$(seq -s, 65)"; do
		fails 64 '^-b: ' dq-put -b "$text" "$q" x
	done
	equal "$(digest)" ''
}

@test "-b: good ones, as they are kept" {
	dq-put -q -i a -b 0,0,2m,10m,1h "$q" x
	dq-put -q -i b --backoff exp:1s..1h "$q" x
	dq-put -q -i c -b 1.5s "$q" x
	dq-put -q -i d -b "$(seq -s, 64)" "$q" x
	dq-put -q -i e -b 5s -b exp:1ms..1ms "$q" x
	equal "$(field msg a | head -1)" 'b=0,0,120000,600000,3600000 r=6'
	equal "$(field msg b | head -1)" 'b=exp:1000..3600000'
	equal "$(field msg c | head -1)" 'b=1500 r=2'
	equal "$(field msg d | head -1)" "b=$(seq -s, 1000 1000 64000) r=65"
	equal "$(field msg e | head -1)" 'b=exp:1..1'
}

@test "-b: a list says how many tries there are, unless -r does; exp: does not" {
	most() { # OPTION...
		dq-put -q -i x -e replace "$@" "$q" x
		dq-stat --json "$q/x" | jq .max_tries
	}
	equal "$(most)" 5
	equal "$(most -b 0)" 2
	equal "$(most -b 1s,2s,3s,4s)" 5
	equal "$(most -b 0,0,2m,10m,10m,1h,2h,6h,15h)" 10
	equal "$(most -b 1,2 -b 1,2,3)" 4
	equal "$(most -b 1,2,3 -b exp:1s..1h)" 5
	equal "$(most -r 5 -b 0,0,2m,10m,10m,1h,2h,6h,15h)" 5
	equal "$(most -b 1m -r 9)" 9
	equal "$(most -r 9 -b exp:1s..1h)" 9
}

# --- from queue to queue ---

# Payloads of all kinds, as lines of --tsv --base64: each byte, all bytes, sizes up to 1 MiB, of text and of noise.
payloads() {
	python3 "$top/test/put/payloads.py"
}

# All payloads of both queues, byte for byte.
same_payloads() { # QUEUE QUEUE
	local name
	for name in "$1" "$2"; do
		rcli EVAL 'local all = redis.call("HGETALL", KEYS[1])
			local lines = {}
			for i = 1, #all, 2 do lines[#lines + 1] = all[i] .. " " .. #all[i + 1] .. " " .. redis.sha1hex(all[i + 1]) end
			table.sort(lines)
			return lines' 1 "dq:{$name}:msg" >"$T/sums.$name"
	done
	cmp "$T/sums.$1" "$T/sums.$2"
}

@test "queue to queue through --json, jq and --tsv: no byte is lost" {
	command -v jq >/dev/null || [ "${CI:-}" = true ] || skip 'jq not found: make test-deps'
	payloads >"$T/payloads"
	local n
	n=$(wc -l <"$T/payloads")
	dq-put -q --tsv --base64 "$q.a" <"$T/payloads"
	dq-put -q --tsv --base64 "$q.copy" <"$T/payloads"
	holds 0 "$n" 0 0 "$q.a"
	while dq-take -n 1000 --json --ack "$q.a"; do :; done >"$T/records"
	holds 0 0 0 0 "$q.a"
	equal "$(wc -l <"$T/records")" "$n"
	grep -q '"payload":"' "$T/records"
	grep -q '"payload_base64":"' "$T/records"
	jq -r '["-", .id, (.payload_base64 // (.payload | @base64))] | @tsv' "$T/records" | dq-put -q --tsv --base64 "$q.b"
	holds 0 "$n" 0 0 "$q.b"
	same_payloads "$q.b" "$q.copy"
}

@test "queue to queue through the default format, sed and --tsv: no byte is lost" {
	payloads >"$T/payloads"
	local n
	n=$(wc -l <"$T/payloads")
	dq-put -q --tsv --base64 "$q.a" <"$T/payloads"
	dq-put -q --tsv --base64 "$q.copy" <"$T/payloads"
	while dq-take -n 1000 --ack "$q.a"; do :; done | sed 's|^[^/]*/\([^@]*\)@[0-9]*|-\t\1|' | dq-put -q --tsv "$q.b"
	holds 0 0 0 0 "$q.a"
	holds 0 "$n" 0 0 "$q.b"
	same_payloads "$q.b" "$q.copy"
}

@test "queue to queue as it goes, taker without end: what comes is moved" {
	local taker mover
	mkfifo "$T/move"
	dq-take -f -n 10 --ack "$q.a" >"$T/move" 3>&- &
	taker=$!
	sed -u 's|^[^/]*/\([^@]*\)@[0-9]*|-\t\1|' "$T/move" 3>&- | dq-put -q --tsv "$q.b" 3>&- &
	mover=$!
	seq -f 'line %g' 500 | dq-put -q -l "$q.a"
	wait_until 20 holds 0 500 0 0 "$q.b"
	holds 0 0 0 0 "$q.a"
	kill "$taker"
	exits 143 "$taker"
	exits 0 "$mover"
	equal "$(dq-take -n 1000 "$q.b" | cut -f2 | cmp - <(seq -f 'line %g' 500))" ''
}

@test "a full disk: how many were accepted, however they came" {
	local names="dq-put: standard output: No space left on device
dq-put: $q: not all names were printed:"
	run -74 --separate-stderr bash -c 'dq-put "$0" x y >/dev/full' "$q"
	equal "$stderr" "$names 2 accepted, 0 refused, 0 unknown"
	run -74 --separate-stderr bash -c 'echo x | dq-put "$0" >/dev/full' "$q"
	equal "$stderr" "$names 1 accepted, 0 refused, 0 unknown"
	seq 3 >"$T/three" # a pipe could make the tool print before it has seen the end
	run -74 --separate-stderr bash -c 'dq-put -l "$0" <"$1" >/dev/full' "$q" "$T/three"
	equal "$stderr" "$names 3 accepted, 0 refused, 0 unknown"
	holds 0 6 0 0
	run -74 --separate-stderr bash -c 'seq 30000 | dq-put -l "$0" >/dev/full' "$q.many"
	equal "$stderr" "dq-put: standard output: No space left on device
dq-put: $q.many: the rest of standard input was not read: $(rcli HLEN "dq:{$q.many}:msg") accepted, 0 refused, 0 unknown"
}

@test "dq-put asked to end in the middle of its input: how many were accepted, but nothing to a reader who went away" {
	local form signal pid fd
	mkfifo "$T/$q.in"
	for form in '-l TERM a\n' '-0 INT b\0' '--tsv HUP -\t-\tc\n'; do
		read -r form signal record <<<"$form"
		env --default-signal=INT dq-put "$form" "$q.$signal" <"$T/$q.in" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
		pid=$!
		exec {fd}>"$T/$q.in"
		printf '%b' "$record$record" >&"$fd"
		wait_until 10 eval '[ "$(wc -l <"$T/$q.out")" -eq 2 ]'
		kill "-$signal" "$pid"
		exits $((128 + $(kill -l "$signal"))) "$pid"
		exec {fd}>&-
		equal "$(cat "$T/$q.err")" "dq-put: $q.$signal: stopped: 2 accepted, 0 refused, 0 unknown"
	done
	run --separate-stderr env --default-signal=PIPE bash -c 'seq 50000 | dq-put -l "$0" | head -n 1' "$q"
	equal "$stderr" ''
}
