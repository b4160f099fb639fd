# Goal: A server with a wrong clock loses nothing. A file sets the server's clock here (test/tool/shift.c).

bats_require_minimum_version 1.5.0

load ../helper
load ../health

hour=3600 year=31556952

set_clock() { # SECONDS ahead
	printf '%-32s' "$1" | dd of="$T/shift" conv=notrunc status=none
}

setup() {
	begin_test
	set_clock 0
	LD_PRELOAD=$DQ_BIN/shift.so SHIFT_FILE=$T/shift start_server shifted --appendonly yes --appendfsync always
	export SERVER=shifted
	DQ_URL=unix://$T/shifted/s
	export DQ_URL
}

@test "beyond May 2109 every call that needs the clock is refused, and nothing is lost" {
	local receipt says="the server's clock says 2[0-9]{3}-[0-9]{2}-[0-9]{2}T.*: out of range \(until May 2109\)$"
	seq 10 | dq-put -q -l -t 1h "$q"
	dq-put -q -p 0 -t 1h -i leased "$q" x
	receipt=$(dq-take "$q" | cut -f1)
	dq-put -q -p 0 -i dead "$q" x
	dq-take "$q" | dq-ack -b
	dq-put -q -x 1h -i expires "$q" x
	set_clock $((84 * year))
	fails 70 "^$q: .*$says" dq-take -n 20 "$q"
	fails 70 "$says" dq-take -w 5s "$q"
	fails 70 "^$q: .*not put: $says" dq-put "$q" x
	fails 70 "$says" dq-ack -r "$receipt"
	fails 70 "$says" dq-ack -x 1h "$receipt"
	fails 70 "$says" dq-promote "$q"
	fails 70 "$says" dq-rm "$q/dead"
	fails 70 "$says" dq-gc --dead-for 0 "$q"
	fails 70 "$says" dq-promote --dead "$q/dead"
	fails 70 "$says" dq-set "$q" paused=yes
	fails 70 "$says" dq-run --once "$q" -- true
	holds 0 11 1 1
	run -0 --separate-stderr dq-stat --no-header "$q"
	matches "$output" "^$q +0 +0 +11 +1 +1 "
	run -0 dq-stat --messages=dead "$q"
	equal "$(dq-stat --payload "$q/leased")" x
	dq-gc --check "$q"
	dq-ack "$receipt" # it is of no time
	holds 0 11 0 1
	set_clock 0
	equal "$(dq-take -n 20 "$q" | wc -l)" 11
	holds 0 0 11 1
}

@test "a message without expiry does not expire in the last minutes of the clock" {
	dq-put -q -i a "$q" x
	dq-put -q -x 1h -i b "$q" x
	set_clock $((4398046510 - EPOCHSECONDS - 100))
	equal "$(dq-take -n 9 "$q" | cut -f2)" x
	holds 0 0 1 0
}

@test "a clock that says 1970 loses nothing" {
	dq-put -q -i ready "$q" x
	dq-put -q -d 1h -i delayed "$q" x
	dq-put -q -i dead "$q" x
	dq-put -q -p 0 -x 1h -i expires "$q" x
	dq-take -n 3 "$q" | grep /dead@ | dq-ack -b
	set_clock -$((EPOCHSECONDS - 5))
	dq-put -q -i new "$q" x
	equal "$(dq-take -n 9 "$q" | wc -l)" 1
	dq-gc --dead-for 0 "$q"
	dq-promote "$q"
	dq-take "$q" || equal $? 1
	holds 1 0 3 1
	set_clock 0
	dq-promote "$q"
	equal "$(dq-take "$q" | cut -d@ -f1)" "$q/new" # its lease ended long ago
	holds 1 0 3 1
}

@test "--check: a clock out of range, one that went back, and one that differs from the local clock" {
	dq-put -q "$q" x y
	dq-take "$q" >/dev/null
	finds 0 'ok server'
	set_clock -$hour
	finds 1 'warning clock the server.s clock is (1h0m|59m[0-9]+s) behind the one here; correct the wrong clock' \
		"warning clock $q: the server.s clock went back: the last take was (1h0m|59m[0-9]+s) later than now; "
	dq-put -q "$q.fresh" x
	on=$q.fresh finds 1 'warning clock the server.s clock is (1h0m|59m[0-9]+s) behind the one here; correct the wrong clock'
	set_clock 0
	dq-put -q "$q.put" x # no take
	dq-put -q -d 9h "$q.later" x
	rcli ZADD "dq:{$q.old}:ready" "$(score ready "$(rcli ZRANGE "dq:{$q.put}:ready" 0 0)" "$q.put")" x >/dev/null
	rcli HSET "dq:{$q.old}:stat" put 1 >/dev/null
	set_clock -$hour
	local back='the server.s clock went back: the last put was (1h0m|59m[0-9]+s) later than now'
	on=$q.put finds 1 'warning clock' "warning clock $q.put: $back"
	on=$q.later finds 1 'warning clock' "warning clock $q.later: $back"
	on=$q.old finds 1 'warning clock' "warning clock $q.old: $back"
	dq-rm -af "$q.put" "$q.later" "$q.old"
	set_clock $((84 * year))
	finds 2 'critical clock the server.s clock says 2[0-9]{3}-.*: out of range \(until May 2109\), and every write is refused; set'
	set_clock 0
	dq-put -q "$q" again
	dq-take "$q" >/dev/null
	set_clock -9 # for 9 s
	finds 1 "warning clock $q: the server.s clock went back"
	set_clock 9
	finds 0 'ok server' 'ok clock the server.s clock is [89].* ahead of the one here'
}
