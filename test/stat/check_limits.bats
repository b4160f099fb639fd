# Goal: dq-stat --check reports queues in trouble, by limits of their numbers, in the format of monitoring plugins.

bats_require_minimum_version 1.5.0

load ../helper
load ../health
load queue

setup_file() {
	begin_file
	rcli CONFIG SET appendonly yes appendfsync always >/dev/null
}

bury() { # COUNT QUEUE
	seq "$1" | dq-put -ql "$2"
	dq-take -n "$1" "$2" | dq-ack -b
}

# Due messages that nobody promotes.
late() { # COUNT MS QUEUE
	seq "$1" | dq-put -ql -d 1s "$3"
	later $((1000 + $2)) "$3"
}

@test "five messages two days late, eight dead ones: a warning, without any option" {
	late 5 172800000 "$q.a"
	bury 8 "$q.b"
	dq-put -q "$q.c" x
	finds 1 "warning late $q.a: late 2d0h \(>1m\); run dq-promote" \
		"warning dead $q.b: 8 dead \(>0\); dq-stat --messages dead $q.b lists them, dq-promote --dead $q.b"
	on=$q.c finds 0 'ok server'
}

@test "the first line: the worst queue first, and performance data of the queues in trouble" {
	bury 2 "$q.a"
	local late='late [0-9]m[0-9]+s \(>1m\)' none="'$q.a_failing'=0s;600; '$q.a_limited'=0s;3600;" since=$SECONDS
	late 1 100000 "$q.a"
	dq-put -q "$q.b" x
	run -1 dq-stat --check
	matches "${lines[0]}" \
		"^DQ WARNING - $q.a: 2 dead \(>0\), $late \| '$q.a_dead'=2;0; '$q.a_late'=1[0-9][0-9](\.[0-9]+)?s;60; $none\$"
	ages 100 "$since" "${lines[0]#*, late }"
	run -2 dq-stat --check --crit 'dead>=2'
	matches "${lines[0]}" "^DQ CRITICAL - $q.a: 2 dead \(>=2\), late .* \| '$q.a_dead'=2;0;1 "
	run -0 dq-stat --check "$q.b"
	matches "${lines[0]}" "^DQ OK - .* answers; 1 queue \| '$q.b_dead'=0;0; '$q.b_late'=0s;60; ${none//.a_/.b_}\$"
	run -0 dq-stat --check --warn none
	matches "${lines[0]}" '^DQ OK - .* answers; 2 queues$'
}

@test "each number, each operator; the range is the one that is well" {
	local limit status perf
	make_queue "$q.x"
	while read -r limit status perf; do
		run "-$status" dq-stat --check --warn "$limit" "$q.x"
		[[ ${lines[0]} == *" | '$q.x_$perf" ]] || {
			echo "$limit: ${lines[0]}"
			return 1
		}
	done <<-'TABLE'
		delayed>0 1 delayed'=1;0;
		delayed>1 0 delayed'=1;1;
		due>=2 1 due'=2;1;
		due>=3 0 due'=2;2;
		ready<3 0 ready'=3;3:;
		ready<4 1 ready'=3;4:;
		leased<=4 1 leased'=4;5:;
		leased<=3 0 leased'=4;4:;
		dead>=5 1 dead'=5;4;
		expired>=0 1 expired'=0;~:-1;
		expired>0 0 expired'=0;0;
		delayed:gt:0 1 delayed'=1;0;
		dead:ge:6 0 dead'=5;5;
		ready:lt:4 1 ready'=3;4:;
		leased:le:3 0 leased'=4;4:;
		ready>9,ready<4 1 ready'=3;4:;
	TABLE
	run -1 dq-stat --check --warn 'oldest >= 1ms , late>100d' --crit 'late>1d12h' "$q.x"
	matches "${lines[0]}" "^DQ WARNING - $q.x: oldest [0-9.]+m?s \(>=1ms\) \| '$q.x_oldest'=[0-9.]+s;0; "
	matches "${lines[0]}" " '$q.x_late'=[0-9.]+s;8640000;129600\$"
}

@test "several limits add up; none means no limit; critical counts more" {
	make_queue "$q.x"
	run -2 dq-stat --check --warn 'dead>0' --warn 'leased>0' --crit none --crit 'dead>4' "$q.x"
	equal "$(sed 1d <<<"$output" | cut -f 1,2)" $'critical\tdead\nwarning\tleased\nok\tserver'
	run -0 dq-stat --check --warn none "$q.x"
}

@test "a queue that does not exist: reported, and its numbers are 0" {
	run -0 --separate-stderr dq-stat --check "$q.none"
	equal "$stderr" "dq-stat: $q.none: no such queue yet: dq-put creates it"
	run -1 dq-stat -q --check --warn 'ready<1' "$q.none"
	matches "${lines[0]}" "^DQ WARNING - $q.none: 0 ready \(<1\) \| '$q.none_ready'=0;1:;\$"
}

@test "a paused queue is judged, too" {
	bury 1 "$q.x"
	dq-set -q "$q.x" paused=yes
	finds 1 "warning paused $q.x: " "warning dead $q.x: 1 dead"
	run -1 dq-stat --check
	matches "${lines[0]}" "^DQ WARNING - $q.x: consumers get no messages, 1 dead \(>0\) \| "
}

@test "many queues in trouble: five in the first line, performance data of twenty; named ones have theirs always" {
	local i queues=()
	for i in {10..34}; do
		queues+=("$q.$i")
		bury 1 "$q.$i"
	done
	run -1 dq-stat --check
	matches "${lines[0]}" "^DQ WARNING - $q.10: 1 dead \(>0\); $q.11: .*; $q.14: 1 dead \(>0\); and 20 more \| "
	equal "$(grep -o "_dead'=1;0;" <<<"${lines[0]}" | wc -l)" 20
	equal "$(grep -c '^warning' <<<"$output")" 25
	run -1 dq-stat --check "${queues[@]}"
	equal "$(grep -o "_dead'=1;0;" <<<"${lines[0]}" | wc -l)" 25
}

@test "--json: the same findings" {
	bury 1 "$q.x"
	run -2 dq-stat --check --json --crit 'dead>0'
	jq -e --arg q "$q.x" '.status == "critical" and .findings[0].what == "dead" and .findings[0].why == $q + ": 1 dead (>0)"' \
		<<<"$output"
}

@test "an invalid limit: 64" {
	local text
	for text in '' ',' late 'late>' '>1' 'late=1s' 'late>>1s' 'late>1x' 'Late>1s' 'dead>1s' 'dead>-1' 'dead>0,' 'next>1s' \
		'dead>0 due>1' 'late>1s,none'; do
		fails 64 '^--warn: ' dq-stat --check --warn "$text"
		fails 64 '^--crit: ' dq-stat --check --crit "$text"
	done
	fails 64 '^--warn: "\\x1b\[1m": not ' dq-stat --check --warn $'\e[1m'
	fails 64 '^--warn: more than 32 limits$' dq-stat --check --warn "$(printf 'dead>0,%.0s' {1..32})due>0"
	fails 64 '^--warn: "d.*\.\.\.": not ' dq-stat --check --warn "$(printf 'd%.0s' {1..500})>0"
}

@test "text of the server cannot begin performance data" {
	start_fake pipe '-ERR a | b\r\n'
	run -2 dq-stat --check -u "unix://$T/pipe/s"
	matches "${lines[0]}" '^DQ CRITICAL - .*ERR a / b'
}
