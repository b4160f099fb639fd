# Goal: The rights that dq-scripts(7) gives each role suffice for its work, each of them is needed, and a missing right loses no message.

bats_require_minimum_version 1.5.0

load ../helper
load ../acl

@test "dq-scripts(7) has five roles, none with rights by class" {
	local role
	for role in producer consumer operator setter monitor; do
		matches "$(rights "$role")" '^reset on >secret +~.* \+evalsha .*\+time'
		[[ $(rights "$role") != *@* && $(rights "$role") != *'*@'* && $(rights "$role") != *config* ]]
	done
}

all_roles_work() { # [SETTING...]
	local role
	for role in producer consumer operator setter monitor; do
		set_user "$role"
		rcli SCRIPT FLUSH >/dev/null
		"prepare_$role" "$q.$role"
		[ $# = 0 ] || dq-set "$q.$role" "$@"
		"live_$role" "$role" "$q.$role"
		equal "$role: $refused" "$role: "
		whole "$q.$role" "${kept[@]}"
	done
}

@test "each role can do all of its work" {
	all_roles_work
	equal "$(rcli ACL LOG | grep -cx "$q" || true)" 0
}

@test "each role can do all of its work in a queue with limits" {
	all_roles_work max-leased=50 rate=1000/1h max-len=1000 keys=serial key-limit=5
	as setter dq-set "$q.setter" max-leased=60 rate=50/1s max-len=none paused=10s
	equal "$(dq-set "$q.setter" | tail -n 5 | head -n 3 | paste -sd' ')" 'max-leased=60 rate=50/1s max-len=none'
}

# A usual call that asks in vain is no faster, and Redis logs each refusal.
@test "consumer: an ack of several receipts asks for no right that it lacks" {
	set_user consumer
	seq 3 | dq-put -ql "$q"
	dq-take -n 3 "$q" >"$T/receipts"
	rcli ACL LOG RESET >/dev/null
	as consumer dq-ack <"$T/receipts"
	holds 0 0 0 0
	run ! grep -xE 'lua|script' <(rcli ACL LOG)
}

@test "a counter that is damaged stays so without the right to HSET, and the move is whole" {
	set_user consumer -hset
	dq-put -q "$q" x
	dq-take "$q" >"$T/receipt"
	rcli HSET "dq:{$q}:stat" acked x >/dev/null
	as consumer dq-ack <"$T/receipt"
	holds 0 0 0 0
	equal "$(field stat acked)" x
}

@test "a producer that changes messages, and in a queue with reserved ids" {
	set_user producer +hdel +zrem
	prepare_changer "$q.x"
	live_changer producer "$q.x"
	equal "$refused" ''
	whole "$q.x" "${kept[@]}"
	grep -qF '.Li +hdel +zrem ,' "$top/man/dq-scripts.7"
}

@test "producer: each command is needed, and nothing is lost without it" {
	without_each producer
}

@test "producer that changes messages: likewise" {
	life=changer more='+hdel +zrem' without_each producer +hincrby +hlen +hmget +zlexcount
}

@test "consumer: each command is needed, and nothing is lost without it" {
	without_each consumer +bzpopmin '+client|id' '+client|unblock' +multi +exec
}

@test "operator: each command is needed, and nothing is lost without it" {
	without_each operator +bzpopmin '+client|id' '+client|unblock' +multi +exec +info
}

@test "setter: each command is needed, and nothing is lost without it" {
	without_each setter
}

@test "monitor: each command is needed" {
	without_each monitor +info +hexists
}

# What refuses in the middle of a script has no way back. 10,000 calls: each script, in what it may meet.
@test "a script that is refused has changed nothing: each one, as each role, without each of its commands" {
	local role roles=()
	q=rights
	for role in producer consumer operator monitor; do roles+=("$role=$(rights "$role")"); done
	roles+=("changer=$(rights producer) +hdel +zrem" "all=reset on >secret ~* +@all")
	run -0 python3 "$top/test/tool/rights.py" "$T/main/s" "$DQ_BIN/lua" "${roles[@]}"
	matches "$output" '^[0-9]{4,5} refused$'
}

@test "without one of its key patterns a role is refused, and nothing is changed" {
	local role before
	for role in producer consumer operator setter monitor; do
		prepare_"$role" "$q.$role"
		before=$(digest "$q.$role")
		set_user "$role" resetkeys "~{dq:queues}"
		case $role in
		producer) as "$role" fails 77 NOPERM dq-put "$q.$role" x ;;
		consumer)
			as "$role" fails 77 NOPERM dq-take "$q.$role"
			as "$role" fails 77 NOPERM dq-ack "$(receipt 'done')"
			as "$role" fails 77 NOPERM dq-run --once "$q.$role" -- true
			;;
		operator)
			as "$role" fails 77 NOPERM dq-promote "$q.$role"
			as "$role" fails 77 NOPERM dq-rm -f "$q.$role/keep1"
			as "$role" fails 77 NOPERM dq-gc "$q.$role"
			;;&
		operator | monitor) as "$role" fails 77 NOPERM dq-stat --no-header "$q.$role" ;;&
		operator | setter) as "$role" fails 77 NOPERM dq-set "$q.$role" paused=yes ;;
		esac
		equal "$(digest "$q.$role")" "$before"
	done
}

@test "without the right to list a queue: put, and reported; the next producer with the right lists it" {
	set_user producer resetkeys "~dq:{$q*}:*" '%W~{dq:queues}:new'
	run --separate-stderr as producer dq-put "$q.less" x
	equal "$status" 0
	matches "$stderr" "^dq-put: $q.less: the queue could not be added to the list of queues: NOPERM "
	equal "$(states "$q.less")" '0 1 0 0'
	is_unlisted "$q.less"
	equal "$(field stat listed "$q.less")" ''
	set_user producer resetkeys "~dq:{$q*}:*" '%W~{dq:queues}'
	run --separate-stderr as producer dq-put "$q.less" x
	equal "$status$stderr" 0
	is_listed "$q.less"
	matches "$(field stat listed "$q.less")" '^[0-9]+$'
}

@test "a producer that may not put leaves no name" {
	set_user producer -hset
	as producer fails 77 NOPERM dq-put "$q.x" x
	is_unlisted "$q.x"
	equal "$(digest "$q.x")" ''
}

@test "a worker with the rights of a consumer notices that the message of a running command was removed" {
	set_user consumer
	dq-put -q -t 1h -i x "$q.x" x
	DQ_URL=unix://dq-consumer:secret@$T/main/s dq-run "$q.x" -- tail -f /dev/null 2>"$T/err" 3>&- &
	local worker=$!
	wait_until 10 holds 0 0 1 0 "$q.x"
	dq-rm "$q.x/x"
	wait_until 10 grep -q 'the lease is lost (settled already, or removed)' "$T/err"
	equal "$(wc -l <"$T/err")" 1
	kill "$worker"
	exits 143 "$worker"
}

@test "a producer removes nothing: refused, and nothing is changed" {
	local before
	set_user producer
	prepare_operator "$q.x"
	dq-put -q -i overdue -d 1h "$q.x" x
	before=$(digest "$q.x")
	as producer fails 77 . dq-take --no-promote "$q.x"
	as producer fails 77 . dq-ack "$(receipt drop1)"
	as producer fails 77 . dq-ack -b "$(receipt drop1)"
	as producer fails 77 . dq-rm -f "$q.x/keep1"
	as producer fails 77 . dq-stat --no-header "$q.x"
	as producer fails 77 . dq-stat --no-header
	as producer fails 77 . dq-gc --check "$q.x"
	as producer fails 77 . dq-gc --dead-for 0s "$q.x"
	as producer fails 77 . dq-promote
	equal "$(digest "$q.x")" "$before"
	whole "$q.x" keep1 due named dead dead2 drop1 drop2 overdue
}

@test "a consumer sees no other queue, and not the list of queues" {
	local before
	set_user consumer
	dq-put -q -i other "other.$q" x
	before=$(digest "other.$q")
	as consumer fails 77 NOPERM dq-take "other.$q"
	as consumer fails 77 NOPERM dq-take "$q.x" "other.$q"
	as consumer fails 77 NOPERM dq-ack "other.$q/other@1"
	as consumer fails 77 NOPERM dq-rm -f "other.$q/other"
	as consumer fails 77 NOPERM dq-put "other.$q" x
	as consumer fails 77 NOPERM dq-stat --no-header
	as consumer fails 77 NOPERM dq-promote
	as consumer fails 77 NOPERM dq-stat --no-header "other.$q"
	dq-put -q "$q.x" x
	as consumer dq-stat --no-header "$q.x" >/dev/null
	as consumer fails 77 . dq-gc --check "$q.x"
	equal "$(digest "other.$q")" "$before"
}

@test "a monitor changes nothing" {
	local before
	set_user monitor
	prepare_operator "$q.x"
	later 70000 "$q.x"
	before=$(digest "$q.x")
	as monitor fails 77 . dq-put "$q.x" x
	as monitor fails 77 . dq-take "$q.x"
	as monitor fails 77 . dq-ack "$(receipt drop1)"
	as monitor fails 77 . dq-promote "$q.x"
	as monitor fails 77 . dq-promote "$q.x/named"
	as monitor fails 77 . dq-promote --dead "$q.x/dead"
	as monitor fails 77 . dq-set "$q.x" paused=yes
	as monitor fails 77 . dq-rm -f "$q.x/keep1"
	as monitor fails 77 . dq-gc --dead-for 0s "$q.x"
	as monitor fails 77 . dq-gc --repair "$q.x"
	as monitor fails 77 . dq-run --once "$q.x" -- true
	equal "$(digest "$q.x")" "$before"
}

@test "no role has rights on other keys of Redis" {
	local role
	cat >"$T/commands" <<-'COMMANDS'
		FLUSHALL
		KEYS *
		SCAN 0
		CONFIG GET requirepass
		CONFIG SET maxmemory 1
		SCRIPT FLUSH
		SCRIPT LOAD x
		FUNCTION FLUSH
		ACL LIST
		MONITOR
		CLIENT LIST
		CLIENT KILL ID 1
		SHUTDOWN
		DEL '{dq:queues}'
		GET other
		EVAL "return redis.call('HGET',KEYS[1],'x')" 1 other
		EVAL "return redis.call('HGET','other','x')" 0
		EVAL "return redis.call('DEL','{dq:queues}')" 0
	COMMANDS
	for role in producer consumer operator setter monitor; do
		set_user "$role"
		run rcli --user "dq-$role" --pass secret --no-auth-warning <"$T/commands"
		equal "$(grep -cE "$lacks_right" <<<"$output")" "$(wc -l <"$T/commands")"
	done
}

@test "dq-stat --check: without INFO unknown, without the settings a note" {
	set_user monitor
	dq-put -q "$q.x" x
	run as monitor dq-stat --check "$q.x"
	equal "$status" 1
	matches "$output" $'\nok\tconfig\t.*config\|get'
	run as monitor dq-stat --check
	equal "$status" 1
	set_user monitor '+config|get'
	run as monitor dq-stat --check "$q.x"
	[[ $output != *config* ]]
	set_user monitor -info
	run as monitor dq-stat --check "$q.x"
	equal "$status" 3
	matches "$output" $'\nunknown\tserver\t.*NOPERM .*PERMISSIONS'
	set_user monitor -hgetall
	run as monitor dq-stat --check "$q.x"
	equal "$status" 3
	matches "$output" $'\nunknown\tqueue\t'"$q.x: .*($lacks_right)"
}

blocked() { # N
	[ "$(rcli CLIENT LIST | grep -c ' cmd=bzpopmin ')" = "$1" ]
}

# The times that the role called a script.
looks() {
	rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p'
}

# Each connection of a tool says its name once.
connections() {
	rcli INFO commandstats | sed -n 's/^cmdstat_client|setname:calls=\([0-9]*\).*/\1/p'
}

looked() { # AT-LEAST
	[ "$(looks)" -ge "$1" ]
}

@test "a user with the right to block sleeps; a user without it polls now and then, and gets its message all the same" {
	local less pid before
	for less in '' -bzpopmin '-client|id' -multi -exec '-multi -exec'; do
		# shellcheck disable=SC2086
		set_user consumer $less
		as consumer dq-take -w 20s --ack "$q.x" >"$T/taken" 3>&- &
		pid=$!
		if [ -z "$less" ]; then
			wait_until 10 blocked 1
		else
			wait_until 10 looked $(($(looks) + 3))
			blocked 0
			before=$(connections)
			wait_until 10 looked $(($(looks) + 3))
			equal "$(connections)" "$before"
		fi
		dq-put -q -i "m${less//[^a-z]/}" "$q.x" x
		exits 0 "$pid"
		matches "$(cat "$T/taken")" "^$q.x/m"
	done
}

@test "a blocked command that cannot be ended: the worker continues without it, and the next waiter is woken" {
	local pid
	set_user consumer '-client|unblock'
	as consumer exec dq-take -f "$q.x" >"$T/taken" 3>&- &
	pid=$!
	wait_until 10 blocked 1
	seq 3 | dq-put -q -l "$q.x"
	all_three() { [ "$(wc -l <"$T/taken")" -eq 3 ]; }
	wait_until 10 all_three
	dq-put -q "$q.x" 4
	all_four() { [ "$(wc -l <"$T/taken")" -eq 4 ]; }
	wait_until 10 all_four
	kill "$pid"
	exits 143 "$pid"
	dq-ack <"$T/taken"
	equal "$(states "$q.x")" '0 0 0 0'
}

@test "the right to transactions is revoked from a waiting tool: it polls, with the same connections" {
	local right pid before
	for right in exec multi; do
		set_user consumer
		as consumer exec dq-take -f --ack "$q.$right" >"$T/taken" 3>&- &
		pid=$!
		wait_until 10 blocked 1
		rcli ACL SETUSER dq-consumer "-$right" >/dev/null
		dq-put -q -d 300ms "$q.$right" 1 # the tool blocks until then, and ends that
		wait_until 10 has_lines "$T/taken" 1
		wait_until 10 looked $(($(looks) + 3))
		blocked 0
		before=$(connections)
		wait_until 10 looked $(($(looks) + 3))
		equal "$(connections)" "$before"
		dq-put -q "$q.$right" 2
		wait_until 10 has_lines "$T/taken" 2
		kill "$pid"
		exits 143 "$pid"
	done
}

@test "scripts that somebody else has loaded need no EVAL; after a restart they do" {
	set_user producer -eval
	rcli SCRIPT FLUSH >/dev/null
	as producer fails 77 'NOPERM.*eval' dq-put -i one "$q.x" x
	equal "$(digest "$q.x")" ''
	"$DQ_BIN/embed" -x "$top/lua/put.lua" | rcli -x SCRIPT LOAD >/dev/null
	equal "$(as producer dq-put -i one "$q.x" x)" "$q.x/one"
}

@test "a password that is not right, a user that is off: 77" {
	set_user consumer
	DQ_URL=unix://dq-consumer:wrong-canary@$T/main/s fails 77 WRONGPASS dq-take "$q.x"
	[[ $stderr != *canary* ]]
	set_user consumer off
	as consumer fails 77 WRONGPASS dq-take "$q.x"
}
