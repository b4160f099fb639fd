# Goal: dq-put -b stores valid retry schedules, refuses others, and reports how many tries follow.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "-b: invalid schedules are 64" {
	local text
	for text in '' ',' '1s,' ',1s' '1s,,2s' x 1s,x -1 1s,-1 nan inf '1s 2s' '1s;2s' exp exp: exp:1s exp:1s.. exp:..1h exp:0..1s \
		exp:2s..1s \
		exp:1s..1h,2h exp:1s...1h exp:-1..1s exp:nan..1h 1s,exp:1s..2s EXP:1s..2s 36526d exp:1s..36526d "$(seq -s, 65)"; do
		fails 64 '^-b: ' dq-put -b "$text" "$q" x
	done
	equal "$(digest)" ''
}

@test "-b: valid schedules, as they are stored" {
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

@test "-b: a list sets the number of tries, unless -r does; exp: does not" {
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
