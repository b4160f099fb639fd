# dq-gc: --check and --repair, and what it forgets.

bats_require_minimum_version 1.5.0

load helper

# N of a fault, made by hand; first what it takes, then the damage. The ids are 1 to N.
make_faults() { # FAULT N
	local damage
	case $1 in
	unindexed) damage='redis.call("HSET", key.."msg", i, "\n"..i)' ;;
	bodiless) damage='redis.call("ZADD", key.."dead", i, i)' ;;
	tried) damage='redis.call("HSET", key.."try", i, "1 5 5 \nwhy")' ;;
	twice)
		seq "$2" | dq-put -ql "$q"
		rename
		damage='redis.call("ZADD", key.."delayed", 4000000000000, i)'
		;;
	unreceipted)
		seq "$2" | dq-put -ql "$q"
		rename
		while [ "$(states)" != "0 0 $2 0" ]; do dq-take -n 1000 -t 1d "$q" >/dev/null; done
		damage='redis.call("HDEL", key.."try", i)'
		;;
	esac
	rcli EVAL "local key = ARGV[1] for i = 1, ARGV[2] do $damage end" 0 "dq:{$q}:" "$2" >/dev/null
}

wipe() {
	rcli DEL "${parts[@]/#/dq:{$q\}:}" >/dev/null
}

# What was put is renamed to what it holds.
rename() {
	rcli EVAL 'local key = ARGV[1]
		for _, id in ipairs(redis.call("ZRANGE", key.."ready", 0, -1)) do
			local record = redis.call("HGET", key.."msg", id)
			redis.call("HSET", key.."msg", string.sub(record, 2), record)
			redis.call("ZADD", key.."ready", redis.call("ZSCORE", key.."ready", id), string.sub(record, 2))
			redis.call("HDEL", key.."msg", id)
			redis.call("ZREM", key.."ready", id)
		end' 0 "dq:{$q}:" >/dev/null
}

bodies() {
	rcli DEBUG DIGEST-VALUE "dq:{$q}:msg"
}

clean() {
	run -0 --separate-stderr dq-gc -q --check "$q"
	equal "$output$stderr" ''
	audit
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

@test "in any pair of states the one that is first of leased, ready, delayed, dead stays" {
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
	equal "$(sort <<<"$output")" "$(printf '%s\t%s\n' "$q/body" 'no state' "$q/entry" 'no body' "$q/good" 'no receipt' "$q/good" 'two states')"
	run -0 dq-gc --repair "$q"
	clean
	holds 0 2 0 0
	equal "$(dq-take -n 9 "$q" | cut -f2 | sort -u)" pay
}

@test "a body in no state beside an entry without a body: the counts are even, both are found" {
	rcli HSET "dq:{$q}:msg" body $'\npay' >/dev/null
	rcli ZADD "dq:{$q}:ready" 5 entry >/dev/null
	run -1 dq-gc --check "$q"
	equal "$(sort <<<"$output")" "$(printf '%s\t%s\n' "$q/body" 'no state' "$q/entry" 'no body')"
	run -0 dq-gc --repair "$q"
	clean
	holds 0 1 0 0
}

@test "what is mended keeps its priority and its tries" {
	rcli HSET "dq:{$q}:msg" a $'p=7 t=90000\npay' b $'p=nan\npay' c $'p=1e300\npay' >/dev/null
	rcli HSET "dq:{$q}:try" a $'3 0 5 p=7 t=90000\nwhy' >/dev/null
	run -0 dq-gc --repair "$q"
	equal "${#lines[@]}" 3
	clean
	holds 0 3 0 0
	equal "$(($(score ready a) / 4398046511104)) $(($(score ready b) / 4398046511104)) $(($(score ready c) / 4398046511104))" '7 100 100'
	equal "$(tries a)" 3
}

@test "a fault that a foreign hand gave an odd name is one line" {
	rcli ZADD "dq:{$q}:dead" 5 $'a\tb\nc' >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q/"'a\tb\nc'$'\t''no body'
	rcli ZADD "dq:{$q}:dead" 5 "$(printf '%05000d' 1)" >/dev/null
	run -1 dq-gc --check "$q"
	equal "${#lines[@]}" 2
	run -0 dq-gc --repair "$q"
	clean
}

# "at most" of -v
slice() {
	sed -n 's/.*slices of at most \([0-9]*\)$/\1/p' <<<"$stderr"
}

bytes() {
	sed -n 's/.*read \([0-9]*\) bytes.*/\1/p' <<<"$stderr"
}

@test "large payloads: slices stay about 1 MiB, no payload is lost" {
	local i
	head -c 1048576 /dev/urandom >"$T/mib"
	seq 3000 | dq-put -ql "$q"
	for i in {1..60}; do dq-put -q -i "big$i" "$q" - <"$T/mib"; done
	run -0 --separate-stderr dq-gc -v --check "$q"
	between 1 "$(bytes)" 1000000
	rcli ZREM "dq:{$q}:ready" big7 >/dev/null
	run -1 --separate-stderr dq-gc -v --check "$q"
	equal "$output" "$q/big7"$'\t''no state'
	between $((60 << 20)) "$(bytes)" $((70 << 20))
	between $((1 << 20)) "$(slice)" $((24 << 20))
	run -0 --separate-stderr dq-gc -v --repair "$q"
	between $((1 << 20)) "$(slice)" $((24 << 20))
	holds 0 3060 0 0
	dq-stat --payload "$q/big7" | cmp - "$T/mib"
}

@test "long index: slices of some hundred entries" {
	seq 20000 | dq-put -ql "$q"
	run -0 --separate-stderr dq-gc -v --check "$q"
	between 70 "$(sed -n 's/.* in \([0-9]*\) slices.*/\1/p' <<<"$stderr")" 100
}

@test "-v counts, on standard error" {
	make_faults bodiless 2
	run -1 --separate-stderr dq-gc -v --check "$q"
	matches "$stderr" "^dq-gc: $q: 2 faults, 0 repaired; "
	run -0 --separate-stderr dq-gc -v --repair "$q"
	matches "$stderr" "^dq-gc: $q: 2 faults, 2 repaired; "
	run -0 --separate-stderr dq-gc -v --check "$q"
	equal "$output" ''
	matches "$stderr" "^dq-gc: $q: 0 faults, 0 repaired; "
}

@test "--check changes nothing, nor does --repair --dry-run" {
	local before options
	seq 5 | dq-put -ql "$q"
	make_faults unindexed 2
	make_faults bodiless 4
	make_faults tried 6
	rcli ZADD "dq:{$q}:settled" 1 old >/dev/null
	before=$(digest)
	for options in --check '--repair --dry-run' '--check --dry-run' '--dry-run --repair'; do
		# shellcheck disable=SC2086
		run -1 dq-gc $options "$q"
		equal "${#lines[@]}" 4
		equal "$(digest)" "$before"
	done
	run -0 dq-gc --repair "$q"
	clean
}

@test "all queues, or the named ones; a fault anywhere is 1" {
	dq-put -q "$q" x
	dq-put -q "$q-2" x
	q=$q-2 make_faults bodiless 1
	run -0 dq-gc --check "$q"
	run -1 dq-gc --check "$q-2" "$q"
	run -1 dq-gc --check
	matches "$output" "$q-2/1"$'\t''no body'
	run -0 dq-gc --check nobody
	run -0 dq-gc --repair "$q-2"
	run -0 dq-gc --check "$q" "$q-2"
}

@test "--check and --repair together are refused" {
	local options
	for options in '--check --repair' '--repair --check' '--dry-run --check --repair --dead-for 0'; do
		# shellcheck disable=SC2086
		fails 64 '^only one of --check and --repair$' dq-gc $options "$q"
	done
}

@test "--check and --repair drop no dead, unless --dead-for is given" {
	dq-put -q -i x "$q" hello
	dq-take "$q" | dq-ack -b
	later $((31 * 86400000))
	dq-gc --check "$q"
	dq-gc --repair "$q"
	holds 0 0 0 1
	run -0 dq-gc --check --dead-for 1d --dry-run "$q"
	equal "$output" "$q/x"
	run -0 --separate-stderr dq-gc --check --dead-for 1d -v "$q"
	matches "$stderr" '1 dropped$'
	holds 0 0 0 0
	dq-put -q -i x "$q" hello
	dq-take "$q" | dq-ack -b
	later $((31 * 86400000))
	dq-gc "$q"
	holds 0 0 0 0
}

@test "ids kept unique are forgotten after their time" {
	seq 1 2500 | sed "s|.*|ZADD dq:{$q}:settled & id&|" | rcli >/dev/null
	rcli ZADD "dq:{$q}:settled" 4000000000000 kept >/dev/null
	dq-gc --dry-run "$q"
	dq-gc --check "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 2501
	run -0 --separate-stderr dq-gc -q "$q"
	equal "$output$stderr" ''
	equal "$(rcli ZRANGE "dq:{$q}:settled" 0 -1)" kept
}

@test "many dead and many ids to forget, in one run" {
	seq 2300 | dq-put -ql "$q"
	while dq-take -n 1000 "$q" | dq-ack -b && [ "$(states)" != '0 0 0 2300' ]; do :; done
	seq 1 4500 | sed "s|.*|ZADD dq:{$q}:settled & id&|" | rcli >/dev/null
	later 1000
	run -0 --separate-stderr dq-gc -v --dead-for 0 "$q"
	equal "$stderr" 'dq-gc: 2300 dropped'
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
}

traffic() { # until the file is gone
	while [ -e "$T/$q.traffic" ]; do "$@"; done
}

put_some() {
	{
		seq 40 | dq-put -ql "$q"
		seq 10 | dq-put -ql -d 5ms "$q"
	} 2>&1
}

take_some() {
	dq-take -n 30 "$q" | dq-ack
	dq-take -n 5 -t 1ms "$q"
	dq-take -n 3 "$q" | dq-ack -b
}

acked() {
	local n
	n=$(field stat acked)
	echo "${n:-0}"
}

more_than() { # N
	[ "$(acked)" -gt "$1" ]
}

@test "--check while messages move: no false alarm" {
	local pids=() n
	touch "$T/$q.traffic"
	for n in 1 2; do
		traffic put_some >/dev/null 2>&1 3>&- &
		pids+=($!)
		traffic take_some >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	for _ in {1..20}; do
		n=$(acked)
		run --separate-stderr dq-gc --check "$q"
		[ "$status$output$stderr" = 0 ] || break
		wait_until 30 more_than "$n" || break
	done
	rm "$T/$q.traffic"
	wait "${pids[@]}" || true
	equal "$status$output$stderr" 0
	more_than "$n"
	clean
}

take_all() {
	dq-take -n 100 "$q" | tee -a "$T/taken" | dq-ack
}

gone() {
	[ "$(rcli HLEN "dq:{$q}:msg")" = 0 ]
}

@test "--repair while messages move: nothing is lost, nothing comes twice" {
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

# An answer that nothing changes.
@test "a fault that cannot be mended: 1, said once; a fault that SCAN returns twice is one line" {
	start_fake "$q" "*7\r\n\$1\r\n0\r\n:9\r\n:1\r\n\$1\r\nx\r\n\$7\r\nno body\r\n\$1\r\nx\r\n\$7\r\nno body\r\n" \
		"*13\r\n$(printf ':0\\r\\n%.0s' {1..11})\$1\r\na\r\n\$1\r\n1\r\n"
	run -1 --separate-stderr dq-gc -u "unix://$T/$q/s" --check "$q"
	equal "$output$stderr" "$q/x"$'\t''no body'
	run -1 --separate-stderr dq-gc -u "unix://$T/$q/s" --repair "$q"
	equal "$output" "$q/x"$'\t''no body'
	equal "$stderr" "dq-gc: $q: not repaired: 1 fault"
}

@test "answers that the script cannot give: 70" {
	local n=0 answer
	for answer in "*0\r\n" "*3\r\n:0\r\n:0\r\n:0\r\n" "*4\r\n\$1\r\n0\r\n:0\r\n:1\r\n\$1\r\nx\r\n" ":1\r\n" \
		"*3\r\n\$30\r\n000000000000000000000000000000\r\n:0\r\n:0\r\n" "*3\r\n\$0\r\n\r\n:0\r\n:0\r\n"; do
		start_fake "$q-$((++n))" "$answer"
		fails 70 "^$q: not checked: " dq-gc -u "unix://$T/$q-$n/s" --check "$q"
	done
}

@test "bad input: 64" {
	fails 64 argument dq-gc --check=x "$q"
	fails 64 "a queue's name" dq-gc --check "$q/x"
	fails 64 "a queue's name" dq-gc --repair ''
	fails 64 dead-for dq-gc --check --dead-for -1 "$q"
}

@test "standard output is full: 74, what was found is mended all the same" {
	make_faults bodiless 3
	run --separate-stderr bash -c "dq-gc --check $q >/dev/full"
	equal "$status $stderr" '74 dq-gc: standard output: No space left on device'
	run --separate-stderr bash -c "dq-gc --repair $q >/dev/full"
	equal "$status $stderr" '74 dq-gc: standard output: No space left on device'
	run -0 dq-gc --check "$q"
	run --separate-stderr bash -c "dq-gc -q --check $q >/dev/full"
	equal "$status$stderr" 0
}

@test "no Redis: 69" {
	fails 69 '' dq-gc -u "unix://$T/none" --check
	fails 69 '' dq-gc -u "unix://$T/none" --repair "$q"
}

@test "a key of a foreign type: 70, the others are checked" {
	local part
	make_faults bodiless 1
	for part in "${parts[@]}"; do
		rcli SET "dq:{$q-2}:$part" 1
		run -70 --separate-stderr dq-gc --check "$q-2" "$q"
		equal "$output" "$q/1"$'\t''no body'
		matches "$stderr" "^dq-gc: $q-2: not checked: .*dq:\{$q-2\}:$part"
		fails 70 "^$q-2: not repaired: " dq-gc --repair "$q-2"
		fails 70 "^$q-2: not collected: " dq-gc "$q-2"
		rcli DEL "dq:{$q-2}:$part"
	done
}
