# Goal: In random calls the scripts agree with a model of a queue (test/sim/run). DQ_SIM_SEEDS=100000 is for a night.

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	export SIM_SEEDS=${DQ_SIM_SEEDS:-250}
	begin_file
}

sim() { # OPTION...
	"$top/test/sim/run" --socket "$T/main/s" --scripts "$DQ_BIN/lua" "$@"
}

# A copy of the scripts with a mistake in one of them, or in all that have that line. The expression must change something.
broken() { # NAME|'*' SED-EXPRESSION
	local file
	rm -rf "$T/broken"
	cp -r "$DQ_BIN/lua" "$T/broken"
	for file in "$DQ_BIN"/lua/$1.lua; do
		sed -E "$2" "$file" >"$T/broken/${file##*/}"
	done
	! diff -qr "$DQ_BIN/lua" "$T/broken"
}

# The simulation finds the mistake, and the command that it prints finds the same one. Some mistakes show in few episodes: from 101
# on one of them soon does.
caught() { # REGEX
	run -1 sim --seeds 600 --first 101 --scripts "$T/broken"
	matches "$output" "$1"
	local again seen
	again=$(sed -n 's|^again: test/sim/run ||p' <<<"$output")
	matches "$again" '^--seed [0-9]+ --steps [0-9]+$'
	seen=$(sed '/^in short/,$d' <<<"$output")
	# shellcheck disable=SC2086
	run -1 sim $again --scripts "$T/broken"
	equal "$(sed '/^in short/,$d' <<<"$output")" "$seen"
	# shellcheck disable=SC2086
	sim $again
}

# The rarest kind comes once in two hundred episodes. Of those from 501 on the first 250 have all.
@test "the scripts do what the model does, and every kind of reply was seen" {
	local kind kinds=(
		'ack '{d,s,u} 'bury '{d,s,u} 'extend '{d,s,u,DQRANGE} 'giveback '{d,s,u,DQRANGE} 'release '{d,b,s,o,u} \
			'retry '{d,b,s,u,DQRANGE} 'promote_now '{d,k,b,u}
		'put '{n,x,v,s,k,r,e,l,m,p,u,o,y,f,'\?',DQRANGE}
		'load '{n,s,k,r,x,v,DQHELD,DQOVER,DQGONE} 'redrive '{d,s,u} 'rm '{d,u,y,e,r,l,b}
		take promote gc set list show stat walk audit shards
		{put,take,ack,promote,stat,show}' DQSHARDS'
		'!flush' {put,load,take,ack,retry,bury,extend,giveback,promote,promote_now,redrive,release,rm,gc,set,audit}' DQCLOCK' \
			'!fault '{zadd,zrem,hset,hdel,hincrby}' [a-z]+ ERR' '!pop')
	sim --seeds "$SIM_SEEDS" --first 501 --tally | tee "$T/tally"
	for kind in "${kinds[@]}"; do
		grep -qE "^$kind [1-9][0-9]*$" "$T/tally" || {
			echo "never seen: $kind"
			return 1
		}
	done
	matches "$(tail -1 "$T/tally")" '^[0-9]{4,} calls as in the model, [0-9]{2,} ended in their middle'
}

# Each usual call runs something else that no script runs, and the server counts that; and so does each other call.
@test "the scripts do what the model does, with other seeds, and often by a usual call of each script, and by another one" {
	local name n
	local -A args=([retry]=', KEYS[1]' [promote]=', KEYS[1]') \
		mark=([promote]=PTTL [put]=PING [take]=DBSIZE [ack]=LASTSAVE [extend]=RANDOMKEY [retry]=TOUCH)
	cp -r "$DQ_BIN/lua" "$T/marked"
	for name in "${!mark[@]}"; do
		local call="redis.call('${mark[$name]}'${args[$name]-})"
		sed -i "s/^if reply then return reply end$/if reply then $call return reply end redis.call('ECHO', '')/" \
			"$T/marked/$name.lua"
		grep -q "'${mark[$name]}'" "$T/marked/$name.lua"
	done
	sim --seeds "$SIM_SEEDS" --first 100201 --scripts "$T/marked"
	for name in "${!mark[@]}"; do
		n=$(rcli INFO commandstats | sed -n "s/^cmdstat_${mark[$name],,}:calls=\([0-9]*\),.*/\1/p")
		echo "$name: ${n:-0}"
		[ "${n:-0}" -ge 20 ]
	done
	[ "$(rcli INFO commandstats | sed -n "s/^cmdstat_echo:calls=\([0-9]*\),.*/\1/p")" -ge 300 ]
}

@test "the simulation catches a receipt that is not compared" {
	broken ack "s/valid = last == token and /valid = last and /"
	caught 'reply: wanted b.*, got b'
}

@test "the simulation catches a delivery that is early by a ms" {
	broken promote 's/integer\(now \+ 1\)/integer(now + 2)/'
	caught 'reply: wanted|keys:'
}

@test "the simulation catches a counter that is not kept" {
	broken rm "s/count\('removed'/count('purged'/"
	caught 'stat (removed|purged): wanted'
}

@test "the simulation catches a message that leaves its old state before it is in the new one" {
	broken '*' "/^ *local function move\\(/,/^end/{/'ZADD'/{h; s/if to/& and (not from or from == 'new' or from == to)/}
		/'ZREMRANGEBYRANK'/G; /^ *removed = /G}"
	caught 'is in no state'
}

@test "the simulation catches the end of a pause of a key that wakes nobody, and one that is never removed" {
	broken '*' 's/, key_pause_end\(\)\)$/)/'
	caught 'armed|timer'
	broken take 's/^end_key_pauses\(now\)$//'
	caught 'paused:'
}

@test "the simulation catches a write whose refusal is swallowed" {
	broken '*' "s/redis\.call\('ZADD', to,/redis.pcall('ZADD', to,/"
	caught '!fault zadd (.|\n)*((reply|keys): *\n?.*wanted|is in no state)'
}

@test "the simulation catches a script that reads the clock although the time is an argument" {
	broken take "s/^  local ms = now_arg ~= ''/  redis.call('TIME')\n&/"
	run -1 sim --seeds 2 --scripts "$T/broken"
	matches "$output" 'looked at the clock'
}

# Name and arguments of each script, but for the time; - is an empty one, + a newline at its beginning or end, ~ a blank.
@test "each script reads the server's clock once" {
	local call words calls=('put fail 100 - - a 0 +x' 'take 1 - 1 1000' 'ack a 1' 'retry - why a 1' 'bury why a 1' 'extend 5 a 1'
		'giveback - a 1' 'promote 10' 'gc 0 10 0 0' 'stat' 'list ready 0 10' 'show 1 a' 'promote_now a' 'redrive a' 'release - a' \
			'set paused 0'
		'audit msg 0 10 1' 'rm - a' 'forget -' 'shards 3 3' 'listed 5' 'walk msg 0 10' 'keys list - 10'
		'load fail 0 a due~1~0~-1~-1+ +x')
	for call in "${calls[@]}"; do
		read -ra words <<<"$call"
		words=("${words[@]/#-/}")
		words=("${words[@]/#+/$'\n'}")
		words=("${words[@]//\~/ }")
		words=("${words[@]/%+/$'\n'}")
		rcli CONFIG RESETSTAT >/dev/null
		script "${words[0]}" '' "${words[@]:1}" >/dev/null
		matches "$(rcli INFO commandstats)" 'cmdstat_time:calls=1,' || {
			echo "script $call"
			return 1
		}
	done
	equal "${#calls[@]}" "$(find "$top/lua" -maxdepth 1 -name '*.lua' ! -name mark.lua ! -name touch.lua ! -name unlist.lua | wc -l)"
}
