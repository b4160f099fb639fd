# Goal: With many processes on one queue at once every message survives, no message has two valid receipts, and the queue is sound
# afterwards.

bats_require_minimum_version 1.5.0

load ../helper

# A failed test leaves no process behind.
teardown() {
	local pid
	: >"$T/stop"
	while read -r pid; do
		kill_ours "$pid"
	done <"$T/pids"
	end_test
}

taker() { # NAME OPTION-OF-TAKE... [-- SHARE OPTION-OF-ACK...]
	local name=$1 options=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	mkfifo "$T/$name"
	dq-take -qf -n 50 "${options[@]}" "$q" >"$T/$name" 2>"$T/$name.take" 3>&- &
	takers+=($!)
	echo $! >>"$T/pids"
	python3 "$top/test/failure/settle.py" "$T/log.$name" "$@" <"$T/$name" 3>&- &
	settlers+=($!)
}

collector() {
	until [ -e "$T/stop" ]; do
		dq-gc --dead-for 0 "$q" && dq-gc --check "$q" || return
		echo >>"$T/rounds"
	done
}

acked() {
	[ "$(field stat acked)" = "$1" ]
}

@test "two promoters, four takers, a collector and a producer at once: each message is settled once" {
	local count=50000 takers=() settlers=() promoters=() gc producer pid
	! grep -qa __asan_init "$DQ_BIN/dq-take" || count=8000
	for pid in 1 2; do
		dq-promote -qf "$q" 2>"$T/promote.$pid" 3>&- &
		promoters+=($!)
		echo $! >>"$T/pids"
	done
	taker plain
	taker short -t 1ms # many leases run out
	taker short.retry -t 20ms -- 0.3 -r -d 0
	taker return -- 0.3 -g
	collector >"$T/gc" 2>&1 3>&- &
	gc=$!
	awk -v count="$count" 'BEGIN {
		srand(1)
		split("- - 5ms 300ms 1s", delay, " ")
		for (i = 0; i < count; i++) printf "%s\tm%d\t%d\n", delay[int(rand() * 5) + 1], i, i }' 3>&- |
		dq-put -q -r 1000000 --tsv "$q" 3>&- &
	producer=$!
	wait_until 600 ended "$producer"
	exits 0 "$producer"
	wait_until 600 acked "$count"
	: >"$T/stop"
	exits 0 "$gc" || {
		cat "$T/gc"
		return 1
	}
	for pid in "${takers[@]}" "${promoters[@]}"; do
		kill "$pid"
		exits 143 "$pid"
	done
	for pid in "${settlers[@]}"; do
		exits 0 "$pid"
	done
	cat "$T"/*.take "$T"/promote.*
	equal "$(cat "$T"/*.take "$T"/promote.*)" ''
	python3 "$top/test/failure/history.py" "$count" "$T"/log.{plain,short,short.retry,return} >"$T/history" || {
		cat "$T/history"
		return 1
	}
	holds 0 0 0 0
	dq-gc --check "$q"
	equal "$(field stat put) $(field stat acked) $(field stat dead)" "$count $count "
	equal "$(rcli EXISTS "dq:{$q}:"{msg,delayed,ready,leased,dead,try})" 0
	echo "# $(cat "$T/history"); $(wc -l <"$T/rounds") rounds of the collector" >&3
}
