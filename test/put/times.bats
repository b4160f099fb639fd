# Goal: Delays (-d) and times (-a) make a message due at that time, and never early.

bats_require_minimum_version 1.5.0

load ../helper

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

@test "a time that was given as a duration: 64, and how to give it" {
	local why='over 10 years a duration needs a unit .such as 4000d.'
	fails 64 "^-d: \"1795681648\": $why; as a time: -a @1795681648\$" dq-put -d 1795681648 "$q" x
	fails 64 "^-d: \"1795681648062\": $why; as a time: -a @1795681648062ms\$" dq-put -d 1795681648062 "$q" x
	fails 65 "line 1: not put: \"1795681648\": $why; as a time: @1795681648\$" dq-put --tsv "$q" <<<$'1795681648\t-\tx'
	fails 64 "^-x: \"1795681648\": $why\$" dq-put -x 1795681648 "$q" x
	fails 64 "^-t: \"1795681648\": $why\$" dq-put -t 1795681648 "$q" x
	fails 64 "^-w: \"1795681648\": $why\$" dq-take -w 1795681648 "$q"
	equal "$(digest)" ''
	dq-put -q -d 315576000 "$q" ten-years
	dq-put -q -d 29000d "$q" longer
	holds 2 0 0 0
}

@test "a time in ms without its unit, or without its @: 64, and how to write it" {
	fails 64 '^-a: "@1795681648062": beyond the year 2109: did you mean @1795681648062ms.$' dq-put -a @1795681648062 "$q" x
	fails 64 '^-a: "1795681648": not a time: did you mean @1795681648.$' dq-put -a 1795681648 "$q" x
	equal "$(digest)" ''
	dq-put -i x -a @4000000000062ms "$q" x
	equal "$(score delayed x)" 4000000000062
}
