# Goal: What each tool and path costs does not grow. It is counted and not timed, so that the machine's load does not matter:
# instructions of the one-shot tools, and what the server works for 1,000 messages. guard.tsv has the figures; after a change that
# is meant to move one:
#	make && GUARD_RECORD=1 bats test/scripts/guard.bats

bats_require_minimum_version 1.5.0

load ../helper

figures=$BATS_TEST_DIRNAME/guard.tsv

setup_file() {
	begin_file
	export DQ_URL=unix://$T/main/s # never TLS: the figures are those of a plain connection
	# Every script is loaded and what is sent for a new queue is sent before anything is counted.
	local receipt
	seq 1000 >"$T/lines"
	dq-put -q warm a b c
	receipt=$(dq-take warm | cut -f1)
	dq-ack -r -d 1h "$receipt"
	dq-take --ack warm >/dev/null
	dq-promote warm
	dq-stat warm >/dev/null
	dq-put -q -i x warm x
	dq-rm warm/x
}

# Input is files, never a pipe: how a tool cuts what trickles in into batches depends on time.
setup() {
	begin_test
	list_it
}

# --- figures ---

record() { # NAME FIGURE
	local text
	text=$(awk -F'\t' -v name="$1" '$1 != name' "$figures" && printf '%s\t%s' "$1" "$2") || return
	printf '%s\n' "$text" >"$figures"
}

# The figure is at most PERCENT above the recorded one, and not so far below that this would guard nothing.
keeps() { # NAME FIGURE PERCENT
	local was
	echo "$1: $2"
	matches "$2" '^[1-9][0-9]*$' || return
	if [ -n "${GUARD_RECORD:-}" ]; then
		record "$1" "$2"
		return
	fi
	was=$(awk -F'\t' -v name="$1" '$1 == name { print $2 }' "$figures")
	if [ -z "$was" ]; then
		echo "$1: no figure is recorded: GUARD_RECORD=1 bats test/scripts/guard.bats"
		return 1
	fi
	if [ $(($2 * 100)) -gt $((was * (100 + $3))) ]; then
		echo "$1: $2 is $(($2 * 100 / was - 100)) % above the recorded $was; at most $3 % are allowed"
		return 1
	fi
	if [ $(($2 * 100)) -lt $((was * 70)) ]; then
		echo "$1: $2 is $((100 - $2 * 100 / was)) % below the recorded $was. Well done: GUARD_RECORD=1 bats test/scripts/guard.bats"
		return 1
	fi
}

# --- instructions ---

# The figures are those of an optimized build, by compiler and machine; missing valgrind is a skip at home and a failure under CI=true.
countable() {
	local flags
	built="$(uname -m) gcc"
	! readelf -p .comment "$DQ_BIN/dq-put" | grep -q clang || built="$(uname -m) clang"
	flags=$(sed 's/ | .*//' "$DQ_BIN/flags" 2>/dev/null) || flags=
	if [[ $flags == *-fsanitize=* || $flags =~ .*\ -O([^ ]*) && ${BASH_REMATCH[1]} == [0g] ]] ||
		! nm "$DQ_BIN/dq-put" 2>/dev/null | grep -q ' T main$'; then
		skip 'the figures are those of an optimized build, with symbols'
	fi
	if ! command -v valgrind >/dev/null; then
		[ "${CI:-}" != true ] || {
			echo 'valgrind not found: make test-deps'
			return 1
		}
		skip 'valgrind not found: make test-deps'
	fi
	[ -n "${GUARD_RECORD:-}" ] || grep -q "^instructions $built " "$figures" ||
		skip "no figures of $built are recorded: GUARD_RECORD=1 bats test/scripts/guard.bats"
}

# From main on, without the loader, in an environment of its own: a copy of it is work, too. Without what is for debuggers, which
# valgrind may be too old to read. 15 %: libc and hiredis have versions.
instructions() { # TOOL ARG...
	local out=$T/$q.callgrind
	strip -g -o "$T/$1" "$DQ_BIN/$1" || return
	env -i HOME="$T" PATH=/usr/bin:/bin LC_ALL=C DQ_URL="$DQ_URL" "$(command -v valgrind)" --tool=callgrind --vgdb=no \
		--callgrind-out-file="$out" --toggle-collect=main "$T/$1" "${@:2}" 2>"$out.log" || {
		cat "$out.log"
		return 1
	}
	keeps "instructions $built $1" "$(sed -n 's/^totals: //p' "$out")" 15
}

@test "instructions: dq-put" {
	countable
	instructions dq-put -i x "$q" hello
	holds 0 1 0 0
}

@test "instructions: dq-take" {
	countable
	dq-put -q -i x "$q" hello
	instructions dq-take "$q"
	holds 0 0 1 0
}

@test "instructions: dq-ack" {
	countable
	dq-put -q -i x "$q" hello
	instructions dq-ack "$(dq-take "$q" | cut -f1)"
	holds 0 0 0 0
}

@test "instructions: dq-promote" {
	countable
	dq-put -q -i x -d 1h "$q" hello
	later 3600001
	instructions dq-promote "$q"
	holds 0 1 0 0
}

@test "instructions: dq-stat" {
	countable
	dq-put -q -i x "$q" hello
	instructions dq-stat "$q"
}

@test "instructions: dq-rm" {
	countable
	dq-put -q -i x "$q" hello
	instructions dq-rm "$q/x"
	holds 0 0 0 0
}

@test "instructions: dq-run" {
	countable
	dq-put -q -i x "$q" hello
	instructions dq-run --once "$q" -- true
	holds 0 0 0 0
}

# --- Redis ---

# The commands of clients, as MONITOR shows them (all but CLIENT UNBLOCK and its kind), without those of the test. What scripts call
# comes from "lua".
requests() {
	awk '$3 != "lua]" && tolower($4) !~ /^"(config|info|echo|monitor)"$/ && /^[0-9]/ { n++ } END { print n + 0 }' "$T/$q.monitor"
}

start_count() {
	rcli MONITOR >"$T/$q.monitor" 3>&- &
	monitor=$!
	wait_until 10 grep -q OK "$T/$q.monitor"
	rcli CONFIG RESETSTAT >/dev/null
}

# Two figures: commands, those of scripts included, are what the server works; requests are what goes over the wire.
end_count() { # NAME
	local commands
	commands=$(rcli INFO commandstats | awk -F'[:=,]' '
		/^cmdstat_/ && !/^cmdstat_(config|info|echo|monitor)[|:]/ { n += $3 } END { print n + 0 }')
	rcli ECHO counted >/dev/null
	wait_until 10 grep -qi '"ECHO" "counted"' "$T/$q.monitor"
	kill "$monitor"
	keeps "commands $1" "$commands" "${slack:-5}"
	keeps "requests $1" "$(requests)" 5
}

counts() { # NAME COMMAND...
	start_count
	"${@:2}"
	end_count "$1"
}

fill() { # [OPTION...]
	dq-put -l "$@" "$q" <"$T/lines" >"$T/$q.names"
}

taken() {
	dq-take -n 1000 "$q" >"$T/$q.taken"
}

from() { # FILE COMMAND...
	"${@:2}" <"$1"
}

@test "commands: 1,000 lines put, delayed" {
	counts put-delayed fill -d 1h
	holds 1000 0 0 0
}

@test "commands: 1,000 lines put, ready" {
	counts put-ready fill
	holds 0 1000 0 0
}

@test "commands: 1,000 promoted" {
	fill -d 1h
	later 3600001
	counts promote dq-promote "$q"
	holds 0 1000 0 0
}

take_and_ack() {
	taken
	dq-ack <"$T/$q.taken"
}

@test "commands: 1,000 taken and acked" {
	fill
	counts take-ack take_and_ack
	holds 0 0 0 0
}

# What scripts read of msg, as MONITOR shows it: ids.
read_of_msg() {
	awk '$3 == "lua]" && tolower($4) == "\"hmget\"" && $5 ~ /:msg"$/ { n += NF - 5 } END { print n + 0 }' "$T/$q.monitor"
}

@test "large records are read once: those that are given" {
	local _
	for _ in 1 2 3 4; do
		head -c 1048576 /dev/zero | dq-put -q "$q"
	done
	start_count
	taken
	rcli ECHO counted >/dev/null
	wait_until 10 grep -qi '"ECHO" "counted"' "$T/$q.monitor"
	kill "$monitor"
	holds 0 0 4 0
	equal "$(read_of_msg)" 4
}

@test "commands: 1,000 retried" {
	fill
	taken
	slack=15 counts retry from "$T/$q.taken" dq-ack -r -d 1h
	holds 1000 0 0 0
}

@test "commands: 1,000 removed" {
	fill
	counts rm from "$T/$q.names" dq-rm
	holds 0 0 0 0
}

@test "commands: one put" {
	counts put-one dq-put -q "$q" hello
	holds 0 1 0 0
}

# Directly, with the time as an argument: the usual calls of the scripts, which do not depend on how long anything takes.
one_usual() {
	local now=1800000000000 token
	script put "$now" fail 100 '' 0 x $'\nhello'
	token=$(script take "$now" 1 '' 1 1000 '' | sed -n 2p)
	script extend "$now" 90000 x "$token"
	script "$@"
}

use() {
	rcli HSET "dq:{$q}:stat" armed 1800000000400 listed 1800000000000 >/dev/null
}

@test "commands: one usual message put, taken, extended and acked" {
	use
	counts usual-ack one_usual ack 1800000000000 x 1800000000000000
	holds 0 0 0 0
}

@test "commands: one usual message put, taken, extended and retried" {
	use
	counts usual-retry one_usual retry 1800000000000 '' why x 1800000000000000
	holds 1 0 0 0
}

# Every half a second one of the takes has to make the mark of a time: some 30 commands more. So how many are allowed depends on how
# long it takes, on a busy machine some seconds.
run_50() {
	local ms=${EPOCHREALTIME/./}
	dq-run --drain "$q" -- true
	ms=$(((${EPOCHREALTIME/./} - ms) / 1000))
	slack=$((20 + ms / 100))
}

@test "commands: 50 run, one after the other" {
	local slack
	seq 50 | dq-put -ql "$q"
	counts run-50 run_50
	holds 0 0 0 0
}

# -q: whether a queue exists is asked for once in the life of a waiter, and not counted here
idle() {
	local code=0
	dq-take -q -w 1 "$q" || code=$?
	equal "$code" 1
}

@test "commands: a wait for nothing" {
	counts wait idle
}

blocked() {
	rcli INFO clients | grep -q '^blocked_clients:1'
}

woken() {
	local taker
	dq-take -q -w 60 "$q" >"$T/$q.taken" 3>&- &
	taker=$!
	wait_until 20 blocked
	dq-put -q -i x "$q" hello
	exits 0 "$taker"
}

@test "commands: a put that wakes a taker" {
	counts wake woken
	matches "$(cat "$T/$q.taken")" "^$q/x@"
	holds 0 0 1 0
}
