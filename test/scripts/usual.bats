# Goal: A call for one message, of promote or gc when nothing has to be done, or of stat, is usual: its reads are its checks
# (lua/lib/usual.lua). It keeps the contract: it refuses a key of a foreign type before it writes anything. test/sim compares the
# effects of usual and other calls with the model.

bats_require_minimum_version 1.5.0

load ../helper
load calls

# What each call needs of the keys: what it reads or writes. (-g: bats reads this file in a function.)
declare -gA needs=([put]='msg ready stat wake settled' [put_later]='msg delayed ready stat wake settled'
	[put_fields]='msg ready stat wake settled' [put_expire]='msg delayed ready stat wake settled expiry'
	[put_expiry]='msg delayed ready stat wake settled expiry' [put_there]='msg stat settled' [put_keep]='msg stat settled'
	[put_repeat]='msg stat settled' [put_replace]='msg delayed ready leased try stat wake settled expiry'
	[put_replace_ready]='msg delayed ready leased try stat wake settled expiry'
	[put_to_earlier]='msg delayed ready leased try stat wake settled expiry'
	[put_to_later]='msg delayed ready leased try stat wake settled expiry'
	[put_move]='msg delayed ready leased try stat wake settled expiry'
	[put_move_ready]='msg delayed ready leased try stat wake settled expiry'
	[put_edit]='msg delayed ready leased try stat wake settled expiry'
	[take]='msg ready leased try stat wake expiry' [take_unsure]='msg ready leased try stat wake expiry'
	[take_last]='msg delayed ready leased try stat expiry' [take_none]='msg delayed ready leased stat expiry'
	[take_none_as_keeper]='msg delayed ready leased stat expiry'
	[ack]='msg leased try stat conf' [ack_two]='msg leased try stat conf'
	[bury]='leased dead try stat' [give_back]='ready leased try stat wake' [give_back_later]='delayed ready leased try stat wake'
	[extend]='ready leased try stat wake' [retry]='delayed ready leased try stat wake failing'
	[promote]='msg delayed ready leased stat expiry' [promote_none]='msg delayed ready leased stat expiry'
	[gc]='msg dead stat settled expiry'
	[stat]='msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn')

context=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01

# A queue in use: some are ready, one is leased under token 77, one is delayed, and a time is kept.
use() {
	list_it
	put a 0 $'\nA' b 0 $'\nB' c 0 $'\nC' d 9000 $'\nD'
	rcli HSET "dq:{$q}:try" a "1 77 5 "$'\n' >/dev/null
	rcli <<-END >/dev/null
		ZREM dq:{$q}:ready a
		ZADD dq:{$q}:leased $((now + 9000)) a
		HSET dq:{$q}:stat armed $((now + 400)) listed $now
	END
}

# The call, in $words, and how its reply begins, in $reply.
call() { # NAME
	reply=d
	case $1 in
	put) words=(put "$now" fail 100 '' 0 n $'\nN') reply=n ;;
	put_later) words=(put "$now" fail 100 '' 700 n $'\nN') reply=n ;;
	put_fields) words=(put "$now" fail 5 '' 0 n "c=$context s=a=1 r=3 t=5000 b=1000,2000 p=5 u=60000"$'\nN') reply=n ;;
	put_expire) words=(put "$now" fail 100 5000 700 n $'\nN') reply=n ;;
	put_expiry) words=(put "$now" fail 100 '' 700 n "x=$((now + 5000))"$'\nN') reply=n ;;
	put_there) words=(put "$now" fail 100 '' 0 d $'\nN') reply=x ;;
	put_keep) words=(put "$now" keep 100 '' 0 c $'\nN') reply=k ;;
	put_repeat) words=(put "$now" repeat 100 '' 0 d $'\nD') reply=s ;;
	put_replace) words=(put "$now" replace 100 '' 0 d "x=$((now + 5000))"$'\nN') reply=r ;; # what is delayed, and is ready now
	put_replace_ready) words=(put "$now" only-replace 100 5000 700 c $'\nN') reply=r ;;
	put_to_earlier) words=(put "$now" only-earlier 100 '' 700 d $'\nN') reply=e ;;
	put_move) words=(put "$now" only-move 100 '' 700 d $'\n') reply=m ;;
	put_move_ready) words=(put "$now" move 100 '' 700 c $'\n') reply=m ;;
	put_edit) words=(put "$now" only-edit 100 '' 0 d $'\nN') reply=p ;;
	put_to_later) words=(put "$now" later 100 '' 700 c $'\nN') reply=l ;;
	take) words=(take "$now" 1 '' 1 1000 '') reply=${now}000 ;;
	take_last) # nothing else is ready: it tells when it will be
		script rm "$now" '' c >/dev/null
		words=(take "$now" 1 '' 1 1000 '') reply=${now}000
		;;
	take_none*) # nothing is ready
		script rm "$now" '' b c >/dev/null
		words=(take "$now" 250 '' 1 1000 '') reply=${now}000
		[ "$1" = take_none ] || words[6]=$((now + 400))
		;;
	take_unsure) words=(take "$now" 1 '' 1 1000 '?') reply=${now}000 ;; # as a tool that has waited for nothing yet
	ack) words=(ack "$now" a 77) ;;
	ack_two)
		script take "$now" 1 '' 1 9000 '' >"$T/b"
		words=(ack "$now" a 77 b "$(sed -n 2p "$T/b")") reply=dd
		;;
	extend) words=(extend "$now" 5000 a 77) ;;
	retry) words=(retry "$now" '' why a 77) ;;
	bury) words=(bury "$now" why a 77) ;;
	give_back) words=(giveback "$now" '' a 77) ;;
	give_back_later) words=(giveback "$now" 700 a 77) ;;
	promote*) # nothing is ready, or nothing is there
		script rm "$now" '' b c >/dev/null
		[ "$1" = promote ] || script rm "$now" '' a d >/dev/null
		words=(promote "$now" 10 '') reply=${now}000
		;;
	gc) words=(gc "$now" 1000 10 0 0) reply='' ;;
	stat) # nothing is ready
		script rm "$now" '' b c >/dev/null
		words=(stat "$now") reply=$now
		;;
	esac
}

types_asked() {
	rcli INFO commandstats | sed -n "s/^cmdstat_type:calls=\([0-9]*\).*/\1/p"
}

@test "a usual call asks for no types" {
	local name
	for name in "${!needs[@]}"; do
		q=q$BATS_TEST_NUMBER.$name
		use
		call "$name"
		rcli CONFIG RESETSTAT >/dev/null
		equal "$name $(script "${words[@]}" | head -n 1)" "$name $reply"
		equal "$name $(types_asked)" "$name "
		audit
	done
}

@test "a key of another type that the call needs: DQTYPE, and nothing is written; other keys are not checked" {
	local name part
	for name in "${!needs[@]}"; do
		for part in "${parts[@]}"; do
			q=q$BATS_TEST_NUMBER.$name.$part
			use
			call "$name"
			rcli SET "dq:{$q}:$part" foreign >/dev/null
			if [[ " ${needs[$name]} " == *" $part "* ]]; then
				refuses "^DQTYPE dq:.$q.:$part is a string, not a " "${words[@]}"
			else
				equal "$name $part $(script "${words[@]}" | head -n 1)" "$name $part $reply"
			fi
		done
	done
}

@test "a receipt with token 0 is invalid, whatever the entry says" {
	local name before
	use
	rcli HSET "dq:{$q}:try" a "1 0 5 "$'\n' >/dev/null
	before=$(digest)
	for name in ack extend retry; do
		call "$name"
		equal "$name $(script "${words[@]:0:${#words[@]}-1}" 0)" "$name s"
		equal "$(digest)" "$before"
	done
}

# What is in no other state than that of a key of a foreign type is in none.
@test "ack of several receipts, one of them moved back to ready or there twice, beside a foreign key" {
	local token
	use
	script take "$now" 1 '' 1 9000 '' >"$T/b"
	token=$(sed -n 2p "$T/b")
	rcli ZREM "dq:{$q}:leased" b >/dev/null
	rcli ZADD "dq:{$q}:ready" 0 b >/dev/null
	rcli SET "dq:{$q}:dead" foreign >/dev/null
	equal "$(script ack "$now" a 77 b "$token")" dd
	rcli DEL "dq:{$q}:dead" >/dev/null
	equal "$(script ack "$now" a 77 b "$token" a 77)" uuu
	holds 1 1 0 0
}

# An interrupted script leaves a message in two states; leased comes first (lua/lib/state.lua).
@test "a replace of a message that is leased and delayed leaves it in one place" {
	use
	rcli ZADD "dq:{$q}:delayed" "$((now + 5000))" a >/dev/null
	equal "$(script put "$now" replace 100 '' 700 a $'\nN')" r
	equal "$(rcli ZSCORE "dq:{$q}:leased" a)" ''
	equal "$(rcli ZSCORE "dq:{$q}:delayed" a)" "$((now + 700))"
	audit
}

@test "ack of several receipts without the right to remove them from leased: NOPERM, and nothing is written" {
	local before token
	use
	script take "$now" 1 '' 1 9000 '' >"$T/b"
	token=$(sed -n 2p "$T/b")
	before=$(digest)
	rcli ACL SETUSER lame on '>x' '~*' +@all -zrem >/dev/null
	run redis-cli -s "$T/main/s" --user lame --pass x --no-auth-warning EVAL "$(<"$DQ_BIN/lua/ack.lua")" "${#parts[@]}" \
		"${parts[@]/#/dq:{$q\}:}" "$now" a 77 b "$token"
	rcli ACL DELUSER lame >/dev/null
	matches "$output" '^NOPERM .* ZREM'
	equal "$(digest)" "$before"
}

@test "a put into a paused queue makes no mark" {
	use
	script set "$now" paused 1 >/dev/null
	rcli DEL "dq:{$q}:wake" >/dev/null
	call put
	equal "$(script "${words[@]}")" n
	equal "$(rcli ZCARD "dq:{$q}:wake")" 0
}

@test "a put that makes ready what is there leaves a mark, unless the queue is paused" {
	local mode paused
	for mode in replace earlier; do
		for paused in '' 1; do
			q=q$BATS_TEST_NUMBER.$mode$paused
			use
			script rm "$now" '' b c >/dev/null
			rcli DEL "dq:{$q}:wake" >/dev/null
			[ -z "$paused" ] || script set "$now" paused 1 >/dev/null
			equal "$mode $(script put "$now" "$mode" 100 '' 0 d $'\nD')" "$mode ${mode:0:1}"
			equal "$mode $(rcli ZCARD "dq:{$q}:wake")" "$mode $((1 - ${paused:-0}))"
			holds 0 1 1 0
		done
	done
}

@test "a put that delays the only ready message leaves no mark, whether or not a waiter has popped it" {
	local mode popped
	for mode in replace later; do
		for popped in '' 1; do
			q=q$BATS_TEST_NUMBER.$mode$popped
			use
			script rm "$now" '' c >/dev/null
			[ -z "$popped" ] || rcli DEL "dq:{$q}:wake" >/dev/null
			equal "$mode $(script put "$now" "$mode" 100 '' 700 b $'\nB')" "$mode ${mode:0:1}"
			equal "$mode $popped $(rcli ZCARD "dq:{$q}:wake")" "$mode $popped 0"
			holds 2 0 1 0
		done
	done
}

@test "a put adds the expiry to its index, its own or that of all" {
	local name
	for name in put_expire put_expiry put_replace put_replace_ready; do
		q=q$BATS_TEST_NUMBER.$name
		use
		call "$name"
		equal "$name $(script "${words[@]}")" "$name $reply"
		equal "$name $(rcli ZRANGE "dq:{$q}:expiry" 0 -1 WITHSCORES | xargs)" "$name ${words[6]} $((now + 5000))"
	done
}

@test "promote where nothing is due removes what has expired meanwhile" {
	use
	script rm "$now" '' b c >/dev/null
	put x 9500 "x=$((now + 300))"$'\nX'
	rcli ZADD "dq:{$q}:expiry" "$((now + 300))" x >/dev/null
	rcli HSET "dq:{$q}:stat" armed "$((now + 800))" >/dev/null
	equal "$(script promote "$((now + 500))" 10 '' | tail -n 1)" 1
	equal "$(rcli HEXISTS "dq:{$q}:msg" x)" 0
	audit
}

@test "a take beside what has expired removes it" {
	use
	put x 9500 "x=$((now + 300))"$'\nX'
	rcli ZADD "dq:{$q}:expiry" "$((now + 300))" x >/dev/null
	rcli HSET "dq:{$q}:stat" armed "$((now + 800))" >/dev/null
	script take "$((now + 299))" 1 '' 1 1000 '' >"$T/b"
	equal "$(sed -n 7p "$T/b") $(rcli HEXISTS "dq:{$q}:msg" x)" 'b 1'
	script take "$((now + 300))" 1 '' 1 1000 '' >"$T/c"
	equal "$(sed -n 7p "$T/c") $(rcli HEXISTS "dq:{$q}:msg" x)" 'c 0'
	audit
}

@test "gc removes at the very millisecond: what is dead for long enough, what has expired, a reserved id" {
	local asked
	use
	rcli ZADD "dq:{$q}:settled" "$((now + 9))" e >/dev/null
	equal "$(script gc "$((now + 8))" 1000 10 0 0)" ''
	equal "$(rcli ZCARD "dq:{$q}:settled")" 1
	script gc "$((now + 9))" 1000 10 0 0
	equal "$(rcli ZCARD "dq:{$q}:settled")" 0
	script bury "$now" why a 77 >/dev/null
	equal "$(script gc "$((now + 999))" 1000 10 0 0)" ''
	equal "$(script gc "$((now + 1000))" 1000 10 1 0)" a # asked only
	equal "$(script gc "$((now + 1000))" 1000 10 0 0)" a
	put x 9500 "x=$((now + 300))"$'\nX'
	rcli ZADD "dq:{$q}:expiry" "$((now + 300))" x >/dev/null
	asked=$(script gc "$((now + 300))" 1000 10 0 0)
	equal "$asked" x
	equal "$(rcli HEXISTS "dq:{$q}:msg" x)" 0
	audit
}

@test "gc of a queue that has another number of shards: DQSHARDS" {
	use
	rcli HSET "dq:{$q}:stat" shards 3 >/dev/null
	refuses '^DQSHARDS 3' gc "$now" 1000 10 0 0
}

# The counts of a stat at that time, in one line.
counts() { # TIME
	script stat "$1" | sed -n '1,10p;20,21p' | xargs
}

@test "stat at the very millisecond: what is due, what has expired" {
	use
	script rm "$now" '' b c >/dev/null
	equal "$(counts "$((now + 8999))")" "$((now + 8999)) 1 0 0 1 0 -1 -1 $((now + 9000)) 0 0 -1"
	equal "$(counts "$((now + 9000))")" "$((now + 9000)) 0 1 0 1 0 -1 $((now + 9000)) -1 0 0 -1"
	put x 9500 "x=$((now + 300))"$'\nX'
	rcli ZADD "dq:{$q}:expiry" "$((now + 300))" x >/dev/null
	equal "$(counts "$((now + 299))")" "$((now + 299)) 2 0 0 1 0 -1 -1 $((now + 9000)) 0 0 -1"
	equal "$(counts "$((now + 300))")" "$((now + 300)) 2 0 0 1 0 -1 -1 $((now + 9000)) 0 1 -1"
	audit
}

@test "stat of a paused queue, and of one in which all are leased or dead" {
	use
	script rm "$now" '' b c d >/dev/null
	equal "$(counts "$now")" "$now 0 0 0 1 0 -1 -1 -1 0 0 -1"
	script set "$now" paused 1 >/dev/null
	equal "$(counts "$now")" "$now 0 0 0 1 0 -1 -1 -1 1 0 -1"
	script bury "$now" why a 77 >/dev/null
	equal "$(counts "$now")" "$now 0 0 0 0 1 -1 -1 -1 1 0 -1"
}

@test "stat of a queue that has another number of shards: DQSHARDS" {
	use
	script rm "$now" '' b c >/dev/null
	rcli HSET "dq:{$q}:stat" shards 3 >/dev/null
	refuses '^DQSHARDS 3' stat "$now"
	equal "$(script stat "$now/3" | head -n 1)" "$now"
}
