# Goal: A tool that waits, idle, notices within a stated time that its master hangs, and connects to the next one.

bats_require_minimum_version 1.5.0

load ../helper
load failover

# 6 s of waiting, 1.5 s of grace, --timeout for the next call, --connect-timeout to find the master; and some for a busy machine.
LIMIT=$((6000 + 1500 + 2000 + 2000 + 8000))

idle() { # MASTER: all three wait there
	[ "$(SERVER=$1 rcli CLIENT LIST | grep -c 'cmd=bzpopmin')" = 3 ]
}

begin_idle() { # MASTER
	local wait=(-u "$url" --timeout 2s --connect-timeout 2s)
	dq-take -f "${wait[@]}" "$q" >"$T/taken" 2>"$T/take.err" 3>&- &
	take=$!
	dq-run "${wait[@]}" "run$q" -- cat >"$T/ran" 2>"$T/run.err" 3>&- &
	run=$!
	dq-promote -f "${wait[@]}" "due$q" 2>"$T/promote.err" 3>&- &
	promote=$!
	wait_until 20 idle "$1"
}

put_on() { # MASTER
	local server=unix://$T/$1/s
	dq-put -q -u "$server" "$q" hello
	dq-put -q -u "$server" "run$q" hello
	dq-put -q -u "$server" -d 1ms "due$q" hello
}

arrived() { # MASTER
	grep -q hello "$T/taken" && grep -q hello "$T/ran" && [ "$(SERVER=$1 rcli ZCARD "dq:{due$q}:ready")" = 1 ]
}

# Counted from the moment in which there is another master.
arrives_in_time() { # MASTER
	local before
	before=$(date +%s%3N)
	put_on "$1"
	wait_until 60 arrived "$1"
	between 0 $(($(date +%s%3N) - before)) "$LIMIT"
	end_three "$take" "$run" "$promote"
}

@test "several hosts: the master hangs while nothing happens" {
	start_tcp a
	url=redis://127.0.0.1:$port
	start_tcp b --replicaof 127.0.0.1 "$port"
	url=$url,127.0.0.1:$port
	wait_until 20 in_step b
	begin_idle a
	kill -STOP "$(<"$T/a/pid")"
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
	arrives_in_time b
	stop_server a KILL
	stop_server b
}

@test "Sentinels: the master hangs while nothing happens" {
	start_watched
	begin_idle m0
	kill -STOP "$(<"$T/m0/pid")"
	wait_until 40 has_moved
	arrives_in_time "$new"
	stop_server m0 KILL
}
