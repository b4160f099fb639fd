# shellcheck shell=bash disable=SC2154
# A master with a replica (or two), for a file or a test of its own: $T/master and $T/replica. SIGSTOP makes a replica lag: it
# stays connected, and confirms nothing. Needs failover.bash.

# Each file has one master and one replica for all its tests.
setup_file() {
	begin_file
	start_master
	start_replica replica
	echo "$master_port" >"$F/port"
}

setup() {
	begin_test
	master_port=$(<"$F/port")
	export DQ_URL=unix://$T/master/s
	warm_up "$q"
}

teardown() {
	catch_up replica
	end_test
}

start_master() {
	start_tcp master --repl-ping-replica-period 3600 --repl-timeout 3600
	master_port=$port
}

start_replica() { # NAME
	start_tcp "$1" --replicaof 127.0.0.1 "$master_port" --repl-timeout 3600
	wait_until 20 in_step "$1"
}

lag() { # REPLICA
	kill -STOP "$(<"$T/$1/pid")"
}

catch_up() { # REPLICA
	[ ! -e "$T/$1/pid" ] || kill -CONT "$(<"$T/$1/pid")"
}

# The payload that a server has of a message of queue $q.
payload_on() { # SERVER ID
	SERVER=$1 rcli HGET "dq:{$q}:msg" "$2" | tail -1
}

master_blocks() {
	[[ $(SERVER=master rcli INFO clients) == *blocked_clients:1* ]]
}

holds_none_on_master() {
	SERVER=master holds 0 0 0 0
}

# A script that a server does not know is run only after the WAIT that is sent behind it.
knows() { # SCRIPT...
	local name text
	for name; do
		IFS= read -rd '' text < <("$DQ_BIN/embed" -x "$top/lua/$name.lua") || true
		rcli SCRIPT LOAD "$text" >/dev/null
	done
}

# Is the lease of that message of queue $q over?
is_over() { # ID
	[ "$(server_ms)" -gt "$(score leased "$1")" ]
}

rcli_master() {
	SERVER=master rcli "$@"
}

# How many writes the master has done. (Its offset grows by WAIT, too.)
writes() {
	SERVER=master rcli INFO persistence | sed -n 's/^rdb_changes_since_last_save:\([0-9]*\).*/\1/p'
}

# The replica has confirmed all writes: WAIT of a client that writes nothing more then succeeds, even if the replica lags.
all_confirmed() {
	local said
	said=$(SERVER=master rcli INFO replication)
	[[ $said =~ offset=([0-9]+),lag ]] && [[ $said == *"master_repl_offset:${BASH_REMATCH[1]}"* ]]
}

can_waitaof() {
	local major minor
	IFS=. read -r major minor _ < <(SERVER=$1 rcli INFO server | sed -n 's/^redis_version:\([0-9.]*\).*/\1/p')
	((major > 7 || major == 7 && minor >= 2))
}

# As start_cut, to the master.
start_lossy() { # LETTERS
	python3 "$top/test/tool/cut.py" "$T/cut" "$T/master/s" "$@" 3>&- &
	# shellcheck disable=SC2034  # stop_cut reads it
	cut=$!
	disown
	wait_until 10 test -S "$T/cut"
}
