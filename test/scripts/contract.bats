# Goal: Every script refuses an unusable argument, an invalid time or a key of a foreign type before it writes anything.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "every script refuses an invalid time, and a missing argument" {
	local name given ids
	mapfile -t ids < <(seq 1001)
	for name in "$top"/lua/*.lua; do
		name=$(basename "$name" .lua)
		for given in nan -1 1.5 1e300 x; do
			refuses '^DQRANGE now$' "$name" "$given"
		done
		[[ $name == @(stat|touch|set) ]] || refuses '^DQRANGE ' "$name" "$now"
	done
	local writes
	for writes in put load ack retry bury extend giveback take promote gc promote_now redrive release set rm forget listed shards; do
		case $writes in
		put) set -- fail 100 '' 0 a $'\nx' ;;
		load) set -- fail 0 a $'due 1 0 -1 -1\n' $'\nx' ;;
		ack) set -- a 1 ;;
		giveback) set -- '' a 1 ;;
		release) set -- '' a ;;
		retry) set -- '' '' a 1 ;;
		bury) set -- '' a 1 ;;
		extend) set -- 5 a 1 ;;
		take) set -- 1 '' 1 1000 ;;
		promote) set -- 5 ;;
		gc) set -- 0 5 0 0 ;;
		promote_now | redrive) set -- a ;;
		set) set -- paused 1 ;;
		rm) set -- '' a ;;
		forget) set -- '' ;;
		listed) set -- 5 ;;
		shards) set -- '' 3 ;;
		esac
		refuses '^DQCLOCK 4398046511104$' "$writes" 4398046511104 "$@"
	done
	refuses '^DQCLOCK 9007199254740991$' audit 9007199254740991 msg 0 9 1
	refuses '^DQRANGE now$' stat 9007199254740992
	matches "$(script stat 4398046511104 | head -1)" '^4398046511104$'
	script list 4398046511104 ready 0 9
	script show 4398046511104 0 a
	script audit 4398046511104 msg 0 9 0
	script walk 4398046511104 msg 0 9
	script keys 4398046511104 list '' 9
	script keys 4398046511104 find a 0 9
	refuses '^DQRANGE receipts$' ack "$now" a 1 b
	refuses '^DQRANGE reason$' retry "$now" '' "$(printf '%01001d' 0)" a 1
	refuses '^DQRANGE reason$' bury "$now" "$(printf '%01001d' 0)" a 1
	refuses '^DQRANGE place$' load "$now" fail 0 a "$(printf 'due 1 0 -1 -1\n%01001d' 0)" $'\nx'
	refuses '^DQRANGE claim$' load "$now" fail x a $'due 1 0 -1 -1\n' $'\nx'
	refuses '^DQRANGE claim$' load "$now" fail 0 - 'begin 5 7' ''
	refuses '^DQRANGE place$' load "$now" fail 1 - 'begin 5 7' '' a $'due 1 0 -1 -1\n' $'\nx'
	refuses '^DQRANGE ids$' rm "$now" '' "${ids[@]}"
	refuses '^DQRANGE ids$' show "$now" 1 "${ids[@]}"
	refuses '^DQRANGE wanted$' take "$now" -1 '' 1 1000
	refuses '^DQRANGE cursor$' walk "$now" msg 1x 9
	refuses '^DQRANGE part$' walk "$now" ready 0 9
	refuses '^DQRANGE what$' keys "$now" all '' 9
	refuses '^DQRANGE key$' keys "$now" list a+ 9
	refuses '^DQRANGE key$' keys "$now" find '' 0 9
	refuses '^DQRANGE key$' keys "$now" find 'a*' 0 9
	refuses '^DQRANGE number$' keys "$now" find a 1x 9
	refuses '^DQRANGE count$' keys "$now" find a 0 1001
	refuses '^DQRANGE number$' keys "$now" list a 0
	refuses '^DQRANGE cursor$' audit "$now" msg 18446744073709551616 9 0
	refuses '^DQRANGE shard$' audit "$now" msg 0 9 0 64
}

@test "stat ends, whatever the scores" {
	rcli ZADD "dq:{$q}:ready" 1e300 a inf b >/dev/null
	matches "$(script stat "$now" | head -1)" "^$now\$"
}

# A call for one message checks only the keys that it needs: see plain.bats.
@test "every script refuses every key of a foreign type, and writes nothing" {
	local part name before
	local -A args=([put]="$now fail 100 '' '' new 0 x" [take]="$((now + 5000)) 5 '' 1 1000"
		[ack]="$now a TOKEN z 1" [giveback]="$now '' a TOKEN" [promote]="$((now + 5000)) 10" [stat]="$now" \
			[gc]="$((now + 5000)) 1 10 0 0"
		[retry]="$now 5 '' a TOKEN z 1" [bury]="$now '' a TOKEN" [extend]="$now 99 a TOKEN z 1" [rm]="$now '' a b c d"
		[promote_now]="$now b" [redrive]="$now c" [release]="$now '' a" [set]='paused 1' [list]="$now ready 0 9" [show]="$now 1 a" \
			[mark]="$now wake 0" [forget]="'' ''" [listed]="$now 5" [walk]="$now msg 0 9" [keys]="$now list '' 9"
		[load]="$now fail 0 e \$'due 1 0 -1 -1\\n' \$'\\nx'" [touch]=$now [shards]="'' '' 3" [audit]="$now msg 0 9 1")
	equal "$(printf '%s.lua\n' "${!args[@]}" unlist | sort)" "$(cd "$top/lua" && printf '%s\n' *.lua)"
	for part in "${parts[@]}"; do
		q=q$BATS_TEST_NUMBER.$part
		put a 0 $'\nA' b 5 $'\nB' c 0 $'r=1\nC' d 0 $'\nD'
		take 0 1 10
		# The usual passes check only the keys that they need (lua/lib/usual.lua): make all calls unusual.
		rcli ZADD "dq:{$q}:settled" 1 e >/dev/null
		rcli HSET "dq:{$q}:try" a "1 ${now}000 $now>$((now + 9)) "$'\n' >/dev/null
		rcli HDEL "dq:{$q}:stat" armed >/dev/null
		rcli DEL "dq:{$q}:$part" >/dev/null
		case $part in
		msg | stat) rcli ZADD "dq:{$q}:$part" 1 a >/dev/null ;;
		ready | wake | settled) rcli HSET "dq:{$q}:$part" a 1 >/dev/null ;;
		leased) rcli SADD "dq:{$q}:$part" a >/dev/null ;;
		try) rcli RPUSH "dq:{$q}:$part" a >/dev/null ;;
		*) rcli SET "dq:{$q}:$part" a >/dev/null ;;
		esac
		before=$(digest)
		for name in "${!args[@]}"; do
			eval "set -- ${args[$name]//TOKEN/${now}000}"
			run script "$name" "$@"
			matches "$output" "^DQTYPE dq:.$q.:$part is a [a-z]+, not a (hash|zset)\$" || {
				echo "$name"
				return 1
			}
		done
		equal "$(digest)" "$before"
	done
}
