# Goal: Each verb of dq-ack settles many receipts of several queues, and reports those that are stale.

bats_require_minimum_version 1.5.0

load ../helper

@test "dq-ack -r: by schedule, and after -d" {
	local before
	dq-put -q -i a -r 5 -b 90s "$q" text
	dq-put -q -i b -b 90s "$q" text
	dq-take -n 2 "$q" >"$T/two"
	before=$(server_ms)
	sed 1q "$T/two" | dq-ack -r
	between $((before + 90000)) "$(score delayed a)" $((before + 99000))
	before=$(server_ms)
	sed 1d "$T/two" | dq-ack --retry --delay 1h
	between $((before + 3600000)) "$(score delayed b)" $((before + 3609000))
	holds 2 0 0 0
	later 90001
	dq-take "$q" | dq-ack -rd0
	equal "$(dq-take --json "$q" | jq -r '"\(.id) \(.try)"')" 'a 3'
}

@test "dead when the tries are used up, with the reason; -v says how many" {
	dq-put -q -i a -r 2 "$q" text
	dq-take "$q" | dq-ack -r -d 0 -m one
	run -0 --separate-stderr dq-ack -v -r -d 0 -m two <<<"$(dq-take "$q")"
	equal "$output" ''
	equal "$stderr" $'dq-ack: 0 settled (delayed)\ndq-ack: 1 dead: out of tries'
	holds 0 0 0 1
	equal "$(reason a)" two
	equal "$(field stat dead) $(field stat retried)" '1 1'
}

# Three queues with six messages each, five of them taken; prints the receipts, with others among them: in each queue one of
# an older delivery, one with a forged token, one of a message that there is not.
mixed() {
	local name
	for name in "$q.a" "$q.b" "$q.c"; do
		seq -f 'm%g' 6 | sed 's/.*/-\t&\tx/' | dq-put -q -r 3 -b 1h --tsv "$name"
		dq-take "$name" >"$T/older"
		dq-ack -g <"$T/older"
		dq-take -n 5 "$name" >"$T/good.$name"
		cat "$T/older"
		cat "$T/good.$name"
		echo "$name/m2@1"
		echo "$name/none@5"
	done | sort -t@ -k2
}

# dq-ack OPTION... settles the fifteen, refuses the nine, and says so.
settles() { # STATES-OF-EACH-QUEUE OPTION...
	local wanted=$1 name
	shift
	mixed >"$T/mixed"
	equal "$(wc -l <"$T/mixed")" 24
	run -1 --separate-stderr dq-ack "$@" <"$T/mixed"
	equal "$output" ''
	equal "${#stderr_lines[@]}" 9
	equal "$(grep -c 'settled already, or removed$' <<<"$stderr")" 3
	equal "$(grep -cE 'not settled: (the lease expired, or )?this receipt is no longer valid$' <<<"$stderr")" 6
	for name in "$q.a" "$q.b" "$q.c"; do
		equal "$(states "$name")" "$wanted"
		audit "$name"
	done
}

@test "dq-ack over several queues, some receipts stale: 1, the others are done" {
	settles '0 1 0 0'
}

@test "dq-ack -r over several queues, some receipts stale: 1, the others are delayed" {
	local name
	settles '5 1 0 0' -r -m 'try again'
	for name in a b c; do
		equal "$(for i in 1 2 3 4 5; do reason "m$i" "$q.$name"; done | sort -u)" 'try again'
		equal "$(tries m1 "$q.$name")" 1
	done
}

@test "dq-ack -b over several queues, some receipts stale: 1, the others are dead" {
	settles '0 1 0 5' -b -m 'no use'
}

@test "dq-ack -g over several queues, some receipts stale: 1, the others are ready" {
	settles '0 6 0 0' -g
	equal "$(tries m1 "$q.a")" 0
	equal "$(dq-take -n 9 "$q.b" | cut -d@ -f1 | paste -sd' ')" "$q.b/m1 $q.b/m2 $q.b/m3 $q.b/m4 $q.b/m5 $q.b/m6"
}

@test "dq-ack -x over several queues, some receipts stale: 1, the others have more time, and their receipts stay" {
	local before name
	before=$(server_ms)
	settles '0 1 5 0' -x 1h
	for name in a b c; do
		between $((before + 3600000)) "$(score leased m3 "$q.$name")" $((before + 3609000))
		dq-ack <"$T/good.$q.$name"
		equal "$(states "$q.$name")" '0 1 0 0'
	done
}

@test "the same receipt twice in one call: settled, and 1, with each verb" {
	local verb
	for verb in -r -b -g; do
		q=q$BATS_TEST_NUMBER.${verb#-}
		dq-put -q -i a "$q" text
		dq-take "$q" >"$T/one"
		run -1 --separate-stderr dq-ack $verb <<<"$(cat "$T/one" "$T/one")"
		equal "${#stderr_lines[@]}" 1
		audit
	done
	equal "$(states)" '0 1 0 0'
}

@test "-x: can also shorten a lease; refused when the message is ready again" {
	local r before
	dq-put -q -i a "$q" text
	r=$(dq-take "$q" | cut -f1)
	before=$(server_ms)
	dq-ack -x 10s "$r"
	between $((before + 10000)) "$(score leased a)" $((before + 19000))
	later 20000
	dq-ack --extend=1m "$r"
	holds 0 0 1 0
	between $((before + 60000)) "$(score leased a)" $((before + 69000))
	later 70000
	dq-promote -q "$q"
	fails 1 'no longer valid$' dq-ack -x 1m "$r"
	holds 0 1 0 0
	dq-ack "$r"
	holds 0 0 0 0
}

@test "options that exclude each other, or need another one: 64, and nothing changes" {
	local r before
	dq-put -q -i a "$q" text
	r=$(dq-take "$q" | cut -f1)
	before=$(digest)
	local only='^only one of -r, -b, -x and -g$'
	fails 64 "$only" dq-ack -r -b "$r"
	fails 64 "$only" dq-ack -g -r "$r"
	fails 64 "$only" dq-ack -r -x 5 "$r"
	fails 64 "$only" dq-ack -b -g "$r"
	fails 64 "$only" dq-ack -x 5 -b "$r"
	fails 64 "$only" dq-ack -x 5 -g "$r"
	fails 64 '^-d: only with -r or -g$' dq-ack -d 5 "$r"
	fails 64 '^-d: only with -r or -g$' dq-ack -b -d 5 "$r"
	fails 64 'only one of -d, -a and -x' dq-ack -x 5 -d 5 "$r"
	fails 64 'only one of -d, -a and -x, and only once' dq-ack -r -d 5 -d 6 "$r"
	fails 64 'only one of -d, -a and -x, and only once' dq-ack -x 5 -x 6 "$r"
	fails 64 '^-x: a lease is at least 1ms$' dq-ack -x 0 "$r"
	fails 64 '^-m: not with -x$' dq-ack -x 5 -m why "$r"
	local text
	for text in -1 nan inf 5x '' ' 5' 1h1h 36526d; do
		fails 64 '^-d: ' dq-ack -r -d "$text" "$r"
		fails 64 '^-x: ' dq-ack -x "$text" "$r"
	done
	for text in -d -x -m; do
		fails 64 "^$text: needs an argument\$" dq-ack $text
	done
	equal "$(digest)" "$before"
}

@test "a time that was given as a duration: 64, and how to give it; nothing changes" {
	local receipt why='over 10 years a duration needs a unit .such as 4000d.'
	leased
	fails 64 "^-d: \"1795681648\": $why; as a time: -a @1795681648\$" dq-ack -r -d 1795681648 "$receipt"
	fails 64 "^-x: \"1795681648\": $why\$" dq-ack -x 1795681648 "$receipt"
	fails 64 '^-a: "@1795681648062": beyond the year 2109: did you mean @1795681648062ms.$' dq-ack -r -a @1795681648062 "$receipt"
	holds 0 0 1 0
}

@test "a time past May 2109 is 64, and nothing changes" {
	local r before
	dq-put -q -i a "$q" text
	r=$(dq-take "$q" | cut -f1)
	before=$(digest)
	fails 64 "^$q: 1 receipt not settled: " dq-ack -r -d 36525d "$r"
	fails 64 "^$q: 1 receipt not settled: " dq-ack -x 36525d "$r"
	equal "$(digest)" "$before"
}

@test "-m: a longer reason is cut after 1000 bytes, at the end of a character" {
	local x id verb
	x=$(printf '%0999d' 0)
	for verb in -b -r; do
		for id in long half; do dq-put -q -i "$id" "$q" x; done
		dq-take -n 2 "$q" >"$T/two"
		run -0 --separate-stderr dq-ack "$verb" -m "$x$x" < <(grep long "$T/two")
		equal "$output$stderr" ''
		dq-ack "$verb" -m "${x}é" < <(grep half "$T/two")
		equal "$(reason long)" "${x}0"
		equal "$(reason half)" "$x"
		equal "$(dq-stat --json "$q/half" | jq -r .reason)" "$x"
		dq-rm -q -f -a "$q"
	done
}
