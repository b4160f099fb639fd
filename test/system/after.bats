# Goal: The recipes of what runs after others (dq-recipes(7), AFTER OTHERS) stand a failing part, and workers that are killed.

bats_require_minimum_version 1.5.0

load ../helper
load broken

# The script that the recipe makes, as $T/NAME; and no queues.
script_of() { # NAME
	rcli FLUSHALL >/dev/null
	rm -f "$T/printed"
	sed -n "/^\\$ cat >$1 <<'END'\$/,/^> END\$/{s/^> //p}" "$top/man/dq-recipes.7" | sed '$d; s/\\e/\\/g; s/\\-/-/g' >"$T/$1"
	[ -s "$T/$1" ]
}

put_parts() {
	dq-put -q --keep 1d -i order7.a parts pick
	dq-put -q --keep 1d -i order7.b parts pack
	dq-put -q -i order7 joins 'send order7'
}

joins() { # all that are due
	dq-run -q --until-empty joins -- sh "$T/join" 2>>"$T/err"
}

@test "join: it is given back, without a try, until its parts are done" {
	script_of join
	sed -i 's/give-back 3s/give-back 1h/' "$T/join"
	put_parts
	dq-take parts | dq-ack
	joins
	equal "$(dq-stat --json joins/order7 | jq -c '[.state, .tries, .given_back]')" '["delayed",0,1]'
	dq-take parts | dq-ack
	dq-promote -q joins/order7
	equal "$(joins)" 'order7: both parts are done'
	holds 0 0 0 0 joins
}

@test "join: a part that failed makes it dead, and it goes on when both are redriven" {
	script_of join
	put_parts
	dq-take parts | dq-ack -b -m 'out of stock'
	dq-take parts | dq-ack
	equal "$(joins)" ''
	equal "$(reason order7 joins)" 'a part failed, or is not known'
	holds 0 0 0 1 joins
	dq-promote -q --dead parts joins
	dq-take parts | dq-ack
	equal "$(joins)" 'order7: both parts are done'
	holds 0 0 0 0 joins
}

@test "join: a part that is lost is not done" {
	script_of join
	put_parts
	dq-rm -q parts/order7.a
	dq-rm -q parts/order7.a
	dq-take parts | dq-ack
	equal "$(joins)" ''
	holds 0 0 0 1 joins
}

# The worker dies when its command has done that: nothing is acked. Somebody sees it and releases what it had: a lease that is short enough
# to wait for may be over before a busy machine has run the command.
dies_after() { # QUEUE SCRIPT
	# shellcheck disable=SC2016
	run dq-run -q --once "$1" -- sh -c 'sh "$0" >>"$1"; kill -9 $PPID' "$2" "$T/printed" 3>&-
	equal "$status" 137
	dq-stat --messages leased "$1" | dq-promote -q --release
}

@test "join: the worker is killed when it has joined: it joins again" {
	script_of join
	put_parts
	dq-take -n 2 --ack parts >/dev/null
	dies_after joins "$T/join"
	wait_until 30 joined
	holds 0 0 0 0 joins
	equal "$(sort -u "$T/printed")" 'order7: both parts are done'
}

joined() {
	joins >>"$T/printed"
	[ "$(rcli HLEN "dq:{joins}:msg")" = 0 ]
}

put_chain() {
	dq-put -q -e keep --keep 7d -d never -i report nightly ''
	dq-put -q -e keep --keep 7d -d never -i sums nightly report
	dq-put -q -e keep --keep 7d -i import nightly sums
}

# Whether the chain of the night has run, as the page asks.
asks() { # STATUS LINES
	local status=0
	# shellcheck disable=SC2016
	recipe "$top/man/dq-recipes.7" 'dq-wait -w 0 "nightly/import' | sed -n 's/-$night//g; /^dq-wait/p' >"$T/ask"
	(cd "$T" && sh ./ask 2>/dev/null) || status=$?
	equal "$status" "$1"
	equal "$(sed 's|^nightly/||' "$T/ended" | sort | tr '\t\n' ' ,')" "$2"
}

steps() {
	dq-run -q --until-empty nightly -- sh "$T/step" >>"$T/printed" 2>>"$T/err"
}

chained() {
	steps
	[ "$(rcli HLEN "dq:{nightly}:msg")" = 0 ]
}

@test "chain: a step that is dead holds the next ones, and redrive goes on" {
	script_of step
	put_chain
	dq-take nightly | dq-ack -b -m 'no file'
	steps
	equal "$(cat "$T/printed")" ''
	equal "$(dq-stat --json nightly | jq -c '.queues[0] | [.held, .messages.dead]')" '[2,1]'
	asks 124 'import dead no file,'
	put_chain # the same night again changes nothing
	dq-promote -q --dead nightly
	wait_until 30 chained
	equal "$(<"$T/printed")" $'import\nsums\nreport'
	asks 0 'import done ,report done ,sums done ,'
	put_chain
	steps
	equal "$(wc -l <"$T/printed")" 3
}

@test "chain: the worker is killed after each step: each runs again, in order, and none is left out" {
	script_of step
	put_chain
	dies_after nightly "$T/step"
	dies_after nightly "$T/step"
	wait_until 30 chained
	holds 0 0 0 0 nightly
	equal "$(sort -u "$T/printed")" $'import\nreport\nsums'
	equal "$(awk '!seen[$0]++' "$T/printed" | paste -sd' ')" 'import sums report'
}

# 200 jobs, of which some exit with that status, and two workers with names of their own, as on two hosts.
fan_out() { # STATUS
	local host status=0
	rcli FLUSHALL >/dev/null
	seq 200 | dq-put -l --keep 1h checks >"$T/names"
	for host in one two; do
		# shellcheck disable=SC2016
		DQ_WORKER=$host dq-run -q -j 4 --drain checks -- sh -c 'read -r n; [ "$n" != 77 ] || exit "$0"' "$1" 2>/dev/null 3>&- &
	done
	dq-wait -w 10m <"$T/names" >"$T/ended" || status=$?
	wait
	return "$status"
}

@test "fan out: 200 jobs on two hosts end with the right status" {
	run fan_out 0
	equal "$status" 0
	equal "$(cut -f2 "$T/ended" | sort | uniq -c | xargs)" '200 done'
	run fan_out 65
	equal "$status" 1
	equal "$(cut -f2 "$T/ended" | sort | uniq -c | xargs)" '1 dead 199 done'
	equal "$(cut -f1 "$T/ended" | sort)" "$(sort "$T/names")"
}
