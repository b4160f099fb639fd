# Goal: With --wait-replicas a lease that has ended before replicas confirm it is not used.

bats_require_minimum_version 1.5.0

load ../helper
load failover
load durable

@test "a lease that is over by then is not used, whatever the replicas confirm" {
	local tool pid
	dq-put -q -i x "$q" hello
	dq-put -q -i y "$q" there
	for tool in take run; do
		lag replica
		case $tool in
		take) dq-take -t 200ms -n 2 --wait-replicas 1,60s "$q" >"$T/used" 2>"$T/said" 3>&- & ;;
		run) dq-run -t 200ms -j 2 --once --wait-replicas 1,60s "$q" -- tee -a "$T/used" 2>"$T/said" 3>&- & ;;
		esac
		pid=$!
		SERVER=master wait_until 10 holds 0 0 2 0
		SERVER=master wait_until 10 is_over x
		catch_up replica
		exits 75 "$pid"
		equal "$(cat "$T/used" "$T/said")" "dq-$tool: $q: leased, confirmed only when the lease was over: given back"
		SERVER=master holds 0 2 0 0
		rm -f "$T/used"
		touch "$T/used"
		wait_until 10 all_confirmed
	done
}

@test "of some leases one is over by then: the others are used" {
	dq-put -q -i x -t 200ms "$q" hello
	dq-put -q -i y -t 1h "$q" there
	lag replica
	dq-take -n 2 --wait-replicas 1,60s "$q" >"$T/used" 2>"$T/said" 3>&- &
	local taker=$!
	SERVER=master wait_until 10 holds 0 0 2 0
	SERVER=master wait_until 10 is_over x
	catch_up replica
	exits 0 "$taker"
	equal "$(cut -f2 "$T/used")" there
	equal "$(cat "$T/said")" "dq-take: $q: 1 of 2 leased, confirmed only when the lease was over: given back"
	SERVER=master holds 0 1 1 0
}
