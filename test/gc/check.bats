# Goal: dq-gc --check finds each fault of a queue, changes nothing, and raises no false alarm while messages move.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut
load faults

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

@test "long index: slices of a hundred entries or more" {
	seq 20000 | dq-put -ql "$q"
	run -0 --separate-stderr dq-gc -v --check "$q"
	between 140 "$(sed -n 's/.* in \([0-9]*\) slices.*/\1/p' <<<"$stderr")" 200
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
		wait_until 90 more_than "$n" || break
	done
	rm "$T/$q.traffic"
	wait "${pids[@]}" || true
	equal "$status$output$stderr" 0
	more_than "$n"
	clean
}

@test "a reply that the script cannot give: 70" {
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

@test "standard output is full: 74, and the faults found are repaired all the same" {
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

@test "--check only reads: with --retry-for a reply that is lost is asked for again" {
	dq-put -q -i x "$q" hello
	rcli ZREM "dq:{$q}:ready" x >/dev/null
	start_cut 'no state'
	run -1 --separate-stderr dq-gc --check --retry-for 2m -u "unix://$T/cut" "$q"
	stop_cut
	equal "$output" "$q/x"$'\tno state'
	matches "$stderr" ': trying again for 2m'
}
