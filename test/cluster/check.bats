# Goal: dq-stat --check and --prometheus ask each node of a cluster, and name it.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

setup_file() {
	begin_file
	NODE_TIMEOUT=60000 start_cluster # the others do not take one that is stopped for failed
}

setup() {
	begin_test
	begin_cluster
	local i
	for i in 0 1 2; do nodes[i]=127.0.0.1:${ports[i]}; done
}

teardown() {
	kill -CONT "$(<"$F/n2/pid")"
	end_test
}

# The lines of those levels and words, without remedies.
found() { # REGEX [OPTION...]
	run --separate-stderr dq-stat --check "${@:2}"
	printf '%s\n' "${lines[@]:1}" | sed 's/; [^;]*$//' | grep -E "$1" | sort >"$T/found"
}

@test "--check: what is wrong with a node, by its address, whichever node the URL names" {
	local port node
	in_cluster n1 CONFIG SET maxmemory-policy allkeys-lru >/dev/null
	in_cluster n2 CONFIG SET busy-reply-threshold 0 >/dev/null
	for port in "${ports[@]}"; do
		DQ_URL=redis://127.0.0.1:$port found '(server|policy|threshold)'$'\t'
		equal "$status$stderr" 1
		equal "$(cut -f 2 "$T/found" | sort | uniq -c | xargs)" '1 busy-reply-threshold 1 maxmemory-policy 3 server'
		for node in "${nodes[@]}"; do grep -qE "^ok"$'\t'"server"$'\t'"$node: (Redis|Valkey) .* answers\$" "$T/found"; done
		grep -q "^warning"$'\t'"maxmemory-policy"$'\t'"${nodes[1]}: allkeys-lru" "$T/found"
		grep -q "^warning"$'\t'"busy-reply-threshold"$'\t'"${nodes[2]}: 0: while" "$T/found"
	done
	in_cluster n1 CONFIG SET maxmemory-policy noeviction >/dev/null
	in_cluster n2 CONFIG SET busy-reply-threshold 5000 >/dev/null
}

@test "--check: writes that a node refuses for want of replicas" {
	in_cluster n1 CONFIG SET min-replicas-to-write 1 >/dev/null
	found '^critical'
	in_cluster n1 CONFIG SET min-replicas-to-write 0 >/dev/null
	equal "$status" 2
	equal "$(<"$T/found")" \
		"critical"$'\t'"min-replicas-to-write"$'\t'"${nodes[1]}: 0 good replicas, and 1 are asked for; writes are refused"
}

@test "--check: a node that does not answer is critical, and the others and their queues are looked at" {
	dq-put -q -d 1h "$one" x
	kill -STOP "$(<"$F/n2/pid")"
	found '^(critical|ok'$'\t''server)|'"$one" --timeout 3s --crit 'delayed>0' "$one"
	equal "$status" 2
	grep -q "^critical"$'\t'"server"$'\t'"${nodes[2]}: no answer: timed out" "$T/found"
	grep -q "^critical"$'\t'"delayed"$'\t'"$one: 1 delayed" "$T/found"
	equal "$(grep -c '^ok'$'\t''server' "$T/found")" 2
}

@test "--check: a clock that went back is that of the node of the queue" {
	local token
	dq-put -q -i x "$two" x
	dq-take "$two" | cut -f 1 | dq-ack
	token=$(in_cluster n1 HGET "dq:{$two}:stat" token)
	in_cluster n1 HSET "dq:{$two}:stat" token $((token + 3600000000)) >/dev/null
	found '^warning'$'\t''clock'
	in_cluster n1 HSET "dq:{$two}:stat" token "$token" >/dev/null
	grep -qE "$two: the server's clock went back: the last take was (59m[0-9]+s|1h)" "$T/found"
	equal "$(wc -l <"$T/found")" 1
}

unassigned() { # N  as n0 knows them
	[ "$(in_cluster n0 CLUSTER INFO | tr -d '\r' | sed -n 's/^cluster_slots_assigned://p')" = $((16384 - $1)) ]
}

# A message of the bus that is on its way may tell of the slots again.
without_slots() {
	local i
	for i in 2 1 0; do in_cluster "n$i" CLUSTER DELSLOTSRANGE 16000 16383 >/dev/null; done
	unassigned 384
}

@test "slots without a node are reported" {
	wait_until 10 without_slots
	found '^critical'
	dq-stat --prometheus >"$T/metrics"
	in_cluster n2 CLUSTER ADDSLOTSRANGE 16000 16383 >/dev/null
	wait_until 20 unassigned 0
	equal "$status" 2
	equal "$(<"$T/found")" "critical"$'\t'"cluster"$'\t'"384 of 16384 slots have no node; their queues are unavailable"
	grep -qxF "dq_cluster_unassigned_slots 384" "$T/metrics"
	grep -qxF "dq_server_slots{node=\"${nodes[2]}\"} 5077" "$T/metrics"
	found '^critical'
	equal "$(<"$T/found")" ''
}

@test "--prometheus: the metrics of each node, by its address; standard error says whose are missing" {
	local node sum
	dq-put -q "$one" x
	dq-stat --prometheus >"$T/metrics"
	for node in "${nodes[@]}"; do
		grep -qE "^dq_server_info\{name=\"(Redis|Valkey)\",version=\"[^\"]+\",role=\"master\",node=\"$node\"\} 1\$" "$T/metrics"
		grep -qE "^dq_server_memory_used_bytes\{node=\"$node\"\} [0-9]+\$" "$T/metrics"
		grep -qE "^dq_server_clock_offset_seconds\{node=\"$node\"\} " "$T/metrics"
	done
	sum=$(sed -n 's/^dq_server_slots.* //p' "$T/metrics" | paste -sd +)
	equal "$((sum))" 16384
	grep -qxF 'dq_cluster_unassigned_slots 0' "$T/metrics"
	kill -STOP "$(<"$F/n2/pid")"
	run --separate-stderr dq-stat --prometheus --timeout 3s "$one"
	equal "$status" 75
	matches "$stderr" "^dq-stat: ${nodes[2]}: not shown: timed out"
	equal "$(grep -c '^dq_server_slots' <<<"$output")" 2
	grep -qxF "dq_queue_messages{queue=\"$one\",state=\"ready\"} 1" <<<"$output"
}

@test "a user without CLUSTER SLOTS: one node is checked, and the report says so" {
	in_cluster n0 ACL SETUSER watcher on nopass '~*' +@all '-cluster|slots' >/dev/null
	export DQ_URL=redis://watcher:@127.0.0.1:${ports[0]}
	found '^(unknown|ok'$'\t''server)' "$one"
	equal "$status" 3
	matches "$(<"$T/found")" "unknown"$'\t'"cluster"$'\t'"the nodes are unknown: NOPERM"
	equal "$(grep -c 'answers$' "$T/found")" 1
	run --separate-stderr dq-stat --prometheus -q "$one"
	equal "$status" 77
	matches "$stderr" "^dq-stat: other nodes: not shown: NOPERM"
	grep -q '^dq_server_info{.*role="master"} 1$' <<<"$output"
}
