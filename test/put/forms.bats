# Goal: The forms of input (-l, -0, --tsv and --base64) bring each payload in unchanged, and name each refused line.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "-l: a message a line, the last one with or without its newline, empty lines too" {
	run -0 dq-put -l "$q" <<<$'one\n\ntwo\r\nthree'
	equal "${#lines[@]}" 4
	holds 0 4 0 0
	printf 'four\nfive' | dq-put -ql "$q"
	equal "$(dq-take -n 9 "$q" | cut -f2)" $'one\n\ntwo\\r\nthree\nfour\nfive'
	run -0 dq-put --lines "$q" </dev/null
	equal "$output" ''
	equal "$(states)" '0 0 6 0'
}

@test "-0: a message each NUL, newlines kept" {
	printf 'a\nb\0\0c' | dq-put -q -0 "$q"
	holds 0 3 0 0
	equal "$(dq-take -n 9 "$q" | cut -f2)" $'a\\nb\n\nc'
}

@test "-l: names are printed in the order of the lines, more than one batch" {
	seq 1 2500 | dq-put -l "$q" >"$T/names"
	holds 0 2500 0 0
	equal "$(wc -l <"$T/names")" 2500
	rcli ZRANGE "dq:{$q}:ready" 0 -1 | sed "s|^|$q/|" | cmp - "$T/names"
	for _ in 1 2 3; do dq-take -n 1000 "$q"; done | cut -f2 | cmp - <(seq 1 2500)
}

@test "-l: more bytes than one call takes" {
	head -c 700000 /dev/zero | tr '\0' x >"$T/line"
	for i in 1 2 3 4; do
		cat "$T/line"
		echo "$i"
	done | dq-put -ql "$q"
	holds 0 4 0 0
	equal "$(rcli EVAL 'local n = 0 for _, v in ipairs(redis.call("HVALS", KEYS[1])) do n = n + #v end return n' 1 "dq:{$q}:msg")" \
		2800008
}

@test "-l: lines of a slow producer are put before the tool waits for more" {
	local pid
	mkfifo "$T/slow"
	exec 9<>"$T/slow"
	dq-put -l "$q" <"$T/slow" >"$T/slow.out" 9>&- 3>&- &
	pid=$!
	echo one >&9
	wait_until 20 test -s "$T/slow.out"
	equal "$(states)" '0 1 0 0'
	echo two >&9
	wait_until 20 holds 0 2 0 0
	exec 9>&-
	wait "$pid"
}

@test "-l -d: all lines with the same options" {
	seq 1 5 | dq-put -ql -d 1h -t 9s -r 2 "$q"
	holds 5 0 0 0
	equal "$(rcli HVALS "dq:{$q}:msg" | grep -c '=')" 5
}

@test "--max-bytes: the limit is legal, one more is 65 and the others are put" {
	dq-put -q --max-bytes 4 "$q" 1234
	fails 65 "^$q: not put: .*over the limit of 4" dq-put -q --max-bytes 4 "$q" 12345
	holds 0 1 0 0
	run -65 --separate-stderr dq-put -l --max-bytes 4 "$q" <<<$'a\n12345\nb'
	equal "${#lines[@]}" 2
	equal "${#stderr_lines[@]}" 1
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" '1234 a b'
	fails 64 'not a size' dq-put --max-bytes 17M "$q" x
	fails 64 'not a size' dq-put --max-bytes -1 "$q" x
}

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

@test "--tsv: one message of a batch has another time than all others" {
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

@test "--tsv: - means the delay of -d or -a; a line's own delay takes precedence" {
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

@test "--tsv: excludes -l, -0, -i and operands" {
	fails 64 '^only one of -l, -0 and --tsv$' dq-put --tsv -l "$q"
	fails 64 '^only one of -l, -0 and --tsv$' dq-put -0 --tsv "$q"
	fails 64 '^-i: an id is for one message only' dq-put --tsv -i x "$q"
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

@test "--base64: an invalid line is 65, and the others are put" {
	local text
	for text in A AB ABC 'AP8' 'AP8=AP8=' '====' 'A===' 'AP 8' 'AP8-' 'AP8_' $'AP8=\n' '=AP8' 'AP=8' é 'AAAAA'; do
		fails 65 "^$q: not put: not base64: " dq-put --base64 "$q" "$text"
	done
	run -65 --separate-stderr dq-put --base64 --tsv "$q" <<<$'-\ta\tAP8=\n-\tb\tAP8\n-\tc\tAA*=\n-\td\tAA=='
	equal "$output" "$q/a"$'\n'"$q/d"
	equal "$(cut -d: -f1-4 <<<"$stderr")" $'dq-put: standard input: line 2: not put\ndq-put: standard input: line 3: not put'
	holds 0 2 0 0
}
