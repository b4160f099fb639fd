# Goal: dq-stat --check reports also those states of a server into which a real server is not easily brought.

bats_require_minimum_version 1.5.0

load ../helper
load ../health

setup_file() {
	begin_file
	start_info_server info_server
}

setup() {
	begin_test
	rm -f "$T/info_server/config" "$T/info_server/ahead"
	export DQ_URL=unix://$T/info_server/s
}

healthy=$'redis_version:7.0.15\nloading:0\naof_enabled:1\nrole:master\nconnected_clients:1\nmaxclients:10000\nmaxmemory_policy:noeviction'

tells() { # LINE...: those before the healthy ones
	printf '%s\n' "$@" "$healthy" >"$T/info_server/info"
}

@test "old versions, Valkey, and no version at all" {
	tells redis_version:6.2.14
	finds 2 'critical version the scripts do not run in Redis 6.2.14; install Redis 7.0 or later, or Valkey'
	tells redis_version:10.0.0
	finds 0 'ok server Redis 10.0.0' 'ok config'
	tells redis_version:7.2.4 server_name:valkey valkey_version:8.1.0
	finds 0 'ok server Valkey 8.1.0 answers' 'ok config'
	echo role:master >"$T/info_server/info"
	finds 3 'unknown version INFO reports no version; is this Redis'
}

@test "loading, and disks that fail" {
	tells loading:1
	finds 2 'critical loading Redis reads its data from disk.*; wait'
	tells async_loading:1
	finds 2 'critical loading '
	tells aof_last_write_status:err
	finds 2 'critical aof_last_write_status the AOF cannot be written; writes are refused; look at the disk'
	tells aof_last_bgrewrite_status:err
	finds 1 'warning aof_last_bgrewrite_status '
	tells rdb_last_bgsave_status:err
	finds 1 'warning rdb_last_bgsave_status the last snapshot failed; Redis may refuse writes; look'
}

@test "CONFIG is not allowed: reported, without a warning" {
	tells
	finds 0 'ok server' 'ok config the settings of Redis cannot be read'
	tells min_slaves_good_slaves:0
	finds 2 'critical min-replicas-to-write 0 good replicas'
	tells min_slaves_good_slaves:1
	finds 0 'ok server' 'ok config'
}

@test "a master with replicas: how far they are behind, and whether it may lose what they have not" {
	tells connected_slaves:2 master_repl_offset:1000 min_slaves_good_slaves:2 \
		'slave0:ip=1.2.3.4,port=1,state=online,offset=1000,lag=0' 'slave1:ip=1.2.3.4,port=2,state=online,offset=900,lag=7'
	finds 0 'ok server' 'ok config' 'ok replicas a master; 2 of 2 replicas online, the last one 100 bytes and 7s behind'
	tells connected_slaves:2 master_repl_offset:1000 'slave0:ip=1.2.3.4,port=1,state=online,offset=2000,lag=1' \
		'slave1:ip=1.2.3.4,port=2,state=wait_bgsave,offset=0,lag=0'
	finds 1 'warning replicas a master; 1 of 2 replicas online, the last one 0 bytes and 1s behind; read' \
		'warning min-replicas-to-write not set: .*; CONFIG SET min-replicas-to-write 1'
	tells connected_slaves:1 min_slaves_good_slaves:1 slave0:ip=1.2.3.4,port=1,state=wait_bgsave,offset=0,lag=0
	finds 1 'warning replicas a master, and none of its replicas \(1\) is online; read'
	tells connected_slaves:9999999999 min_slaves_good_slaves:1 "slave0:ip=x,state=online,offset=$(printf '%0300d' 1),lag=x"
	finds 0 'ok server' 'ok config' 'ok replicas a master; 1 of 9999999999 replicas online, the last one 0 bytes and 0s behind'
}

@test "clocks that differ are reported, with the difference, and are a warning from a minute on" {
	tells
	echo appendfsync always >"$T/info_server/config"
	finds 0 'ok server'
	echo 7210 >"$T/info_server/ahead"
	finds 1 'warning clock the server.s clock is (2h0m|1h59m) ahead of the one here; correct the wrong clock'
	echo -90 >"$T/info_server/ahead"
	finds 1 'warning clock the server.s clock is 1m(30|29)s behind the one here'
	echo -50 >"$T/info_server/ahead"
	finds 0 'ok server' 'ok clock the server.s clock is (50|49).*s behind the one here'
}

@test "INFO that lies: escaped, never believed beyond its lines" {
	tells $'redis_version:\x1b[31m7' maxmemory:-1 used_memory:99999999999999999999 connected_clients:x maxclients:0
	finds 2 'critical version the scripts do not run in Redis .x1b.31m7;'
	tells "maxmemory_policy:$(printf '%05000d' 1)"
	finds 1 'warning maxmemory-policy 0000[0-9.]* lets Redis evict keys'
	tells
	printf 'appendfsync always\nsave x:y\nbusy-reply-threshold 5000\nodd\n' >"$T/info_server/config"
	finds 0 'ok server'
	# shellcheck disable=SC2016
	start_fake empty '$0\r\n\r\n'
	DQ_URL=unix://$T/empty/s finds 3 'unknown version INFO reports no version' 'unknown queues .*unexpected reply'
	start_fake array '*0\r\n'
	DQ_URL=unix://$T/array/s finds 3 'unknown server .*unexpected reply to INFO'
}
