#!/usr/bin/env bats
# From a far server many calls are on their way at once. Whatever ends dq-take, what they bring is printed or given back.

load ../helper

setup_file() {
	begin_file
	mkdir "$F/far"
	python3 "$top/test/tool/far.py" "$F/far/s" "$F/main/s" 40 3>&- &
	echo $! >"$F/far/pid"
	disown
	wait_until 10 test -S "$F/far/s"
}

has_leased() { # N
	local all
	read -ra all <<<"$(states)"
	[ "${all[2]}" -ge "$1" ]
}

# A tool waits a second for the replies after a signal, and a busy machine may take longer: then again.
with_messages() { # COMMAND...
	local _
	for _ in {1..9}; do
		dq-rm -qaf "$q" || true
		seq 20000 | dq-put -q -l "$q"
		"$@"
		grep -q 'could not be given back' "$T/err" || break
	done
}

# It may have written all before the signal came.
take_and_stop() {
	env --default-signal dq-take -u "unix://$F/far/s" -n 20000 "$q" >"$T/out" 2>"$T/err" 3>&- &
	wait_until 20 has_leased 1000
	kill "$!"
	wait "$!" || true
}

into_full_disk() {
	! dq-take -u "unix://$F/far/s" -n 20000 "$q" >/dev/full 2>"$T/err" || false
}

@test "a signal: what is on its way is given back, without a try" {
	local written
	with_messages take_and_stop
	written=$(wc -l <"$T/out")
	holds 0 $((20000 - written)) "$written" 0
}

@test "a full disk: what is on its way is given back, too" {
	with_messages into_full_disk
	matches "$(<"$T/err")" 'not delivered: No space left on device'
	holds 0 20000 0 0
}
