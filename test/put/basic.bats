# Goal: dq-put takes a payload as an operand or from standard input, prints its name, and stores it in Redis with its options.
# shellcheck disable=SC2016

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

@test "empty standard input is no payload: refused, and the error shows how to put an empty one" {
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

@test "-t and -r: in the header only if they differ from the defaults" {
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

@test "-q prints nothing, -v counts on stderr" {
	run -0 --separate-stderr dq-put --quiet "$q" a b
	equal "$output$stderr" ''
	run -0 --separate-stderr dq-put -qv -i x "$q" c
	equal "$output" ''
	equal "$stderr" "dq-put: $q: 1 accepted, 0 refused"
	holds 0 3 0 0
}

@test "--prefix and DQ_PREFIX: other keys, another list of queues" {
	dq-put -q --prefix p:1 "$q" x
	holds 0 0 0 0
	DQ_PREFIX=p:1 holds 0 1 0 0
	DQ_PREFIX=p:1 dq-put -q "$q" x
	DQ_PREFIX=p:1 holds 0 2 0 0
	equal "$(rcli ZRANGE "{p:1:queues}" 0 -1)" "$q"
	is_unlisted "$q"
	fails 64 '^--prefix: 1 to 64 of' dq-put --prefix 'p{' "$q" x
	fails 64 '^--prefix: 1 to 64 of' dq-put --prefix '' "$q" x
}

@test "options that contradict each other, or lack their value" {
	fails 64 'only one of -d and -a$' dq-put -d 1 -a @1 "$q" x
	fails 64 '^-i: an id is for one message only$' dq-put -i x "$q" a b
	fails 64 '^-i: an id is for one message only$' dq-put -i x -l "$q"
	fails 64 '-l.*PAYLOAD$' dq-put -l "$q" x
	fails 64 'only one of -l' dq-put -l -0 "$q"
	fails 64 '^-r: ' dq-put -r 0 "$q" x
	fails 64 '^-r: ' dq-put -r 1000001 "$q" x
	fails 64 '^-t: ' dq-put -t 0 "$q" x
	fails 64 '^-d: needs an argument$' dq-put -d
	fails 64 '^--ttr: needs an argument$' dq-put --ttr
	fails 64 '^--existing: only with -e replace, earlier, later, move or edit$' dq-put --existing -i x "$q" x
	local mode
	for mode in replace earlier later move edit; do
		fails 64 "^-e $mode: needs -i or --tsv" dq-put -e "$mode" "$q" x
		fails 64 "^-e $mode: needs -i or --tsv" dq-put -e "$mode" --existing -l "$q"
	done
	equal "$(digest)" ''
}

@test "payloads are never options: options precede the queue, and after -- a payload may begin with -" {
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

@test "?db=N is another database" {
	DQ_URL="unix://$T/main/s?db=3" dq-put -q "$q" x
	holds 0 0 0 0
	equal "$(rcli -n 3 ZCARD "dq:{$q}:ready")" 1
}

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

@test "-p: kept through retries, expired leases and a redrive" {
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
