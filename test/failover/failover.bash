# shellcheck shell=bash
# Masters and replicas on ports of the loopback (and on unix sockets, for rcli), Sentinels, and scripted servers in their place.

# Beside its unix socket the server listens on $port.
start_tcp() { # NAME [OPTION...]
	local _
	for _ in {1..20}; do # another test may take the port first
		port=$(free_port)
		! start_server "$1" --port "$port" --bind 127.0.0.1 --repl-diskless-sync-delay 0 "${@:2}" || return 0
	done
	return 1
}

is_role() { # NAME ROLE
	[ "$(SERVER=$1 rcli ROLE | head -1)" = "$2" ]
}

in_step() { # NAME: a replica whose link is up
	SERVER=$1 rcli INFO replication | grep -q '^master_link_status:up'
}

replicates() { # NAME PORT
	SERVER=$1 rcli REPLICAOF 127.0.0.1 "$2" >/dev/null
	wait_until 20 in_step "$1"
}

# Is what the first one has told by now in the second one, too?
has_all_of() { # MASTER REPLICA
	local offset
	offset=$(SERVER=$1 rcli INFO replication | tr -d '\r' | sed -n 's/^master_repl_offset://p')
	has_offset "$2" "$offset"
}

has_offset() { # NAME OFFSET
	[ "$(SERVER=$1 rcli INFO replication | tr -d '\r' | sed -n 's/^slave_repl_offset://p')" -ge "$2" ]
}

# The three tools of a test end by TERM. On $T/NAME.err each has said once that it was connecting again, and once that it was connected
# again.
end_three() { # TAKE RUN PROMOTE [REGEX]  their pids; what comes before the latter
	local name
	kill "${@:1:3}"
	exits 143 "$1" && exits 143 "$2" && exits 143 "$3" || return
	for name in take run promote; do
		each_once ': connecting again$' "$T/$name.err" && each_once "${4-}: connected again\$" "$T/$name.err" || return
	done
}

# One-shot tools say that they try again if a failover takes longer than a second, and nothing else.
said_only_that() { # FILE...
	equal "$(grep -hEv ': (trying again for [0-9a-z]+|answers again)$' "$@" || true)" ''
}

# A server with scripted replies, on $port (test/tool/scripted_server.py).
start_scripted() { # NAME WORD=ANSWER...
	stand_in "$1" scripted_server.py "${@:2}"
}

# A way to the server on that port that may swallow all, on $port (test/tool/cut_network.py).
start_way() { # NAME PORT
	stand_in "$1" cut_network.py "$2"
}

stand_in() { # NAME PROGRAM ARG...
	mkdir -p "$T/$1"
	# shellcheck disable=SC2154  # of helper.bash
	python3 "$top/test/tool/$2" "$T/$1/port" "${@:3}" 3>&- &
	echo $! >"$T/$1/pid"
	disown
	wait_until 10 test -s "$T/$1/port"
	port=$(<"$T/$1/port")
}

# A Sentinel on $port. It looks at servers more often than usual, so that tests are fast; but a machine that stood still for
# two seconds is no reason to watch for thirty without acting (TILT), and a server that was silent for a second is not gone.
start_sentinel() { # NAME MASTER-PORT [LINE...]
	local dir=$T/$1 _
	mkdir -p "$dir"
	for _ in {1..20}; do
		port=$(free_port)
		printf '%s\n' "port $port" 'bind 127.0.0.1' "unixsocket $dir/s" 'daemonize yes' "pidfile $dir/pid" "logfile $dir/log" \
			"dir $dir" 'proc-title-template "{title} {config-file}"' "sentinel monitor m 127.0.0.1 $2 2" \
			'sentinel down-after-milliseconds m 2000' 'sentinel failover-timeout m 3000' "${@:3}" >"$dir/conf"
		"${DQ_TEST_SERVER:-redis-server}" "$dir/conf" --sentinel >/dev/null 3>&- || continue
		wait_until 10 answers "$dir/s" || continue
		SERVER=$1 rcli SENTINEL DEBUG INFO-PERIOD 200 PUBLISH-PERIOD 200 TILT-TRIGGER 3600000 TILT-PERIOD 1000 >/dev/null
		return 0
	done
	return 1
}

knows_all() { # SENTINEL: two replicas and two Sentinels beside it
	SERVER=$1 rcli INFO sentinel | grep -q 'status=ok,.*,slaves=2,sentinels=3'
}

# m0, and m1 and m2, which replicate it, and s0 to s2, which watch them; $url names them all. Given PORT, m0 is seen there.
start_watched() { # [WAY]
	local n seen
	start_tcp m0
	m0=$port
	[ -z "${1-}" ] || start_way "$1" "$m0"
	seen=$port
	for n in 1 2; do
		start_tcp "m$n" --replicaof 127.0.0.1 "$seen"
		declare -g "m$n=$port"
	done
	for n in 1 2; do
		wait_until 20 in_step "m$n"
	done
	url=
	for n in 0 1 2; do
		start_sentinel "s$n" "$seen"
		url=$url,127.0.0.1:$port
	done
	url=redis+sentinel://${url#,}/m
	master=$seen
	for n in 0 1 2; do
		wait_until 30 knows_all "s$n"
	done
}

# All three Sentinels name another master than before: its name is $new then.
has_moved() {
	local n at
	for n in 0 1 2; do
		at=$(SERVER=s$n rcli SENTINEL GET-MASTER-ADDR-BY-NAME m | sed -n 2p)
		[ -n "$at" ] && [ "$at" != "$master" ] || return 1
	done
	new=m1
	# shellcheck disable=SC2154  # start_watched declares it
	[ "$at" = "$m1" ] || new=m2
	is_role "$new" master
}
