# Goal: Invalid input is refused whole: 64 for an argument, 65 for data from a pipe. Any payload passes unchanged.
# shellcheck disable=SC1003,SC2016

bats_require_minimum_version 1.5.0

load ../helper

long=$(head -c 129 /dev/zero | tr '\0' x)

bad_names=('a/b' 'a@b' '{a}' 'a}' 'a b' $'a\n' $'\n' 'a:b' 'ä' 'a*' $'a\x01' '' ' ' "$long" 'a\' 'a,b' '$a' 'a#b' 'a%b')

@test "queues with a bad name" {
	local name
	local -x DQ_PREFIX=$q
	for name in "${bad_names[@]}"; do
		fails 64 'a queue.s name is 1 to 128 of A-Z a-z 0-9 . _ -$' dq-put "$name" x
		fails 64 'a queue.s name is 1 to 128 of A-Z a-z 0-9 . _ -$' dq-take "$name"
		fails 64 'a queue.s name is 1 to 128 of A-Z a-z 0-9 . _ -$' dq-gc "$name"
		fails 64 '' dq-ack "$name/id@1"
		[[ $name != */* ]] || continue # may be the name of a message
		fails 64 '' dq-promote "$name"
		fails 64 '' dq-stat "$name"
	done
	equal "$(rcli KEYS "$q:*")" ''
}

@test "queues with the longest and the oddest legal names" {
	local name
	for name in "${long%x}" . .. 0 A-Z_a.z _; do
		dq-put -q -- "$name" x
		holds 0 1 0 0 "$name"
		dq-take -- "$name" | dq-ack
		holds 0 0 0 0 "$name"
	done
	dq-put -q -- -x y
	dq-take -- -x | dq-ack
	holds 0 0 0 0 -x
}

@test "ids: invalid ones are refused, the longest and the oddest are accepted" {
	local id
	for id in "${bad_names[@]}"; do
		[ "$id" != a:b ] || continue
		fails 64 'an id is 1 to 128 of A-Z a-z 0-9 . _ : -$' dq-put -i "$id" "$q" x
	done
	equal "$(digest)" ''
	for id in "${long%x}" . a:b : -i; do
		run -0 dq-put "--id=$id" "$q" x
		equal "$output" "$q/$id"
	done
	dq-take -n 9 "$q" | dq-ack
	holds 0 0 0 0
}

@test "invalid input is shown escaped and cut" {
	fails 64 '^"a\\x1b\[2Jb\\n\\xff": a queue' dq-put $'a\e[2Jb\n\xff' x
	fails 64 '^"x{20,96}\.\.\.": a queue' dq-put "$long$long" x
}

@test "durations" {
	local duration
	for duration in -1 -5s '' nan inf NaN 0x10 1e3 ' 5' '5 ' +5 .5 5. 5..5 1h1h 1m1h 5x 5S 1h30 9223372036854775808 \
		99999999999999999999 \
		9223372036854775807w 36526d 3155760001s -0 1,5 5s5 s; do
		fails 64 '^-d: ".*": (not a duration|a duration is at most|over 10 years)' dq-put -d "$duration" "$q" x
		fails 64 '^-t: ".*": ' dq-put "-t$duration" "$q" x </dev/null
		fails 64 '^-w: ".*": ' dq-take -w "$duration" "$q"
		fails 64 '^--timeout: ".*": ' dq-stat --timeout "$duration" "$q"
		fails 64 '^--dead-for: ".*": ' dq-gc --dead-for "$duration" "$q"
	done
	equal "$(digest)" ''
	for duration in 500ms 90s 1.5h 1h30m 2d 1w 29000d 0.001 1h0m0s 0 30min 1h30min5s; do
		dq-put -q -d "$duration" "$q" x
	done
	equal "$(rcli HLEN "dq:{$q}:msg")" 12
}

@test "what people type for a time, a rate and a key: taken, or the refusal has a command that works" {
	local wrong rate at
	for wrong in tomorrow 16:00 'next monday' 2030-01-01; do
		fails 64 "^-a: \"$wrong\": .*2026|^-a: .*zone" dq-put -a "$wrong" "$q" x
	done
	dq-put -a tomorrow "$q" x 2>"$T/err" || true
	at=$(sed -n 's/.*of words: \(.*\))$/\1/p' "$T/err")
	eval "dq-put -q -i then -a $at $q x"
	equal "$(dq-stat --json "$q/then" | jq .due_ms)" "$(date -d 'tomorrow 16:00' +%s)000"
	fails 64 "^paused: \"tomorrow\": .*: @.\(date -d 'tomorrow 16:00' [+]%s\)\$" dq-set "$q" paused=tomorrow
	fails 64 '^-k: "a@b.c": a key is .* checksum: dq-recipes\(7\), FAIR SHARES$' dq-put -k a@b.c "$q" x
	for rate in 5/s:5/1s 300/min:300/1m 7/h:7/1h 9/d:9/1d 3/ms:3/1ms 4/10min:4/10m; do
		dq-set "$q" rate="${rate%:*}"
		equal "$(dq-set "$q" | grep rate)" "rate=${rate#*:}"
	done
	for rate in 5/ /s 5/sec 5/s5 5/smh 5s; do
		fails 64 '^rate: ' dq-set "$q" rate="$rate"
	done
}

@test "a delay beyond the year 2109 is refused before anything is written" {
	fails 64 '.' dq-put -d 36525d "$q" x
	fails 64 '.' dq-put -a 2110-01-01T00:00:00Z "$q" x
	equal "$(digest)" ''
}

@test "points in time" {
	local time
	for time in 2026-11-21T09:00:00 '2026-11-21 09:00:00'; do
		fails 64 'the time zone is missing: end it with Z \(UTC\) or an offset such as \+02:00$' dq-put -a "$time" "$q" x
	done
	for time in '' @ @-1 @nan @inf @1e3 '@ 5' @5. @.5 @0x10 @99999999999999999999 tomorrow 12:00 2026-11-21 2026-02-29T00:00:00Z \
		2026-13-01T00:00:00Z 2026-11-21T24:00:00Z 2026-11-21T09:00:60Z 2026-11-21T09:00:00+1 2026-11-21T09:00:00Zx \
		1969-12-31T23:59:59Z ' 2026-11-21T09:00:00Z' 5; do
		fails 64 '^-a: ".*": ' dq-put -a "$time" "$q" x
	done
	equal "$(digest)" ''
}

@test "numbers" {
	local number
	for number in '' -1 0 x 1x 1.5 0x1 1e1 ' 1' +1 nan 9223372036854775808 99999999999999999999; do
		fails 64 '^-r: ".*": not a whole number' dq-put -r "$number" "$q" x
		fails 64 '^-n: ".*": not a whole number' dq-take -n "$number" "$q"
		[ "$number" = 0 ] || fails 64 '^--max-bytes: ".*": not a size' dq-put --max-bytes "$number" "$q" x
	done
}

@test "invalid receipts: 64 as operands, 65 through a pipe, nothing is settled" {
	local receipt
	dq-put -q -i x "$q" payload
	dq-take "$q" >/dev/null
	for receipt in x "$q" "$q/x" "$q/x@" "$q/x@-1" "$q/x@1x" "$q/x@ 1" "$q/x@1.0" "$q/x@0x1" "$q/@1" "/x@1" \
		"$q/x@123456789012345678901" \
		"$q/x@1@2" "$q/x/y@1" "$q/x y@1" "$q@1" @ / "$q/$long@1" "$long/x@1" "q{/x@1"; do
		fails 64 '^"' dq-ack "$receipt"
		printf '%s\n' "$receipt" >"$T/receipts"
		fails 65 '^"' dq-ack <"$T/receipts"
	done
	printf '%s/x@1\0\n' "$q" >"$T/receipts"
	fails 65 '^".*\\0": ' dq-ack <"$T/receipts"
	fails 64 '^"": ' dq-ack ''
	holds 0 0 1 0
}

@test "a list that is cut within a name: 65, and the message whose name is left is not touched" {
	local cut='^standard input: the last line has no newline, so it may be cut: skipped$'
	dq-put -q -d 1h -i 1 "$q" short
	dq-put -q -d 1h -i 10 "$q" long
	printf '%s/1' "$q" >"$T/cut"
	fails 65 "$cut" dq-rm <"$T/cut"
	fails 65 "$cut" dq-promote - <"$T/cut"
	holds 2 0 0 0
	printf '%s' "$q" >"$T/queue" # of a name
	fails 65 "$cut" dq-promote --dead <"$T/queue"
	dq-promote "$q/1"
	dq-take "$q" >"$T/record"
	fails 65 "$cut" dq-promote --release <"$T/cut"
	tr -d '\n' <"$T/record" >"$T/cut"
	fails 65 "$cut" dq-ack <"$T/cut"
	holds 1 0 1 0
}

@test "a list with CR LF: names are the same; a payload keeps its CR" {
	printf 'x\r\ny\r\n' | dq-put -q -l "$q"
	dq-take -n 2 "$q" | sed 's/$/\r/' >"$T/receipts"
	equal "$(cut -f2 "$T/receipts")" $'x\\r\r\ny\\r\r'
	cut -f1 "$T/receipts" | sed 's/\r*$/\r/' | dq-ack
	equal "$(rcli HLEN "dq:{$q}:msg")" 0
}

@test "a list that is cut: the other lines count" {
	dq-put -q -i 1 "$q" a
	dq-put -q -i 10 "$q" b
	dq-put -q -i 2 "$q" c
	printf '%s/2\n%s/1' "$q" "$q" >"$T/cut"
	run -65 dq-rm -v - "$q/10" <"$T/cut"
	matches "$output" '2 removed$'
	equal "$(dq-stat --messages all "$q" | cut -f 1)" "$q/1"
}

# Payloads with everything that could be mistaken for an end, an escape or text.
make_payloads() {
	python3 "$top/test/system/payloads.py" make "$T/$q"
}

put_payloads() {
	local file
	make_payloads
	for file in "$T/$q.payloads"/*; do
		if [ -s "$file" ]; then
			dq-put -q -i "${file##*/}" "$q" <"$file" || return
		else
			dq-put -q -i "${file##*/}" "$q" '' || return
		fi
	done
}

@test "any bytes come out of the default format as they went in" {
	put_payloads
	for _ in 1 2 3; do dq-take -n 10 "$q"; done >"$T/$q.tsv"
	python3 "$top/test/system/payloads.py" tsv "$T/$q"
	dq-ack <"$T/$q.tsv"
	holds 0 0 0 0
}

@test "any bytes come out of --json, as text or as base64" {
	put_payloads
	for _ in 1 2 3; do dq-take --json -n 10 "$q"; done >"$T/$q.json"
	python3 "$top/test/system/payloads.py" json "$T/$q"
	jq -e . <"$T/$q.json" >/dev/null
}

@test "any bytes but NUL come out of -0" {
	put_payloads
	for _ in $(seq 25); do
		dq-take -0 "$q" >>"$T/$q.null" 2>/dev/null || dq-take --json "$q" >/dev/null
	done
	holds 0 0 25 0
	python3 "$top/test/system/payloads.py" null "$T/$q"
}

@test "the default format is jq's @tsv, both ways" {
	dq-put -q "$q" $'tab\there \\ back\r and "text" \xc3\xa9'
	dq-take --json "$q" >"$T/jq"
	script giveback '' '' "$(jq -r .id "$T/jq")" "$(jq -r '.receipt | sub(".*@"; "")' "$T/jq")"
	equal "$(dq-take "$q" | cut -f2)" "$(jq -r '[.payload] | @tsv' "$T/jq")"
}

@test "a payload at the limit of 1 MiB is accepted, one byte more is refused, in each way in" {
	head -c 1048576 /dev/urandom | tr '\0\n' xy >"$T/limit"
	dq-put -q -i whole "$q" <"$T/limit"
	dq-put -q -l "$q" <"$T/limit"
	(cat "$T/limit" && printf x) >"$T/over"
	fails 65 'over the limit' dq-put "$q" <"$T/over"
	fails 65 'over the limit' dq-put -l "$q" <"$T/over"
	fails 65 'over the limit' dq-put -0 "$q" <"$T/over"
	holds 0 2 0 0
	field msg whole | sed 1d | head -c 1048576 | cmp - "$T/limit"
	dq-put -q --max-bytes 2M "$q" <"$T/over"
	holds 0 3 0 0
}

@test "the hard limit: 16 MiB pass in and out" {
	head -c 16777216 /dev/zero >"$T/huge"
	dq-put -q --max-bytes 16M "$q" <"$T/huge"
	dq-take --json "$q" >"$T/huge.json"
	equal "$(jq -r '.payload | length' "$T/huge.json")" 16777216
	jq -r .receipt "$T/huge.json" | dq-ack
	printf x >>"$T/huge"
	fails 65 'over the limit' dq-put --max-bytes 16M "$q" <"$T/huge"
	holds 0 0 0 0
}

# The rest of the input is what the next command of a loop reads.
leaves_input() { # COMMAND...
	printf 'one\ntwo\n' >"$T/$q.input"
	{
		"$@" >"$T/$q.out" 2>&1 || true
		cat >"$T/$q.rest"
	} <"$T/$q.input"
	cmp "$T/$q.input" "$T/$q.rest" || {
		echo "read standard input: $*"
		return 1
	}
}

@test "tools that were given their operands leave standard input to the loop around them" {
	local receipt
	leaves_input dq-put -i a "$q" payload
	leaves_input dq-put -i b -d 1h "$q" ''
	leaves_input dq-put --existing -e later -d 1s -i b "$q"
	receipt=$(dq-take "$q" | cut -f 1)
	leaves_input dq-ack -x 1m "$receipt"
	leaves_input dq-ack -r -d 0 "$receipt"
	leaves_input dq-take --ack "$q"
	leaves_input dq-promote
	leaves_input dq-promote "$q" "$q/b"
	leaves_input dq-promote --dead "$q"
	leaves_input dq-set "$q" paused=yes
	leaves_input dq-set "$q" paused=no
	leaves_input dq-run --until-empty "$q" -- cat
	dq-put -q -i c "$q" payload
	leaves_input dq-stat
	leaves_input dq-stat "$q"
	leaves_input dq-stat --payload "$q/c"
	leaves_input dq-stat --check
	leaves_input dq-stat --messages all "$q"
	leaves_input dq-stat --next "$q"
	leaves_input dq-promote --release nobody "$q"
	leaves_input dq-dump "$q"
	cp "$T/$q.out" "$T/$q.jsonl"
	leaves_input dq-load "$T/$q.jsonl"
	leaves_input dq-gc "$q"
	leaves_input dq-gc --check
	leaves_input dq-rm "$q/c"
	leaves_input dq-rm -a "$q"
	leaves_input dq-rm -af "$q"
	holds 0 0 0 0
}
