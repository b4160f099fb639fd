# Goal: dq-promote with names makes those messages ready now, and reports those that it could not.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut
load common

@test "a name is made ready now, and nothing is printed; the others stay" {
	dq-put -q -i x -d 1h "$q" hello
	dq-put -q -i y -d 1h "$q" hello
	run -0 --separate-stderr dq-promote "$q/x"
	equal "$output$stderr" ''
	holds 1 1 0 0
	equal "$(dq-take "$q" | cut -f2)" hello
	equal "$(field stat promoted)" 1
}

@test "made ready now: behind the ready ones, unless it was due before; its priority stays" {
	dq-put -q -i later -d 1h "$q" x
	dq-put -q -i late -d 1m "$q" x
	later 60001
	dq-put -q -i ready "$q" x
	dq-put -q -i urgent -p 1 -d 1h "$q" x
	dq-promote "$q/later" "$q/late" "$q/urgent"
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'urgent late ready later'
	holds 0 4 0 0
}

@test "ready or leased already: 0, reported with -v" {
	dq-put -q -i x "$q" hello
	run -0 --separate-stderr dq-promote "$q/x"
	equal "$output$stderr" ''
	dq-take "$q" >"$T/r"
	run -0 --separate-stderr dq-promote -v "$q/x"
	equal "${stderr_lines[0]}" "dq-promote: $q/x: ready or leased already"
	equal "${stderr_lines[1]}" 'dq-promote: 0 promoted, 0 ready again, 0 dead, 0 expired'
	dq-ack <"$T/r"
	holds 0 0 0 0
}

@test "leased, and put again for later: due now when that delivery ends; the receipt stays valid" {
	dq-put -q -i a "$q" x
	dq-take "$q" >"$T/r"
	dq-put -q --existing -e move -d never -i a "$q"
	run -0 --separate-stderr dq-promote "$q/a"
	equal "$output$stderr" ''
	holds 0 0 1 0
	dq-ack <"$T/r"
	equal "$(dq-take "$q" | cut -f2)" x
}

@test "no such message, or dead: 1 with the reason; the others move" {
	dead 1
	dq-put -q -i x -d 1h "$q" hello
	fails 1 "^$q/none: not promoted: no such message\$" dq-promote "$q/none"
	fails 1 "^$q/1: not promoted: dead: use --dead\$" dq-promote "$q/1" "$q/x"
	holds 0 1 0 1
	run -1 --separate-stderr dq-promote -q "$q/1" "$q/none"
	equal "$output$stderr" ''
}

@test "queues and names mixed; - is standard input; a receipt is a name" {
	dq-put -q -i x -d 1h "$q" x
	dq-put -q -i y -d 1h "$q" y
	dq-put -q -d 1m "$q.b" z
	later 60001 "$q.b"
	run -0 --separate-stderr dq-promote -v "$q/x" "$q.b" - <<<"$q/y@1"$'\tmore'
	equal "$stderr" 'dq-promote: 3 promoted, 0 ready again, 0 dead, 0 expired'
	holds 0 2 0 0
	holds 0 1 0 0 "$q.b"
}

@test "malformed operands: 64 before anything moves; lines: 65, and the others move" {
	dq-put -q -i a -d 1h "$q" x
	dq-put -q -i b -d 1h "$q" x
	local long bad
	printf -v long '%0129d' 0
	for bad in '' "$q/" "/a" "$q/a/b" "$q/a@x" "$q/{a}" "$q/a b" "{$q}" "a b" "@$q" $'q\n' "$q/$long" "$long"; do
		fails 64 '^"' dq-promote "$q/a" "$bad"
		fails 64 '^"' dq-promote --dead "$bad"
		fails 64 '^"' dq-set "$bad" paused=yes
	done
	holds 2 0 0 0
	run -65 --separate-stderr dq-promote - <<<"$q/a"$'\n\n'"$q/a b"$'\n'"$q/b"
	equal "${#stderr_lines[@]}" 2
	equal "${stderr_lines[0]}" "dq-promote: \"\": a queue's name is 1 to 128 of A-Z a-z 0-9 . _ -"
	holds 0 2 0 0
}

@test "-n: so many in all, of queues and of names" {
	seq 2500 | dq-put -ql -d 1m "$q"
	seq 10 | dq-put -ql -d 1m "$q.b"
	later 60001
	later 60001 "$q.b"
	dq-promote -n 1 "$q"
	holds 2499 1 0 0
	run -0 --separate-stderr dq-promote -v --count 1500 "$q" "$q.b"
	equal "$stderr" 'dq-promote: 1500 promoted, 0 ready again, 0 dead, 0 expired'
	holds 999 1501 0 0
	dq-promote -n 1003 "$q" "$q.b"
	holds 0 2500 0 0
	holds 6 4 0 0 "$q.b"
	dq-put -q -i x -d 1h "$q" x
	dq-put -q -i y -d 1h "$q" x
	dq-put -q -i r "$q" x
	dq-promote -n 1 "$q/r" "$q/x" "$q/y"
	holds 1 2502 0 0
	fails 64 '^-n: "0": not a whole number from 1 to ' dq-promote -n 0 "$q"
	fails 64 '^-n: "1.5": ' dq-promote -n 1.5 "$q"
	fails 64 '^-n: "": ' dq-promote -n '' "$q"
}

@test "the reply is lost: the named message is ready: success" {
	dq-promote -q "$q/none" || true # the server knows the script from now on
	dq-put -q -i x -d 1h "$q" x
	start_cut d
	run -0 --separate-stderr dq-promote -u "unix://$T/cut" "$q/x"
	stop_cut
	equal "$output$stderr" ''
	holds 0 1 0 0
}

@test "the reply is lost: whether a named message was dead is not known, 75; all dead messages of a named queue are ready" {
	dq-promote --dead -q "$q/none" || true
	dead 3
	start_cut d
	fails 75 "^$q/1: not known whether it was redriven: the connection was lost\$" dq-promote -u "unix://$T/cut" --dead "$q/1"
	stop_cut
	holds 0 1 0 2
	start_cut dd
	run -0 --separate-stderr dq-promote -u "unix://$T/cut" --dead -v "$q"
	stop_cut
	equal "$stderr" 'dq-promote: 2 redriven'
	holds 0 3 0 0
}
