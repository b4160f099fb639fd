# Goal: A queue that does not exist (yet) is reported in one line, once, and nothing else changes.

bats_require_minimum_version 1.5.0

load ../helper
load ../acl

setup() {
	begin_test
	export DQ_PREFIX=$q
}

# The tool ends with that status, and reports once that queue x does not exist; with -q, or if the queue exists, it reports nothing.
speaks() { # STATUS TOOL ARG... (x is the queue)
	local code=$1 tool=$2 meaning='dq-put creates it'
	shift 2
	[ "$tool" != dq-rm ] || meaning='nothing to remove'
	run "-$code" --separate-stderr "$tool" "$@" </dev/null
	equal "$stderr" "$tool: x: no such queue yet: $meaning" || return
	[ "$(rcli KEYS "$q:{x}:*")" = '' ] || return
	run "-$code" --separate-stderr "$tool" -q "$@" </dev/null
	equal "$stderr" ''
}

silent() { # STATUS COMMAND...
	run "-$1" --separate-stderr "${@:2}" </dev/null
	equal "$stderr" ''
}

@test "take, run, promote, rm and gc report it, end as before, and write nothing" {
	local code command
	while read -r code command; do
		# shellcheck disable=SC2086
		speaks "$code" $command || {
			echo "in: $command"
			return 1
		}
	done <<-'TABLE'
		1 dq-take x
		1 dq-take -n 5 --json x
		1 dq-take --no-promote x
		1 dq-take --ack x
		1 dq-take --until-empty x
		1 dq-run --once x -- true
		0 dq-run --drain x -- true
		0 dq-run --until-empty x -- true
		0 dq-promote x
		0 dq-promote -n 1 x
		0 dq-promote --dry-run x
		0 dq-promote --dead x
		0 dq-promote --dead --dry-run x
		0 dq-rm -af x
		0 dq-rm -a --dry-run x
		0 dq-rm -af --state dead x
		1 dq-dump x
		0 dq-gc x
		0 dq-gc --dry-run x
		0 dq-gc --check x
		0 dq-gc --repair x
		0 dq-gc --dead-for 1d --check x
	TABLE
}

@test "dq-stat reports it, shows the queue as empty, and ends with 1" {
	speaks 1 dq-stat x
	matches "${lines[1]}" '^x +0 +0 +0 +0 +0 +- +- +- +- +0 +0 +- +0 +-$'
	speaks 1 dq-stat --json x
	equal "$(jq -c '.queues[0].messages | add' <<<"$output")" 0
	speaks 1 dq-stat --messages all x
	equal "$output" ''
	dq-put -q y 1
	run -1 --separate-stderr dq-stat --no-header y x
	equal "$stderr" "dq-stat: x: no such queue yet: dq-put creates it"
	equal "$(awk '{ print $1 }' <<<"$output" | paste -sd' ')" 'y x'
}

@test "dq-stat --check reports it beside its findings" {
	local code=0
	dq-stat --check >/dev/null || code=$?
	speaks "$code" dq-stat --check x
	silent "$code" dq-stat --check
}

@test "an emptied queue exists, and a forgotten one does not" {
	dq-put -q x 1
	dq-take --ack x >/dev/null
	silent 1 dq-take x
	silent 1 dq-run --once x -- true
	silent 0 dq-promote x
	silent 0 dq-promote --dead x
	silent 0 dq-gc x
	silent 0 dq-stat x
	silent 0 dq-stat --messages all x
	silent 0 dq-rm -af --state dead x
	silent 0 dq-rm -af x
	speaks 1 dq-take x
}

@test "a queue that a foreign client wrote exists" {
	rcli HSET "$q:{x}:msg" a $'\npay' >/dev/null
	silent 1 dq-take x
	silent 0 dq-stat x
}

@test "without operands no queue is missing" {
	local command
	for command in dq-promote 'dq-promote --dry-run' dq-gc dq-stat 'dq-stat --messages all' dq-dump; do
		# shellcheck disable=SC2086
		silent 0 $command
	done
}

@test "of several queues each that is missing is named, once" {
	dq-put -q y 1
	run -1 --separate-stderr dq-take -w 10ms x z
	equal "$stderr" "$(printf 'dq-take: %s: no such queue yet: waiting for the first dq-put\n' x z)"
	run -0 --separate-stderr dq-promote y x
	equal "$stderr" 'dq-promote: x: no such queue yet: dq-put creates it'
	silent 0 dq-take x y
}

@test "a message is found: nobody asks for other queues" {
	dq-put -q y 1
	rcli CONFIG RESETSTAT >/dev/null
	run -0 dq-take -w 10s x y
	# the long path asks for the types of sixteen keys: that of y, whose next time has no mark yet
	equal "$(rcli INFO commandstats | grep -oE '^cmdstat_(type|evalsha):calls=[0-9]+' | sort | paste -sd' ')" \
		'cmdstat_evalsha:calls=2 cmdstat_type:calls=18'
}

@test "dq-take -w and -f, dq-run and dq-promote -f report it once, and wait" {
	dq-take -w 60s x >"$T/take" 2>"$T/take.err" &
	local take=$!
	wait_until 10 test -s "$T/take.err"
	dq-put -q x 1
	exits 0 "$take"
	equal "$(cat "$T/take.err")" 'dq-take: x: no such queue yet: waiting for the first dq-put'
	dq-rm -af x
	local pids=() tool
	dq-take -f x >"$T/follow" 2>"$T/dq-take.err" &
	pids+=($!)
	wait_until 10 test -s "$T/dq-take.err"
	dq-run x -- sh -c "cat >>'$T/run'" 2>"$T/dq-run.err" &
	pids+=($!)
	wait_until 10 test -s "$T/dq-run.err"
	dq-promote -f x 2>"$T/dq-promote.err" &
	pids+=($!)
	wait_until 10 test -s "$T/dq-promote.err"
	seq 50 | dq-put -ql x
	all_taken() { [[ $(states x) == '0 0 '* ]]; }
	wait_until 10 all_taken
	for tool in dq-take dq-run dq-promote; do
		equal "$(cat "$T/$tool.err")" "$tool: x: no such queue yet: waiting for the first dq-put"
	done
	kill "${pids[@]}"
	exits 143 "${pids[0]}"
	exits 143 "${pids[1]}"
	exits 143 "${pids[2]}"
}

@test "dq-gc -v counts only queues that existed as removed" {
	run -0 --separate-stderr dq-gc -v "$q.none"
	equal "$stderr" "dq-gc: $q.none: no such queue yet: dq-put creates it"$'\n''dq-gc: 0 removed'
}

@test "-q: they wait without a message" {
	dq-take -q -w 10ms x 2>"$T/err" || true
	dq-promote -qf --for 10ms x 2>>"$T/err"
	equal "$(cat "$T/err")" ''
}

@test "dq-set paused=yes: the pause counts, and the line says so" {
	run -0 --separate-stderr dq-set x paused=yes
	equal "$stderr" 'dq-set: x: no such queue yet: paused before its first put'
	equal "$(rcli HEXISTS "$q:{x}:conf" paused)" 1
	silent 0 dq-set -q x paused=yes
}

@test "dq-set paused=no: there is nothing to resume, and nothing is written" {
	run -0 --separate-stderr dq-set x paused=no
	equal "$stderr" 'dq-set: x: no such queue yet: nothing to resume'
	equal "$(rcli KEYS "$q:{x}:*")" ''
	silent 0 dq-set -q x paused=no
}

@test "the rights of each role are enough to report it" {
	local role tool
	unset DQ_PREFIX
	q=$q.none # a queue of the roles of dq-scripts(7)
	while read -r role tool; do
		set_user "$role"
		run --separate-stderr as "$role" "$tool" "$q"
		equal "$stderr" "$tool: $q: no such queue yet: dq-put creates it"
	done <<-'TABLE'
		consumer dq-take
		operator dq-promote
		operator dq-gc
		monitor dq-stat
	TABLE
}
