# Goal: dq-run --until-empty runs all that is due now, and ends; it does not wait for messages that are delayed, leased by others or
# paused.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut
load ../until_empty

@test "dq-run: runs all due messages, in all queues, many at once; does not wait for others" {
	fill
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty -j 4 "$q.a" "$q.p" "$q.b" "$q.none" -- sh -c 'read -r n; echo "$n"'
	equal "$(sort <<<"$output")" "$(all)"
	equal "$stderr" ''
	holds 1 0 0 1 "$q.a"
	holds 0 0 1 0 "$q.b"
	holds 0 1 0 0 "$q.p"
}

@test "dq-run: nothing is due: 0, without a message, and no wait" {
	dq-put -q -d 1h "$q" x
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty "$q" "$q.none" -- cat
	equal "$output$stderr" ''
	holds 1 0 0 0
}

@test "dq-run: a failed message that waits for its retry is left: 123" {
	dq-put -q -i x -b 1h "$q" x
	dq-put -q -i y "$q" y
	run -123 --separate-stderr timeout 20 dq-run --until-empty "$q" -- sh -c '[ "$(cat)" = y ]'
	holds 1 0 0 0
}

@test "dq-run: a retry without delay is due again: tried until it succeeds, or is dead" {
	dq-put -q -i x -b 0 "$q" x
	dq-put -q -i y -b 0 -r 3 "$q" y
	run -123 --separate-stderr timeout 20 dq-run --until-empty "$q" -- sh -c 'echo "$DQ_ID $DQ_TRY"; [ "$DQ_ID $DQ_TRY" = "x 2" ]'
	equal "$(sort <<<"$output" | paste -sd,)" 'x 1,x 2,y 1,y 2,y 3'
	holds 0 0 0 1
}

@test "dq-run: a server that has forgotten its scripts does not hide a retry, nor a place that becomes free" {
	start_server "$q" # no other tool teaches it
	export DQ_URL=unix://$T/$q/s
	dq-put -q -i x -b 0 -r 5 "$q" x
	SERVER=$q rcli SCRIPT FLUSH >/dev/null
	run -123 --separate-stderr timeout 20 dq-run --until-empty "$q" -- sh -c 'echo "$DQ_TRY"; [ "$DQ_TRY" = 3 ]'
	equal "$output" $'1\n2\n3'
	dq-set -q "$q" max-leased=1
	dq-put -q "$q" a b c
	SERVER=$q rcli SCRIPT FLUSH >/dev/null
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty "$q" -- cat
	equal "$output" abc
	SERVER=$q holds 0 0 0 0
}

@test "dq-run: a message put while the last command runs is due, too; then it ends" {
	dq-put -q "$q" first
	run -0 --separate-stderr timeout 20 dq-run --until-empty "$q" -- sh -c \
		'read -r n; echo "$n"; [ "$n" = last ] || dq-put -q "$DQ_QUEUE" last'
	equal "$output" $'first\nlast'
	holds 0 0 0 0
}

is_blocked() { # SERVER
	[[ $(SERVER=$1 rcli INFO clients) == *blocked_clients:1* ]]
}

@test "dq-run: when its last command has ended, it does not wait until its BZPOPMIN ends by itself" {
	start_server "$q"
	dq-put -q -u "unix://$T/$q/s" "$q" x
	timeout 20 dq-run -q -u "unix://$T/$q/s" -j 2 --until-empty "$q" -- sh -c "until [ -e '$T/$q.go' ]; do sleep 0.01; done" 3>&- &
	wait_until 10 is_blocked "$q"
	touch "$T/$q.go"
	exits 0 $!
	matches "$(SERVER=$q rcli INFO commandstats)" 'cmdstat_client\|unblock:calls=[1-9]'
}

@test "dq-run: expired messages do not hide due ones" {
	many_expired
	run -0 timeout 20 dq-run --until-empty -j 100 "$q" -- cat
	equal "$output" good
	holds 0 0 0 0
}

@test "dq-run: Redis stays unreachable: 75" {
	start_server "$q"
	mkfifo "$T/$q.gate"
	DQ_URL=unix://$T/$q/s dq-put -q "$q" x
	DQ_URL=unix://$T/$q/s dq-run --until-empty --timeout 2s "$q" -- sh -c 'echo; true <"$0"' "$T/$q.gate" >"$T/$q.out" 2>/dev/null \
		3>&- &
	local worker=$!
	wait_until 10 test -s "$T/$q.out"
	stop_server "$q" KILL
	true >"$T/$q.gate"
	exits 75 "$worker"
}

@test "dq-run: a lost reply to a take: 75, reported; the other messages run" {
	dq-put -q -p 0 -i x "$q" lost
	dq-put -q -i rest "$q" rest
	start_cut x
	DQ_URL=unix://$T/cut run -75 --separate-stderr timeout 20 dq-run --until-empty "$q" -- cat
	stop_cut
	equal "$output" rest
	matches "$stderr" "dq-run: $q: a reply was lost: messages that it leased are redelivered when their leases end\$"
	holds 0 0 1 0
}
