# Goal: With --wait-replicas and --fsync a change is reported as done when replicas or the disk have it. An unconfirmed change is
# reported, and can be repeated.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../acl
load ../cut
load failover
load durable

@test "dq-put: the name is printed once the replica has the message" {
	equal "$(dq-put --wait-replicas 1 -i x "$q" hello)" "$q/x"
	equal "$(payload_on replica x)" hello
	equal "$(seq 700 | dq-put --wait-replicas 1,5s -l "$q" | wc -l)" 700
	equal "$(SERVER=replica rcli HLEN "dq:{$q}:msg")" 701
}

@test "dq-put: a replica that lags: accepted, not confirmed, 75, nothing printed; the repeat says that it exists, or confirms it" {
	lag replica
	fails 75 "^$q/x: accepted, not confirmed: 0 of 1 replicas\$" dq-put --wait-replicas 1,50ms -i x "$q" hello
	fails 75 "^$q/x: not put: there is such a message already; not confirmed: 0 of 1 replicas\$" \
		dq-put --wait-replicas 1,50ms -i x "$q" hello
	fails 75 "^$q/x: accepted, not confirmed: 0 of 1 replicas\$" dq-put --wait-replicas 1,50ms -e keep -i x "$q" hello
	catch_up replica
	equal "$(dq-put --wait-replicas 1,20s -e keep -i x "$q" hello)" "$q/x"
	equal "$(payload_on replica x)" hello
	fails 1 "^$q/x: not put: there is such a message already\$" dq-put --wait-replicas 1 -i x "$q" hello
}

@test "dq-put: each message of a batch is named, in order, also the refused ones" {
	lag replica
	run -75 --separate-stderr dq-put --wait-replicas 1,50ms --tsv "$q" < <(printf -- '-\ta\tA\nbad\tb\tB\n-\tc\tC\n')
	equal "$output" ''
	equal "$(sort <<<"$stderr")" "$(printf 'dq-put: %s\n' "$q/a: accepted, not confirmed: 0 of 1 replicas" \
		"$q/c: accepted, not confirmed: 0 of 1 replicas" \
		'standard input: line 2: not put: "bad": not a duration (such as 500ms, 90s, 1h30m, 2d)' | sort)"
}

@test "two replicas are asked for, and only one exists" {
	fails 75 "^$q/x: accepted, not confirmed: 1 of 2 replicas\$" dq-put --wait-replicas 2,3s -i x "$q" hello
	start_replica second
	equal "$(dq-put --wait-replicas 2,20s -e keep -i x "$q" hello)" "$q/x"
	equal "$(payload_on second x)" hello
}

@test "a server without replicas confirms nothing: 75" {
	DQ_URL=unix://$T/main/s fails 75 "^$q/x: accepted, not confirmed: 0 of 1 replicas\$" \
		dq-put --wait-replicas 1,50ms -i x "$q" hello
}

@test "without the option, and with 0, no tool waits for a replica; the option wins over the variable" {
	lag replica
	SERVER=master rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-put -i a "$q" x)" "$q/a"
	equal "$(dq-put --wait-replicas 0 -i b "$q" x)" "$q/b"
	run -0 rcli_master INFO commandstats
	[[ $output != *cmdstat_wait* && $output == *cmdstat_evalsha:calls=2,* ]]
	DQ_WAIT_REPLICAS=1,50ms fails 75 "^$q/c: accepted, not confirmed: 0 of 1 replicas\$" dq-put -i c "$q" x
	equal "$(DQ_WAIT_REPLICAS=1,50ms dq-put --wait-replicas 0 -i d "$q" x)" "$q/d"
	equal "$(DQ_WAIT_REPLICAS='' dq-put -i e "$q" x)" "$q/e"
	DQ_WAIT_REPLICAS=1,50ms dq-stat "$q" >/dev/null
	DQ_WAIT_REPLICAS=1,50ms dq-rm "$q/b"
	DQ_WAIT_REPLICAS=1,50ms dq-promote "$q"
	DQ_WAIT_REPLICAS=1,50ms dq-gc "$q"
}

@test "a server that is a replica: not put, 75, in time" {
	fails 75 "^$q: 1 message not put: READONLY " dq-put --wait-replicas 1 -u "unix://$T/replica/s" --timeout 2s "$q" x
	fails 75 "^$q: READONLY " dq-take --wait-replicas 1 -u "unix://$T/replica/s" --timeout 2s "$q"
}

@test "invalid values: 64" {
	local value
	for value in '' x -1 101 '1,' 1,0 1,x ,1s 1,1s,1s; do
		fails 64 '^--wait-replicas: ' dq-put --wait-replicas "$value" "$q" x
		[ -z "$value" ] || DQ_WAIT_REPLICAS=$value fails 64 '^DQ_WAIT_REPLICAS: ' dq-take "$q"
	done
}

# WAIT replies at once on a connection that has written nothing (Redis 7.2 and later, Valkey). So a repeat writes.
@test "a call whose work is already done is confirmed, too: a repeat writes on its own connection" {
	local before
	dq-put -q -i x "$q" hello
	before=$(writes)
	run -1 dq-put -i x "$q" hello
	equal "$(writes)" "$before"
	run -1 dq-put --wait-replicas 1 -i x "$q" hello
	[ "$(writes)" -gt "$before" ]
	before=$(writes)
	equal "$(dq-put --wait-replicas 1 -e keep -i x "$q" hello)" "$q/x"
	[ "$(writes)" -gt "$before" ]
	before=$(writes)
	run -1 dq-ack --wait-replicas 1 "$q/x@1"
	[ "$(writes)" -gt "$before" ]
}

@test "dq-put: the answer is lost, and the replica lags: the repeat is not confirmed by a connection that wrote nothing" {
	lag replica
	start_lossy n
	fails 75 "^$q/x: accepted, not confirmed: 0 of 1 replicas\$" \
		dq-put -u "unix://$T/cut" --wait-replicas 1,100ms -i x "$q" hello
	stop_cut
	catch_up replica
	start_lossy n
	equal "$(dq-put -u "unix://$T/cut" --wait-replicas 1,20s -i y "$q" there)" "$q/y"
	stop_cut
	equal "$(payload_on replica y)" there
}

# A script that Redis does not know is sent again, after WAIT; so WAIT has confirmed nothing.
@test "the server has forgotten its scripts: a confirmation asked for too early does not count" {
	equal "$(dq-put --wait-replicas 1,20s -i x "$q" hello)" "$q/x"
	wait_until 10 all_confirmed
	lag replica
	SERVER=master rcli SCRIPT FLUSH >/dev/null
	fails 75 "^$q/y: accepted, not confirmed: 0 of 1 replicas\$" dq-put --wait-replicas 1,50ms -i y "$q" hello
	catch_up replica
	equal "$(dq-put --wait-replicas 1,20s -i z "$q" hello)" "$q/z"
	wait_until 10 all_confirmed
	lag replica
	SERVER=master rcli SCRIPT FLUSH >/dev/null
	fails 75 "^$q: leased, not confirmed: 0 of 1 replicas: given back\$" dq-take --wait-replicas 1,50ms "$q"
	SERVER=master rcli SCRIPT FLUSH >/dev/null
	run -75 --separate-stderr dq-put --wait-replicas 1,50ms -l "$q" < <(seq 2100)
	equal "$output" ''
	equal "$(grep -c 'accepted, not confirmed: 0 of 1 replicas$' <<<"$stderr")" 2100
}

@test "a server that forgets its scripts several times: asked again, and at last confirmed" {
	python3 "$top/test/tool/forgets_scripts.py" "$T/way" "$T/master/s" 60 3>&- &
	local way=$! taker
	wait_until 10 test -S "$T/way"
	seq 5 | dq-put -q -l "$q"
	dq-take -f --ack -u "unix://$T/way" --wait-replicas 1,5s "$q" >"$T/taken" 2>"$T/said" 3>&- &
	taker=$!
	SERVER=replica wait_until 20 holds 0 0 0 0
	wait_until 10 grep -q 5 "$T/taken"
	kill "$taker"
	exits 143 "$taker"
	kill "$way"
	equal "$(cut -f2 "$T/taken" | sort | paste -sd' ')" '1 2 3 4 5'
}

@test "dq-put: the server restarts and is still loading: put and confirmed once Redis has loaded" {
	python3 "$top/test/tool/loading.py" "$T/way" "$T/master/s" 6 3>&- &
	local way=$!
	wait_until 10 test -S "$T/way"
	equal "$(dq-put -u "unix://$T/way" --wait-replicas 1,20s -i x "$q" hello)" "$q/x"
	equal "$(seq 1200 | dq-put -u "unix://$T/way" --wait-replicas 1,20s -l "$q" | wc -l)" 1200
	kill "$way"
	equal "$(SERVER=replica rcli HLEN "dq:{$q}:msg")" 1201
}

# The master that has replied is gone, and the server in its place does not have the message.
@test "dq-put: its answer came, and the connection is lost before the confirmation: it is put on the next master, too" {
	lag replica
	start_server next
	python3 "$top/test/failover/takeover.py" "$T/way" "$T/master/s" "$T/next/s" 3>&- &
	local way=$!
	wait_until 10 test -S "$T/way"
	fails 75 "^$q/x: accepted, not confirmed: 0 of 1 replicas\$" \
		dq-put -u "unix://$T/way" --wait-replicas 1,100ms -i x "$q" hello
	kill "$way"
	equal "$(payload_on master x) $(payload_on next x)" 'hello hello'
}

@test "dq-put: the master becomes a replica while it waits: it is put on the next master, too" {
	rm "$T/master" "$T/replica"
	start_master
	warm_up "$q"
	start_server next
	python3 "$top/test/failover/takeover.py" "$T/way" "$T/master/s" "$T/next/s" stay 3>&- &
	local way=$! put
	wait_until 10 test -S "$T/way"
	dq-put -u "unix://$T/way" --wait-replicas 1,10s --timeout 20s -i x "$q" hello 2>"$T/said" 3>&- &
	put=$!
	SERVER=master wait_until 10 holds 0 1 0 0
	wait_until 10 master_blocks
	SERVER=master rcli REPLICAOF 127.0.0.1 1 >/dev/null
	SERVER=next wait_until 10 holds 0 1 0 0
	kill "$put"
	exits 143 "$put"
	kill "$way"
	equal "$(payload_on next x)" hello
}

@test "dq-ack: settled, not confirmed: 75; the repeat is confirmed, and says that there is no such message" {
	local receipt
	dq-put -q -i x "$q" hello
	receipt=$(dq-take "$q" | cut -f1)
	lag replica
	fails 75 "^$receipt: settled, not confirmed: 0 of 1 replicas\$" dq-ack --wait-replicas 1,50ms "$receipt"
	fails 75 "^$receipt: settled already, or removed, not confirmed: 0 of 1 replicas\$" dq-ack --wait-replicas 1,50ms "$receipt"
	catch_up replica
	fails 1 "^$receipt: settled already, or removed\$" dq-ack --wait-replicas 1,20s "$receipt"
	equal "$(payload_on replica x)" ''
	dq-put -q -i y "$q" hello
	dq-take "$q" | dq-ack --wait-replicas 1 -r
	equal "$(SERVER=replica rcli ZCARD "dq:{$q}:delayed")" 1
}

@test "dq-take: a message with a lease that is not confirmed is given back, and not printed" {
	dq-put -q -i x "$q" hello
	lag replica
	fails 75 "^$q: leased, not confirmed: 0 of 1 replicas: given back\$" dq-take --wait-replicas 1,50ms "$q"
	fails 75 "^$q: leased, not confirmed: 0 of 1 replicas: given back\$" dq-take --wait-replicas 1,50ms -n 9 --until-empty "$q"
	SERVER=master holds 0 1 0 0
	fails 1 "^q.none: " dq-take --wait-replicas 1,50ms q.none
	catch_up replica
	equal "$(dq-take --wait-replicas 1,20s --json "$q" | jq -r '"\(.payload) \(.try)"')" 'hello 1'
	equal "$(SERVER=replica rcli ZCARD "dq:{$q}:leased")" 1
}

@test "dq-take --until-empty, -f: batches that are asked for ahead are confirmed, too" {
	seq 900 | dq-put -q -l "$q"
	dq-take --wait-replicas 1,20s --until-empty -n 100 "$q" >"$T/taken"
	equal "$(cut -f2 "$T/taken")" "$(seq 900)"
	equal "$(SERVER=replica rcli ZCARD "dq:{$q}:leased")" 900
}

@test "dq-take -f continues: an unconfirmed message is printed when it is confirmed" {
	lag replica
	dq-take -f --wait-replicas 1,2s "$q" >"$T/taken" 2>"$T/said" 3>&- &
	local taker=$!
	dq-put -q -i x "$q" hello
	wait_until 10 grep -q 'leased, not confirmed: 0 of 1 replicas: given back: connecting again$' "$T/said"
	equal "$(cat "$T/taken")" ''
	catch_up replica
	wait_until 20 grep -q hello "$T/taken"
	wait_until 10 grep -q ': connected again$' "$T/said"
	kill "$taker"
	exits 143 "$taker"
	equal "$(SERVER=replica rcli ZCARD "dq:{$q}:leased")" 1
	equal "$(wc -l <"$T/said")" 2
}

@test "dq-take --ack: the lease and the ack are confirmed" {
	dq-put -q -i x "$q" hello
	equal "$(dq-take --ack --wait-replicas 1 "$q" | cut -f2)" hello
	equal "$(SERVER=replica rcli HLEN "dq:{$q}:msg")" 0
}

@test "dq-run: no command starts on a lease that is not confirmed; with --once: 75" {
	dq-put -q -i x "$q" hello
	lag replica
	fails 75 "^$q: leased, not confirmed: 0 of 1 replicas: given back\$" dq-run --wait-replicas 1,50ms --once "$q" -- touch "$T/ran"
	[ ! -e "$T/ran" ]
	dq-run --wait-replicas 1,3s "$q" -- sh -c 'echo "$DQ_TRY" >>"$0"' "$T/ran" 2>"$T/said" 3>&- &
	local worker=$!
	wait_until 10 grep -q 'leased, not confirmed' "$T/said"
	SERVER=master wait_until 10 holds 0 1 0 0
	[ ! -e "$T/ran" ]
	catch_up replica
	wait_until 20 test -s "$T/ran"
	SERVER=replica wait_until 10 holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$T/ran")" 1
	equal "$(cat "$T/said")" "dq-run: $q: leased, not confirmed: 0 of 1 replicas: given back"
}

@test "dq-run: an unconfirmed verdict is reported, and the worker continues; with --once: 75" {
	local pid
	pid=$(<"$T/replica/pid")
	dq-put -q -i x "$q" hello
	fails 75 "^$q/x: settled, not confirmed: 0 of 1 replicas\$" \
		dq-run --wait-replicas 1,3s --once "$q" -- kill -STOP "$pid"
	SERVER=master holds 0 0 0 0
}

@test "dq-run: the master becomes a replica while a verdict waits for a replica: it is sent to the next master, too" {
	rm "$T/master" "$T/replica"
	start_master
	start_replica replica
	warm_up "$q"
	wait_until 10 all_confirmed
	SERVER=replica knows ack touch
	dq-put -q --wait-replicas 1 -i x "$q" hello
	dq-run -u "redis://127.0.0.1:$master_port,127.0.0.1:$port" --wait-replicas 1,10s --timeout 20s -t 1h "$q" -- \
		"$DQ_BIN/rcli" -s "$T/replica/s" REPLICAOF NO ONE 2>"$T/said" 3>&- &
	local worker=$!
	SERVER=replica wait_until 10 holds 0 0 1 0
	wait_until 20 holds_none_on_master
	wait_until 10 master_blocks
	SERVER=master rcli REPLICAOF 127.0.0.1 1 >/dev/null
	SERVER=replica wait_until 20 holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
	matches "$(cat "$T/said")" 'the server is no master any more.*: connecting again'
	[[ $(cat "$T/said") != *UNBLOCKED* ]]
}

@test "a signal does not wait for a replica" {
	lag replica
	dq-put --wait-replicas 1,8s -i x "$q" hello >"$T/out" 2>"$T/err" 3>&- &
	local put=$!
	SERVER=master wait_until 10 holds 0 1 0 0
	kill "$put"
	exits 143 "$put"
	equal "$(cat "$T/out")" ''
	matches "$(cat "$T/err")" "$q/x: accepted, not confirmed: no answer"
}

@test "dq-ack: a signal, and the replica confirms in time: the reply is that to the first and only sending" {
	lag replica
	dq-ack --wait-replicas 1,8s "$q/x@1" 2>"$T/err" 3>&- &
	local ack=$!
	wait_until 10 master_blocks
	kill "$ack"
	catch_up replica
	exits 143 "$ack"
	matches "$(cat "$T/err")" "$q/x@1: settled already, or removed(, not confirmed: no answer)?\$"
}

@test "a failover: confirmed messages survive, a repeated put makes the others" {
	rm "$T/master" "$T/replica" # those of the file; these are of this test
	start_master
	start_replica replica
	equal "$(dq-put --wait-replicas 1 -i a "$q" A)" "$q/a"
	lag replica
	fails 75 'accepted, not confirmed' dq-put --wait-replicas 1,50ms -i b "$q" B
	stop_server master KILL
	catch_up replica
	SERVER=replica rcli REPLICAOF NO ONE >/dev/null
	export DQ_URL=unix://$T/replica/s
	equal "$(dq-put --wait-replicas 0 -e keep -i b "$q" B)" "$q/b"
	equal "$(dq-take -n 9 "$q" | cut -f2 | sort | paste -sd' ')" 'A B'
}

@test "--fsync: on disk before it is reported; an older server, and one without an AOF, are reported before any put" {
	if can_waitaof main; then
		fails 78 ': --fsync: appendonly is off$' dq-put -u "unix://$T/main/s" --fsync -i x "$q" hello
		SERVER=main holds 0 0 0 0
		start_server disk --appendonly yes --appendfsync always
		equal "$(dq-put -u "unix://$T/disk/s" --fsync -i x "$q" hello)" "$q/x"
		stop_server disk KILL
		start_server disk --appendonly yes --appendfsync always
		equal "$(dq-take -u "unix://$T/disk/s" --fsync "$q" | cut -f2)" hello
		fails 75 "^$q/y: accepted, not confirmed: 0 of 1 replicas\$" \
			dq-put -u "unix://$T/disk/s" --wait-replicas 1,50ms --fsync -i y "$q" hello
	else
		fails 78 ': --fsync needs Redis 7.2 or later, or Valkey$' dq-put -u "unix://$T/main/s" --fsync -i x "$q" hello
		SERVER=main holds 0 0 0 0
	fi
}

@test "the roles of dq-scripts(7), with +wait" {
	local name
	SERVER=master set_user producer +wait
	SERVER=master set_user consumer +wait
	name=$(DQ_URL=unix://dq-producer:secret@$T/master/s dq-put --wait-replicas 1 -i x "$q" hello)
	equal "$name" "$q/x"
	export DQ_URL=unix://dq-consumer:secret@$T/master/s
	dq-take --wait-replicas 1 "$q" | dq-ack --wait-replicas 1 -g
	dq-run --wait-replicas 1 --once "$q" -- true
	SERVER=replica holds 0 0 0 0
}

@test "a user without the right to WAIT: 77, and the message is accepted" {
	SERVER=master rcli ACL SETUSER nobody reset on '>secret' '~dq:*' +@all -wait >/dev/null
	run -77 --separate-stderr dq-put -u "unix://nobody:@$T/master/s" --wait-replicas 1 --password-file <(echo secret) -i x "$q" hello
	equal "$output" ''
	matches "$stderr" "$q/x: accepted, not confirmed: NOPERM "
}
