# Goal: dq-stat --check reports the settings and states of a server that put messages at risk, on real servers (check_rare.bats has states
# into which a real server is not easily brought).

bats_require_minimum_version 1.5.0

load ../helper
load ../health

setup_file() {
	begin_file
	rcli CONFIG SET appendonly yes appendfsync always >/dev/null
	wait_until 10 synced
}

setup() {
	begin_test
	before=()
	DQ_PREFIX=$q
	export DQ_PREFIX
}

synced() {
	[ "$(rcli INFO persistence | tr -d '\r' | grep -cE '^aof_(rewrite_in_progress|rewrite_scheduled):0$|^aof_enabled:1$')" = 3 ]
}

# On the main server; they are as before at the end of the test, however it ends.
set_config() { # NAME VALUE...
	while [ $# -gt 0 ]; do
		before=("$1" "$(rcli --raw CONFIG GET "$1" | sed -n 2p)" "${before[@]}")
		equal "$(rcli CONFIG SET "$1" "$2")" OK || return
		shift 2
	done
}

teardown() {
	set -- "${before[@]}"
	while [ $# -gt 0 ]; do
		rcli CONFIG SET "$1" "$2" >/dev/null
		shift 2
	done
	end_test
}

# "Redis VERSION" or "Valkey VERSION", as the server itself says.
who_answers() {
	rcli INFO server | tr -d '\r' | awk -F: '$1 == "redis_version" && !who { who = "Redis " $2 }
		$1 == "valkey_version" { who = "Valkey " $2 } END { print who }'
}

@test "all is well: the first line, one finding, and 0" {
	run -0 --separate-stderr dq-stat --check
	equal "$output" "DQ OK - $(who_answers) answers; 0 queues"$'\nok\tserver\t'"$(who_answers) answers"
	equal "$stderr" ''
	dq-put -q "$q.a" x
	finds 0 'ok server (Redis|Valkey) '
	on="-q $q.a $q.never-was" finds 0 'ok server (Redis|Valkey) '
	equal "$(states "$q.a")" '0 1 0 0'
}

@test "one server gets no command for clusters" {
	rcli CONFIG RESETSTAT >/dev/null
	finds 0 'ok server (Redis|Valkey) '
	dq-stat --prometheus >/dev/null
	equal "$(rcli INFO commandstats | grep -oE '^cmdstat_(info|time|cluster[^:]*):calls=[0-9]+' | sort | xargs)" \
		'cmdstat_info:calls=3 cmdstat_time:calls=2'
}

@test "--json: one object, with the same" {
	run -0 dq-stat --check --json
	equal "${#lines[@]}" 1
	jq -e '.findings | all(keys == ["level", "remedy", "what", "why"])' <<<"$output"
	jq -e '.version == 1 and .status == "ok" and (.findings | length) == 1 and .findings[0].level == "ok"' <<<"$output"
	set_config maxmemory-policy allkeys-lru appendfsync everysec
	run -1 dq-stat --check --json
	equal "${#lines[@]}" 1
	jq -e '.status == "warning" and (.findings | length) == 3 and (.findings | all(.why))
		and (.findings[0, 2] | .remedy | type == "string")
		and .findings[0].level == "warning" and .findings[0].what == "maxmemory-policy"
		and (.findings[1:] | map([.level, .what])) == [["ok", "server"], ["ok", "appendfsync"]]' <<<"$output"
}

@test "a policy that evicts: critical with a limit if it may evict all keys" {
	local policy
	for policy in allkeys-lru allkeys-lfu allkeys-random; do
		set_config maxmemory-policy "$policy"
		finds 1 "warning maxmemory-policy $policy lets Redis evict whole queues once .*; CONFIG SET maxmemory-policy noeviction"
	done
	set_config maxmemory 1gb
	finds 2 "critical maxmemory-policy $policy lets Redis evict whole queues; CONFIG SET maxmemory-policy noeviction"
	for policy in volatile-lru volatile-lfu volatile-random volatile-ttl; do
		set_config maxmemory-policy "$policy"
		finds 1 "warning maxmemory-policy $policy lets Redis evict keys with a time to live;"
	done
}

@test "memory: nearly full is a warning, full is critical" {
	local used
	used=$(rcli INFO memory | tr -d '\r' | sed -n 's/^used_memory://p')
	set_config maxmemory $((used * 100 / 95))
	finds 1 'warning maxmemory 9[0-9]% of [0-9]+ bytes are used; at 100% puts are refused; drain the queues'
	set_config maxmemory 1
	finds 2 'critical maxmemory all of 1 bytes are used; puts are refused; drain the queues'
	set_config maxmemory $((used * 4))
	finds 0 'ok server'
}

@test "no AOF: the report says what a crash would lose" {
	start_server plain
	DQ_URL=unix://$T/plain/s finds 1 'warning appendonly no AOF and no snapshots: a restart loses everything; CONFIG SET appendonly yes'
	SERVER=plain rcli CONFIG SET save '3600 1' >/dev/null
	DQ_URL=unix://$T/plain/s finds 1 'warning appendonly no AOF: a crash loses all since the last snapshot; CONFIG SET appendonly yes'
	stop_server plain
}

@test "appendfsync: the report says what may be lost, without a warning" {
	set_config appendfsync everysec
	finds 0 'ok server' 'ok appendfsync everysec: a crash may lose the last second or two'
	set_config appendfsync no
	finds 0 'ok server' 'ok appendfsync no: a power cut may lose the last half a minute'
	set_config appendfsync always no-appendfsync-on-rewrite yes
	finds 1 'warning no-appendfsync-on-rewrite during a rewrite of the AOF Redis does not fsync: a crash may lose changes; CONFIG SET '
}

@test "a snapshot that failed, and writes are refused" {
	mkdir "$T/disk"
	start_server broken --dir "$T/disk" --appendonly yes --appendfsync always --save '3600 1000'
	rm -r "$T/disk"
	SERVER=broken rcli BGSAVE >/dev/null
	bgsave_failed() { SERVER=broken rcli INFO persistence | grep -q rdb_last_bgsave_status:err; }
	wait_until 10 bgsave_failed
	export DQ_URL=unix://$T/broken/s
	fails 75 'MISCONF' dq-put "$q" x
	finds 2 'critical rdb_last_bgsave_status the last snapshot failed; writes are refused; look at the disk'
	SERVER=broken rcli CONFIG SET stop-writes-on-bgsave-error no >/dev/null
	finds 1 'warning rdb_last_bgsave_status the last snapshot failed; look at the disk'
	dq-put -q "$q" x
	stop_server broken KILL # it does not end without a snapshot
}

@test "a replica refuses writes, and the report names its master" {
	start_server replica --appendonly yes --appendfsync always --replicaof 127.0.0.1 1
	export DQ_URL=unix://$T/replica/s
	fails 75 '(READONLY|MASTERDOWN)' dq-put "$q" x
	local why='this is a replica of 127.0.0.1:1, and refuses writes; its link is down, and its data may be old or missing'
	finds 2 "critical role $why; let the URL name the master"
	stop_server replica
}

@test "too few replicas" {
	set_config min-replicas-to-write 2
	fails 75 'NOREPLICAS' dq-put "$q" x
	finds 2 'critical min-replicas-to-write 0 good replicas, and 2 are asked for; writes are refused;'
}

@test "connections: few, or nearly all open" {
	local fd
	start_server small --appendonly yes --appendfsync always --maxclients 50
	DQ_URL=unix://$T/small/s finds 1 'warning maxclients only 50 connections, and each tool that waits holds two;'
	SERVER=small rcli CONFIG SET maxclients 3 >/dev/null
	coproc SMALL { redis-cli -s "$T/small/s"; }
	fd=${SMALL[1]}
	echo PING >&"$fd"
	two() { [ "$(SERVER=small rcli CLIENT LIST | wc -l)" -ge 2 ]; }
	wait_until 10 two
	SERVER=small rcli CONFIG SET maxclients 2 >/dev/null
	DQ_URL=unix://$T/small/s finds 1 'warning maxclients 2 of 2 connections are open; new ones may be refused;'
	eval "exec $fd>&-"
	stop_server small
}

@test "a script that may hang forever, and one that does" {
	set_config busy-reply-threshold 0
	finds 1 'warning busy-reply-threshold 0: while a script hangs, .*; CONFIG SET busy-reply-threshold 5000'
	start_server busy --busy-reply-threshold 50
	SERVER=busy rcli EVAL 'while true do end' 0 >/dev/null 2>&1 3>&- &
	local hangs=$!
	busy() { SERVER=busy rcli PING | grep -q BUSY; }
	wait_until 10 busy
	DQ_URL=unix://$T/busy/s finds 2 'critical server .*BUSY .*; SCRIPT KILL ends a script'
	SERVER=busy rcli SCRIPT KILL
	wait_until 20 ended "$hangs"
	stop_server busy
}

@test "a paused queue; the others are delivered" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-set "$q.b" paused=yes
	finds 1 "warning paused $q.b: consumers get no messages; dq-set $q.b paused=no resumes it"
	run -1 dq-stat --check --json "$q.b"
	jq -e --arg q "$q.b" 'any(.findings[]; .remedy == "dq-set \($q) paused=no resumes it")' <<<"$output"
	on=$q.a finds 0 'ok server'
	dq-set "$q.b" paused=no
	finds 0 'ok server'
}

@test "a queue that cannot be read is unknown: 3; critical counts more" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	rcli SET "$q:{$q.a}:conf" mine >/dev/null
	dq-set "$q.b" paused=yes
	finds 3 "unknown queue $q.a: .*is a string" "warning paused $q.b"
	set_config maxmemory 1
	finds 2 'critical maxmemory' "unknown queue $q.a" "warning paused $q.b"
	set_config maxmemory 0
	rcli DEL "{$q:queues}" >/dev/null
	rcli SET "{$q:queues}" mine >/dev/null
	finds 3 'unknown queues the list of queues: WRONGTYPE'
}

@test "Redis is unreachable, or refuses to reply" {
	DQ_URL=unix://$T/none finds 2 'critical server unix://.*no such socket: .*; start Redis, or correct the URL'
	start_server auth --requirepass 'Zq7-canary'
	DQ_URL=unix://$T/auth/s finds 3 'unknown server .*NOAUTH .*; give the password'
	REDISCLI_AUTH=wrong DQ_URL=unix://$T/auth/s finds 3 'unknown server .*WRONGPASS .*; give the password'
	stop_server auth
	start_fake hang ''
	run -2 --separate-stderr dq-stat --check -u "unix://$T/hang/s" --timeout 50ms
	matches "${lines[1]}" '^critical.server.*timed out after 50ms'
	start_fake http 'HTTP/1.1 400 Bad Request\r\n\r\n'
	DQ_URL=unix://$T/http/s finds 3 'unknown server .*not the Redis protocol'
}

@test "usage, output and signals are as in every mode" {
	fails 64 '^--check: not with' dq-stat --check --messages all
	fails 64 '^--payload: not with --check$' dq-stat --check --payload
	fails 64 '^--warn: only with --check$' dq-stat --warn 'late>1s'
	fails 64 '^--crit: only with --check$' dq-stat --json --crit none
	fails 64 '^"late>60s,dead>0": not a queue; limits are given by --warn or --crit$' dq-stat --check 'late>60s,dead>0'
	fails 64 "^\"$q/x\": " dq-stat --check "$q/x"
	fails 74 'No space left on device$' bash -c 'dq-stat --check >/dev/full'
	fails 78 'password file' dq-stat --check --password-file "$T/none"
	start_fake hang2 ''
	dq-stat --check -u "unix://$T/hang2/s" >"$T/out" 2>&1 3>&- &
	local pid=$!
	connected() { compgen -G "/proc/$1/fd/*" | xargs readlink | grep -q ^socket:; }
	wait_until 10 connected "$pid"
	kill "$pid"
	exits 143 "$pid"
	equal "$(cat "$T/out")" ''
}
