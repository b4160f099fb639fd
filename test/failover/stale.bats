# Goal: A replica that has lost its master, or still copies it, has old data or none. A tool that reads there reports that.

bats_require_minimum_version 1.5.0

load ../helper
load failover

line='^redis://127\.0\.0\.1:[0-9]+/0: a replica whose link to its master is down: its data may be old or missing$'

# The command ends with 75 and that one line; its output is in $output.
tells() { # COMMAND...
	run -75 --separate-stderr timeout -k 1 30 "$@"
	matches "${stderr#dq-stat: }" "$line"
}

# A replica, as DQ_URL, that has one message of $q, and no master any more.
orphan() {
	start_tcp a
	DQ_URL=redis://127.0.0.1:$port dq-put -q -i x "$q" hello
	start_tcp b --replicaof 127.0.0.1 "$port"
	wait_until 20 in_step b
	export DQ_URL=redis://127.0.0.1:$port
	run -0 --separate-stderr dq-stat "$q"
	equal "$stderr" ''
	stop_server a KILL
	wait_until 20 out_of_step b
}

out_of_step() {
	! in_step "$1"
}

@test "each form shows the old data, says that it may be old, and ends with 75" {
	local form
	orphan
	for form in --no-header --json '--messages ready' '--messages all --json' '--messages all --payload'; do
		# shellcheck disable=SC2086
		tells dq-stat $form "$q"
		matches "$output" "$q"
	done
	tells dq-stat
	matches "$output" "$q"
	tells dq-stat --names
	equal "$output" "$q"
	tells dq-stat --next "$q"
	equal "$output" 0
	tells dq-stat "$q/x"
	matches "$output" 'ready'
	tells dq-stat --payload "$q/x"
	equal "$output" hello
	tells dq-stat "$q.none"
	[[ $output != *"no such queue"* ]]
	tells dq-stat --messages all "$q.none"
	equal "$output" ''
	stop_server b
}

@test "metrics from a stale replica: none are written, and the old file stays" {
	orphan
	tells dq-stat --prometheus
	equal "$output" ''
	echo before >"$T/prom"
	tells dq-stat --prometheus --output "$T/prom"
	equal "$(<"$T/prom")" before
	stop_server b
}

@test "a watcher treats it as a lost connection, and continues when the link is up again" {
	start_tcp a
	local a=$port
	start_tcp b --replicaof 127.0.0.1 "$a"
	wait_until 20 in_step b
	dq-stat -u "redis://127.0.0.1:$port" --watch --every 100ms >"$T/out" 2>"$T/err" 3>&- &
	local pid=$!
	wait_until 20 test -s "$T/out"
	equal "$(<"$T/err")" ''
	SERVER=b rcli REPLICAOF 127.0.0.1 1 >/dev/null
	wait_until 20 grep -q 'a replica .*: connecting again$' "$T/err"
	replicates b "$a"
	wait_until 20 grep -q 'connected again$' "$T/err"
	kill "$pid"
	exits 143 "$pid"
	stop_server b
	stop_server a
}

@test "a dump of old data lacks its last line, which states that it is complete" {
	orphan
	run -75 --separate-stderr dq-dump "$q"
	matches "$stderr" 'a replica whose link to its master is down'
	[[ $output != *'"kind":"done"'* ]]
	stop_server b
}

@test "with --retry-for they wait until it is in step again" {
	local pid n pids=()
	orphan
	DQ_RETRY_FOR=2m dq-stat --names >"$T/names" 2>"$T/names.err" 3>&- &
	pids+=($!)
	dq-dump --retry-for 2m "$q" >"$T/dumped" 2>"$T/dumped.err" 3>&- &
	pids+=($!)
	for n in names dumped; do
		wait_until 20 grep -q ': a replica whose link .*: trying again for 2m$' "$T/$n.err"
	done
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
	for pid in "${pids[@]}"; do
		exits 0 "$pid"
	done
	equal "$(<"$T/names")" "$q"
	equal "$(jq -r .kind "$T/dumped" | tail -1)" 'done'
	for n in names dumped; do
		has_lines "$T/$n.err" 2
	done
	stop_server b
}

@test "a replica in step, and a user without the right to INFO: as a master" {
	start_tcp a
	DQ_URL=redis://127.0.0.1:$port dq-put -q "$q" hello
	start_tcp b --replicaof 127.0.0.1 "$port"
	wait_until 20 in_step b
	export DQ_URL=redis://127.0.0.1:$port
	run -0 --separate-stderr dq-stat --names
	equal "$output$stderr" "$q"
	SERVER=b rcli ACL SETUSER default -info >/dev/null
	SERVER=b rcli REPLICAOF 127.0.0.1 1 >/dev/null
	run -0 --separate-stderr dq-stat --names
	equal "$output$stderr" "$q"
	stop_server b
	stop_server a
}

# One write has INFO and the call, and one read has both replies.
@test "a master is asked in the same round trip" {
	start_tcp a
	export DQ_URL=redis://127.0.0.1:$port
	dq-put -q "$q" x
	dq-stat "$q" >/dev/null # the server knows the script
	ASAN_OPTIONS=detect_leaks=0 strace -s 999 -o "$T/trace" -e trace=sendto,sendmsg dq-stat "$q" >/dev/null
	equal "$(grep -c INFO "$T/trace")" 1
	matches "$(grep INFO "$T/trace")" 'sendto'
	equal "$(grep -c '^send' "$T/trace")" 1
	stop_server a
}
