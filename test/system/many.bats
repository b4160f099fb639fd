# Goal: With many queues each tool that works over all of them needs little memory, one call for each queue, and few round trips.
# DQ_MANY=100000: so many (DQ_FULL), in place of 20,000. (The peak is never less than the 12 MB of the python that starts the tool.)

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	export many=${DQ_MANY:-20000}
	begin_file
}

setup() {
	begin_test
	start_server many
	export DQ_URL=unix://$T/many/s
}

teardown() {
	stop_server many
	end_test
}

info() { # SECTION FIELD
	SERVER=many rcli INFO "$1" | tr -d '\r' | sed -n "s/^$2\(:calls=\|:\)\([0-9]*\).*/\2/p"
}

queues() { # MS|''
	SERVER=many rcli EVAL "$(cat "$top/test/system/many.lua")" 0 "$many" "$1" >/dev/null
}

# COMMAND...: ends with 0, in 1 KiB a queue, with N scripts called for each queue, of which it waits for many together.
costs() { # N COMMAND...
	local n=$1 peak
	shift
	SERVER=many rcli CONFIG RESETSTAT >/dev/null
	peak=$(python3 "$top/test/system/flow_peak.py" /dev/null "$@")
	equal "${peak% *}" 0
	between 0 "${peak#* }" "$many"
	between $((n * many)) "$(info commandstats cmdstat_evalsha)" $((n * many + many / 100))
	between 0 "$(info stats total_reads_processed)" $((n * many / 2))
}

@test "many queues with a message each: memory and calls of dq-stat, dq-promote and dq-gc" {
	queues 3600000
	costs 1 dq-stat --prometheus
	costs 1 dq-gc --check
	costs 1 dq-stat
	costs 1 dq-stat --json
	costs 1 dq-gc
	costs 1 dq-promote
}

looked() { # COUNT
	[ "$(info commandstats cmdstat_evalsha)" -ge $(($1 * many)) ]
}

# The last poll is not followed by its rest yet.
@test "1000 queues: dq-stat --watch rests after a poll, so that polls take 1/20 of the server's time" {
	local many=1000 before usec pid
	queues 3600000
	SERVER=many rcli CONFIG RESETSTAT >/dev/null
	before=$(date +%s%6N)
	dq-stat --watch --every 100ms >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	wait_until 60 looked 4
	usec=$(SERVER=many rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:.*,usec=\([0-9]*\),.*/\1/p')
	between 0 "$usec" $((($(date +%s%6N) - before) / 20 + usec / 2))
	kill "$pid"
	exits 143 "$pid"
}

@test "many queues: dq-promote -f promotes them in turn, waits for none, and ends when asked" {
	local peak
	queues 100
	SERVER=many rcli CONFIG RESETSTAT >/dev/null
	peak=$(python3 "$top/test/system/flow_peak.py" /dev/null dq-promote -f -n $((many / 50)))
	equal "${peak% *}" 0
	between 0 "${peak#* }" "$many"
	equal "$(info commandstats cmdstat_bzpopmin)" ''
	SERVER=many rcli CONFIG RESETSTAT >/dev/null
	dq-promote -f --for 20ms
	between 0 "$(info commandstats cmdstat_evalsha)" $((many / 2)) # not all of them first
}

@test "more queues than dq-promote -f waits for: it goes through all shards of one" {
	local many=1500
	queues 3600000
	dq-set hot shards=4
	seq 40 | dq-put -q -l -d 1ms hot
	SERVER=many rcli CONFIG RESETSTAT >/dev/null
	dq-promote -f -n 40
	equal "$(info commandstats cmdstat_bzpopmin)" ''
	matches "$(dq-stat --json hot)" '"ready":40,'
}

@test "many queues without a message: dq-gc forgets them" {
	queues ''
	costs 3 dq-gc
	equal "$(SERVER=many rcli DBSIZE)" 0
}

@test "a queue that is named twice is one: rows, lines of a dump, shares of a worker" {
	printf '%s\n' 1 2 3 4 | dq-put -ql "$q.a"
	printf '%s\n' 1 2 3 4 | dq-put -ql "$q.b"
	equal "$(dq-stat "$q.b" "$q.a" "$q.b" | awk 'NR > 1 { print $1 }' | paste -sd' ')" "$q.b $q.a"
	equal "$(dq-stat --prometheus "$q.a" "$q.a" | grep -c '^dq_queue_.*state="ready"')" 1
	equal "$(dq-stat --check "$q.a" "$q.a" | grep -o "'${q}.a_dead'" | wc -l)" 1
	equal "$(dq-dump "$q.a" "$q.a" | grep -c '"kind":"message"')" 4
	run -0 dq-run --rotate --once -j 4 "$q.a" "$q.a" "$q.b" -- printenv DQ_QUEUE
	equal "$(sort <<<"$output" | uniq -c | tr -s ' ' | paste -sd,)" " 2 $q.a, 2 $q.b"
}
