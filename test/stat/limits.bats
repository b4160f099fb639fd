# Goal: dq-stat shows the limits of a queue, how far they are used, and when the next message can be taken.

bats_require_minimum_version 1.5.0

load ../helper
load queue

# No limit of these queues ends within an hour, but for one that is removed.
limited() {
	dq-set -q "$q.r" rate=2/2h max-len=9
	dq-put -q "$q.r" 1 2 3 4 5
	dq-take --ack -n 2 "$q.r" >/dev/null
	dq-set -q "$q.l" max-leased=1
	dq-put -q -t 3h "$q.l" 1 2
	dq-take "$q.l" >/dev/null
	dq-set -q "$q.p" paused=4h
	dq-put -q "$q.p" 1
	dq-set -q "$q.w" paused=yes
	dq-set -q "$q.n" rate=9/1s max-leased=9
	dq-put -q "$q.n" 1
}

@test "the column LIMITED: why, or for how long" {
	limited
	run -0 dq-stat --no-header
	equal "$(awk '{ print $1, $10 }' <<<"${output//"$q."/}" | sed -E 's/(3h59m|4h0m)$/4h/')" $'l leased\nn -\np 4h\nr rate\nw paused'
	run -0 dq-stat
	matches "${lines[0]}" ' NEXT  LIMITED  EXPIRED '
	dq-set -q "$q.r" rate=none
	equal "$(dq-stat --no-header "$q.r" | awk '{ print $10 }')" -
}

of() { # QUEUE JQ-FILTER
	dq-stat --json "$q.$1" | jq -c ".queues[0] | $2"
}

@test "--json: the limits, as dq-set has them, and how far they are used" {
	local common='.paused, .max_leased, .rate, .max_len, .begun, .limited, .backlog_ms'
	limited
	equal "$(of r "[$common]")" '[false,null,{"count":2,"ms":7200000},9,2,"rate",10800000]'
	equal "$(of l "[$common]")" '[false,1,null,null,null,"leased",null]'
	equal "$(of p "[$common]")" '[true,null,null,null,null,"paused",null]'
	equal "$(of w "[$common, .paused_until_ms, .limited_until_ms]")" '[true,null,null,null,null,"paused",null,null,null]'
	equal "$(of n "[$common]")" '[false,9,{"count":9,"ms":1000},null,0,null,111]'
	equal "$(of p '.paused_until_ms == .limited_until_ms and .paused_until_ms - .now_ms > 3 * 3600000')" true
	equal "$(of r '.paused_until_ms == null and .limited_until_ms - .now_ms > 3600000')" true
	equal "$(of l '.limited_until_ms')" null
	local queue settings
	for queue in l n p r w; do
		settings=$(dq-set --json "$q.$queue" | jq -c "del(.paused_keys)") # dq-stat --keys shows these
		equal "$(of "$queue" "with_entries(select(.key | IN($(jq -c keys <<<"$settings" | tr -d '[]'))))" | jq -cS .)" \
			"$(jq -cS . <<<"$settings")"
	done
}

next() { # LOW HIGH QUEUE: in minutes
	run -0 --separate-stderr dq-stat --next "$q.$3"
	equal "$stderr" '' || return
	between "$1" $((output / 60000)) "$2"
}

@test "--next: from when on something can be taken, with all limits" {
	limited
	next 60 120 r
	next 60 180 l
	next 60 240 p
	next 0 0 n
	run -1 dq-stat --next "$q.w"
	run -0 dq-stat --next
	equal "$output" 0
	dq-put -q -d 5h "$q.m" x
	dq-set -q "$q.m" paused=4h
	next 241 300 m
	dq-set -q "$q.d" paused=4h
	run -1 --separate-stderr dq-stat --next "$q.d"
	equal "$output$stderr" ''
	dq-set -q "$q.r" rate=none
	run -0 dq-stat --next "$q.r"
	equal "$output" 0
}

# A message that is leased for so long, one more that has begun, one that is ready and one that is due.
busy() { # QUEUE LEASE LIMIT...
	dq-put -q -t "$2" "$q.$1" 1
	dq-put -q -p 101 "$q.$1" 2
	dq-set -q "$q.$1" "${@:3}"
	dq-take "$q.$1" >/dev/null
	dq-put -q -d 1ms "$q.$1" 3
	wait_until 20 is_due "$q.$1"
}

is_due() { # QUEUE
	[ "$(dq-stat --json "$1" | jq .queues[0].messages.due)" = 1 ]
}

@test "--next: of several limits the one that ends last" {
	busy a 5h max-leased=1 rate=1/3h
	next 240 300 a
	busy b 1h max-leased=1 rate=1/3h
	next 120 180 b
	dq-set -q "$q.b" paused=2h
	next 120 180 b
	equal "$(of b '.limited_until_ms - .now_ms > 7200000')" true
	dq-set -q "$q.b" paused=5h
	next 240 300 b
	dq-set -q "$q.b" paused=yes
	run -1 --separate-stderr dq-stat --next "$q.b"
	equal "$output$stderr" ''
	busy c 5h max-leased=1
	dq-set -q "$q.c" paused=4h
	next 240 300 c
	dq-set -q "$q.c" max-leased=2
	next 180 240 c
	busy d 1h rate=1/3h
	next 120 180 d
	dq-set -q "$q.d" paused=1h
	next 120 180 d
}

@test "--prometheus: the limits of those queues that have any" {
	limited
	dq-stat --prometheus >"$T/metrics"
	python3 "$top/test/tool/exposition.py" <"$T/metrics" >/dev/null
	equal "$(grep -E '^dq_queue_(limited|max|rate|begun)' "$T/metrics" | grep -v _until_ | sed "s/{queue=\"$q\\.\\(.\\)\"}/ \\1/")" \
		"dq_queue_limited l 1
dq_queue_limited n 0
dq_queue_limited p 0
dq_queue_limited r 1
dq_queue_limited w 0
dq_queue_max_leased_messages l 1
dq_queue_max_leased_messages n 9
dq_queue_rate_deliveries n 9
dq_queue_rate_deliveries r 2
dq_queue_rate_seconds n 1
dq_queue_rate_seconds r 7200
dq_queue_begun_deliveries n 0
dq_queue_begun_deliveries r 2
dq_queue_max_messages r 9"
	equal "$(grep -oE '^dq_queue_limited_until_timestamp_seconds\{queue="[^"]*"\} [0-9]{10}' "$T/metrics" | sed -E 's/.*\.(.)".*/\1/' |
		paste -sd' ')" 'p r'
	dq-stat --prometheus "$q.w" >"$T/metrics"
	equal "$(grep -cE 'dq_queue_(max|rate|begun|limited_until_ms)' "$T/metrics")" 0
}

# What the view of one queue shows.
watched() { # QUEUE
	printf '%s\n' 'wait space stop' 'keys j\r' 'wait left all queues' show 'keys q' end |
		TERM=xterm python3 "$top/test/tool/screen.py" 100x24 dq-stat --watch --every 1h "$q.$1"
}

@test "--watch: the limits of one queue, and how long its rate needs for the backlog" {
	limited
	matches "$(watched r)" "
$q.r  next -  limited by rate *
delayed 0  [^
]*
rate 2 of 2/2h, messages 3 of 9, backlog 3h0m *
"
	matches "$(watched l)" "
$q.l  next -  limited by max-leased *
delayed 0  [^
]*
leased 1 of 1 *
"
	matches "$(watched p)" "
$q.p  next -  paused for [34]h[0-9]+m *
"
	matches "$(watched w)" "
$q.w  next -  paused *
"
}

@test "shards: a limit is that of the whole queue, and it is limited if each shard is that has messages" {
	dq-set -q "$q.s" shards=2 max-leased=2 rate=20/1h
	equal "$(of s '[.shards, .max_leased, .rate.count, .limited]')" '[2,2,20,null]'
	seq 40 | dq-put -q -l -t 3h "$q.s"
	dq-take -n 9 "$q.s" >"$T/taken"
	equal "$(wc -l <"$T/taken")" 2
	equal "$(of s '[.limited, .begun]')" '["leased",2]'
	next 60 180 s
	equal "$(dq-stat -v --no-header "$q.s" | awk '{ print $10 }' | paste -sd' ')" 'leased leased leased'
	head -1 "$T/taken" | dq-ack
	equal "$(of s .limited)" null
	equal "$(dq-stat --no-header "$q.s" | awk '{ print $10 }')" -
	run -0 dq-stat --next "$q.s"
	equal "$output" 0
	# One shard has a place, but nothing to take; the other has a message, but no place.
	dq-set -q "$q.t" shards=2 max-leased=2
	dq-put -q -t 3h -i first "$q.t" x
	dq-take "$q.t" >/dev/null
	local id
	for id in {a..z}; do
		dq-put -q -i "$id" "$q.t" x
		dq-take -q --ack "$q.t" >"$T/taken" || break
	done
	equal "$(wc -c <"$T/taken")" 0
	next 60 180 t
	equal "$(of t '[.messages.ready, .limited]')" '[1,"leased"]'
}
