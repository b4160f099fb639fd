# Goal: dq-gc --repair repairs each fault of a queue, keeps every message, and reports what it did.

bats_require_minimum_version 1.5.0

load ../helper
load faults

wipe() {
	rcli DEL "${parts[@]/#/dq:{$q\}:}" >/dev/null
}

bodies() {
	rcli DEBUG DIGEST-VALUE "dq:{$q}:msg"
}

mended() { # FAULT TEXT DELAYED READY LEASED DEAD
	local n before
	for n in 1 3000; do
		wipe
		make_faults "$1" "$n"
		before=$(bodies)
		run -1 --separate-stderr dq-gc --check "$q"
		equal "$stderr" ''
		equal "$(sort <<<"$output")" "$(seq "$n" | sed "s|.*|$q/&\t$2|" | sort)"
		equal "$(bodies)" "$before"
		run -0 --separate-stderr dq-gc --repair "$q"
		equal "$stderr" ''
		equal "$(sort <<<"$output")" "$(seq "$n" | sed "s|.*|$q/&\t$2|" | sort)"
		clean
		holds $(($3 * n)) $(($4 * n)) $(($5 * n)) $(($6 * n))
		equal "$(bodies)" "$before"
	done
}

@test "a body in no state: ready" {
	mended unindexed 'no state' 0 1 0 0
	equal "$(dq-take -n 1000 "$q" | wc -l)" 1000
}

@test "an index entry without a body: gone" {
	mended bodiless 'no body' 0 0 0 0
}

@test "an id in two states: in the first one" {
	mended twice 'two states' 0 1 0 0
}

@test "leased without a receipt: ready" {
	mended unreceipted 'no receipt' 0 1 0 0
}

@test "tries without a body: gone" {
	mended tried 'no body' 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:try")" 0
}

@test "an id in any two states stays in the first of leased, ready, delayed, dead" {
	local pair first second
	for pair in leased:ready leased:delayed leased:dead ready:delayed ready:dead delayed:dead; do
		first=${pair%:*} second=${pair#*:}
		rcli HSET "dq:{$q}:msg" x $'\npay' y $'\npay' >/dev/null
		rcli HSET "dq:{$q}:try" x $'1 9 5 \n' y $'1 9 5 \n' >/dev/null
		rcli ZADD "dq:{$q}:$first" 4000000000000 x 4000000000000 y >/dev/null
		rcli ZADD "dq:{$q}:$second" 4000000000001 x >/dev/null
		run -1 dq-gc --check "$q"
		equal "$output" "$q/x"$'\t''two states'
		run -0 dq-gc --repair "$q"
		equal "$output" "$q/x"$'\t''two states'
		clean
		equal "$(score "$first" x) $(score "$second" x)" '4000000000000 '
		wipe
	done
}

@test "faults that hide each other in the counts, and one id with several" {
	dq-put -q -i good "$q" pay
	rcli HSET "dq:{$q}:msg" body $'\npay' >/dev/null
	rcli ZADD "dq:{$q}:ready" 5 entry >/dev/null
	rcli ZADD "dq:{$q}:dead" 5 entry >/dev/null
	rcli HSET "dq:{$q}:try" entry $'1 5 5 \n' >/dev/null
	rcli ZADD "dq:{$q}:leased" 5 good >/dev/null
	run -1 dq-gc --check "$q"
	equal "$(sort <<<"$output")" \
		"$(printf '%s\t%s\n' "$q/body" 'no state' "$q/entry" 'no body' "$q/good" 'no receipt' "$q/good" 'two states')"
	run -0 dq-gc --repair "$q"
	clean
	holds 0 2 0 0
	equal "$(dq-take -n 9 "$q" | cut -f2 | sort -u)" pay
}

@test "a body in no state beside an entry without a body: equal numbers, and both are found" {
	rcli HSET "dq:{$q}:msg" body $'\npay' >/dev/null
	rcli ZADD "dq:{$q}:ready" 5 entry >/dev/null
	run -1 dq-gc --check "$q"
	equal "$(sort <<<"$output")" "$(printf '%s\t%s\n' "$q/body" 'no state' "$q/entry" 'no body')"
	run -0 dq-gc --repair "$q"
	clean
	holds 0 1 0 0
}

@test "a repaired message keeps its priority and its tries" {
	rcli HSET "dq:{$q}:msg" a $'p=7 t=90000\npay' b $'p=nan\npay' c $'p=1e300\npay' >/dev/null
	rcli HSET "dq:{$q}:try" a $'3 0 5 p=7 t=90000\nwhy' >/dev/null
	run -0 dq-gc --repair "$q"
	equal "${#lines[@]}" 3
	clean
	holds 0 3 0 0
	equal "$(($(score ready a) / 4398046511104)) $(($(score ready b) / 4398046511104)) $(($(score ready c) / 4398046511104))" \
		'7 100 100'
	equal "$(tries a)" 3
}

@test "a fault of a foreign id with odd bytes is one line" {
	rcli ZADD "dq:{$q}:dead" 5 $'a\tb\nc' >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q/"'a\tb\nc'$'\t''no body'
	rcli ZADD "dq:{$q}:dead" 5 "$(printf '%05000d' 1)" >/dev/null
	run -1 dq-gc --check "$q"
	equal "${#lines[@]}" 2
	run -0 dq-gc --repair "$q"
	clean
}

take_all() {
	dq-take -n 100 "$q" | tee -a "$T/taken" | dq-ack
}

gone() {
	[ "$(rcli HLEN "dq:{$q}:msg")" = 0 ]
}

@test "--repair while messages move: every message survives, once" {
	local pids=()
	seq 3000 | dq-put -ql "$q"
	make_faults unindexed 1000
	touch "$T/$q.traffic"
	traffic take_all >/dev/null 2>&1 3>&- &
	pids+=($!)
	run -0 --separate-stderr dq-gc --repair "$q"
	equal "$stderr" ''
	equal "${#lines[@]}" 1000
	wait_until 60 gone
	rm "$T/$q.traffic"
	wait "${pids[@]}" || true
	holds 0 0 0 0
	equal "$(cut -f2 "$T/taken" | sort -n | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" '2000 1 1000 2'
}

# A fault that no repair changes.
@test "a fault that cannot be repaired: 1, reported once; a fault that SCAN returns twice is one line" {
	start_fake "$q" "*7\r\n\$1\r\n0\r\n:9\r\n:1\r\n\$1\r\nx\r\n\$7\r\nno body\r\n\$1\r\nx\r\n\$7\r\nno body\r\n" \
		"*32\r\n$(printf ':0\\r\\n%.0s' {1..29})\$0\r\n\r\n\$1\r\na\r\n\$1\r\n1\r\n"
	run -1 --separate-stderr dq-gc -u "unix://$T/$q/s" --check "$q"
	equal "$output$stderr" "$q/x"$'\t''no body'
	run -1 --separate-stderr dq-gc -u "unix://$T/$q/s" --repair "$q"
	equal "$output" "$q/x"$'\t''no body'
	equal "$stderr" "dq-gc: $q: not repaired: 1 fault"
}

# What --check and then --repair find in the queue, whose limits are LETTERS after it.
limits_mended() { # LETTERS
	local found=$q$'\twrong limits'
	run -1 --separate-stderr dq-gc --check "$q"
	equal "$output$stderr" "$found"
	run -0 --separate-stderr dq-gc --repair "$q"
	equal "$output$stderr" "$found"
	clean
	equal "$(field stat limits)" "$1"
}

@test "a limit that the scripts do not see: kept again" {
	local n
	for n in 4 3000; do
		wipe
		seq "$n" | dq-put -ql "$q"
		dq-set -q "$q" max-leased=3 rate=9/1s
		rcli HDEL "dq:{$q}:stat" limits >/dev/null
		equal "$(dq-take -n 1 "$q" | wc -l)" 1
		limits_mended lr
		equal "$(dq-take -n 4 "$q" | wc -l)" 2
		rcli HDEL "dq:{$q}:conf" max-leased >/dev/null
		limits_mended r
		rcli DEL "dq:{$q}:conf" >/dev/null
		limits_mended ''
		equal "$(dq-take -n 1 "$q" | wc -l)" 1
	done
}

@test "a limit that one shard does not see: kept again" {
	dq-set -q "$q" shards=3 paused=yes
	rcli HDEL "dq:{$q}:stat" limits >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q"$'\twrong limits'
	run -0 dq-gc --repair "$q"
	run -0 dq-gc --check "$q"
	equal "$output" ''
	seq 9 | dq-put -ql "$q"
	run -1 dq-take -n 9 "$q"
}
