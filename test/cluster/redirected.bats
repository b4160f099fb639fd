# Goal: However many addresses a cluster names, and however long its nodes disagree: the connections, descriptors and attempts of a tool are
# bounded, a signal ends it, and it serves the queue once the cluster is well.

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover

setup_file() {
	begin_file
	start_tcp well
	echo "$port" >"$F/port"
}

setup() {
	begin_test
}

# A node that replies MOVED to ever new addresses: they answer the same (MOVED), or nobody is there (GONE). $log has a line for each.
start_lost() { # MOVED|GONE
	start_scripted lost EVALSHA="$1" EVAL="$1"
	export DQ_URL=redis://127.0.0.1:$port
	log=$T/lost/port.log
}

# From now on the node names one that has the queue.
gets_well() {
	echo "127.0.0.1:$(<"$F/port")" >"$T/lost/new"
	mv "$T/lost/new" "$T/lost/port.to"
}

names() { # N: it has named so many
	[ "$(grep -c moved "$log")" -ge "$1" ]
}

descriptors() { # PID
	find "/proc/$1/fd" -type l | wc -l
}

# Without a limit the tool opens a connection for each address.
@test "ever new addresses that answer: few connections, and the queue is served in the end" {
	local taker worker
	start_lost MOVED
	dq-take -f --ack "$q" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 120 names 90
	between 1 "$(descriptors "$taker")" 80
	dq-run "$q.run" -- cat >"$T/ran" 2>"$T/run.err" 3>&- &
	worker=$!
	wait_until 60 names 120
	gets_well
	dq-put -q --timeout 60s "$q" one
	dq-put -q --timeout 60s "$q.run" two
	wait_until 60 has_lines "$T/out" 1
	wait_until 60 grep -q two "$T/ran"
	kill "$taker" "$worker"
	exits 143 "$taker"
	exits 143 "$worker"
	equal "$(grep -c 'the nodes do not agree which of them has it: its slot is being moved: trying again$' "$T/err")" 1
	equal "$(grep -c 'its slot was moved: served again$' "$T/err")" 1
}

@test "ever new addresses where nobody is: attempts and reports come to an end, and the queue is served in the end" {
	local taker
	start_lost GONE
	dq-take -f --ack "$q" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 60 grep -q 'the nodes do not agree' "$T/err"
	between 30 "$(grep -c 'connection refused' "$T/err")" 33
	gets_well
	dq-put -q --timeout 60s "$q" one
	wait_until 60 has_lines "$T/out" 1
	kill "$taker"
	exits 143 "$taker"
	equal "$(cut -f 2 "$T/out")" one
	between 30 "$(grep -c 'connection refused' "$T/err")" 33
}

@test "while the nodes disagree a signal ends each tool; the time limit of a call is longer than that of this test" {
	local tool
	start_lost MOVED
	for tool in 'dq-take -f' 'dq-take -w 1h' 'dq-promote -f' 'dq-run'; do
		: >"$log"
		# shellcheck disable=SC2046,SC2086 # words
		$tool --timeout 10m "$q" $([ "$tool" != dq-run ] || echo -- cat) >"$T/out" 2>"$T/err" 3>&- &
		wait_until 60 names 20
		kill $!
		exits 143 $!
	done
}

@test "a call that nobody takes ends at its time limit: 75, with the reason" {
	start_lost MOVED
	run -75 --separate-stderr dq-put --timeout 3s "$q" x
	matches "${stderr_lines[-1]}" '1 message not put: MOVED [0-9]+ 127\.'
	between 20 "$(grep -c moved "$log")" 300
	between 1 "$(grep -c connected "$log")" 300
}
