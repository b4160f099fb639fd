# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# A dq-run in the background, and the handlers that it runs. Each test has a folder of its own for them, $D.

setup() {
	begin_test
	D=$T/$q.d
	mkdir "$D"
	export D
}

teardown() {
	local pid
	for pid in $(cat "$D/workers" 2>/dev/null) $(running); do
		kill_ours "$pid"
	done
	end_test
}

# The pids of processes that run for a message of this test.
running() {
	local files
	mapfile -t files < <(grep -slzx "D=$D" /proc/[0-9]*/environ)
	grep -slz '^DQ_NAME=' "${files[@]}" /dev/null | cut -d/ -f3
}

none_run() {
	[ -z "$(running)" ]
}

# What no filter would leave unchanged: control characters, a line longer than a pipe's piece, and more than a pipe holds, of any bytes.
odd_bytes() {
	printf '\1\0\377'
	head -c 5000 /dev/zero | tr '\0' x
	printf '\n'
	head -c 200000 /dev/urandom
}

handler() { # NAME: its script is on stdin; the path is $D/NAME
	{
		echo '#!/bin/sh'
		cat
	} >"$D/$1"
	chmod +x "$D/$1"
}

# A worker in the background: its pid is in $worker, what it says in $D/out and $D/err.
work() { # ARG...
	rm -f "$D/out" "$D/err" # of the worker before
	dq-run "$@" >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
}

# Handlers that open $D/gate to read wait until it is open. A push lets those through that wait now.
gate() {
	mkfifo "$D/gate"
}

open_gate() {
	exec 9<>"$D/gate"
}

lines() { # FILE
	wc -l <"$1" 2>/dev/null || echo 0
}

lost_script() {
	handler stubborn <<-'SH'
		trap '' TERM
		tail -f /dev/null &
		echo "$!" >"$D/grandchild"
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
		wait
	SH
	handler soft <<-'SH'
		trap 'echo TERM >>"$D/log"; exit 0' TERM
		tail -f /dev/null &
		echo "$!" >"$D/grandchild"
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
	SH
	# TERM ends the handler, but not the process that it started.
	handler mixed <<-'SH'
		(trap '' TERM; exec tail -f /dev/null) &
		echo "$!" >"$D/grandchild"
		until grep -q '^SigIgn:.*[4567cdef]...$' "/proc/$!/status"; do :; done
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
	SH
}

both_ended() {
	ended "$(cat "$D/child")" && ended "$(cat "$D/grandchild")"
}
