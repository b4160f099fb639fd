# Goal: A name server that does not answer holds up nothing but the connection: no time limit, no signal, and no command of dq-run.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load failover
load ../run/worker

# names.so (test/tool/names.c) answers for the hosts that have a file in $NAMES.
setup_file() {
	begin_file
	start_tcp named
	echo "$port" >"$F/port"
}

setup() {
	begin_test
	port=$(<"$F/port")
	mkdir "$T/names"
	export NAMES=$T/names SERVER=named DQ_URL=redis://db.example:$port
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
}

# A tool whose names are those.
named() { # TOOL ARG...
	LD_PRELOAD=$DQ_BIN/names.so "$@"
}

@test "a name that is answered, late or at once" {
	named dq-put -q -i x "$q" one &
	wait_until 20 test -s "$NAMES/asked"
	echo 127.0.0.1 >"$NAMES/db.example"
	exits 0 $!
	equal "$(named dq-take "$q" | cut -f2)" one
	equal "$(<"$NAMES/asked")" $'db.example\ndb.example'
}

@test "--connect-timeout is the limit, whatever the name server does" {
	LD_PRELOAD=$DQ_BIN/names.so fails 69 "^redis://db.example:$port/0: the lookup of the host timed out after 300ms\$" \
		dq-put --connect-timeout 300ms -q "$q" x
	equal "$(<"$NAMES/asked")" db.example
}

@test "hosts to choose from: one without an answer does not keep others from being tried" {
	echo 127.0.0.1 >"$NAMES/other.example"
	DQ_URL=redis://db.example:1,other.example:$port named dq-put --connect-timeout 2s -q "$q" x
	holds 0 1 0 0
}

@test "a signal ends the wait for a name" {
	local signal
	for signal in TERM HUP; do # in the background INT is ignored
		rm -f "$NAMES/asked"
		env --default-signal=HUP "LD_PRELOAD=$DQ_BIN/names.so" dq-take --connect-timeout 1h -f "$q" >"$T/out" 2>&1 3>&- &
		wait_until 20 test -s "$NAMES/asked"
		kill "-$signal" $!
		exits $((128 + $(kill -l "$signal"))) $!
	done
}

# A command that says on its standard error what is written to $T/say, and ends when there is $T/end.
obedient() {
	cat >"$T/command" <<-'EOF2'
		#!/bin/bash
		: >"$1/started"
		until [ -e "$1/end" ]; do
			if [ -e "$1/say" ]; then
				cat "$1/say" >&2
				rm "$1/say"
			fi
			read -rt 0.02 _ <>"$1/silent"
		done
	EOF2
	chmod +x "$T/command"
	mkfifo "$T/silent"
}

says() { # TEXT
	echo "$1" >"$T/new" && mv "$T/new" "$T/say"
	wait_until 20 grep -qx "$1" "$T/err"
}

# The worker of a command that runs; of its lookups only so many are answered.
commanded() { # ANSWERS DQ-RUN-OPTION...
	obedient
	echo 127.0.0.1 >"$NAMES/db.example"
	echo "$1" >"$NAMES/most"
	named dq-put -q -i x "$q" x
	rm "$NAMES/asked"
	LD_PRELOAD=$DQ_BIN/names.so dq-run "${@:2}" "$q" -- "$T/command" "$T" >"$T/out" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 20 test -e "$T/started"
	[ "$1" -eq 1 ] || wait_until 20 eval 'rcli CLIENT LIST | grep -q name=dq-run-wait'
}

is_renewed() { # LEASE-END-BEFORE
	[ "$(score leased x)" -gt "$1" ]
}

@test "dq-run, whose second connection waits for a name, renews leases, passes output, and settles" {
	local end
	commanded 1 -j 2 -t 12s --connect-timeout 1h
	wait_until 20 has_lines "$NAMES/asked" 2
	end=$(score leased x)
	wait_until 20 is_renewed "$end"
	end=$(score leased x)
	wait_until 20 is_renewed "$end"
	says hello
	: >"$T/end"
	wait_until 20 holds 0 0 0 0
	equal "$(<"$T/err")" hello
	kill "$worker"
	exits 143 "$worker"
	equal "$(<"$NAMES/asked")" $'db.example\ndb.example'
}

@test "dq-run that lost its connection passes output while a name has no answer, and settles after it" {
	local slept
	commanded 2 -j 2 -t 1h --connect-timeout 5s
	rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 grep -q ": the lookup of the host timed out after 5s: connecting again\$" "$T/err"
	has_lines "$NAMES/asked" 3
	says hello
	: >"$T/end"
	slept=$(sleeps "$worker") # it tries again and again
	wait_until 60 has_slept "$worker" "$slept" 5
	has_lines "$NAMES/asked" 3
	holds 0 0 1 0
	rm "$NAMES/most"
	wait_until 20 holds 0 0 0 0
	wait_until 20 grep -q ': connected again$' "$T/err"
	equal "$(grep -c 'connecting again$' "$T/err")" 2
	between 3 "$(wc -l <"$NAMES/asked")" 8
	kill "$worker"
	exits 143 "$worker"
}

@test "dq-run that waits for a name ends its command at the second signal" {
	commanded 2 -j 2 -t 1h --kill-after 100ms
	rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 has_lines "$NAMES/asked" 3
	kill "$worker"
	wait_until 20 grep -q 'finishing 1 command' "$T/err"
	kill "$worker"
	exits 143 "$worker"
	grep -q "^dq-run: $q/x: not settled: no answer from Redis" "$T/err"
}
