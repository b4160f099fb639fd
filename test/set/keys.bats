# Goal: dq-set prints and changes how messages with keys are served, and dq-stat says when that holds messages back.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

settings() {
	dq-set "$q" | tail -n 2 | paste -sd' '
}

@test "keys=serial and key-limit=N: set, shown, removed" {
	dq-set -q "$q" keys=serial key-limit=3
	equal "$(settings)" 'keys=serial key-limit=3'
	equal "$(field conf keys) $(field conf key-limit) $(field stat limits)" 'serial 3 sn'
	equal "$(dq-set --json "$q" | jq -c '[.keys, .key_limit]')" '["serial",3]'
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.keys, .key_limit, .limited]')" '["serial",3,null]'
	dq-set "$q" keys=fair key-limit=none
	equal "$(settings)" 'keys=fair key-limit=none'
	equal "$(rcli EXISTS "dq:{$q}:conf") $(field stat limits)" '0 '
	dq-set "$q" keys=serial
	local lines
	mapfile -t lines < <(dq-set "$q")
	dq-set -q "$q.copy" "${lines[@]}"
	equal "$(dq-set "$q.copy" | tail -n 2 | paste -sd' ')" 'keys=serial key-limit=none'
}

@test "a value that is none" {
	local words
	for words in keys= keys=none keys=Serial keys=1 keys=stop keys=serial,x keys=fair,stop; do
		fails 64 "^keys: \"${words#*=}\": not fair, serial or serial,stop\$" dq-set "$q" "$words"
	done
	for words in key-limit=0 key-limit=-1 key-limit=x key-limit= key-limit=1000000001; do
		fails 64 '^key-limit: .*, or none$' dq-set "$q" "$words"
	done
	fails 64 '^keys: given twice$' dq-set "$q" keys=fair keys=fair
	fails 64 '^key-limit: given twice$' dq-set "$q" key-limit=1 key-limit=none
	equal "$(digest)" ''
}

@test "key-limit beside keys=serial: a line says that it has no effect, whichever comes second" {
	local void="$q: key-limit=[23] has no effect while keys=serial: of a key one message at a time"
	run -0 --separate-stderr dq-set "$q" keys=serial key-limit=2
	matches "$stderr" "$void"
	run -0 --separate-stderr dq-set "$q" key-limit=3
	matches "$stderr" "$void"
	equal "$(dq-set "$q" max-leased=1 2>&1)$(dq-set -q "$q" key-limit=2 2>&1)$(dq-set "$q" keys=fair 2>&1)" ''
	run -0 --separate-stderr dq-set "$q" keys=serial
	matches "$stderr" "$void"
	equal "$(dq-set "$q" key-limit=none 2>&1)" ''
}

@test "the script: the value before; a wrong one changes nothing" {
	equal "$(script set '' keys serial key-limit 2 | paste -sd,)" '0,'"$(field stat generation)"',,'
	equal "$(script set '' keys fair key-limit '' | sed 1,2d | paste -sd,)" 'serial,2'
	equal "$(script set '' keys '' | tail -n 1)" ''
	local words before args
	before=$(digest)
	for words in 'keys x' 'keys' 'key-limit 0' 'key-limit 1000000001'; do
		read -ra args <<<"$words"
		run script set '' max-len 5 "${args[@]}"
		matches "$output" '^DQRANGE key'
	done
	equal "$(digest)" "$before"
}

@test "the word of limits keeps k, and gets it from the keys" {
	dq-put -q "$q" x
	rcli ZADD "dq:{$q}:turn" 1 'a 100' >/dev/null
	dq-set "$q" max-len=9
	equal "$(field stat limits)" mk
	rcli DEL "dq:{$q}:turn" >/dev/null
	dq-set "$q" max-len=none key-limit=1
	equal "$(field stat limits)" nk
	equal "$(dq-set --json "$q" | jq -c '[.keys, .key_limit]')" '["fair",1]'
	dq-set "$q" key-limit=none
	equal "$(field stat limits) $(dq-set "$q" | grep keys)" 'k keys=fair'
}

@test "the keys of all that is ready are held: LIMITED, --json, --check, --next" {
	dq-set -q "$q" keys=serial key-limit=2
	dq-put -q -k a "$q" 1
	dq-put -q -k a -i first "$q" x
	dq-put -q -d 1h "$q" y
	dq-take -q -t 9h "$q" >/dev/null
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" keys
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.limited, .limited_until_ms]')" '["keys",null]'
	run -1 dq-stat --check --warn 'limited>1h' "$q"
	matches "$output" "$q: limited, key a for [0-9.]+m?s: as many of its messages are leased as may be"
	between 3500000 "$(dq-stat --next "$q")" 3600000
	dq-set "$q" keys=serial,stop key-limit=none
	rcli HDEL "dq:{$q}:stat" key_walk dead_walk >/dev/null
	run -1 dq-stat --check --warn 'limited>1h' "$q"
	matches "$output" "$q: limited, key a for [0-9.]+m?s: as many of its messages are leased as may be"
	dq-put -q "$q" z
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')$(dq-stat --next "$q")" -0
}

@test "keys=serial,stop: set, shown, replaced by the other ones; a dump has it" {
	dq-set -q "$q" keys=serial,stop key-limit=3
	equal "$(settings)" 'keys=serial,stop key-limit=3'
	equal "$(field conf keys) $(field stat limits)" 'serial,stop sdn'
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.keys, .key_limit]')" '["serial,stop",3]'
	dq-dump "$q" >"$T/dump"
	equal "$(head -n 1 "$T/dump" | jq -r .keys)" serial,stop
	dq-set "$q" keys=serial key-limit=none
	equal "$(settings) $(field stat limits)" 'keys=serial key-limit=none s'
	dq-set "$q" keys=serial,stop
	equal "$(settings) $(field stat limits)" 'keys=serial,stop key-limit=none sd'
	dq-rm -qaf "$q"
	dq-load -q "$T/dump"
	equal "$(settings)" 'keys=serial,stop key-limit=3'
	equal "$(script set '' keys fair | tail -n 1) $(field stat limits)" 'serial,stop n'
	dq-set -q "$q.s" shards=3 keys=serial,stop
	rcli HSET "dq:{$q.s}:conf" keys serial >/dev/null
	rcli HSET "dq:{$q.s}:stat" limits s >/dev/null
	run -0 --separate-stderr dq-set "$q.s"
	equal "$stderr" "dq-set: $q.s: 2 of 3 shards have keys: dq-set $q.s keys=serial,stop or keys=fair for all of them"
}

@test "a queue of shards: each has the whole of both, also if they were set before" {
	local conf
	dq-set -q "$q" key-limit=2
	dq-set "$q" shards=3 keys=serial
	for conf in $(rcli KEYS "dq:{$q*}:conf"); do rcli HMGET "$conf" keys key-limit | paste -sd' '; done >"$T/shards"
	equal "$(sort "$T/shards" | uniq -c | xargs)" '3 serial 2'
	equal "$(settings)" 'keys=serial key-limit=2'
	dq-set "$q" key-limit=1
	equal "$(settings)" 'keys=serial key-limit=1'
	dq-dump "$q" >"$T/dump"
	equal "$(head -n 1 "$T/dump" | jq -c '[.keys, .key_limit]')" '["serial",1]'
	dq-rm -q -f -a "$q"
	dq-load -q "$T/dump"
	equal "$(settings)" 'keys=serial key-limit=1'
	rcli HDEL "dq:{$q}:conf" keys >/dev/null
	rcli HSET "dq:{$q}:stat" limits n >/dev/null
	run -0 --separate-stderr dq-set "$q"
	equal "$stderr" "dq-set: $q: 2 of 3 shards have keys: dq-set $q keys=serial or keys=fair for all of them"
}

@test "messages of a held key wait: dq-stat and dq-take -f say why" {
	dq-put -q -k a "$q" 1 2
	dq-set "$q" keys=serial
	dq-take -t 1h "$q" >"$T/receipt"
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.keys, .messages.ready, .limited]')" '["serial",1,"keys"]'
	run -1 --separate-stderr dq-take -n 2 "$q"
	equal "$stderr" \
		"dq-take: $q: limited by keys: the keys of all ready messages are blocked (dq-stat --keys $q shows why)"
	dq-ack <"$T/receipt"
	equal "$(dq-stat --json "$q" | jq -c '.queues[0].limited')" null
	equal "$(dq-take --ack "$q" | cut -f 2)" 2
}
