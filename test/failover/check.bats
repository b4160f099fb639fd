# Goal: dq-stat --check reports how well a master is replicated, and what its Sentinels see.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load failover

has() { # STATUS LINE...: the report ends with that, and has lines that match, with blanks for tabs
	local wanted=$1 line
	run --separate-stderr dq-stat --check -u "$url" --connect-timeout 2s
	equal "$status" "$wanted"
	shift
	for line; do
		grep -qE "^$line" <<<"${output//$'\t'/ }" || {
			echo "no line $line in:"
			echo "$output"
			return 1
		}
	done
}

online() {
	[ "$(SERVER=m0 rcli INFO replication | grep -c 'state=online')" = 2 ]
}

@test "two replicas and three Sentinels: a full report, with a warning for each lack" {
	start_watched
	local name
	for name in m0 m1 m2; do
		SERVER=$name rcli CONFIG SET appendonly yes >/dev/null
	done
	wait_until 20 online
	has 1 'warning min-replicas-to-write not set: ' \
		'ok replicas a master; 2 of 2 replicas online, the last one [0-9]+ bytes and [0-9]+s behind$' \
		'ok sentinel 3 of 3 Sentinels name this master, and have a quorum to replace it$'
	for name in m0 m1 m2; do
		SERVER=$name rcli CONFIG SET min-replicas-to-write 1 >/dev/null
	done
	has 0 'ok replicas ' 'ok sentinel 3 of 3 '
	url=${url%/m}/other has 3 'unknown server no answer: no Sentinel knows the master other' \
		'warning sentinel 127.0.0.1:[0-9]+: does not know this master; '
	stop_server s1 KILL
	stop_server s2 KILL
	no_quorum() { ! SERVER=s0 rcli -e SENTINEL CKQUORUM m; }
	wait_until 20 no_quorum
	has 1 'warning sentinel 127.0.0.1:[0-9]+: connection refused; ' 'warning sentinel 127.0.0.1:[0-9]+: NOQUORUM '
	stop_server m0 KILL
	has 2 'critical server no answer: no master m: 127.0.0.1:[0-9]+, says Sentinel 127.0.0.1:[0-9]+ \(connection refused\)' \
		'warning sentinel '
}

@test "a replica that hangs is a warning, while the master still counts it as online" {
	start_tcp a
	url=redis://127.0.0.1:$port
	start_tcp b --replicaof 127.0.0.1 "$port"
	wait_until 20 in_step b
	SERVER=a rcli CONFIG SET min-replicas-to-write 1 min-replicas-max-lag 1000 appendonly yes >/dev/null
	one_online() { SERVER=a rcli INFO replication | grep -q 'state=online'; }
	wait_until 20 one_online
	has 0 'ok replicas a master; 1 of 1 replicas online, the last one [0-9]+ bytes and [0-9]s behind$'
	kill -STOP "$(<"$T/b/pid")"
	silent() { SERVER=a rcli INFO replication | grep -qE 'state=online.*,lag=(1[1-9]|[2-9][0-9])'; }
	wait_until 30 silent
	has 1 'warning replicas a master; 1 of 1 replicas online, the last one [0-9]+ bytes and [0-9]{2}s behind; read '
	stop_server b KILL
	stop_server a
}

@test "a Sentinel that names another master" {
	start_tcp a
	local a=$port one
	start_scripted one "SENTINEL=*2\\r\\n\$9\\r\\n127.0.0.1\\r\\n\$${#a}\\r\\n$a\\r\\n"
	one=$port
	start_scripted two 'SENTINEL=*2\r\n$7\r\n1.2.3.4\r\n$1\r\n5\r\n'
	url=redis+sentinel://127.0.0.1:$one,127.0.0.1:$port/m
	has 1 "warning sentinel 127.0.0.1:$port: says that the master is 1.2.3.4:5; check again in a minute; if the warning stays, two" \
		"warning sentinel 127.0.0.1:$one: unexpected reply to SENTINEL"
	stop_server a
}
