# Goal: Expired messages are removed without a call of their own: promote, take and gc find them by the index `expiry`, which has the
# waiting messages with an expiry.

bats_require_minimum_version 1.5.0

load ../helper

now=1800000000000

# ID WHEN RECORD...: they expire 100 ms after now.
put() {
	script put "$now" fail 100 100 '' "$@" >/dev/null
}

token() { # ID
	field try "$1" | head -1 | cut -d' ' -f2
}

index() {
	rcli --raw ZRANGE "dq:{$q}:expiry" 0 -1 | paste -sd' '
}

take() { # MS-AFTER-NOW WANTED TTR
	script take "$((now + $1))" "$2" "$3" 1 1048576 >/dev/null
}

promote() { # MS-AFTER-NOW [LIMIT] -> promoted back died more, and expired
	script promote "$((now + $1))" "${2-1000}" | sed '1d;6d' | paste -sd' '
}

@test "the index has each waiting message with an expiry, however it came back" {
	put a 0 $'\nA' b 50 $'\nB' c 0 $'\nC' d 0 $' r=1\nD'
	script put "$now" fail 100 '' '' plain 0 $'\n' own 60 "x=$((now + 200)) p=100"$'\n' >/dev/null
	equal "$(index)" 'a b c d own'
	equal "$(score expiry a) $(score expiry own)" "$((now + 100)) $((now + 200))"
	take 1 4 20
	equal "$(index)" 'b own'
	equal "$(script retry "$((now + 2))" 5 '' a "$(token a)")$(script giveback "$((now + 2))" '' c "$(token c)")" dd
	equal "$(index)" 'a b c own'
	promote 30
	holds 2 3 0 1
	equal "$(index)" 'a b c own'
	equal "$(script redrive "$((now + 30))" d)" d
	equal "$(index)" 'a b c d own'
	take 31 9 5
	equal "$(index)" 'b own'
	promote 40
	equal "$(index)" 'a b c own'
	equal "$(script ack "$((now + 41))" a "$(token a)")" d
	equal "$(script bury "$((now + 41))" '' c "$(token c)")" d
	equal "$(script rm "$now" '' b)" d
	equal "$(index)" own
	script put "$now" replace 100 '' '' own 0 $'\n' >/dev/null
	equal "$(rcli EXISTS "dq:{$q}:expiry")" 0
	script put "$now" later 100 '' '' c "@$((now + 60))" $'\n' >/dev/null
	equal "$(index)" c
	audit
}

@test "a rescheduled message is in the index when it is back" {
	local way
	for way in 'ack' 'retry  ' 'bury ' 'giveback' promote; do
		q=q$way
		q=${q// /}
		put a 0 $'\nA'
		take 0 1 10
		equal "$(script put "$now" later 100 '' '' a "@$((now + 50))" $'\n')" l
		equal "$(index)" ''
		case $way in
		promote) promote 20 >/dev/null ;;
		retry*) script retry "$now" '' '' a "$(token a)" >/dev/null ;;
		bury*) script bury "$now" '' a "$(token a)" >/dev/null ;;
		giveback) script giveback "$now" '' a "$(token a)" >/dev/null ;;
		*) script "$way" "$now" a "$(token a)" >/dev/null ;;
		esac
		holds 1 0 0 0
		equal "$(index)" a
	done
}

@test "promote: expired messages are removed, not a ms early, in batches, delayed and ready alike" {
	put a 0 $'\nA' b 50 $'\nB' c 0 $'\nC'
	take 1 1 10
	script retry "$((now + 5))" 5000 '' a "$(token a)" >/dev/null
	equal "$(promote 99)" '1 0 0 0 0'
	holds 1 2 0 0
	equal "$(promote 100 2)" '0 0 0 1 2'
	equal "$(promote 100 2)" '0 0 0 0 1'
	holds 0 0 0 0
	equal "$(field stat expired) $(rcli EXISTS "dq:{$q}:expiry" "dq:{$q}:msg")" '3 0'
}

@test "leased and dead messages stay, and do not hide messages that expire after them" {
	put a 0 $'\nA' b 0 $'\nB'
	take 0 2 1000
	script bury "$now" '' b "$(token b)" >/dev/null
	script put "$now" fail 100 200 '' c 0 $'\n' >/dev/null
	equal "$(promote 300 1)" '0 0 0 1 1'
	equal "$(promote 300 1)" '0 0 0 0 0'
	holds 0 0 1 1
	equal "$(script ack "$((now + 300))" a "$(token a)")" d
}

@test "a message that comes back after its expiry: removed by the next promote, or by the one that brings it back" {
	put a 0 $'\nA' b 0 $'\nB'
	take 0 2 500
	script giveback "$((now + 300))" '' b "$(token b)" >/dev/null
	holds 0 1 1 0
	equal "$(promote 499)" '0 0 0 0 1'
	equal "$(promote 500)" '0 1 0 0 1'
	holds 0 0 0 0
}

@test "take: removes expired messages that are not next, too; without promote only those that it meets" {
	script put "$now" fail 100 '' '' first "@$((now - 1))" $'\n' >/dev/null
	put a 0 $'\nA' b 50 $'\nB'
	script take "$((now + 100))" 1 1000 0 1048576 >/dev/null
	holds 1 1 1 0
	take 101 1 1000
	holds 0 0 1 0
	equal "$(field stat expired)" 2
}

@test "gc: removes expired messages, and a dry run names them after the dead" {
	put a 0 $'\nA' b 0 $'\nB' c 0 $'\nC'
	take 0 1 1000
	script bury "$now" '' a "$(token a)" >/dev/null
	equal "$(script gc "$((now + 99))" 0 100 1 0 | paste -sd' ')" a
	equal "$(script gc "$((now + 100))" 0 100 1 0 | paste -sd' ')" 'a b c'
	equal "$(script gc "$((now + 100))" 0 2 1 0 | paste -sd' ')" 'a b'
	equal "$(script gc "$((now + 100))" 0 2 1 2 | paste -sd' ')" c
	holds 0 2 0 1
	equal "$(script gc "$((now + 100))" 1000 1 0 0 | paste -sd' ')" 'b 1'
	equal "$(script gc "$((now + 100))" 0 100 0 0 | paste -sd' ')" 'a c 2'
	holds 0 0 0 0
	equal "$(field stat expired) $(field stat purged)" '2 1'
}

@test "stat: expired messages are counted separately, and listed" {
	put a 0 $'\nA' b 50 $'\nB' c 0 $'\nC'
	take 0 1 1000
	equal "$(script stat "$((now + 99))" | sed -n '2,6p;20p' | paste -sd' ')" '0 1 1 1 0 0'
	equal "$(script stat "$((now + 100))" | sed -n '2,6p;20p' | paste -sd' ')" '0 1 1 1 0 2'
	equal "$(script list "$((now + 100))" expired 0 10 | paste -sd' ')" "b $((now + 100)) 0 -1   c $((now + 100)) 0 -1  "
	equal "$(script list "$((now + 99))" expired 0 10)" ''
	equal "$(script list "$((now + 100))" expired 0 1 '' | paste -sd' ')" "b $((now + 100)) 0 -1   $((now + 100)) b"
}

@test "a wrong entry removes no message, and --repair corrects the index" {
	put gone 0 $'\n' leased 0 $'\n'
	take 0 2 100000
	script rm "$now" '' gone >/dev/null
	put missing 0 $'\n'
	dq-put -q -i plain "$q" plain
	dq-put -q -x 2000d -i later "$q" later
	rcli ZREM "dq:{$q}:expiry" missing >/dev/null
	rcli ZADD "dq:{$q}:expiry" 5 plain 6 later 7 leased 8 nobody 9 gone >/dev/null
	equal "$(script audit "$now" expiry 0 100 0 | sed 1,3d | grep -v wrong | sort | paste -sd' ')" 'gone later leased nobody plain'
	equal "$(script audit "$now" msg 0 100 0 | sed 1,3d | grep -v wrong | sort | paste -sd' ')" 'later leased missing plain'
	run -1 dq-gc --check "$q"
	equal "$(grep -c $'\twrong expiry$' <<<"$output")" 6
	dq-gc --repair "$q"
	equal "$(dq-gc --check "$q")" ''
	equal "$(index)" 'missing later'
	equal "$(score expiry missing)" "$((now + 100))"
	rcli ZADD "dq:{$q}:expiry" 5 plain 6 later 7 leased 8 nobody >/dev/null
	equal "$(promote 99)" '0 0 0 0 0'
	equal "$(field stat expired)" ''
	equal "$(field msg plain)" $'\nplain'
	[ -n "$(field msg later)" ]
}

@test "a wrong entry, in a queue that is checked in one call" {
	dq-put -q -i plain "$q" plain
	rcli ZADD "dq:{$q}:expiry" 5 plain >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q/plain"$'\twrong expiry'
	equal "$(script audit "$now" all 0 100 0 | sed -n '1p;4,5p' | paste -sd' ')" '0 plain wrong expiry'
	equal "$(script audit "$now" all 0 1 0 | sed -n 1p)" 0
	dq-put -q "$q" another
	equal "$(script audit "$now" all 0 1 0 | sed -n 1p)" 1 # more than one entry
	dq-gc --repair "$q"
	equal "$(index)" ''
}

# 20,000 that nobody takes.
many() {
	rcli EVAL "local redis_call, at = redis.call, tonumber(ARGV[1])
		for i = 1, 20000 do
			redis_call('HSET', KEYS[1], i, 'x=' .. ARGV[1] .. '\npayload')
			redis_call('ZADD', KEYS[2], 100 * 2 ^ 42 + at - 100, i)
			redis_call('ZADD', KEYS[3], at, i)
		end" 3 "dq:{$q}:msg" "dq:{$q}:ready" "dq:{$q}:expiry" 1700000000000 >/dev/null
	rcli ZADD "{dq:queues}" 1 "$q" >/dev/null
}

@test "20,000 expired messages: one dq-promote, in short calls" {
	local calls
	many
	dq-put -q -x 1h -i stays "$q" x
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.messages.ready, .expired]')" '[20001,20000]'
	matches "$(dq-stat --no-header "$q")" ' 20000 +0 +- +0 +-$'
	equal "$(dq-stat --messages expired "$q" | wc -l)" 20000
	rcli CONFIG RESETSTAT >/dev/null
	run -0 --separate-stderr dq-promote -v "$q"
	equal "$stderr" 'dq-promote: 0 promoted, 0 ready again, 0 dead, 20000 expired'
	calls=$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\),.*/\1/p')
	between 160 "$calls" 175
	holds 0 1 0 0
	equal "$(index) $(field stat expired)" 'stays 20000'
}

@test "20,000 expired messages: dq-gc, and dq-promote -f" {
	many
	equal "$(dq-gc --dry-run "$q" | wc -l)" 20000
	equal "$(dq-gc -v "$q" 2>&1)" $'dq-gc: 20000 removed\ndq-gc: 1 queue removed'
	holds 0 0 0 0
	many
	dq-promote -q -f "$q" 3>&- &
	local pid=$!
	wait_until 20 gone
	kill "$pid"
	equal "$(field stat expired)" 20000 # the queue that dq-gc removed took its counters along
}

gone() {
	[ "$(states)" = '0 0 0 0' ]
}

@test "a queue that never had an expiry costs no check for it" {
	dq-put -q -i a "$q" a
	equal "$(looks)" 9
	dq-put -q -x 2000d "$q" b
	equal "$(looks)" 11
}

looks() {
	rcli CONFIG RESETSTAT >/dev/null
	script promote "$now" 100 >/dev/null
	script take "$now" 0 '' 1 1000 >/dev/null
	rcli INFO commandstats | sed -n 's/^cmdstat_zrange:calls=\([0-9]*\),.*/\1/p'
}
