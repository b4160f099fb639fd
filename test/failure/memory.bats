# Goal: When Redis is full (maxmemory, noeviction) everything that empties a queue works, and put is refused whole.

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	begin_file
	start_server full
}

setup() {
	begin_test
	export SERVER=full DQ_URL=unix://$T/full/s
	free
}

full() {
	equal "$(rcli CONFIG SET maxmemory 1)" OK
}

free() {
	equal "$(rcli CONFIG SET maxmemory-policy noeviction maxmemory 0)" OK
}

# Puts a message with that id into that state; the receipt of a leased one is in $T/ID.
make() { # STATE ID...
	local state=$1 id
	shift
	for id; do
		case $state in
		delayed) dq-put -q -i "$id" -d 1h "$q" x ;;
		due) dq-put -q -i "$id" -d 5s "$q" x ;;
		*) dq-put -q -i "$id" "$q" x ;;
		esac
		case $state in
		leased) dq-take "$q" >"$T/$id" ;;
		dead) dq-take "$q" | dq-ack -b ;;
		esac
	done
}

@test "every move that drains works, though no script is loaded" {
	make leased acked retried buried back longer removed
	make dead again purged
	make delayed promoted
	make due due
	later 6000
	make ready taken
	holds 2 1 6 2
	rcli SCRIPT FLUSH >/dev/null
	full
	fails 75 'OOM' dq-put "$q" x
	dq-ack <"$T/acked"
	dq-ack -r -d 1h -m why <"$T/retried"
	dq-ack -b -m "$(printf '%01000d' 1)" <"$T/buried"
	dq-ack -g <"$T/back"
	dq-ack -x 1h <"$T/longer"
	dq-rm -f "$q/removed"
	holds 3 2 1 3
	dq-promote "$q"
	holds 2 3 1 3
	dq-promote "$q/promoted"
	dq-promote --dead "$q/again"
	dq-gc --dead-for 0s "$q" >/dev/null
	holds 1 5 1 0
	dq-set "$q" paused=yes
	run -1 dq-take "$q"
	dq-set "$q" paused=no
	equal "$(dq-take -n 9 "$q" | tee "$T/all" | wc -l)" 5
	dq-ack <"$T/all"
	holds 1 0 1 0
	dq-rm -f -a "$q"
	holds 0 0 0 0
}

@test "workers work, and failed messages are retried or dead" {
	make ready good bad worse
	full
	# shellcheck disable=SC2016
	run timeout 20 dq-run --once -j 3 "$q" -- sh -c 'case $DQ_ID in good) ;; worse) exit 65 ;; *) exit 1 ;; esac'
	equal "$status" 123
	holds 1 0 0 1
}

@test "each output of dq-take, and one that is settled at once" {
	make ready a b c d
	full
	matches "$(dq-take --json "$q")" '"id":"a"'
	equal "$(dq-take -0 "$q" | tr '\0' ' ' | cut -d' ' -f2)" x
	matches "$(dq-take --ack "$q")" "^$q/c@"
	matches "$(dq-take -w 5s "$q")" "^$q/d@"
	holds 0 0 3 0
}

@test "a read changes nothing and is allowed; the check reports the full memory" {
	make leased a
	make ready b
	local before
	before=$(digest)
	full
	run -0 --separate-stderr dq-stat "$q" "$q/b"
	run -0 dq-stat --messages all "$q"
	equal "${#lines[@]}" 2
	run -0 dq-stat --payload "$q/b"
	run -0 dq-gc --check "$q"
	run -2 dq-stat --check
	matches "$output" $'\ncritical\tmaxmemory\t'
	equal "$(digest)" "$before"
}

@test "repair works" {
	make ready a
	rcli HSET "dq:{$q}:msg" stray $'\nx' >/dev/null
	rcli ZADD "dq:{$q}:leased" 1 nobody >/dev/null
	full
	dq-gc --repair "$q" >/dev/null
	holds 0 2 0 0
}

@test "put is refused whole, in each mode, and reported once" {
	local before mode
	make ready a
	make delayed b
	make dead c
	before=$(digest)
	full
	for mode in fail replace earlier later; do
		fails 75 "^$q: 1 message not put: OOM " dq-put -e "$mode" -d 30m -i a "$q" y
		fails 75 "^$q: 1 message not put: OOM " dq-put -e "$mode" -d 30m -i b "$q" y
		fails 75 "^$q: 1 message not put: OOM " dq-put -e "$mode" -d 30m -i c "$q" y
	done
	run --separate-stderr dq-put -l "$q" <<<$'one\ntwo\nthree'
	equal "$status$output" 75
	matches "$stderr" "^dq-put: $q: 3 messages not put: OOM "
	equal "$(digest)" "$before"
	fails 75 OOM dq-put "$q.new" x
	is_unlisted "$q.new"
	equal "$(rcli KEYS "*$q.new*")" ''
}

# dq-put's count of that word in its last line on stderr.
counted() { # WORD
	grep -oE "[0-9]+ $1" <<<"${stderr_lines[-1]}" | cut -d' ' -f1
}

@test "memory fills in the middle of many: each message is put, or reported as refused; after draining puts work again" {
	local used n=30000 accepted
	seq "$n" | awk '{ printf "%0999d\n", $1 }' >"$T/many"
	used=$(rcli INFO memory | tr -d '\r' | sed -n 's/^used_memory://p')
	rcli CONFIG SET maxmemory $((used + 12000000)) >/dev/null
	run --separate-stderr dq-put -l "$q" <"$T/many"
	equal "$status" 75
	accepted=${#lines[@]}
	between 1000 "$accepted" $((n - 1000))
	matches "$stderr" 'not put: OOM '
	equal "$(counted accepted)" "$accepted"
	between 1 "$(counted refused)" $((n - accepted))
	equal "$(counted unknown)" 0
	equal "$(printf '%s\n' "${lines[@]#*/}" | sort | sha1sum)" "$(rcli --raw HKEYS "dq:{$q}:msg" | sort | sha1sum)"
	audit
	equal "$(dq-gc --check "$q")" ''
	while dq-take -n 1000 "$q" >"$T/batch"; do
		cut -f2 "$T/batch" >>"$T/got"
		dq-ack <"$T/batch"
	done
	equal "$(wc -l <"$T/got")" "$accepted"
	comm -23 <(sort "$T/got") <(sort "$T/many") >"$T/odd"
	equal "$(wc -c <"$T/odd")" 0
	holds 0 0 0 0
	dq-put -q "$q" x
	holds 0 1 0 0
}

has_mark() { # PART
	[ "$(rcli ZCARD "dq:{$q}:$1")" = 1 ]
}

no_mark() {
	! has_mark "$1"
}

@test "a taker that leaves gives its mark back, so that others are not late" {
	local due pid
	make delayed a
	due=$(score timer t)
	full
	dq-take -f "$q" >"$T/taken" 2>"$T/said" 3>&- &
	pid=$!
	wait_until 10 no_mark timer
	kill "$pid"
	exits 143 "$pid"
	equal "$(score timer t)" "$due"
	equal "$(cat "$T/said")" ''
}

@test "a worker that starts a command returns its mark, keeps its connection, and prints nothing" {
	local due pid
	make delayed a b
	due=$(score delayed a)
	full
	# shellcheck disable=SC2016
	dq-run "$q" -- sh -c 'echo "$DQ_ID"' >"$T/ran" 2>"$T/said" 3>&- &
	pid=$!
	wait_until 10 no_mark timer
	dq-promote "$q/b"
	wait_until 10 grep -qx b "$T/ran"
	settled() { [ "$(states)" = '1 0 0 0' ]; }
	wait_until 10 settled
	kill "$pid"
	exits 143 "$pid"
	between 1 "$(score timer t)" "$due"
	equal "$(cat "$T/said")" ''
}

@test "a policy that evicts: puts succeed and queues are evicted; the check has warned of it" {
	local used
	used=$(rcli INFO memory | tr -d '\r' | sed -n 's/^used_memory://p')
	rcli CONFIG SET maxmemory $((used + 3000000)) maxmemory-policy allkeys-lru >/dev/null
	run -2 dq-stat --check
	matches "$output" $'critical\tmaxmemory-policy\tallkeys-lru lets Redis evict whole queues'
	seq 5000 | awk '{ printf "%0999d\n", $1 }' | dq-put -q -l "$q" || true
	[ "$(rcli INFO stats | tr -d '\r' | sed -n 's/^evicted_keys://p')" -gt 0 ]
	run dq-take "$q"
	[[ $status = [01] ]]
}
