# Goal: max-leased, rate and pauses that end hold for all consumers together; what they hold back is taken as soon as it may be.

bats_require_minimum_version 1.5.0

load ../helper
load ../scripts/calls

# How many messages a take at MS after $now gets; and why not more: 0 to 3, until: MS after $now, or -1.
gets() { # MS WANTED [PROMOTE]
	local reply
	mapfile -t reply < <(script take "$((now + $1))" "$2" 60000 "${3-1}" 1048576 '')
	echo "$(((${#reply[@]} - 6) / 7)) ${reply[4]} $((reply[5] > 0 ? reply[5] - now : reply[5]))"
}

fill() { # N
	local i
	for ((i = 0; i < $1; i++)); do put "m$i" 0 $'\n'; done >/dev/null
}

set_to() { # NAME VALUE...
	script set "$now" "$@" >/dev/null
}

# Ends the delivery of each id by that script and those arguments.
settle() { # SCRIPT [ARG...] -- ID...
	local words=() id
	while [ "$1" != -- ]; do words+=("$1") && shift; done
	for id in "${@:2}"; do script "${words[0]}" "$now" "${words[@]:1}" "$id" "$(token "$id")"; done
}

@test "max-leased: no more are leased, and each end of a delivery frees a place, and wakes" {
	local end ends=(ack 'retry 5000 why' 'bury why' 'giveback 5000' 'release -' 'rm -' replace)
	for end in "${ends[@]}"; do
		q=q$BATS_TEST_NUMBER.${end%% *}
		fill 5
		set_to max-leased 2
		equal "$(gets 0 10)" '2 3 -1'
		equal "$(gets 0 1)" '0 3 -1'
		equal "$(rcli ZCARD "dq:{$q}:wake")" 0
		case $end in
		release*) equal "$(script release "$now" '' m0)" d ;;
		rm*) equal "$(script rm "$now" '' m0)" d ;;
		replace) equal "$(script put "$now" replace 100 '' 90000 m0 $'\n')" r ;;
		*)
			# shellcheck disable=SC2086
			equal "$(settle $end -- m0)" d
			;;
		esac
		equal "$end $(rcli ZCARD "dq:{$q}:wake")" "$end 1"
		equal "$end $(gets 0 10)" "$end 1 3 -1"
		equal "$(rcli ZCARD "dq:{$q}:leased")" 2
	done
}

@test "max-leased: an expired lease frees its place, by take and by promote" {
	fill 3
	set_to max-leased 1
	equal "$(gets 0 9)" '1 3 -1'
	equal "$(gets 59999 9)" '0 3 -1'
	equal "$(gets 60000 9 0)" '0 3 -1' # without promotion nobody ends it
	equal "$(gets 60000 9)" '1 3 -1'
	equal "$(rcli ZCARD "dq:{$q}:wake")" 0
	promote 120000 >/dev/null
	equal "$(rcli ZCARD "dq:{$q}:wake")" 1
	equal "$(gets 120000 9)" '1 3 -1'
}

@test "max-leased: lowering it takes nothing away, raising and removing it wake" {
	fill 6
	set_to max-leased 3
	equal "$(gets 0 9)" '3 3 -1'
	set_to max-leased 1
	holds 0 3 3 0
	equal "$(settle ack -- m0 m1 | paste -sd' ')" 'd d'
	equal "$(gets 0 9)" '0 3 -1'
	settle ack -- m2
	equal "$(gets 0 9)" '1 3 -1'
	equal "$(rcli ZCARD "dq:{$q}:wake")" 0
	set_to max-leased 2
	equal "$(rcli ZCARD "dq:{$q}:wake")" 1
	equal "$(gets 0 9)" '1 3 -1'
	set_to max-leased ''
	equal "$(rcli ZCARD "dq:{$q}:wake")" 1
	equal "$(gets 0 9)" '1 0 -1'
	equal "$(rcli HEXISTS "dq:{$q}:stat" limits) $(rcli EXISTS "dq:{$q}:conf")" '0 0'
}

@test "max-leased: one take ends as many expired leases as it needs places, up to 1,000" {
	seq 1401 | dq-put -q -l "$q"
	equal "$(gets 0 1000)" '1000 0 -1'
	equal "$(gets 0 400)" '400 0 -1'
	set_to max-leased 450
	equal "$(gets 60000 50 0)" '0 3 -1'
	equal "$(gets 60000 50)" '50 3 -1'
	holds 0 951 450 0
}

@test "rate: never one more in any span, and the time of the next one is exact" {
	fill 20
	set_to rate 3/1000
	equal "$(gets 0 1)" '1 0 0'
	equal "$(gets 400 1)" '1 0 0'
	equal "$(gets 700 9)" '1 2 1000'
	equal "$(field stat armed)" "$((now + 1000))"
	equal "$(gets 999 9)" '0 2 1000'
	equal "$(gets 1000 9)" '1 2 1400'
	equal "$(gets 1399 9)" '0 2 1400'
	equal "$(gets 1700 9)" '2 2 2000'
	equal "$(gets 9000 9)" '3 2 10000' # no more for the time in which none began
	equal "$(rcli ZCARD "dq:{$q}:begun")" 1
}

@test "rate: retries count, and what is given back does, too" {
	fill 3
	set_to rate 2/1000
	equal "$(gets 0 1)" '1 0 0'
	settle giveback '' -- m0
	equal "$(gets 1 1)" '1 2 1000'
	settle retry 0 why -- m0
	equal "$(gets 2 1)" '0 2 1000'
}

@test "rate: after the clock went back nobody gets more, and nobody waits longer than the span" {
	fill 9
	set_to rate 2/1000
	equal "$(gets 5000 2)" '2 2 6000'
	equal "$(gets 0 2)" '0 2 1000'
	equal "$(gets 999 2)" '0 2 1000'
	equal "$(gets 1000 2)" '2 2 2000'
}

@test "rate: after the clock went back a promoter alone does not call again and again" {
	fill 9
	set_to rate 2/1000
	equal "$(gets 5000 2)" '2 2 6000'
	equal "$(promote 0 | sed -n 6p)" "$((now + 1000))"
	equal "$(field stat armed)" "$((now + 1000))"
	equal "$(promote 999 | sed -n 6p)" "$((now + 1000))"
	equal "$(gets 999 2)" '0 2 1000'
}

@test "rate: another one counts what has begun" {
	fill 9
	set_to rate 5/1000
	equal "$(gets 0 4)" '4 0 0'
	set_to rate 2/1000
	equal "$(gets 10 9)" '0 2 1000'
	set_to rate 6/1000
	equal "$(gets 20 9)" '2 2 1000'
	set_to rate ''
	equal "$(gets 30 9)" '3 0 -1'
}

@test "rate of many: noted by thousandths of the span, each at its end: never too many, and the index stays small" {
	local i end
	seq 10020 | dq-put -q -l "$q"
	now=$(($(server_ms) / 1000 * 1000 + 9500))
	dq-set "$q" rate=10001/1000s
	end=$((1000500)) # of the second of the first ones, and the span
	for i in {1..10}; do
		equal "$(gets $((i * 40)) 1000)" '1000 0 0'
	done
	equal "$(gets 600 9)" "1 2 $end"
	equal "$(rcli ZCARD "dq:{$q}:begun")" 2
	equal "$(gets $((end - 1)) 9)" "0 2 $end"
	equal "$(gets "$end" 9)" '9 0 0'
	now=$((now - 2000000)) # the clock was set back: what began later counts as begun now
	equal "$(gets 0 9)" '9 0 0'
	equal "$(rcli ZCARD "dq:{$q}:begun")" 1
	fails 64 '^rate: ' dq-set "$q" rate=1/32d
	dq-set "$q" rate=1000/7d
	dq-set "$q" rate=1000000000/31d
	equal "$(dq-set "$q" | grep rate)" rate=1000000000/31d
}

@test "rate: a damaged index holds nobody up" {
	local damage
	for damage in x '0000000000000000 0' '0000000000000009 1' '1 x' '99999999999999999999 1'; do
		q=q$BATS_TEST_NUMBER.$((++n))
		fill 9
		set_to rate 2/1000
		equal "$(gets 0 2)" '2 2 1000'
		rcli ZADD "dq:{$q}:begun" "$((now * 1000 + 1000))" "$damage" >/dev/null
		equal "$damage: $(gets 1001 2)" "$damage: 2 2 2001"
		equal "$damage: $(gets 2500 2 | cut -c 1)" "$damage: 2"
	done
	q=q$BATS_TEST_NUMBER.back # the clock was set back, and the first of those that are later is damaged
	fill 9
	set_to rate 2/1000
	rcli ZADD "dq:{$q}:begun" "$((now * 1000 - 1))" '0000000000000001 1' "$((now * 1000 + 1))" x \
		"$((now * 1000 + 2))" '0000000000000002 1' >/dev/null
	equal "$(gets 0 2)" '2 2 1000'
}

@test "a pause that ends: nothing before, all after, and who sees its end removes it" {
	local by
	for by in take promote set; do
		q=q$BATS_TEST_NUMBER.$by
		fill 2
		put later 500 $'\n' >/dev/null
		set_to paused "$((now + 1000))"
		equal "$(field stat limits)" p
		equal "$(gets 999 9)" '0 1 1000'
		holds 0 3 0 0
		equal "$(script stat "$((now + 999))" | sed -n 10p)" "$((now + 1000))"
		equal "$(script stat "$((now + 1000))" | sed -n 10p)" 0
		case $by in
		take) equal "$(gets 1000 9)" '3 0 -1' ;;
		promote) promote 1000 >/dev/null ;;
		set) equal "$(script set "$((now + 1000))" paused 0 | sed -n 3p)" 0 ;;
		esac
		equal "$by $(rcli HEXISTS "dq:{$q}:stat" limits) $(rcli EXISTS "dq:{$q}:conf")" "$by 0 0"
		[ "$by" = take ] || equal "$(rcli ZCARD "dq:{$q}:wake")" 1
	done
}

# How many marks there are for who waits for messages, but not for times.
marks() {
	rcli ZCARD "dq:{$q}:wake"
}

@test "a pause or a rate that is set: who sleeps without waiting for times is woken in vain, learns of it, and nobody later" {
	local limit value why till
	while read -r limit value why till; do
		q=q$BATS_TEST_NUMBER.$limit
		fill 3
		equal "$(gets 0 1)" '1 0 -1'
		set_to "$limit" "$value"
		[ "$why" = 1 ] || equal "$(gets 1 1)" "1 $why $till"
		equal "$limit $(marks)" "$limit 1" # by dq-set, or by a take that got a message
		rcli DEL "dq:{$q}:wake" >/dev/null
		promote 3 >/dev/null
		equal "$limit $(marks)" "$limit 1"
		equal "$(gets 4 1)" "0 $why $till"
		equal "$(marks)" 0 # a take that got none does not: it was told
		equal "$(script mark "$now" wake 0)" 1
		rcli DEL "dq:{$q}:wake" "dq:{$q}:timer" >/dev/null
		equal "$(script mark "$now" timer '?') $(marks)" '1 1' # whoever knew of it ends
		equal "$(gets 5 1)" "0 $why $till"
		promote 10000 >/dev/null
		equal "$limit $(marks)" "$limit 0" # by now all have called
		equal "$(script mark "$((now + 10000))" wake 0)" 0
	done <<-END
		paused $((now + 20000)) 1 20000
		rate 1/20000 2 20001
	END
}

@test "several limits: the reasons in their order, and the least of what they allow" {
	fill 9
	set_to max-leased 4 rate 3/1000
	equal "$(gets 0 9)" '3 2 1000'
	equal "$(gets 1000 9)" '1 3 -1'
	settle ack -- m0 m1
	equal "$(gets 1001 9)" '2 3 -1'
	set_to paused 1
	equal "$(gets 1002 9)" '0 1 -1'
}

@test "a pause with an end does not end a longer one" {
	local end
	for end in 9 7 8; do set_to paused "$((now + end))"; done
	equal "$(field conf paused)" "$((now + 9))"
	set_to paused 1
	set_to paused "$((now + 10))"
	equal "$(field conf paused)" 1
}

@test "a pause with an end does not end that of a load, and is there after it" {
	local end
	script load "$now" fail 1 - "begin 5 7" '' >/dev/null
	for end in 1000 500; do set_to paused "$((now + end))"; done
	equal "$(field conf paused)" "load $((now + 1000))"
	refuses '^DQHELD 7$' load "$now" fail 2 - "begin 5 8" ''
	equal "$(gets 2000 1)" '0 1 -1'
	set_to paused "$((now + 3000))"
	equal "$(script load "$now" fail 1 - "end 5 7 0" '' | cut -c 1)" n
	equal "$(field conf paused)" "$((now + 3000))"
}

@test "a load keeps a pause that ends: it lasts until then, and not only as long as the load" {
	local end
	set_to paused "$((now + 1000))"
	script load "$now" fail 1 - "begin 5 7" '' >/dev/null
	equal "$(field conf paused)" "load $((now + 1000))"
	equal "$(gets 2000 1)" '0 1 -1' # the load has not ended
	script load "$now" fail 1 - "end 5 7 0" '' >/dev/null
	equal "$(field conf paused)" "$((now + 1000))"
	equal "$(field stat limits)" p
}

@test "an extended and a shortened lease, a put and a mark: what is limited is not marked" {
	fill 3
	set_to max-leased 1
	equal "$(gets 0 1)" '1 3 -1'
	put more 0 $'\n' >/dev/null
	equal "$(rcli ZCARD "dq:{$q}:wake")" 0
	equal "$(script mark "$now" wake 0)" 0
	equal "$(settle extend 90000 -- m0)" d
	equal "$(settle extend 5 -- m0)" d
	equal "$(rcli ZCARD "dq:{$q}:wake") $(field stat armed)" "0 $((now + 5))"
	settle ack -- m0
	rcli DEL "dq:{$q}:wake" >/dev/null
	equal "$(script mark "$now" wake 0)" 1
}
