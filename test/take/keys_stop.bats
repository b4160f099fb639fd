# Goal: With keys=serial,stop a dead message stops its key, until it is redriven, removed or purged; redriven it is the next of its key.

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

receipt() { # ID
	grep -F "/$1@" "$T/taken" | cut -f1
}

# The rows of dq-stat --keys, but for the column AGE.
rows() {
	dq-stat --keys --no-header "$q" | awk '{ print $1, $2, $3, $4, $5, $7 }' | sort
}

sound() {
	equal "$(dq-gc -q --check "$q")" ''
	audit
}

@test "a message that is buried, or out of tries, stops its key, and no other one; redriven it is the first again" {
	dq-set -q "$q" keys=serial,stop
	put -r 1 a+2
	put -r 1 a+1 a+3 b+1 b+2 c+1 0
	equal "$(taken -n 9)" 'a+2 b+1 c+1 0'
	dq-ack -r "$(receipt a+2)" # dead
	dq-ack -b "$(receipt b+1)"
	dq-ack "$(receipt c+1)"
	put c+2
	equal "$(taken -n 9)" c+2
	equal "$(rows)" $'a 2 0 0 1 dead\nb 1 0 0 1 dead\nc 0 1 0 0 -'
	dq-promote --dead "$q/a+2"
	equal "$(taken -n 9)" a+2
	dq-ack "$(receipt a+2)"
	equal "$(taken -n 9)" a+1
	dq-promote --dead "$q"
	equal "$(taken -n 9)" b+1
	sound
}

@test "a lease that ends with the last try, and a consumer that is released, stop their keys" {
	dq-set -q "$q" keys=serial,stop
	put -r 1 a+1 b+1
	put a+2 b+2
	equal "$(taken -n 9 -t 10m)" 'a+1 b+1'
	dq-promote -q --release "$q/a+1"
	later 600001
	equal "$(taken -n 9)" ''
	holds 0 2 0 2
	dq-rm "$q/a+1"
	equal "$(taken -n 9)" a+2
	sound
}

@test "a dead message that is removed, replaced, put later or purged lets its key go; a waiting dq-take wakes" {
	local key waiter
	dq-set -q "$q" keys=serial,stop
	for key in a b c d; do put "$key+1" "$key+2"; done
	taken -n 9 >"$T/all"
	cut -f1 "$T/taken" | dq-ack -b
	fails 1 "^$q: limited by keys: the keys of all ready messages are blocked \(dq-stat --keys $q shows why\)\$" \
		dq-take "$q"
	dq-take -f --ack "$q" >"$T/followed" 2>"$T/said" 3>&- &
	waiter=$!
	wait_until 20 grep -q 'limited by keys' "$T/said"
	followed() { # IDS
		equal "$(cut -f2 "$T/followed" | paste -sd' ')" "$1"
	}
	dq-rm "$q/a+1"
	wait_until 20 followed a+2
	dq-put -q -e replace -d 1h -i b+1 "$q" new
	wait_until 20 followed 'a+2 b+2'
	dq-put -q -e move -d 1h -i c+1 "$q" same
	wait_until 20 followed 'a+2 b+2 c+2'
	dq-gc -q --dead-for 0s "$q" >"$T/purged"
	wait_until 20 followed 'a+2 b+2 c+2 d+2'
	kill "$waiter"
	exits 143 "$waiter"
	sound
}

@test "switched on, messages that are dead already stop their keys, however many; switched off, none does" {
	seq -f 'a+%04.0f' 1200 | sed 's/.*/0\t&\t&/' | dq-put -q --tsv "$q"
	dq-take -n 700 "$q" | dq-ack -b
	# all at one time
	rcli EVAL 'for _, id in ipairs(redis.call("ZRANGE", ARGV[1], 0, -1)) do redis.call("ZADD", ARGV[1], ARGV[2], id) end' \
		0 "dq:{$q}:dead" 1790000000000 >/dev/null
	put b+1 c+1 c+2
	equal "$(taken -n 2)" 'a+0701 b+1'
	dq-ack <"$T/taken"
	put b+2
	dq-take -q -n 1 "$q" | dq-ack -b # c+1
	dq-set "$q" keys=serial
	equal "$(field conf keys) $(field stat limits)" 'serial sk'
	dq-set "$q" keys=serial,stop
	equal "$(field conf keys) $(field stat limits)" 'serial,stop sdk'
	script promote '' 1000 '' >/dev/null # looks at 250
	equal "$(field stat dead_walk | cut -d' ' -f2,3)" '250 a+0250'
	dq-rm "$q/a+0250" "$q/a+0001"
	equal "$(script take '' 9 '' 0 1000000 '' | wc -l)" 6 # nothing: perhaps a dead one stops b, too
	walked() { # one dq-promote goes on until all keys have their places
		dq-promote "$q"
		equal "$(rcli HEXISTS "dq:{$q}:stat" dead_walk)$(rcli HEXISTS "dq:{$q}:stat" key_walk)" 00
	}
	equal "$(taken -n 9)" b+2 # goes on until all dead ones are found
	walked
	equal "$(rows)" $'a 499 0 0 698 dead\nb 0 1 0 0 -\nc 1 0 0 1 dead'
	dq-stat --messages dead "$q" | grep -F "$q/a+" | dq-rm -q
	equal "$(taken -n 9)" a+0702
	sound
	dq-set "$q" keys=serial
	equal "$(taken -n 9)" c+2
	walked
	equal "$(rows)" $'a 498 1 0 - limit\nb 0 1 0 - -\nc 0 1 0 - -'
	dq-set "$q" keys=fair
	sound
}

@test "switched off, a call lets go of a thousand dead messages at most, and the walk goes on from there" {
	local key
	for key in {11..40}; do seq -f "k$key+%02.0f" 50; done | sed 's/.*/0\t&\t&/' | dq-put -q --tsv "$q"
	for _ in 1 2; do dq-take -n 750 "$q" | dq-ack -b; done
	holds 0 0 0 1500
	dq-set "$q" keys=serial,stop
	walked() { # one dq-promote goes on until all keys have their places
		dq-promote "$q"
		equal "$(rcli HEXISTS "dq:{$q}:stat" dead_walk)$(rcli HEXISTS "dq:{$q}:stat" key_walk)" 00
	}
	put z+1
	walked
	equal "$(rcli ZCARD "dq:{$q}:keyed")" 1501
	dq-set "$q" keys=serial
	script promote '' 1000 '' >/dev/null
	equal "$(rcli ZCARD "dq:{$q}:keyed")" 471 # of each key one more, which no message needs
	put k40+x
	walked
	equal "$(rcli ZCARD "dq:{$q}:keyed")" 2
	equal "$(taken -n 9)" 'z+1 k40+x'
	sound
}

@test "thousands of dead messages of a key do not delay that another key is mended" {
	seq -f 'a+%04.0f' 400 | sed 's/.*/0\t&\t&/' | dq-put -q --tsv "$q"
	dq-take -n 400 "$q" | dq-ack -b
	dq-set "$q" keys=serial,stop
	dq-promote "$q"
	dq-promote "$q"
	rcli ZADD "dq:{$q}:keyed" 0 'c A 9' >/dev/null
	script promote '' 1000 '' >/dev/null
	script promote '' 1000 '' >/dev/null
	equal "$(rcli ZSCORE "dq:{$q}:keyed" 'c A 9')" ''
}

@test "a dead message that was buried without a reason and redriven stays the first: in a dump, too" {
	dq-set -q "$q" keys=serial,stop
	put a+1 b+1
	put -p 5 a+0
	put b+0
	dq-rm "$q/a+0"
	equal "$(taken -n 9)" 'b+1 a+1'
	cut -f1 "$T/taken" | dq-ack -b
	put -p 5 a+0
	dq-promote --dead "$q/a+1"
	equal "$(dq-stat "$q/a+1" | grep reason)" $'reason\tfailed or buried'
	dq-dump -q "$q" >"$T/dump"
	equal "$(head -n 1 "$T/dump" | jq -r .keys)" serial,stop
	dq-rm -qaf "$q"
	dq-load -q "$T/dump"
	equal "$(dq-set "$q" | grep keys=)" keys=serial,stop
	dq-promote "$q"
	equal "$(rows)" $'a 2 0 1 0 -\nb 1 0 0 1 dead'
	equal "$(taken -n 9)" a+1
	dq-promote --dead "$q/b+1"
	equal "$(taken -n 9)" b+1
	sound
}

@test "a redriven message whose expiry has passed: it does not expire, and is the first" {
	dq-set -q "$q" keys=serial,stop
	put -x 1h a+1
	put a+0
	equal "$(taken)" a+1
	dq-ack -b -m why "$(receipt a+1)"
	local part
	for part in msg try; do
		rcli HSET "dq:{$q}:$part" a+1 "$(field "$part" a+1 | sed 's/x=[0-9]*/x=1/')" >/dev/null
	done
	dq-promote --dead "$q"
	equal "$(taken -n 9)" a+1
	dq-ack -g "$(receipt a+1)"
	equal "$(dq-stat --json "$q/a+1" | jq -c '[.expires_ms, .reason]')" '[null,"why"]'
	equal "$(taken -n 9)" a+1
	sound
}
