# Goal: While writes are paused, for example during a planned failover, waiting tools wait: no server dies of what they send, and no
# message is lost or early.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate
load failover
load takes

teardown() {
	rcli CLIENT UNPAUSE >/dev/null || true # a test that failed
	end_test
}

# No test outlasts it.
pauses() {
	equal "$(rcli CLIENT PAUSE 600000 WRITE)" OK
}

unpauses() {
	equal "$(rcli CLIENT UNPAUSE)" OK
}

# Redis has got the BZPOPMIN of that tool, and blocks or postpones it.
stands() { # TOOL
	rcli CLIENT LIST | grep -qE "name=$1-wait .* flags=[a-zA-Z]*b.* cmd=bzpopmin"
}

# The tool begins to wait, and Redis postpones its BZPOPMIN: it arrives in a pause. $tool is its process.
is_postponed() { # PAUSE COMMAND...
	start_gate
	rule hold.BZPOPMIN
	env --default-signal=TERM "${@:2}" >"$T/out" 2>"$T/err" 3>&- &
	tool=$!
	wait_until 20 came BZPOPMIN
	"$1"
	lift hold.BZPOPMIN
	wait_until 20 stands "$2"
}

# The tool ends in the pause. After that the server is still there.
ends_well() { # END-OF-PAUSE
	local before
	before=$(rcli INFO server | grep ^run_id)
	kill -TERM "$tool"
	exits 143 "$tool"
	"$1"
	equal "$(rcli INFO server | grep ^run_id)" "$before"
}

reaches_the_next() {
	dq-put -q "$@" "$q" hello
	equal "$(dq-take -w 60s "$@" "$q" | cut -f2)" hello
}

@test "dq-take is ended while its BZPOPMIN is postponed" {
	is_postponed pauses dq-take -f -u "unix://$T/gate" "$q"
	ends_well unpauses
	reaches_the_next
}

@test "dq-run is ended while its BZPOPMIN is postponed" {
	is_postponed pauses dq-run --timeout 2s -u "unix://$T/gate" "$q" -- true
	ends_well unpauses
	reaches_the_next
}

@test "dq-promote is ended while its BZPOPMIN is postponed" {
	dq-put -q -d 1h "$q" later # it waits for queues that there are
	is_postponed pauses dq-promote -f -u "unix://$T/gate" "$q"
	ends_well unpauses
	reaches_the_next
}

# --- under load ---

@test "eight loops of dq-take -w 40ms, a worker and a promoter under pause after pause" {
	local before _ worker promoter
	before=$(rcli INFO server | grep ^run_id)
	begin_takes "$q"
	# shellcheck disable=SC2016
	dq-run "$q.run" -- sh -c 'echo ran >>"$0"' "$T/ran" 3>&- &
	worker=$!
	dq-promote -f 2>>"$T/err" 3>&- &
	promoter=$!
	for _ in {1..12}; do
		equal "$(rcli CLIENT PAUSE 120 WRITE)" OK
		puts_some "$q"
		dq-put -q --timeout 60s -d 20ms "$q.run" x
	done
	all_came
	wait_until 60 has_lines "$T/ran" 12
	kill "$worker" "$promoter"
	exits 143 "$worker"
	exits 143 "$promoter"
	end_takes
	equal "$(rcli INFO server | grep ^run_id)" "$before"
	equal "$(dq-gc --check "$q" "$q.run")" ''
}

# --- FAILOVER ---

# m0, and its replica m1. $url has both.
begin_pair() {
	local first
	start_tcp m0
	first=$port
	start_tcp m1
	replicates m1 "$first"
	url=redis://127.0.0.1:$first,127.0.0.1:$port
}

# A replica that is stopped, and is behind: FAILOVER waits for it, and pauses writes meanwhile.
fails_over_slowly() {
	local state
	kill -STOP "$(<"$T/m1/pid")"
	rcli SET behind x >/dev/null
	equal "$(rcli FAILOVER)" OK
	state=$(rcli INFO replication | tr -d '\r' | grep ^master_failover_state)
	equal "$state" master_failover_state:waiting-for-sync
}

goes_on() {
	kill -CONT "$(<"$T/m1/pid")"
	SERVER=m1 wait_until 60 is_role m1 master
	wait_until 60 is_role m0 slave
}

@test "dq-take is ended while FAILOVER waits for a replica" {
	begin_pair
	export SERVER=m0
	is_postponed fails_over_slowly dq-take -f -u "unix://$T/gate" "$q"
	ends_well goes_on
	reaches_the_next -u "$url"
}

fails_over() { # MASTER: or it cannot yet
	[ "$(SERVER=$1 rcli FAILOVER)" = OK ]
}

@test "FAILOVER, to and fro, under eight loops of dq-take -w 40ms" {
	local url _ now=m0 next=m1 swap
	begin_pair
	dq-put -q -u "$url" -i first -d 1h "$q" x
	begin_takes -u "$url" "$q"
	for _ in {1..4}; do
		puts_some -u "$url" "$q"
		wait_until 60 fails_over "$now"
		wait_until 60 is_role "$next" master
		wait_until 60 in_step "$now"
		swap=$now now=$next next=$swap
	done
	puts_some -u "$url" "$q"
	all_came
	end_takes
	answers "$T/m0/s"
	answers "$T/m1/s"
}

# --- a transaction is refused ---

has_enough() {
	rcli CONFIG SET maxmemory 0 >/dev/null
}

is_full() {
	rcli CONFIG SET maxmemory 1 >/dev/null
}

no_timer() {
	[ -z "$(score timer t)" ]
}

# A script takes what is due also then. Redis refuses the transaction, and the tool closes its second connection.
@test "a full server takes no transaction: messages and marks arrive all the same, and tools block again" {
	local taker
	dq-put -q -i later -d 1h "$q" x
	dq-take -f --ack "$q" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 20 no_timer # it keeps the time
	dq-put -q -d 1s "$q" due
	is_full
	wait_until 20 has_lines "$T/out" 1
	has_enough
	wait_until 20 stands dq-take
	dq-put -q "$q" next
	wait_until 20 has_lines "$T/out" 2
	equal "$(cut -f2 "$T/out" | paste -sd' ')" 'due next'
	wait_until 20 no_timer
	wait_until 20 stands dq-take
	is_full
	kill "$taker"
	exits 143 "$taker"
	has_enough
	equal "$(score timer t)" "$(field stat armed)"
	equal "$(cat "$T/err")" ''
}
