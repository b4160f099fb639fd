# Goal: The keys of messages take turns within a priority; key-limit and keys=serial hold a key, for as long as they say, and nothing else.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# Messages whose payloads are their ids.
put() { # [OPTION...] ID...
	local options=() id
	while [[ $1 == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	for id; do printf '0\t%s\t%s\n' "$id" "$id"; done | dq-put -q --tsv "${options[@]}" "$q"
}

# What is taken, in one line; receipts are in $T/taken.
taken() { # [OPTION...]
	dq-take -q "$@" "$q" >"$T/taken" || true
	cut -f2 "$T/taken" | paste -sd' '
}

# As many calls of dq-take, and what each one gets.
one_by_one() { # N
	local i
	for ((i = 0; i < $1; i++)); do
		dq-take -q "$q" | cut -f2
	done | paste -sd' '
}

receipt() { # ID
	grep -F "/$1@" "$T/taken" | cut -f1
}

held() {
	fails 1 "^$q: limited by keys: the keys of all ready messages are blocked \(dq-stat --keys $q shows why\)\$" \
		dq-take -n 9 "$q"
}

sound() {
	equal "$(dq-gc -q --check "$q")" ''
	audit
}

@test "turns: the backlog of a key delays no other; messages without a key are one key; in a batch, too" {
	put -t 1h a+{0001..0500}
	put b+1 b+2 c+1 0 1 2
	equal "$(one_by_one 8)" 'a+0001 b+1 c+1 0 a+0002 b+2 1 a+0003'
	equal "$(taken -n 4)" '2 a+0004 a+0005 a+0006'
	put b+3 d+1
	equal "$(taken -n 5)" 'a+0007 b+3 d+1 a+0008 a+0009'
	sound
}

@test "turns are taken within a priority: a message that is more urgent goes first, whatever its key" {
	put -p 200 a+1 b+1 a+2
	put -p 5 a+3 c+1 a+4
	put 0 c+2
	equal "$(taken -n 3)" 'a+3 c+1 a+4'
	put -p 5 d+1
	equal "$(one_by_one 6)" 'd+1 0 c+2 a+1 b+1 a+2'
	sound
}

@test "a key that comes again is behind those that wait: who puts one message at a time gets no more than others" {
	local i
	put a+1 b+1 c+1
	for i in 2 3 4; do
		equal "$(one_by_one 1)" "a+$((i - 1))"
		put "a+$i"
		equal "$(one_by_one 2)" "b+$((i - 1)) c+$((i - 1))"
		put "b+$i" "c+$i"
	done
	sound
}

@test "keys=serial: the first of each key, until it is acked; messages without a key, and those that are only delayed, hold nothing" {
	dq-set -q "$q" keys=serial
	dq-put -q -d 1h -i a+0 "$q" a+0
	put a+1 a+2 b+1
	put 0 1 2
	put -p 200 a+3
	put -p 5 b+2
	equal "$(taken -n 99)" 'b+2 a+1 0 1 2'
	held
	dq-ack "$(receipt a+1)"
	equal "$(taken -n 99)" a+2
	dq-promote "$q/a+0"
	held
	dq-ack "$(receipt a+2)"
	equal "$(taken -n 99)" a+0
	dq-ack "$(receipt a+0)"
	equal "$(taken -n 99)" a+3
	sound
}

@test "keys=serial: a message that was delivered stays the first: through retries, give-backs and the end of its lease" {
	dq-set -q "$q" keys=serial
	put a+1 a+2
	put -p 5 b+1
	taken -n 9 >/dev/null
	dq-ack "$(receipt b+1)"
	put -p 5 a+0
	dq-ack -r -d 1h "$(receipt a+1)"
	held
	dq-promote "$q/a+1"
	equal "$(taken -n 9)" a+1
	dq-ack -g -d 2h "$(receipt a+1)"
	held
	later 7200001
	equal "$(taken -n 9 -t 10m)" a+1
	held
	later 600001
	equal "$(taken -n 9 -t 10m)" a+1
	dq-promote --release "$q/a+1"
	dq-take -n 9 --json "$q" >"$T/json"
	equal "$(jq -c '[.id, .try]' "$T/json")" '["a+1",4]'
	held
	dq-ack "$(jq -r .receipt "$T/json")"
	equal "$(one_by_one 2)" a+0
	sound
}

# As if that message had expired.
expire() { # ID
	rcli EVAL 'local function older(part)
			local text = redis.call("HGET", ARGV[1] .. part, ARGV[2])
			if text then redis.call("HSET", ARGV[1] .. part, ARGV[2], (string.gsub(text, "x=%d+", "x=1", 1))) end
		end
		older("msg")
		older("try")
		redis.call("ZADD", ARGV[1] .. "expiry", 1, ARGV[2])' 0 "dq:{$q}:" "$1" >/dev/null
}

@test "keys=serial: the next one goes when the first is dead, buried, removed, replaced or expired" {
	dq-set -q "$q" keys=serial
	put -r 1 a+1
	put -x 1h a+2
	put a+3 a+4 a+5 a+6
	equal "$(taken)" a+1
	dq-ack -r "$(receipt a+1)" # dead
	equal "$(taken)" a+2
	dq-ack -r -d 30m "$(receipt a+2)"
	held
	expire a+2
	equal "$(taken)" a+3
	dq-ack -b "$(receipt a+3)"
	equal "$(taken)" a+4
	dq-rm "$q/a+4"
	equal "$(taken)" a+5
	dq-put -q -e replace -i a+5 "$q" new
	equal "$(taken)" a+6
	dq-ack "$(receipt a+6)"
	equal "$(taken)" new
	dq-ack "$(receipt a+5)"
	dq-promote --dead "$q"
	equal "$(taken -n 9)" a+1
	dq-ack "$(receipt a+1)"
	equal "$(taken -n 9)" a+3
	sound
}

@test "key-limit: so many of each key; whatever frees a place lets the next one go; those without a key are not limited" {
	dq-set -q "$q" key-limit=2
	put -t 1h a+1 a+2 a+3 a+4 a+5
	put -t 1h b+1
	put -t 1h 0 1 2
	equal "$(taken -n 99)" 'a+1 b+1 0 a+2 1 2'
	held
	dq-ack "$(receipt a+2)"
	dq-rm "$q/a+1"
	equal "$(taken -n 99)" 'a+3 a+4'
	dq-ack -r -d 1h "$(receipt a+3)"
	equal "$(taken -n 99)" a+5
	holds 1 0 6 0
	put -t 1h a+6
	held
	sound
}

@test "keys and other limits: each of them holds, and the one that does is named" {
	dq-set -q "$q" key-limit=1 max-leased=2 rate=4/2h
	put -t 1h a+1 a+2
	put -t 1h b+1 b+2
	put -t 1h c+1 c+2
	equal "$(taken -n 99)" 'a+1 b+1'
	fails 1 "^$q: limited by max-leased: " dq-take "$q"
	dq-ack "$(receipt a+1)"
	equal "$(one_by_one 2)" c+1
	dq-ack "$(receipt b+1)"
	equal "$(taken -n 99)" a+2
	dq-rm "$q/a+2"
	fails 1 "^$q: limited by rate: " dq-take "$q"
	dq-set "$q" rate=none max-leased=none
	equal "$(taken -n 99)" b+2
	held
	dq-set "$q" paused=yes
	fails 1 "^$q: paused: " dq-take "$q"
	sound
}

@test "settings hold at once: a key that had more before gets no more; one that is eased lets its keys go" {
	put -t 1h a+1 a+2 a+3 a+4 b+1 b+2
	equal "$(taken -n 3)" 'a+1 b+1 a+2'
	dq-set "$q" keys=serial
	held
	dq-ack "$(receipt a+1)"
	held
	dq-ack "$(receipt b+1)"
	equal "$(taken -n 9)" b+2
	dq-set "$q" keys=fair key-limit=2
	equal "$(taken -n 9)" a+3
	dq-set "$q" key-limit=none
	equal "$(taken -n 9)" a+4
	sound
}

@test "settings that change while workers run: each message is done once, and nothing stays behind" {
	local key workers=() i
	for key in a b c; do
		seq 100 | dq-put -q -l -k "$key" "$q"
	done
	seq 50 | dq-put -q -l "$q"
	for i in 1 2; do
		dq-run -q -j 3 --drain "$q" -- true 3>&- &
		workers+=($!)
	done
	changed() {
		dq-set "$q" keys=serial
		dq-set "$q" keys=fair key-limit=1
		dq-set "$q" key-limit=none
		holds 0 0 0 0
	}
	wait_until 120 changed
	for i in "${workers[@]}"; do
		exits 0 "$i"
	done
	equal "$(field stat acked)" 350
	sound
}

@test "dq-run -j 4: of four serial keys one command each at a time; --until-empty: until none is left" {
	local worker key fd
	dq-set -q "$q" keys=serial
	for key in a b c d; do put "$key+1" "$key+2" "$key+3"; done
	mkfifo "$T/go"
	exec {fd}<>"$T/go"
	dq-run -q -j 4 --until-empty "$q" -- bash -c "echo \"\$DQ_ID\" >>'$T/started'; read -rn 1 <'$T/go'" 3>&- &
	worker=$!
	wait_until 20 has_lines "$T/started" 4
	equal "$(sort "$T/started" | paste -sd' ')" 'a+1 b+1 c+1 d+1'
	printf %012d 0 >&"$fd"
	exits 0 "$worker"
	exec {fd}>&-
	for key in a b c d; do
		equal "$(grep "^$key" "$T/started" | paste -sd' ')" "$key+1 $key+2 $key+3"
	done
	holds 0 0 0 0
	sound
}

@test "--until-empty: all that is ready, in order, as each one is acked; what a consumer has holds its key" {
	dq-set -q "$q" keys=serial
	put a+1 a+2 a+3
	put b+1
	put 0
	equal "$(taken --until-empty --ack -n 2)" 'a+1 b+1 0 a+2 a+3'
	put a+1 a+2 a+3
	equal "$(taken -n 9)" a+1
	run -1 --separate-stderr dq-take --until-empty "$q"
	matches "$output$stderr" "^dq-take: $q: limited by keys: "
	dq-ack "$(receipt a+1)"
	equal "$(taken --until-empty --ack)" 'a+2 a+3'
	sound
}

# A waiting dq-take that has been told why it gets nothing.
waits() {
	dq-take -f --ack "$q" >"$T/followed" 2>"$T/said" 3>&- &
	waiter=$!
	wait_until 20 grep -q 'limited by keys' "$T/said"
}

followed() { # IDS
	equal "$(cut -f2 "$T/followed" | paste -sd' ')" "$1"
}

@test "-f wakes when a key is free again: by an ack, a bury, a removal, the end of a lease that was the last, an eased setting" {
	local waiter
	dq-set -q "$q" keys=serial
	put -t 1h a+1 a+2 a+3 b+1 b+2 c+1 c+2 d+1 d+2 e+1 e+2
	equal "$(taken -n 9 | xargs -n 1 | sort | paste -sd' ')" 'a+1 b+1 c+1 d+1 e+1'
	waits
	dq-ack "$(receipt a+1)"
	wait_until 20 followed 'a+2 a+3'
	dq-ack -b "$(receipt b+1)"
	wait_until 20 followed 'a+2 a+3 b+2'
	dq-rm "$q/c+1"
	wait_until 20 followed 'a+2 a+3 b+2 c+2'
	dq-ack -x 1ms "$(receipt d+1)"
	wait_until 20 followed 'a+2 a+3 b+2 c+2 d+1 d+2'
	dq-set "$q" keys=fair
	wait_until 20 followed 'a+2 a+3 b+2 c+2 d+1 d+2 e+2'
	kill "$waiter"
	exits 143 "$waiter"
	sound
}

@test "a worker is killed: the message that it had is the next of its key, by whoever takes it" {
	local worker
	dq-set -q "$q" keys=serial
	put a+1 a+2
	mkfifo "$T/never"
	setsid dq-run -q "$q" -- sh -c "echo \"\$DQ_ID\" >>'$T/started'; exec cat '$T/never'" 3>&- &
	worker=$!
	wait_until 20 has_lines "$T/started" 1
	kill -KILL -- "-$worker"
	wait "$worker" 2>/dev/null || true
	held
	dq-promote -q --release "$q/a+1" # a lease that is short enough to wait for may be over before the command has started
	equal "$(dq-take -w 20s --json "$q" | jq -c '[.id, .key, .try]')" '["a+1","a",2]'
	held
	sound
}

@test "ids with keys: taken once, reserved, replaced, buried, redriven, kept as others are" {
	dq-put -q -k a -i 1 --keep 1h "$q" one
	fails 1 "^$q/a\\+1: not put: there is such a message already" dq-put -q -k a -i 1 "$q" two
	dq-put -q -i a+1 -e replace --keep 1h "$q" two
	equal "$(taken)" two
	dq-ack -b -m why "$(receipt a+1)"
	equal "$(dq-stat --messages dead "$q" | cut -f1)" "$q/a+1"
	dq-promote --dead "$q/a+1"
	equal "$(taken --ack)" two
	fails 1 "^$q/a\\+1: not put: its message was acked" dq-put -q -i a+1 "$q" three
	equal "$(dq-wait -w 0 "$q/a+1" | cut -f1,2)" "$q/a+1"$'\t'done
	run -1 dq-put -q -e fail -k a -i 1 "$q" three
	dq-rm "$q/a+1"
	dq-put -q -k a -i 1 "$q" three
	holds 0 1 0 0
	sound
}

@test "several shards: all messages of a key are in one, and its order holds" {
	local key
	dq-set -q "$q" shards=4 keys=serial
	for key in a b c d e f g h; do put "$key+1" "$key+2" "$key+3"; done
	equal "$(for key in a b c d e f g h; do taken -n 9; done | xargs -n 1 | sort | paste -sd' ')" \
		'a+1 b+1 c+1 d+1 e+1 f+1 g+1 h+1'
	dq-rm "$q"/{a,b,c,d,e,f,g,h}+1
	dq-run -q -j 4 --until-empty "$q" -- sh -c "echo \"\$DQ_ID\" >>'$T/done'"
	for key in a b c d e f g h; do
		equal "$(grep "^$key" "$T/done" | paste -sd' ')" "$key+2 $key+3"
	done
	equal "$(dq-gc -q --check "$q")" ''
}

@test "serial: what is due counts, however much it is, before what is put then, and before what is less urgent" {
	dq-set -q "$q" keys=serial
	seq 1500 | sed 's/.*/1h\tk&+1\tx/' | dq-put -q --tsv "$q"
	dq-put -q -d 2h -i ann+1 "$q" first
	dq-put -q -d 2h -i bob+1 "$q" later
	dq-put -q -d 2h -p 5 -i bob+2 "$q" urgent
	later 7200001
	dq-put -q -i ann+2 "$q" second
	dq-take -q -n 1 "$q" >"$T/out"
	equal "$(cut -f2 "$T/out")" urgent
	dq-take -q --no-promote -n 2000 "$q" >"$T/out"
	equal "$(cut -f2 "$T/out" | sort | uniq -c | xargs)" '1 first 1500 x'
	dq-rm -q -f -a "$q"
}

@test "serial: a take beside producers that are faster than it leases what was due when it began" {
	local i
	dq-set -q "$q" keys=serial
	soon_due() { seq "$1" "$2" | sed 's/.*/1ms\tk&+1\tx/' | dq-put -q --tsv "$q" && sleep 0.01; }
	soon_due 1 900
	for ((i = 1; i < 5; i++)); do
		script take '' 1 '' 1 1048576 '' >"$T/reply"
		soon_due $((i * 900 + 1)) $((i * 900 + 900))
		[ "$(rcli ZCARD "dq:{$q}:leased")" = 0 ] || break
	done
	equal "$(rcli ZCARD "dq:{$q}:leased")" 1
	[ "$(rcli ZCOUNT "dq:{$q}:delayed" -inf "$(server_ms)")" -gt 900 ]
}
