# Goal: dq-ack settles a delivery by its valid receipt, as an operand or from standard input, and by no other receipt.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

receipt() {
	dq-take "$q" | cut -f1
}

@test "a receipt as operand: the message is gone, and nothing is printed" {
	dq-put -q -i x "$q" hello
	run -0 --separate-stderr dq-ack "$(receipt)"
	equal "$output$stderr" ''
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:msg" "dq:{$q}:try" "dq:{$q}:leased")" 0
	equal "$(field stat acked)" 1
}

@test "what dq-take printed, on standard input" {
	seq 1 5 | dq-put -ql "$q"
	dq-take -n 3 "$q" | dq-ack
	holds 0 2 0 0
	dq-take -n 1 "$q" >"$T/one"
	dq-ack - <"$T/one"
	holds 0 1 0 0
	dq-take --json "$q" | jq -r .receipt | dq-ack
	holds 0 0 0 0
}

@test "nothing on standard input is fine" {
	run -0 --separate-stderr dq-ack </dev/null
	equal "$output$stderr" ''
}

@test "a receipt counts once: the second time is 1" {
	dq-put -q -i x "$q" hello
	local r
	r=$(receipt)
	dq-ack "$r"
	fails 1 "^$r: settled already, or removed\$" dq-ack "$r"
}

@test "the same receipt twice in one call: settled, and 1" {
	dq-put -q -i x "$q" hello
	local r
	r=$(receipt)
	fails 1 "^$r: not settled: " dq-ack "$r" "$r"
	holds 0 0 0 0
	equal "$(field stat acked)" 1
}

@test "a stale or wrong token: 1, and nothing changes" {
	dq-put -q -i x "$q" hello
	local r before
	r=$(receipt)
	before=$(digest)
	for token in 0 1 $((${r#*@} - 1)) $((${r#*@} + 1)) 99999999999999999999 "0${r#*@}"; do
		fails 1 "^$q/x@$token: not settled: this receipt is no longer valid\$" dq-ack "$q/x@$token"
	done
	equal "$(digest)" "$before"
	dq-ack "$r"
	holds 0 0 0 0
}

@test "a message that was never delivered cannot be settled" {
	dq-put -q -i x "$q" hello
	dq-put -q -i y -d 1h "$q" hello
	fails 1 'no longer valid$' dq-ack "$q/x@0"
	fails 1 'no longer valid$' dq-ack "$q/y@1"
	holds 1 1 0 0
}

@test "a receipt of another queue, or an unknown one: 1" {
	dq-put -q -i x "$q" hello
	local r
	r=$(receipt)
	fails 1 "^$q.other/x@${r#*@}: settled already, or removed\$" dq-ack "$q.other/x@${r#*@}"
	fails 1 "^$q/y@${r#*@}: settled already, or removed\$" dq-ack "$q/y@${r#*@}"
	holds 0 0 1 0
	dq-ack "$r"
}

@test "a message that was given back: its receipt is no longer valid" {
	dq-put -q -i x "$q" hello
	local r
	r=$(dq-take "$q" | cut -f1)
	script giveback '' '' x "${r#*@}"
	fails 1 'no longer valid$' dq-ack "$r"
	holds 0 1 0 0
}

@test "continues after a missing message and returns the worst status" {
	dq-put -q -i a "$q" x
	dq-put -q -i b "$q" x
	dq-take -n 2 "$q" | cut -f1 >"$T/two"
	run -64 --separate-stderr dq-ack "$q/none@1" "$(sed -n 1p "$T/two")" malformed "$(sed -n 2p "$T/two")"
	equal "$output" ''
	matches "$stderr" "$q/none@1: settled already, or removed"
	matches "$stderr" '"malformed": not a receipt \(QUEUE/ID@TOKEN\)'
	holds 0 0 0 0
}

@test "a bad line on standard input is 65, the others are settled" {
	dq-put -q "$q" a b
	dq-take -n 2 "$q" | sed '1s/^/\n/; 2s/$/\tmore\tfields/' >"$T/lines"
	printf 'not a receipt\n' >>"$T/lines"
	run -65 --separate-stderr dq-ack <"$T/lines"
	equal "${#stderr_lines[@]}" 2
	matches "${stderr_lines[0]}" '^dq-ack: "": not a receipt \(QUEUE/ID@TOKEN\)$'
	matches "${stderr_lines[1]}" '^dq-ack: "not a receipt": not a receipt \(QUEUE/ID@TOKEN\)$'
	holds 0 0 0 0
}

@test "-q: a receipt that is no longer valid is 1 without a line; -v counts" {
	dq-put -q -i a "$q" x
	run -1 --separate-stderr dq-ack -q "$q/a@5" "$q/none@5"
	equal "$output$stderr" ''
	run -0 --separate-stderr dq-ack --quiet -v "$(receipt)"
	equal "$stderr" 'dq-ack: 1 settled'
}

@test "several queues, as operands and in one stream" {
	dq-put -q "$q.a" 1 2
	dq-put -q "$q.b" 1 2
	dq-take -n 4 "$q.a" "$q.b" | sort -t@ -k2 | dq-ack
	holds 0 0 0 0 "$q.a"
	holds 0 0 0 0 "$q.b"
}

@test "a late ack, after the lease expired: accepted unless another consumer has taken the message" {
	dq-put -q -i x "$q" hello
	local r
	r=$(receipt)
	later 60001
	dq-promote "$q"
	holds 0 1 0 0
	dq-ack "$r"
	holds 0 0 0 0
	run -1 dq-take "$q"
}

@test "a late verdict on a message that is dead by now: it died once, when its lease ended; the reason is that of the verdict" {
	local how died
	for how in -b -r; do
		dq-put -q -r 1 -t 1ms -i "x$how" "$q" x
		dq-take "$q" >"$T/taken"
		wait_until 10 is_dead "x$how"
		died=$(rcli ZSCORE "dq:{$q}:dead" "x$how")
		dq-ack "$how" -m late <"$T/taken" || [ $? -eq 1 ]
		equal "$(rcli ZSCORE "dq:{$q}:dead" "x$how") $(dq-stat --json "$q/x$how" | jq -r .reason)" "$died late"
	done
	equal "$(field stat dead)" 2
}

is_dead() {
	dq-promote "$q"
	[ -n "$(rcli ZSCORE "dq:{$q}:dead" "$1")" ]
}

@test "a late ack of a message that is dead by now: accepted" {
	dq-put -q -i x -r 1 "$q" hello
	local r
	r=$(receipt)
	later 60001
	dq-promote "$q"
	holds 0 0 0 1
	dq-ack "$r"
	holds 0 0 0 0
}

@test "a late ack of a message that was taken again: refused" {
	dq-put -q -i x "$q" hello
	local r s
	r=$(receipt)
	later 60001
	s=$(receipt)
	fails 1 'no longer valid$' dq-ack "$r"
	holds 0 0 1 0
	dq-ack "$s"
	holds 0 0 0 0
}

@test "many receipts, in more calls than one" {
	seq 1 2500 | dq-put -ql "$q"
	for _ in 1 2 3; do dq-take -n 1000 "$q"; done >"$T/many"
	holds 0 0 2500 0
	run -0 --separate-stderr dq-ack -v <"$T/many"
	equal "$stderr" 'dq-ack: 2500 settled'
	holds 0 0 0 0
	equal "$(field stat acked)" 2500
}

@test "receipts of a slow producer are settled before the tool waits for more" {
	dq-put -q "$q" a b
	local pid
	mkfifo "$T/slow"
	exec 9<>"$T/slow"
	dq-ack <"$T/slow" 9>&- 3>&- &
	pid=$!
	dq-take "$q" >&9
	wait_until 20 holds 0 1 0 0
	dq-take "$q" >&9
	wait_until 20 holds 0 0 0 0
	exec 9>&-
	wait "$pid"
}

@test "a record with the largest payload is settled by its first field" {
	head -c 1048576 /dev/zero | dq-put -q "$q" # each NUL becomes two bytes
	dq-take "$q" | dq-ack
	holds 0 0 0 0
}

@test "a line without end is refused in bounded memory, the next one counts" {
	dq-put -q "$q" a
	{
		head -c 43000000 /dev/zero | tr '\0' x
		echo
		dq-take "$q"
	} >"$T/long"
	run -65 --separate-stderr dq-ack <"$T/long"
	equal "$stderr" 'dq-ack: standard input: a line of over 41943040 bytes: skipped'
	holds 0 0 0 0
}

@test "a lease or a delay that would end in 2109 or later: 64, with the reason" {
	dq-put -q "$q" x
	local receipt before
	receipt=$(dq-take "$q" | cut -f1)
	before=$(digest)
	fails 64 '^'"$q"': 1 receipt not settled: the lease would end after May 2109$' dq-ack -x 36525d "$receipt"
	fails 64 '^'"$q"': 1 receipt not settled: the delay would end after May 2109$' dq-ack -r -d 36525d "$receipt"
	equal "$(digest)" "$before"
	dq-ack -x 29000d "$receipt"
	dq-ack -r -d 29000d "$receipt"
}

left() { # N
	equal "$(rcli HLEN "dq:{$q}:msg")" "$1"
}

@test "while Redis is slow, a receipt waits a moment for others, but neither for the next whole line nor for the end" {
	start_gate
	seq 1 4 | dq-put -ql "$q"
	dq-take -n 4 "$q" >"$T/taken"
	local receipts
	mapfile -t receipts < <(cut -f1 "$T/taken")
	mkfifo "$T/in"
	dq-ack -u "unix://$T/gate" <"$T/in" 3>&- &
	local acker=$!
	exec 9>"$T/in"
	rule late.EVALSHA
	echo "${receipts[0]}" >&9
	wait_until 10 came EVALSHA
	lift late.EVALSHA
	wait_until 10 left 3
	echo "${receipts[1]}" >&9
	wait_until 10 left 2
	printf '%s\n%s' "${receipts[2]}" "${receipts[3]%?}" >&9
	wait_until 10 left 1
	echo "${receipts[3]: -1}" >&9
	exec 9>&-
	exits 0 "$acker"
	left 0
}
