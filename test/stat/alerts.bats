# Goal: Prometheus can load the alerts in share/, and they ask only for what dq-stat --prometheus prints. promtool, where it is installed,
# agrees.

bats_require_minimum_version 1.5.0

load ../helper
load queue

metrics() {
	dq-put -q "$q" x
	dq-set "$q" max-len=9
	{
		dq-stat --prometheus
		printf '%s\n' '# TYPE dq_cluster_unassigned_slots gauge' 'dq_cluster_unassigned_slots 0' # cluster/check.bats has it
	} >"$T/metrics"
}

alerts() { # <ALERTS
	python3 -B "$top/test/stat/alerts.py" "$T/metrics"
}

@test "the alerts are YAML, as Prometheus wants it, and ask only for metrics and labels that are printed" {
	metrics
	alerts <"$top/share/alerts.yml"
	[ "$(grep -c '^ *- alert: Dq' "$top/share/alerts.yml")" -ge 10 ]
	! command -v promtool >/dev/null || promtool check rules "$top/share/alerts.yml"
}

@test "alerts that are wrong are found" {
	local line change why
	metrics
	while IFS= read -r line; do
		change=${line%% => *} why=${line#* => }
		sed -E "$change" "$top/share/alerts.yml" >"$T/alerts"
		run -1 alerts <"$T/alerts"
		[[ $output == *"$why"* ]] || {
			echo "$change: $output"
			return 1
		}
	done <<-'TABLE'
		s/^groups:/groups/ => not KEY: VALUE
		s/^        for:/         for:/ => line
		s/^        for:/      for:/ => line
		s/^        for: 5m/&\n        for: 5m/ => for twice
		s/'dq: the oldest/dq: the oldest/ => no plain text
		s/'No consumer/"No consumer/ => no plain text
		s/severity: warning/severity: yes/ => no plain text
		s/for: 2m/for: # 2m/ => no plain text
		s/severity: warning/severity: bad/ => 'bad' is not
		s/for: 2m/for: soon/ => 'soon' is not
		s/^ *for: 2m// => no for
		s/alert: DqQueueLate/alert: DqDeadMessages/ => a name twice
		s/annotations:/annotation:/ => what is annotation?
		s/dq_queue_late_seconds/dq_queue_lateness/ => no metric dq_queue_lateness
		s/state="dead"/status="dead"/ => dq_queue_messages has no status
		s/state="dead"/state=dead/ => what is state=dead?
		s/increase\(dq_leases_expired_total\[15m\]\)/dq_leases_expired_total/ => dq_leases_expired_total is a counter
		s/abs\(/increase(/ => dq_server_clock_offset_seconds is a gauge
		s/timestamp_seconds/&[10m]/ => dq_metrics_timestamp_seconds is a gauge
		s/ unless / without / => what is without?
		s/abs\(/abs((/ => brackets
		s/labels.instance/labels.queue/ => its alert has no label queue
		s/value [|] humanizeDuration/value | human/ => what is
	TABLE
}

@test "dq-stat(1) lists the bounds of the histogram" {
	metrics
	sed -n '/^Its bounds are/,/^it has no sum/p' "$top/man/dq-stat.1" | grep -oE '[0-9]+\.[0-9]+' >"$T/bounds"
	equal "$(paste -sd, "$T/bounds")" \
		"$(sed -n "s/^dq_delivery_lateness_seconds_bucket{queue=\"$q\",le=\"\([0-9.]*\)\"} .*/\1/p" "$T/metrics" | paste -sd,)"
	grep -q '^dq_delivery_lateness_seconds_bucket.*le="1.024"' "$T/metrics"
}

@test "the alerts name options that there are" {
	local tool option
	grep -oE '\bdq-[a-z]+ -[a-z-]+' "$top/share/alerts.yml" | sort -u >"$T/named"
	[ -s "$T/named" ]
	while read -r tool option; do
		"$tool" --help | grep -qE -- "(^|[ ,])$option\>" || {
			echo "$tool has no $option"
			return 1
		}
	done <"$T/named"
}
