# Goal: An ending dq-run waits for an unreachable Redis for a limited time, and names the messages that are not settled.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

# The server is killed while the command runs; the command then waits for let_end.
lose_redis() { # SERVER-OPTION... -- RUN-OPTION...  with auth= of the URL, too
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	start_server "$q" "${options[@]}"
	export DQ_URL=unix://${auth:-}$T/$q/s SERVER=$q
	mkfifo "$D/gate"
	dq-put -q -i x "$q" x
	work "$@" "$q" -- sh -c 'echo; true <"$0"' "$D/gate"
	wait_until 10 test -s "$D/out"
	stop_server "$q" KILL
}

let_end() {
	began=${EPOCHREALTIME/./}
	true >"$D/gate"
}

says_that_it_waits() { # TIME
	grep -q "^dq-run: unix:[^ ]*: 1 message to settle: connecting again for at most $1\$" "$D/err"
}

says_not_settled() {
	equal "$(grep -c "^dq-run: $q/x: not settled: no answer from Redis (unix://.*): redelivered when its lease ends\$" "$D/err")" 1
}

# The verdict cannot be sent to any server.
gone_while_it_runs() { # STATUS OPTION...
	lose_redis -- "${@:2}" --timeout 2s
	let_end
	exits "$1" "$worker"
	each_once ': connecting again$' "$D/err"
	says_that_it_waits 2s
	says_not_settled
}

@test "--once: Redis stays unreachable: 75, and unsettled messages are named" {
	gone_while_it_runs 75 --once
}

@test "--drain: Redis stays unreachable: 75, and unsettled messages are named" {
	gone_while_it_runs 75 --drain
}

@test "--drain: Redis ends while it waits, and stays unreachable: 75" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s
	dq-put -q -d 1h "$q" x
	work --drain --timeout 2s "$q" -- true
	waits() { SERVER=$q rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 waits
	stop_server "$q" KILL
	exits 75 "$worker"
}

@test "without --once and --drain a worker waits for Redis, however long it is unreachable" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s SERVER=$q
	work --timeout 2s "$q" -- cat
	waits() { rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 waits
	stop_server "$q" KILL
	wait_until 10 grep -q ': connecting again$' "$D/err"
	local until=$((${EPOCHREALTIME/./} + 2200000))
	while [ "${EPOCHREALTIME/./}" -lt "$until" ]; do pause; done
	run ! ended "$worker"
	start_server "$q"
	dq-put -q "$q" hello
	wait_until 20 grep -q hello "$D/out"
	kill "$worker"
	exits 143 "$worker"
}

@test "TERM, and Redis stays unreachable: it waits for Redis until --timeout after the end of the command" {
	lose_redis -- --timeout 1s
	kill "$worker"
	let_end
	exits 143 "$worker"
	between 900000 $((${EPOCHREALTIME/./} - began)) 8000000
	says_that_it_waits 1s
	each_once 'connecting again' "$D/err"
	says_not_settled
}

# A second TERM ends it, in whatever it does when $1 has returned: at once, or on a busy machine in one of nine attempts.
ends_at_once() { # COMMAND LOSE_REDIS-ARG...
	local now _ at_first=${DQ_URL-} server=${SERVER-}
	for _ in {1..9}; do
		lose_redis "${@:2}" --timeout 1m --connect-timeout 1m
		kill "$worker"
		let_end
		wait_until 10 says_that_it_waits 60s
		"$1"
		now=${EPOCHREALTIME/./}
		kill "$worker"
		exits 143 "$worker"
		now=$((${EPOCHREALTIME/./} - now))
		says_not_settled
		[ "$now" -gt 1000000 ] || return 0
		[ ! -e "$T/$q/pid" ] || stop_server "$q" KILL
		rm -rf "${T:?}/$q" "$D/gate"
		DQ_URL=$at_first SERVER=$server
	done
	between 0 "$now" 1000000
}

@test "TERM, Redis stays unreachable, a second TERM: it ends at once, in any pause" {
	ends_at_once true --
}

# The new server accepts connections, and does not reply.
is_tried() {
	start_fake "$q" ''
	connected() {
		readlink "/proc/$worker/fd/"* | grep -q '^socket:'
	}
	wait_until 10 connected
}

@test "TERM, a second TERM while it waits for a reply: it ends at once" {
	ends_at_once is_tried --
}

@test "TERM, a second TERM while it logs in: it ends at once" {
	auth=:secret@ REDISCLI_AUTH=secret ends_at_once is_tried --requirepass secret --
}

@test "TERM, and Redis returns in time: the message is settled" {
	lose_redis --appendonly yes --appendfsync always -- --timeout 1m
	kill "$worker"
	let_end
	wait_until 10 says_that_it_waits 60s
	start_server "$q" --appendonly yes --appendfsync always
	exits 143 "$worker"
	holds 0 0 0 0
	run ! grep 'not settled' "$D/err"
	equal "$(grep -c 'connected again$' "$D/err")" 1
}

@test "a command that cannot be started ends it, and Redis stays unreachable: it waits only a limited time" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s SERVER=$q
	mkfifo "$D/gate"
	printf '#!/bin/sh\nrm "$0"; true <"%s"' "$D/gate" >"$D/command"
	chmod +x "$D/command"
	dq-put -q -i x "$q" x
	work -j 2 --timeout 2s "$q" -- "$D/command"
	wait_until 10 eval '[ ! -e "$D/command" ]'
	dq-put -q -i y "$q" y
	wait_until 20 grep -qx 'dq-run: .*command: No such file or directory' "$D/err" # it was tried for 10 s
	stop_server "$q" KILL
	let_end
	exits 127 "$worker"
	says_that_it_waits 2s
	says_not_settled
}
