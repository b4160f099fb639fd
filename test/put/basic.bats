# dq-put: what it accepts, prints and leaves in Redis.

bats_require_minimum_version 1.5.0

load ../helper

ulid='[0-7][0-9A-HJKMNP-TV-Z]{25}'

# The payload of the n-th message in order of readiness (from 0), as bytes.
payload() {
	local id
	id=$(rcli ZRANGE "dq:{$q}:ready" "$1" "$1")
	field msg "$id" | sed 1d
}

@test "a payload as operand: its name is printed, it is ready" {
	run -0 --separate-stderr dq-put "$q" hello
	matches "$output" "^$q/$ulid\$"
	equal "$stderr" ''
	holds 0 1 0 0
	equal "$(field msg "${output#*/}")" $'\nhello'
	is_listed "$q"
	equal "$(field stat put)" 1
}

@test "several operands: each a message, first in first out" {
	run -0 dq-put "$q" one two three
	equal "${#lines[@]}" 3
	holds 0 3 0 0
	equal "$(printf '%s\n' "${lines[@]}")" "$(printf '%s\n' "${lines[@]}" | sort)"
	equal "$(payload 0) $(payload 1) $(payload 2)" 'one two three'
}

@test "without operand all of standard input is one payload, byte for byte" {
	printf 'a\nb\r\n\n' | dq-put -i x "$q"
	holds 0 1 0 0
	equal "$(field msg x; echo .)" $'\na\nb\r\n\n\n.'
}

@test "an operand - is standard input" {
	printf 'in\n' | dq-put -q "$q" before - after
	holds 0 3 0 0
	equal "$(dq-take -n 3 "$q" | cut -f2)" $'before\nin\\n\nafter'
}

@test "an empty operand, line or record is an empty payload" {
	dq-put -i a "$q" '' </dev/null
	echo | dq-put -q -l "$q"
	printf '\0' | dq-put -q -0 "$q"
	holds 0 3 0 0
	equal "$(rcli HSTRLEN "dq:{$q}:msg" a)" 1
	equal "$(dq-take -n 3 "$q" | cut -f2 | wc -c)" 3
}

@test "empty standard input is no payload: refused, and the way to put an empty one is said" {
	local refused="$q: not put: standard input is empty; to put an empty payload give '' as PAYLOAD\$"
	fails 65 "$refused" dq-put "$q" </dev/null
	fails 65 "$refused" dq-put "$q" - </dev/null
	fails 65 "$refused" dq-put --base64 "$q" </dev/null
	equal "$(digest)" ''
	run -65 --separate-stderr dq-put -q "$q" before - after </dev/null
	equal "$output" ''
	matches "$stderr" "$refused"
	equal "$(dq-take -n 3 "$q" | cut -f2)" $'before\nafter'
}

@test "--existing -e replace without a payload does not empty the message" {
	dq-put -q -i a "$q" kept
	fails 65 'not put: standard input is empty' dq-put --existing -e replace -i a "$q" </dev/null
	dq-put -q --existing -e later -d 1h -i a "$q" </dev/null
	equal "$(dq-stat --payload "$q/a")" kept
	echo new | dq-put -q --existing -e replace -i a "$q"
	equal "$(dq-take "$q" | cut -f2)" 'new\n'
}

@test "-d: delayed, never early" {
	local before after due
	before=$(server_ms)
	dq-put -i x -d 1m30s "$q" later
	after=$(server_ms)
	holds 1 0 0 0
	due=$(score delayed x)
	between $((before + 90000)) "$due" $((after + 90001))
	dq-put -i y --delay 0 "$q" now
	holds 1 1 0 0
}

@test "-d: a bare number is seconds, fractions are rounded up" {
	local before
	before=$(server_ms)
	dq-put -i x -d 0.0001 "$q" later
	between $((before + 1)) "$(score delayed x)" $((before + 2000))
	dq-put -i y -d 100000 "$q" later
	between $((before + 100000000)) "$(score delayed y)" $((before + 100010000))
}

@test "-a: at a point in time, with and without fraction, in a zone" {
	dq-put -i a -a @4000000000 "$q" x
	dq-put -i b -a @4000000000.1231 "$q" x
	dq-put -i c --at 2096-10-02T08:06:40.5+01:00 "$q" x
	dq-put -i d -a 2096-10-02T07:06:40Z "$q" x
	holds 4 0 0 0
	equal "$(score delayed a)" 4000000000000
	equal "$(score delayed b)" 4000000000124
	equal "$(score delayed c)" 4000000000500
	equal "$(score delayed d)" 4000000000000
}

@test "-a in the past: ready, in the place of its time" {
	dq-put -q "$q" new
	dq-put -i old -a @1000000000 "$q" old
	holds 0 2 0 0
	equal "$(dq-take "$q" | cut -f2)" old
}

@test "-i: the caller's id; a second one is refused with 1 and changes nothing" {
	local before
	run -0 dq-put -i order:1 "$q" first
	equal "$output" "$q/order:1"
	before=$(digest)
	fails 1 "^$q/order:1: not put: there is such a message already\$" dq-put --id order:1 "$q" second
	equal "$(digest)" "$before"
	equal "$(field msg order:1)" $'\nfirst'
}

@test "-i: refused in any state, free again when the message is gone" {
	dq-put -q -i x -d 1h "$q" 1
	fails 1 'such a message' dq-put -i x "$q" 2
	later 3600001
	dq-promote "$q"
	fails 1 'such a message' dq-put -i x "$q" 2
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	fails 1 'such a message' dq-put -i x "$q" 2
	dq-ack "$receipt"
	dq-put -q -i x "$q" 2
	equal "$(dq-take "$q" | cut -f2)" 2
}

@test "-t and -r: in the header only where they differ from the defaults" {
	dq-put -q -i a "$q" x
	dq-put -q -i b -t 60s -r 5 "$q" x
	dq-put -q -i c -t 1.5s "$q" x
	dq-put -q -i d --tries 3 --ttr 2m "$q" x
	dq-put -q -i e -t 1ms -r 1000000 "$q" x
	equal "$(field msg a | head -1)" ''
	equal "$(field msg b | head -1)" ''
	equal "$(field msg c | head -1)" t=1500
	equal "$(field msg d | head -1 | tr ' ' '\n' | sort | paste -sd' ')" 'r=3 t=120000'
	equal "$(field msg e | head -1 | tr ' ' '\n' | sort | paste -sd' ')" 'r=1000000 t=1'
}

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
	equal "$(rcli EVAL 'local n = 0 for _, v in ipairs(redis.call("HVALS", KEYS[1])) do n = n + #v end return n' 1 "dq:{$q}:msg")" 2800008
}

@test "-l: a slow producer's lines are put before it goes on" {
	local pid
	mkfifo "$T/slow"
	exec 9<>"$T/slow"
	dq-put -l "$q" <"$T/slow" >"$T/slow.out" 9>&- 3>&- &
	pid=$!
	echo one >&9
	wait_until 5 test -s "$T/slow.out"
	equal "$(states)" '0 1 0 0'
	echo two >&9
	wait_until 5 holds 0 2 0 0
	exec 9>&-
	wait "$pid"
}

@test "-l -d: all lines with the same options" {
	seq 1 5 | dq-put -ql -d 1h -t 9s -r 2 "$q"
	holds 5 0 0 0
	equal "$(rcli HVALS "dq:{$q}:msg" | grep -c '=')" 5
}

@test "-q prints nothing, -v counts on stderr" {
	run -0 --separate-stderr dq-put --quiet "$q" a b
	equal "$output$stderr" ''
	run -0 --separate-stderr dq-put -qv -i x "$q" c
	equal "$output" ''
	equal "$stderr" "dq-put: $q: 1 accepted, 0 refused"
	holds 0 3 0 0
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

@test "--prefix and DQ_PREFIX: other keys, another registry" {
	dq-put -q --prefix p:1 "$q" x
	holds 0 0 0 0
	DQ_PREFIX=p:1 holds 0 1 0 0
	DQ_PREFIX=p:1 dq-put -q "$q" x
	DQ_PREFIX=p:1 holds 0 2 0 0
	equal "$(rcli ZRANGE p:1:queues 0 -1)" "$q"
	is_unlisted "$q"
	fails 64 '^--prefix: 1 to 64 of' dq-put --prefix 'p{' "$q" x
	fails 64 '^--prefix: 1 to 64 of' dq-put --prefix '' "$q" x
}

@test "options that contradict each other, or lack their value" {
	fails 64 'only one of -d and -a$' dq-put -d 1 -a @1 "$q" x
	fails 64 '^-i: one id, but several messages$' dq-put -i x "$q" a b
	fails 64 '^-i: one id, but several messages$' dq-put -i x -l "$q"
	fails 64 '-l.*PAYLOAD$' dq-put -l "$q" x
	fails 64 'only one of -l' dq-put -l -0 "$q"
	fails 64 '^-r: ' dq-put -r 0 "$q" x
	fails 64 '^-r: ' dq-put -r 1000001 "$q" x
	fails 64 '^-t: ' dq-put -t 0 "$q" x
	fails 64 '^-d: needs an argument$' dq-put -d
	fails 64 '^--ttr: needs an argument$' dq-put --ttr
	fails 64 '^--existing: only with -e replace, earlier or later$' dq-put --existing -i x "$q" x
	fails 64 '^--existing: which' dq-put --existing -e later "$q" x
	equal "$(digest)" ''
}

@test "payloads are never options: those go before the queue, and what begins with - after --" {
	local operand
	for operand in -l -5 --help -q --; do
		dq-put -q "$q" -- "$operand"
		equal "$(dq-take --ack "$q" | cut -f2)" "$operand"
		dq-put -q -- "$q" "$operand"
		equal "$(dq-take --ack "$q" | cut -f2)" "$operand"
	done
	dq-put -q "$q" -- - </dev/null
	equal "$(dq-take --ack "$q" | cut -f2)" -
	printf in | dq-put -q "$q" -
	equal "$(dq-take --ack "$q" | cut -f2)" in
	fails 64 '^-d: options go before operands, and operands that begin with - after --' dq-put "$q" x -d 5m
	fails 64 '^--help: options go before operands' dq-put "$q" --help
	holds 0 0 0 0
}

@test "--existing: nothing new, exit 1; what is there is moved, with no payload needed" {
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

@test "?db=N is another database" {
	DQ_URL="$DQ_URL?db=3" dq-put -q "$q" x
	holds 0 0 0 0
	equal "$(rcli -n 3 ZCARD "dq:{$q}:ready")" 1
}

@test "memory full: put is refused whole with 75; what is there can be taken and settled" {
	local -x SERVER=full DQ_URL=unix://$T/full/s
	start_server full
	seq 1 10 | dq-put -ql "$q"
	rcli CONFIG SET maxmemory 1 >/dev/null
	local before
	before=$(digest)
	fails 75 'not put: OOM' dq-put "$q" x
	equal "$(digest)" "$before"
	dq-take -n 10 "$q" | dq-ack
	holds 0 0 0 0
	stop_server full
}
