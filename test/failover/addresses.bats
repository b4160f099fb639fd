# Goal: A host name may have several addresses: the tools use that of the master, wherever it is.

bats_require_minimum_version 1.5.0

load ../helper
load failover

# names.so (test/tool/names.c) answers for db.example: first a replica, then its master.
setup() {
	begin_test
	mkdir "$T/names"
	export NAMES=$T/names
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
}

named() { # TOOL ARG...
	LD_PRELOAD=$DQ_BIN/names.so "$@"
}

# A master and a replica at two addresses of the loopback, on one port.
start_two() {
	local _
	for _ in {1..20}; do
		start_tcp a
		! start_server b --port "$port" --bind 127.0.0.2 --repl-diskless-sync-delay 0 --replicaof 127.0.0.1 "$port" || break
		stop_server a
	done
	wait_until 20 in_step b
	export DQ_URL=redis://db.example:$port
}

swap() {
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
	SERVER=a rcli REPLICAOF 127.0.0.2 "$port" >/dev/null
	wait_until 20 in_step a
}

stop_two() {
	stop_server b
	stop_server a
}

@test "the first address is that of a replica: the master is found, also after a failover, and by a tool that runs" {
	start_two
	echo 127.0.0.2 127.0.0.1 >"$NAMES/db.example"
	equal "$(named dq-put -i x "$q" hello)" "$q/x"
	LD_PRELOAD=$DQ_BIN/names.so dq-take -f "$q" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$!
	wait_until 20 has_lines "$T/out" 1
	wait_until 20 has_all_of a b
	swap
	named dq-put -q "$q" there
	wait_until 30 has_lines "$T/out" 2
	kill "$taker"
	exits 143 "$taker"
	equal "$(cut -f 2 "$T/out" | paste -sd' ')" 'hello there'
	stop_two
}

@test "the first address is that of nobody, or of a server that hangs" {
	start_two
	echo 127.0.0.3 127.0.0.1 >"$NAMES/db.example"
	named dq-put -q "$q" one
	echo 127.0.0.2 127.0.0.1 >"$NAMES/db.example"
	kill -STOP "$(<"$T/b/pid")"
	named dq-put -q --connect-timeout 3s "$q" two
	kill -CONT "$(<"$T/b/pid")"
	equal "$(SERVER=a states)" '0 2 0 0'
	stop_two
}

@test "the other addresses have failed: what is left of the time is for the one that has not" {
	local addresses began
	start_scripted silent CLIENT=NOTHING HELLO=NOTHING
	for addresses in '127.0.0.1 127.0.0.3' '127.0.0.3 127.0.0.1 127.0.0.4'; do
		echo "$addresses" >"$NAMES/db.example"
		began=${EPOCHREALTIME/./}
		LD_PRELOAD=$DQ_BIN/names.so fails 69 ': timed out after 600ms$' \
			dq-put -u "redis://db.example:$port" --connect-timeout 600ms --retry-for 0 "$q" x
		between 590 $(((${EPOCHREALTIME/./} - began) / 1000)) 8000
	done
}

@test "all addresses are those of replicas: dq-stat reads, and a put is refused" {
	start_two
	dq-put -q -u "redis://127.0.0.1:$port" -i x "$q" hello
	wait_until 20 has_all_of a b
	echo 127.0.0.2 127.0.0.2 >"$NAMES/db.example"
	equal "$(named dq-stat --no-header "$q" | awk '{ print $4 }')" 1
	LD_PRELOAD=$DQ_BIN/names.so fails 75 'READONLY' dq-put "$q" x
	stop_two
}

@test "one address: nobody is asked what it is" {
	start_two
	echo 127.0.0.1 >"$NAMES/db.example"
	named dq-put -q "$q" x
	run ! grep -q cmdstat_hello <(SERVER=a rcli INFO commandstats)
	stop_two
}
