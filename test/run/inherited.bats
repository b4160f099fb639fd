# Goal: A command of dq-run inherits what dq-run was given, and dq-run works whatever it was given.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

given() {
	exec python3 "$top/test/tool/given.py" "$@"
}

# Signals 1 to 28: posix_spawn of glibc lets a child ignore 32 and 33, which are its own.
signals='sed -n "s/^\(Sig[BI].*:\).*\(.......\)$/\1 \2/p" /proc/self/status'
inherited=$signals'; cat /proc/self/limits; umask; nice; pwd; ulimit -Sc'

# The same command, once started directly and once by dq-run. A sanitizer would forbid core files.
same_as_direct() { # [block=...] [ignore=...]
	export ASAN_OPTIONS="${ASAN_OPTIONS-}:disable_coredump=0"
	cd "$D" && umask 027 && ulimit -Sn 200
	(given "$@" nice -n 5 sh -c "$inherited") >"$D/direct" || return
	(given "$@" nice -n 5 dq-run --once "$q" -- sh -c "$inherited") >"$D/run" || return
	diff "$D/direct" "$D/run"
}

@test "signals, limits, umask and niceness of a command are those that dq-run got" {
	seq 3 | dq-put -ql "$q"
	same_as_direct
	same_as_direct block=TERM,CHLD,USR1 ignore=INT,HUP,PIPE,XFSZ,USR2
}

@test "the limit of core files, too, although dq-run with a password leaves none" {
	rcli ACL SETUSER "u$q" on '>secret' '~*' '&*' '+@all' >/dev/null
	export REDISCLI_AUTH=secret DQ_URL=unix://u$q:@$T/main/s
	dq-put -q "$q" x
	same_as_direct
}

@test "SIGCHLD is not ignored in a command: it waits for its own children" {
	dq-put -q "$q" x
	(given ignore=CHLD dq-run --once "$q" -- sh -c "$signals") >"$D/out"
	equal "$(cat "$D/out")" $'SigBlk: 0000000\nSigIgn: 0000000'
}

# Bits 0, 1, 14, 16: HUP, INT, TERM, CHLD. While a command starts, all signals are blocked for a moment.
hears() { # PID
	[ $((0x$(sed -n 's/^SigBlk:\s*//p' "/proc/$1/status") & 0x14003)) = 0 ]
}

@test "blocked signals: the worker hears TERM and the end of its commands" {
	seq 3 | dq-put -ql "$q"
	(given block=TERM,INT,HUP,CHLD dq-run "$q" -- true) 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
	wait_until 10 hears "$worker"
	kill "$worker"
	exits 143 "$worker"
}

# The command sees that there is such a descriptor, or not: 4 and 5 are given, 3 is of its verdict, 6 is closed.
variables() { # NAME=VALUE...
	(unset MAKEFLAGS MFLAGS && exec env "$@" dq-run --once "$q" -- sh -c \
		'env | grep -E "^(LISTEN|NODE_[CU]|MAKEFLAGS|MFL|CARGO_M|BASH_X|GIT_T|OWN|WAYLAND)"' \
		3>"$D/3" 4>"$D/4" 5>"$D/5" 6>&-) | sort
}

@test "variables that name descriptors: without those that a command does not have, or has for its verdict" {
	local same=(BASH_XTRACEFD=2 'CARGO_MAKEFLAGS=-j --jobserver-fds=4,5 --jobserver-auth=4,5'
		GIT_TRACE=4 GIT_TRACE2=/tmp/3 GIT_TRACE_SETUP=1
		'MAKEFLAGS=k -j8 --jobserver-auth=fifo:/tmp/3 -- A=--jobserver-auth=3' MFLAGS=-k NODE_CHANNEL_FD=5
		NODE_CHANNEL_SERIALIZATION_MODE=json NODE_UNIQUE_ID=1 OWN=/dev/fd/4 OWN_FD=3 WAYLAND_SOCKET=5)
	seq 2 | dq-put -ql "$q"
	equal "$(variables "${same[@]}")" "$(printf '%s\n' "${same[@]}" | sort)"
	equal "$(variables BASH_XTRACEFD=3 'CARGO_MAKEFLAGS=-j --jobserver-fds=3,4 --jobserver-auth=3,4' GIT_TRACE=3 GIT_TRACE2_EVENT=6 \
		LISTEN_FDS=2 LISTEN_PID=1 LISTEN_FDNAMES=a:b 'MAKEFLAGS=k -j8 --jobserver-auth=3,4 -O -- A=--jobserver-auth=3' \
		'MFLAGS=-k -j8 --jobserver-auth=5,6' NODE_CHANNEL_FD=3 NODE_CHANNEL_SERIALIZATION_MODE=json NODE_UNIQUE_ID=1 \
		OWN=/dev/fd/3 OWN_FD=/proc/self/fd/6 WAYLAND_SOCKET=9999999)" \
		$'CARGO_MAKEFLAGS=\nMAKEFLAGS=k -O -- A=--jobserver-auth=3\nMFLAGS=-k '
	holds 0 0 0 0
}
