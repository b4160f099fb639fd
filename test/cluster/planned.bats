# Goal: A planned failover (CLUSTER FAILOVER) under waiting tools: no node dies of what they send, and no message is lost or early.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load ../failover/takes

# Only planned failovers: on a busy machine a node may be silent for longer than a cluster waits. Nodes elect no other replica of a master
# for twice their timeout.
setup_file() {
	begin_file
	export OPTIONS_OF_NODES='--cluster-replica-no-failover yes'
	export NODE_TIMEOUT=2000
	start_cluster
	start_replica r1 n1
}

setup() {
	begin_test
	begin_cluster
}

# No node takes over twice: Redis 7.0 counts the votes of an election for the next one, too, if that follows within seconds, and such a
# master lasts for a moment only. The master before is its replica now; else the log of both says why.
follows() { # NODE OF
	! wait_until 60 is_role "$1" slave || return 0
	tail -n 30 "$T/$1/log" "$T/$2/log"
	return 1
}

@test "waiting tools continue after it, with their connections on the new master" {
	local taker worker
	is_role n1 master
	dq-take -f --ack "$one" "$two" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	# shellcheck disable=SC2016
	dq-run "$two.w" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/ran" 2>"$T/run.err" 3>&- &
	worker=$!
	dq-put -q --timeout 60s "$two" before
	wait_until 20 has_lines "$T/out" 1
	wait_until 60 in_step r1
	takes_over r1
	follows n1 r1
	dq-put -q --timeout 60s "$two" after
	wait_until 60 has_lines "$T/out" 2
	dq-put -q -d 300ms --timeout 60s "$two" later
	wait_until 60 has_lines "$T/out" 3
	equal "$(cut -f 2 "$T/out" | paste -sd' ')" 'before after later'
	dq-put -q --timeout 60s "$two.w" job
	wait_until 60 has_lines "$T/ran" 1
	kill "$taker" "$worker"
	exits 143 "$taker"
	exits 143 "$worker"
	answers "$T/n1/s"
	answers "$T/r1/s"
}

@test "CLUSTER FAILOVER back, under eight loops of dq-take -w 40ms" {
	local now=r1 next=n1
	is_role r1 master || now=n1 next=r1
	begin_takes "$two"
	puts_some "$two"
	wait_until 60 in_step "$next"
	takes_over "$next"
	follows "$now" "$next"
	puts_some "$two"
	all_came
	end_takes
	answers "$T/n1/s"
	answers "$T/r1/s"
}
