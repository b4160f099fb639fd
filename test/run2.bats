# shellcheck disable=SC2016
# dq-run: paused queues, a Redis that stays away from a worker that is to end, and what a command needs to put on.

bats_require_minimum_version 1.5.0

load helper

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

# The server goes while the command runs; what it would say can be brought to nobody.
gone_while_it_runs() { # OPTION
	start_server "$q"
	export DQ_URL=unix://$T/$q/s
	mkfifo "$T/$q.gate"
	dq-put -q "$q" x
	work "$1" --timeout 300ms "$q" -- sh -c 'echo; true <"$0"' "$T/$q.gate"
	wait_until 10 test -s "$T/$q.out"
	stop_server "$q" KILL
	true >"$T/$q.gate"
	exits 75 "$worker"
	grep -q ': connecting again$' "$T/$q.err"
	grep -q "^dq-run: $q/[0-9A-Z]*: not settled: no answer from Redis: it comes again when its lease ends\$" "$T/$q.err"
}

@test "--once: Redis stays away: 75, and what is not settled is named" {
	gone_while_it_runs --once
}

@test "--drain: Redis stays away: 75, and what is not settled is named" {
	gone_while_it_runs --drain
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
	matches "$stderr" '^dq-run: true: Too many open files$'
	holds 0 1 0 0
	equal "$(tries x)" 0
}
