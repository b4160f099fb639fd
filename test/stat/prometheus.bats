# Goal: dq-stat --prometheus prints metrics that every reader of the format accepts, and replaces a file in one step.

bats_require_minimum_version 1.5.0

load ../helper
load ../health
load queue

# What it prints, read strictly; promtool, where it is installed, agrees.
metrics() {
	dq-stat --prometheus "$@" >"$T/metrics" || return
	python3 "$top/test/tool/exposition.py" <"$T/metrics" >"$T/names" || return
	! command -v promtool >/dev/null || equal "$(promtool check metrics <"$T/metrics" 2>&1)" ''
}

has() { # LINE...
	local line
	for line; do
		grep -qxF -- "$line" "$T/metrics" || {
			echo "not there: $line"
			cat "$T/metrics"
			return 1
		}
	done
}

@test "no queues: the metrics of the server" {
	metrics
	has 'dq_queues 0' "$(rcli INFO server | tr -d '\r' | awk -F: '
		$1 == "redis_version" && !name { name = "Redis"; version = $2 }
		$1 == "valkey_version" { name = "Valkey"; version = $2 }
		END { printf "dq_server_info{name=\"%s\",version=\"%s\",role=\"master\"} 1", name, version }')"
	equal "$(grep -c dq_queue_ "$T/names")" 0
	grep -qx dq_server_memory_used_bytes "$T/names"
}

@test "each state, spans, counters" {
	local state n
	make_queue "$q.x"
	dq-set -q "$q.x" paused=yes
	dq-put -q "$q.y" x
	metrics
	while read -r state n; do
		has "dq_queue_messages{queue=\"$q.x\",state=\"$state\"} $n"
	done <<<$'delayed 1\ndue 2\nready 3\nleased 4\ndead 5'
	has 'dq_queues 2' "dq_queue_paused{queue=\"$q.x\"} 1" "dq_queue_paused{queue=\"$q.y\"} 0" \
		"dq_messages_put_total{queue=\"$q.x\"} 15" \
		"dq_messages_dead_total{queue=\"$q.x\"} 5" "dq_leases_expired_total{queue=\"$q.x\"} 5" \
		"dq_queue_late_seconds{queue=\"$q.y\"} 0" \
		"dq_queue_expired_messages{queue=\"$q.x\"} 0"
	grep -qE "^dq_queue_late_seconds\\{queue=\"$q.x\"\\} [0-9]+(\\.[0-9]{3})?\$" "$T/metrics"
	grep -qE "^dq_queue_next_due_timestamp_seconds\\{queue=\"$q.x\"\\} [0-9]{10}(\\.[0-9]{3})?\$" "$T/metrics"
	equal "$(grep -c '^dq_queue_next_due' "$T/metrics")" 1
	metrics "$q.y"
	has 'dq_queues 1'
	run -1 grep -F "$q.x" "$T/metrics"
}

@test "every counter of the manual is a metric, with the known exceptions" {
	local name
	dq-put -q "$q.x" x
	metrics
	for name in $(dq-stat --json "$q.x" | jq -r '.queues[0].totals | keys[]'); do
		name=${name/expired_leases/leases_expired}
		grep -qxE "dq_(messages|leases)_${name#leases_}_total" "$T/names" || {
			echo "$name"
			return 1
		}
	done
	equal "$(grep -c _total "$T/names")" "$(dq-stat --json "$q.x" | jq '.queues[0].totals | length')"
}

@test "lateness: a histogram of powers of two" {
	dq-put -q "$q.x" x
	rcli HSET "$q:{$q.x}:stat" late:0 1 late:3 10 late:4 100 late:29 1000 late:30 10000 late:42 100000 late:43 7 late:x 7 late:5 -1 \
		>/dev/null
	metrics
	equal "$(sed -n 's/.*_bucket.*le="\(.*\)"}/\1/p' "$T/metrics" | paste -d, - - - - - -)" \
		'0.001 1,0.008 11,0.064 111,1.024 111,8.192 111,65.536 111
1048.576 111,8388.608 111,67108.864 111,536870.912 1111,+Inf 111111,'
	has "dq_delivery_lateness_seconds_count{queue=\"$q.x\"} 111111"
}

@test "what the server says of itself is escaped" {
	start_info_server odd
	printf 'redis_version:7"x\\y\x1b\nrole:ma\x01ster\nuptime_in_seconds:x\n' >"$T/odd/info"
	DQ_URL=unix://$T/odd/s metrics
	has 'dq_server_info{name="Redis",version="7\"x\\\\y\\x1b",role="ma\\x01ster"} 1'
	run -1 grep uptime "$T/metrics"
}

@test "--output: the file is replaced whole, is readable by all, and nothing else is left" {
	mkdir "$T/d"
	echo old >"$T/d/dq.prom"
	chmod 600 "$T/d/dq.prom"
	exec 8<"$T/d/dq.prom"
	dq-put -q "$q.x" x
	(umask 077 && run -0 dq-stat --prometheus --output "$T/d/dq.prom" && equal "$output" '')
	equal "$(cat <&8)" old
	equal "$(stat -c %a "$T/d/dq.prom")" 644
	equal "$(ls "$T/d")" dq.prom
	metrics
	equal "$(python3 "$top/test/tool/exposition.py" <"$T/d/dq.prom")" "$(cat "$T/names")"
	cd "$T/d"
	dq-stat --prometheus --output new.prom
	cmp -s new.prom dq.prom || diff <(grep -v -e uptime -e timestamp -e clock -e memory -e oldest -e connected new.prom) \
		<(grep -v -e uptime -e timestamp -e clock -e memory -e oldest -e connected dq.prom)
}

@test "--output: a file that cannot be written: 74, and the old one stays" {
	mkdir "$T/d"
	dq-put -q "$q.x" x
	echo old >"$T/d/dq.prom"
	fails 74 "^--output: $T/d: not a regular file\$" dq-stat --prometheus --output "$T/d"
	fails 74 '^--output: /dev/full: not a regular file$' dq-stat --prometheus --output /dev/full
	fails 74 "^--output: $T/none/x: No such file or directory\$" dq-stat --prometheus --output "$T/none/x"
	fails 74 '^--output: .*: File ?name too long$' dq-stat --prometheus --output "$T/d/$(printf '%0300d' 1)"
	fails 74 '^--output: .*: File ?name too long$' dq-stat --prometheus --output "$(printf '%05000d' 1)"
	fails 74 "^--output: $T/d/dq.prom: File too large\$" bash -c \
		"trap '' XFSZ; ulimit -f 1; dq-stat --prometheus --output '$T/d/dq.prom'"
	equal "$(ls "$T/d"; cat "$T/d/dq.prom")" $'dq.prom\nold'
}

@test "--output: a lost connection or a signal: the old file stays, without another beside it" {
	local pid
	mkdir "$T/d"
	echo old >"$T/d/dq.prom"
	start_fake hang ''
	run -75 dq-stat --prometheus --output "$T/d/dq.prom" -u "unix://$T/hang/s" --timeout 50ms
	start_fake hang2 ''
	dq-stat --prometheus --output "$T/d/dq.prom" -u "unix://$T/hang2/s" 3>&- &
	pid=$!
	connected() { compgen -G "/proc/$1/fd/*" | xargs readlink | grep -q ^socket:; }
	wait_until 10 connected "$pid"
	kill "$pid"
	exits 143 "$pid"
	equal "$(ls "$T/d"; cat "$T/d/dq.prom")" $'dq.prom\nold'
}

@test "a broken queue: 70, and the others are there" {
	dq-put -q "$q.x" x
	dq-put -q "$q.y" x
	rcli DEL "$q:{$q.x}:ready" >/dev/null
	rcli SET "$q:{$q.x}:ready" mine >/dev/null
	run -70 --separate-stderr dq-stat --prometheus --output "$T/m.prom"
	matches "$stderr" "^dq-stat: $q.x: not shown: .*is a string"
	grep -q "^dq_queue_paused{queue=\"$q.y\"} 0" "$T/m.prom"
	run -1 grep -F "$q.x" "$T/m.prom"
}

@test "usage" {
	fails 64 '^--prometheus: not with --json$' dq-stat --prometheus --json
	fails 64 '^--prometheus: not with --messages$' dq-stat --prometheus --messages all
	fails 64 '^--prometheus: not with --no-header$' dq-stat --prometheus --no-header
	fails 64 '^--payload: not with --prometheus$' dq-stat --prometheus --payload
	fails 64 '^--output: only with --prometheus$' dq-stat --output "$T/x"
	fails 64 '^--output: only with --prometheus$' dq-stat --json --output "$T/x"
	fails 64 '^--output: empty$' dq-stat --prometheus --output ''
	fails 64 "^\"$q/x\": " dq-stat --prometheus "$q/x"
	[ ! -e "$T/x" ]
}

dashboard() { # JQ-FILTER
	jq "$1" "$top/share/grafana.json" | python3 "$top/test/stat/dashboard.py" "$T/metrics"
}

@test "the dashboard is as Grafana's schema wants it, and asks only for metrics and labels that are printed" {
	make_queue "$q.x"
	dq-set "$q.x" max-leased=9 rate=9/1s max-len=99
	metrics
	dashboard .
	jq -e '.panels | length > 5' "$top/share/grafana.json"
	jq -r '(.panels[].targets[].expr), (.templating.list[].query)' "$top/share/grafana.json" | grep -oE 'dq_[a-z_]+' | sort -u \
		>"$T/asked"
	[ "$(wc -l <"$T/asked")" -gt 10 ]
	equal "$(comm -23 "$T/asked" "$T/names")" ''
	equal "$(grep -cxE 'dq_queue_(retrying_messages|failing_seconds)' "$T/asked")" 2
}

@test "a dashboard that is wrong is found" {
	local line filter why
	make_queue "$q.x"
	dq-set "$q.x" max-leased=9 rate=9/1s max-len=99
	metrics
	while IFS= read -r line; do
		filter=${line%% => *} why=${line#* => }
		run -1 dashboard "$filter"
		[[ $output == *"$why"* ]] || {
			echo "$filter: $output"
			return 1
		}
	done <<-'TABLE'
		.panels[0].Title = "x" => what is Title?
		del(.schemaVersion) => no schemaVersion
		.panels[1].gridPos.x = 3 => over Delayed
		.panels[5].gridPos.w = 5 => outside of the grid
		.panels[1].id = 1 => an id twice
		.panels[6].targets[1].refId = "A" => a refId twice
		.panels[0].type = "singlestat" => 'singlestat' is not
		.panels[0].targets[0].datasource.uid = "x" => 'x' is not
		.panels[0].targets[0].expr |= sub("messages"; "message") => no metric dq_queue_message
		.panels[0].targets[0].expr |= sub("state"; "status") => dq_queue_messages has no status
		.panels[0].targets[0].expr |= sub("sum"; "smu") => what is smu?
		.panels[0].targets[0].expr |= sub("^sum"; "sum by (job) ") => no label job
		.panels[0].targets[0].expr |= sub("\\)$"; "") => brackets
		.panels[0].targets[0].expr |= sub("instance=[^,]*,"; "") => of all servers
		.panels[8].targets[0].expr = "dq_messages_put_total{instance=~\"$instance\"}" => dq_messages_put_total is a counter
		.panels[0].targets[0].expr |= sub("\\$queue"; "$q") => no variable $q
		.templating.list[1].query = "label_values(dq_queue{x=\"\"}, instance)" => no metric dq_queue
	TABLE
}
