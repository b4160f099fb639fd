# Goal: When a master of a cluster is killed and its replica takes over, tools wait for that, and every message survives.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

setup_file() {
	begin_file
	NODE_TIMEOUT=3000 start_cluster
	NODE_TIMEOUT=3000 start_replica r1 n1
	wait_until 20 eval 'in_cluster n0 CLUSTER NODES | grep -q "slave .* connected"'
}

setup() {
	begin_test
	begin_cluster
}

@test "a master is killed: a put waits for its replica, waiting tools continue there, and other queues go on meanwhile" {
	dq-take -f --ack "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$!
	# shellcheck disable=SC2016
	dq-run "$two.w" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/ran" 2>"$T/run.err" 3>&- &
	local worker=$!
	dq-put -q "$two" before
	wait_until 10 has_lines "$T/out" 1
	wait_until 10 has_all_of n1 r1
	kill -9 "$(<"$F/n1/pid")"
	dq-put -q --timeout 60s "$two" after 3>&- &
	local putter=$!
	dq-put -q "$three" meanwhile
	wait_until 10 has_lines "$T/out" 2
	exits 0 "$putter"
	is_role r1 master
	wait_until 20 has_lines "$T/out" 3
	equal "$(cut -f 2 "$T/out" | paste -sd' ')" 'before meanwhile after'
	dq-put -q --timeout 20s "$two.w" job
	wait_until 20 has_lines "$T/ran" 1
	dq-put -q -d 300ms "$two" later
	wait_until 10 has_lines "$T/out" 4
	kill "$taker" "$worker"
	exits 143 "$taker"
	exits 143 "$worker"
	each_once "connecting again" "$T/err"
}

@test "a URL of several nodes, of which one is gone" {
	export DQ_URL=redis://127.0.0.1:${ports[1]},127.0.0.1:${ports[2]}
	equal "$(dq-put -i x "$two" y)" "$two/x"
	equal "$(dq-take --ack "$two" | cut -f 2)" y
}
