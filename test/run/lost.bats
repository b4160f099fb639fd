# Goal: If the lease of a command is lost, dq-run ends the command and all its processes, and settles nothing.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

@test "the message is removed: the command's process group gets TERM" {
	dq-put -q -i x -t 6s "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 20 test -e "$D/child"
	dq-rm "$q/x"
	wait_until 20 both_ended
	equal "$(cat "$D/log")" TERM
	wait_until 20 grep -q "^dq-run: $q/x: the lease is lost (settled already, or removed): ending its command\$" "$D/err"
	holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
}

# Within a second, long before the lease would be renewed: here after 20 minutes.
loses() { # COMMAND...
	dq-put -q -i x -t 1h "$q" x
	dq-put -q -i stays -t 1h "$q" stays
	lost_script
	work -j 2 "$q" -- sh -c 'case $(cat) in
		x) exec "$D/soft" ;;
		stays) exec tail -f /dev/null ;;
		*) : >"$D/new" ;;
		esac'
	wait_until 20 test -e "$D/child"
	"$@"
	local began=${EPOCHREALTIME/./}
	wait_until 20 both_ended
	between 0 $((${EPOCHREALTIME/./} - began)) 10000000 # of 20 minutes; how often it looks, leases.bats says
	wait_until 20 eval '[ "$(running | wc -l)" = 1 ]' # the new message may have a command meanwhile
	equal "$(field stat extended)" ''
	equal "$(tries stays)" 1
	equal "$(grep -c 'the lease is lost' "$D/err")" 1
}

@test "the message is removed: its command ends within a second, whatever its lease; other commands run on" {
	loses dq-rm "$q/x"
	grep -q "^dq-run: $q/x: the lease is lost (settled already, or removed): ending its command\$" "$D/err"
}

@test "the message is replaced: its command ends within a second, and the new one is run" {
	loses dq-put -q -e replace -i x -p 0 "$q" new
	grep -q "^dq-run: $q/x: the lease is lost (released, taken by another consumer, or put again): ending its command\$" "$D/err"
	wait_until 20 test -e "$D/new"
	wait_until 20 holds 0 0 1 0
}

@test "the message is taken by another consumer: its command ends within a second" {
	given() {
		kill -STOP "$worker" # it must not see the other one in between
		later 3600001
		dq-take -n 2 -t 1h "$q" >"$D/taken"
		# for the other one: the receipt is as it was
		rcli HSET "dq:{$q}:try" stays "$1"$'\n' >/dev/null
		kill -CONT "$worker"
	}
	loses eval 'given "$(field try stays)"'
	holds 0 0 2 0
}

@test "somebody else has it: TERM, and KILL after --kill-after; nothing is settled" {
	dq-put -q -i x -t 6s "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/stubborn"
	wait_until 20 test -e "$D/child"
	kill -STOP "$worker"
	later 60000
	local receipt
	receipt=$(dq-take -t 1h "$q" | cut -f1)
	kill -CONT "$worker"
	wait_until 20 both_ended
	wait_until 20 grep -q 'the lease is lost' "$D/err"
	equal "$(wc -l <"$D/err")" 1
	equal "$(states)" '0 0 1 0'
	equal "$(tries x)" 2
	dq-ack "$receipt"
	holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
}

@test "another token in the try entry: TERM, not settled" {
	dq-put -q -i x -t 6s "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 20 test -e "$D/child"
	local entry
	entry=$(field try x)
	rcli HSET "dq:{$q}:try" x "1 1 ${entry#* * }" >/dev/null
	wait_until 20 both_ended
	wait_until 20 grep -q 'the lease is lost (released, taken by another consumer, or put again)' "$D/err"
	equal "$(states)" '0 0 1 0'
	kill "$worker"
	exits 143 "$worker"
}

@test "a lost lease: what ignores TERM in the group is killed although the command itself died" {
	dq-put -q -i x -t 6s "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/mixed"
	wait_until 20 test -e "$D/child"
	dq-rm "$q/x"
	wait_until 20 both_ended
	kill "$worker"
	exits 143 "$worker"
}

@test "KILL follows no sooner than --kill-after" {
	dq-put -q -i x -t 6s "$q" x
	handler slow <<-'SH'
		#!/bin/bash
		trap 'read -rt 1 <>"$D/never"; echo clean >>"$D/log"; exit 0' TERM
		echo "$$" >"$D/child"
		tail -f /dev/null &
		wait
	SH
	mkfifo "$D/never"
	work --kill-after 20s "$q" -- bash "$D/slow"
	wait_until 20 test -s "$D/child"
	dq-rm "$q/x"
	wait_until 20 has_lines "$D/log" 1
	equal "$(cat "$D/log")" clean
	kill "$worker"
	exits 143 "$worker"
}
