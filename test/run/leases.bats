# Goal: dq-run keeps the leases of running commands, and notices a lost lease within a second, at the cost of one read a second for each
# queue.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker
load ../gate

@test "the lease is renewed while the command runs: delivered once" {
	dq-put -q -i x -t 4s "$q" x
	mkfifo "$D/never"
	work "$q" -- bash -c 'echo "$DQ_TRY" >>"$D/log"; read -rt 7 <>"$D/never"; exit 0'
	wait_until 10 has_lines "$D/log" 1
	# Another consumer that would take it
	dq-run --drain "$q" -- sh -c 'echo "another $DQ_TRY" >>"$D/log"'
	equal "$(cat "$D/log")" 1
	holds 0 0 0 0
	equal "$(field stat expired_leases)" ''
	between 2 "$(field stat extended)" 14
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$D/err")" ''
}

reads_of() { # QUEUE
	awk -v key="\"dq:{$1}:try\"" '$3 != "lua]" && tolower($4) == "\"hmget\"" && $5 == key { n++ } END { print n + 0 }' "$D/monitor"
}

@test "one read a second for each queue, however many commands run; none when no command runs; the leases stay" {
	local i before ms reads
	for i in 1 2 3; do
		seq 5 | dq-put -q -l -t 1h "$q.$i"
	done
	work -j 15 "$q".{1..4} -- tail -f /dev/null
	wait_until 10 eval '[ "$(running | wc -l)" = 15 ]'
	for i in 1 2 3; do
		before+=$(rcli ZRANGE "dq:{$q.$i}:leased" 0 -1 WITHSCORES)
	done
	rcli MONITOR >"$D/monitor" 3>&- &
	monitor=$!
	ms=${EPOCHREALTIME/./}
	wait_until 10 eval '[ "$(reads_of "$q.1")" -ge 4 ]'
	kill "$monitor"
	wait_until 10 ended "$monitor"
	ms=$((${EPOCHREALTIME/./} - ms))
	for i in 1 2 3; do
		reads=$(reads_of "$q.$i")
		between 2 "$reads" $((ms / 1000000 + 2))
		equal "$(field stat extended "$q.$i")" ''
		before=${before#"$(rcli ZRANGE "dq:{$q.$i}:leased" 0 -1 WITHSCORES)"}
	done
	equal "$before" ''
	equal "$(reads_of "$q.4")" 0
	matches "$(grep -i '"hmget"' "$D/monitor" | grep -v lua | head -n 1)" "$(printf ' "[0-9A-Z]{26}"%.0s' {1..5})\$"
	equal "$(cat "$D/err")" ''
}

@test "-j 100 with 100 queues: all are checked, and the command whose message is gone ends" {
	local queues=("$q".{1..100}) i
	for i in "${queues[@]}"; do
		dq-put -q -i x -t 1h "$i" x
	done
	work -j 100 "${queues[@]}" -- tail -f /dev/null
	wait_until 20 eval '[ "$(running | wc -l)" = 100 ]'
	dq-rm "$q.99/x"
	wait_until 10 eval '[ "$(running | wc -l)" = 99 ]'
	wait_until 10 grep -q "^dq-run: $q.99/x: the lease is lost (settled already, or removed)" "$D/err"
	equal "$(wc -l <"$D/err")" 1
}

is_past() { # MS
	[ "$(server_ms)" -gt "$1" ]
}

# While the call for the second queue waits for its reply, the lease of the first one comes to its renewal.
@test "leases are renewed within a round of calls, which may take longer than a lease" {
	local i until
	for i in 1 2 3; do
		dq-put -q -t 6s "$q.$i" x
	done
	start_gate
	rule "late.{$q.2}:msg"
	rule "late.{$q.3}:msg"
	DQ_URL=unix://$T/gate work --once -j 3 "$q".{1..3} -- tail -f /dev/null
	wait_until 10 came "{$q.2}:msg"
	until=$(rcli ZRANGE "dq:{$q.1}:leased" 0 0 WITHSCORES | tail -n 1)
	wait_until 10 is_past $((until - 4000)) # a third of the lease is over
	lift "late.{$q.2}:msg"
	wait_until 10 came "{$q.3}:msg"
	equal "$(field stat extended "$q.1")" 1
	lift "late.{$q.3}:msg"
	wait_until 10 eval '[ "$(running | wc -l)" = 3 ]'
	equal "$(cat "$D/err")" ''
}
