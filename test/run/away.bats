# shellcheck disable=SC2016
# dq-run: paused queues, a Redis that stays away from a worker that is to end, and what a command needs to put on.

bats_require_minimum_version 1.5.0

load ../helper

# A worker in the background: its pid is in $worker, what it says in $T/$q.out and $T/$q.err.
work() { # ARG...
	dq-run "$@" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	worker=$!
}

paused() {
	grep -c "^dq-run: $q: paused: nothing is taken until it is resumed (dq-promote --resume)\$" "$T/$q.err"
}

@test "a paused queue is named once, however often it is looked at; others are worked on, and it is when resumed" {
	dq-promote --pause "$q"
	dq-put -q "$q" first
	work "$q" "$q.other" -- cat
	wait_until 10 paused
	local n
	for n in 1 2 3; do
		dq-put -q "$q.other" "other$n"
		wait_until 10 grep -q "other$n" "$T/$q.out"
	done
	holds 0 1 0 0
	equal "$(paused)" 1
	dq-promote --resume "$q"
	wait_until 10 grep -q first "$T/$q.out"
	dq-promote --pause "$q"
	dq-put -q "$q" second
	dq-put -q "$q.other" other4
	wait_until 10 grep -q other4 "$T/$q.out"
	wait_until 10 eval '[ "$(paused)" = 2 ]'
	kill "$worker"
	exits 143 "$worker"
	holds 0 1 0 0
}

@test "--once of a paused queue: 1, and it says why" {
	dq-promote --pause "$q"
	dq-put -q "$q" x
	fails 1 "^$q: paused: nothing is taken" dq-run --once "$q" -- true
	holds 0 1 0 0
}

# The server goes while the command runs, which then waits for let_end.
lose_redis() { # SERVER-OPTION... -- RUN-OPTION...  with auth= of the URL, too
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	start_server "$q" "${options[@]}"
	export DQ_URL=unix://${auth:-}$T/$q/s SERVER=$q
	mkfifo "$T/$q.gate"
	dq-put -q -i x "$q" x
	work "$@" "$q" -- sh -c 'echo; true <"$0"' "$T/$q.gate"
	wait_until 10 test -s "$T/$q.out"
	stop_server "$q" KILL
}

let_end() {
	true >"$T/$q.gate"
	began=${EPOCHREALTIME/./}
}

says_that_it_waits() { # TIME
	grep -q "^dq-run: unix:[^ ]*: 1 message to settle: connecting again for at most $1\$" "$T/$q.err"
}

says_not_settled() {
	equal "$(grep -c "^dq-run: $q/x: not settled: no answer from Redis (unix://.*): redelivered when its lease ends\$" "$T/$q.err")" 1
}

# What it would say can be brought to nobody.
gone_while_it_runs() { # STATUS OPTION...
	lose_redis -- "${@:2}" --timeout 300ms
	let_end
	exits "$1" "$worker"
	each_once ': connecting again$' "$T/$q.err"
	says_that_it_waits 300ms
	says_not_settled
}

@test "--once: Redis stays away: 75, and what is not settled is named" {
	gone_while_it_runs 75 --once
}

@test "--drain: Redis stays away: 75, and what is not settled is named" {
	gone_while_it_runs 75 --drain
}

@test "--drain: Redis goes while it waits, and stays away: 75" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s
	dq-put -q -d 1h "$q" x
	work --drain --timeout 300ms "$q" -- true
	waits() { SERVER=$q rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 waits
	stop_server "$q" KILL
	exits 75 "$worker"
}

@test "without --once and --drain a worker waits for Redis, however long it stays away" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s SERVER=$q
	work --timeout 50ms "$q" -- cat
	waits() { rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 waits
	stop_server "$q" KILL
	wait_until 10 grep -q ': connecting again$' "$T/$q.err"
	local until=$((${EPOCHREALTIME/./} + 200000))
	while [ "${EPOCHREALTIME/./}" -lt "$until" ]; do pause; done
	run ! ended "$worker"
	start_server "$q"
	dq-put -q "$q" hello
	wait_until 20 grep -q hello "$T/$q.out"
	kill "$worker"
	exits 143 "$worker"
}

@test "TERM, and Redis stays away: it is waited for as long as --timeout says, once the command has ended" {
	lose_redis -- --timeout 1s
	kill "$worker"
	let_end
	exits 143 "$worker"
	between 900000 $((${EPOCHREALTIME/./} - began)) 4000000
	says_that_it_waits 1s
	each_once 'connecting again' "$T/$q.err"
	says_not_settled
}

ends_at_once() {
	local now=${EPOCHREALTIME/./}
	kill "$worker"
	exits 143 "$worker"
	between 0 $((${EPOCHREALTIME/./} - now)) 1000000
	says_not_settled
}

@test "TERM, Redis stays away, a second TERM: it ends at once, whatever pause it is in" {
	lose_redis --
	kill "$worker"
	let_end
	wait_until 10 says_that_it_waits 10s
	ends_at_once
}

# The new server takes connections, and that is all.
ends_at_once_though_it_tries() {
	lose_redis "$@" -- --timeout 1m --connect-timeout 1m
	kill "$worker"
	let_end
	wait_until 10 says_that_it_waits 60s
	start_fake "$q" ''
	connected() {
		readlink "/proc/$worker/fd/"* | grep -q '^socket:'
	}
	wait_until 10 connected
	ends_at_once
}

@test "TERM, a second TERM while an answer is waited for: it ends at once" {
	ends_at_once_though_it_tries
}

@test "TERM, a second TERM while it logs in: it ends at once" {
	auth=:secret@ REDISCLI_AUTH=secret ends_at_once_though_it_tries --requirepass secret
}

@test "TERM, and Redis comes back in time: the message is settled" {
	lose_redis --appendonly yes --appendfsync always -- --timeout 1m
	kill "$worker"
	let_end
	wait_until 10 says_that_it_waits 60s
	start_server "$q" --appendonly yes --appendfsync always
	exits 143 "$worker"
	holds 0 0 0 0
	run ! grep 'not settled' "$T/$q.err"
	equal "$(grep -c 'connected again$' "$T/$q.err")" 1
}

@test "a command that cannot be run ends it, and Redis stays away: it is not waited for without end" {
	start_server "$q"
	export DQ_URL=unix://$T/$q/s SERVER=$q
	mkfifo "$T/$q.gate"
	printf '#!/bin/sh\nrm "$0"; true <"%s"' "$T/$q.gate" >"$T/$q.command"
	chmod +x "$T/$q.command"
	dq-put -q -i x "$q" x
	work -j 2 --timeout 300ms "$q" -- "$T/$q.command"
	wait_until 10 eval '[ ! -e "$T/$q.command" ]'
	dq-put -q -i y "$q" y
	wait_until 10 grep -q 'command: No such file' "$T/$q.err"
	stop_server "$q" KILL
	let_end
	exits 127 "$worker"
	says_that_it_waits 300ms
	says_not_settled
}

@test "a command reaches the same Redis, database and prefix without being told" {
	dq-put -q -u "unix://$T/main/s?db=3" --prefix own "$q" hello
	DQ_URL=unix://$T/none DQ_PREFIX=wrong \
		dq-run --once -u "unix://$T/main/s?db=3" --prefix own "$q" -- sh -c 'dq-put -q "$DQ_QUEUE.next" "$(cat)"'
	equal "$(dq-take -u "unix://$T/main/s?db=3" --prefix own "$q.next" | cut -f2)" hello
	equal "$(rcli --raw KEYS "*$q.next*")" ''
}

@test "a command that needs a password gets the user's name, and asks for no other" {
	rcli ACL SETUSER "u$q" on '>secret' '~*' '&*' '+@all' >/dev/null
	dq-put -q "$q" x
	run -0 --separate-stderr env REDISCLI_AUTH=secret dq-run --once -u "unix://u$q:@$T/main/s" "$q" -- sh -c 'echo "$DQ_URL"'
	equal "$output" "unix://u$q:@$T/main/s"
	fails 77 'WRONGPASS' dq-put -u "$output" "$q" x
	equal "$(REDISCLI_AUTH=secret dq-put -u "unix://u$q:@$T/main/s" -i mine "$q" x)" "$q/mine"
}

@test "no process can be started for want of descriptors: 75, and the message goes back, its try not counted" {
	dq-put -q -i x "$q" x
	run -75 --separate-stderr bash -c 'ulimit -n 12; exec dq-run --once "$0" -- true' "$q" 3>&-
	matches "$stderr" '^dq-run: true: (Too many open files|No file descriptors available)$'
	holds 0 1 0 0
	equal "$(tries x)" 0
}
