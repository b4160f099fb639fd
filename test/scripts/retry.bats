# Goal: A failed message waits as its schedule says, keeps its reason, and is dead after its last try. Time is an argument, or the test
# makes the queue older.

bats_require_minimum_version 1.5.0

load ../helper

now=1800000000000

take() { # MS-AFTER-NOW
	script take "$((now + $1))" 100 '' 1 1048576 >/dev/null
}

token() { # ID [QUEUE]
	field try "$1" "${2:-$q}" | head -1 | cut -d' ' -f2
}

fail() { # MS-AFTER-NOW [DELAY [REASON]]
	script retry "$((now + $1))" "${2-}" "${3-}" a "$(token a)"
}

# Fails message a repeatedly: each time it waits so many ms, and no take gets it earlier.
waits() { # MS...
	local wait
	at=${at:-0}
	for wait in "$@"; do
		take "$at"
		holds 0 0 1 0
		equal "$(fail "$at")" d
		equal "$(score delayed a)" "$((now + at + wait))"
		[ "$wait" -eq 0 ] || take "$((at + wait - 1))"
		holds 1 0 0 0
		at=$((at + wait))
	done
}

@test "a schedule of nine waits: the tenth failure is the end" {
	dq-put -q -i a -b 0,0,2m,10m,10m,1h,2h,6h,15h "$q" text
	local at
	waits 0 0 120000 600000 600000 3600000 7200000 21600000 54000000
	take "$at"
	equal "$(tries a)" 10
	equal "$(fail "$at" '' 'nobody home')" b
	holds 0 0 0 1
	equal "$(score dead a)" "$((now + at))"
	equal "$(reason a)" 'nobody home'
	take "$((at + 1000000000))"
	holds 0 0 0 1
}

@test "the last wait of a schedule repeats" {
	dq-put -q -i a -r 9 -b 0,2m,1h "$q" text
	local at
	waits 0 120000 3600000 3600000 3600000 3600000
}

@test "a schedule of one wait, in ms" {
	dq-put -q -i a -r 9 -b 7ms "$q" text
	local at
	waits 7 7 7
}

@test "a schedule of 64 waits is used to its end" {
	local at
	dq-put -q -i a -r 70 -b "$(seq -s ms, 64)ms" "$q" text
	# shellcheck disable=SC2046
	waits $(seq 64) 64 64
}

@test "without a schedule: 1s 10s 1m 10m 10m" {
	dq-put -q -i a -r 9 "$q" text
	local at
	waits 1000 10000 60000 600000 600000 600000
}

@test "five tries by default: the fifth failure is the end" {
	dq-put -q -i a "$q" text
	local at
	waits 1000 10000 60000 600000
	take "$at"
	equal "$(fail "$at")" b
	holds 0 0 0 1
}

@test "one try: the first failure is the end" {
	dq-put -q -i a -r 1 -b 1s "$q" text
	take 0
	equal "$(fail 0 500)" b
	holds 0 0 0 1
}

@test "exp: the first wait is MIN, the others spread from half to all of what is doubled, up to MAX" {
	local i n at=0 most=1000 least ids args token waited first
	mapfile -t ids < <(printf 'order-%03d\n' {1..100})
	printf -- '-\t%s\tx\n' "${ids[@]}" | dq-put -q -r 99 -b exp:1s..1h --tsv "$q"
	for n in {1..14}; do
		take "$at"
		args=() token=$(token order-001)
		for i in "${ids[@]}"; do args+=("$i" "$token"); done
		equal "$(script retry "$((now + at))" '' '' "${args[@]}" | tr -d d)" ''
		least=$((n == 1 ? 1000 : most / 2))
		mapfile -t waited < <(rcli ZRANGE "dq:{$q}:delayed" 0 -1 WITHSCORES |
			awk -v at="$((now + at))" 'NR % 2 == 0 { print $1 - at }')
		equal "${#waited[@]}" 100
		between "$least" "${waited[0]}" "$most"
		between "$least" "${waited[99]}" "$most"
		if [ "$n" -eq 1 ]; then
			equal "${waited[0]} ${waited[99]}" '1000 1000'
		else
			# Neighbours do not come back together: some in each quarter of the time.
			for first in 0 1 2 3; do
				i=$(printf '%s\n' "${waited[@]}" | awk -v least="$least" -v most="$most" -v k="$first" '
					$1 >= least + (most - least) * k / 4 && $1 <= least + (most - least) * (k + 1) / 4' | wc -l)
				between 10 "$i" 60
			done
		fi
		at=$((at + 3600000)) most=$((most * 2 > 3600000 ? 3600000 : most * 2))
	done
	holds 100 0 0 0
}

@test "exp: also spread where ids are ULIDs made together, and where one message fails again" {
	local waited seen=()
	seq 100 | dq-put -ql -b exp:1m..1h "$q"
	take 0
	rcli HKEYS "dq:{$q}:try" | sed "s/\$/\n${now}000/" >"$T/ulids"
	mapfile -t args <"$T/ulids"
	script retry "$now" '' '' "${args[@]}" >/dev/null
	take 60000
	script retry "$((now + 60000))" '' '' "${args[@]//${now}000/$((now + 60000))000}" >/dev/null
	holds 100 0 0 0
	waited=$(rcli ZRANGE "dq:{$q}:delayed" 0 -1 WITHSCORES | awk 'NR % 2 == 0' | sort -u | wc -l)
	between 80 "$waited" 100
	q=$q.one
	dq-put -q -i a -r 99 -b exp:1m..2m "$q" text
	take 0
	fail 0
	for at in 1 2 3 4 5; do
		at=$((at * 120000))
		take "$at"
		fail "$at"
		seen+=("$(($(score delayed a) - now - at))")
	done
	between 2 "$(printf '%s\n' "${seen[@]}" | sort -u | wc -l)" 5
}

@test "exp: MIN equal to MAX is a fixed wait" {
	dq-put -q -i a -r 99 -b exp:5s..5s "$q" text
	local at
	waits 5000 5000 5000 5000
}

@test "-d overrides the schedule, once" {
	dq-put -q -i a -b 1h,2h "$q" text
	take 0
	fail 0 250
	equal "$(score delayed a)" "$((now + 250))"
	local at=250
	waits 7200000
}

@test "a retry without a reason keeps the previous reason" {
	dq-put -q -i a -r 99 "$q" text
	take 0
	dq-ack -r -d 0 -m 'no route' "$q/a@$(token a)"
	take 0
	dq-ack -r -d 0 "$q/a@$(token a)"
	equal "$(field try a | sed 1d)" 'no route'
	take 0
	dq-ack -b -m '' "$q/a@$(token a)"
	equal "$(field try a | sed 1d)" 'no route'
}

@test "reasons are kept, byte for byte" {
	local text
	dq-put -q -i a -r 99 "$q" text
	for text in plain ' blanks ' $'two\nlines' $'9 9 9 r=1\nlike an entry' "'single' \"double\"" $'\xff\xfe not \xc3( UTF-8' \
		$'tab\tand \\t and \r' "$(printf '%1000s' x)" '%s %n * ~ ; #' $'\nbegins with a newline' -g; do
		take 0
		dq-ack -r -d 0 -m "$text" "$q/a@$(token a)"
		printf '%s\n' "$text" >"$T/wanted"
		field try a | sed 1d >"$T/got"
		cmp "$T/got" "$T/wanted"
	done
	take 0
	dq-ack -b --message=$'\xff"\n\'' "$q/a@$(token a)"
	equal "$(reason a)" $'\xff"\n\''
	holds 0 0 0 1
}

@test "a reason stays through the next delivery and a give back, until the next reason" {
	dq-put -q -i a -r 99 "$q" text
	take 0
	fail 0 0 'the printer is off'
	take 0
	equal "$(reason a)" 'the printer is off'
	script giveback "$now" '' a "$(token a)"
	equal "$(reason a)" 'the printer is off'
	take 0
	take 60000
	equal "$(reason a)" 'lease ran out'
	fail 60000 0 'no paper'
	equal "$(reason a)" 'no paper'
}

@test "a late retry: after an expired lease the message is delayed, or dead with the new reason" {
	dq-put -q -i a -b 1h "$q" text
	dq-put -q -i b -r 1 "$q" text
	dq-take -n 2 "$q" >"$T/late"
	later 60001
	dq-promote -q "$q"
	holds 0 1 0 1
	dq-ack -r -m 'too slow' <"$T/late"
	holds 1 0 0 1
	equal "$(reason a) $(reason b)" 'too slow too slow'
}
