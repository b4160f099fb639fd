# Goal: dq-run -j runs that many commands at once, and also works with few descriptors.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

# The first commands wait for each other.
@test "-j 4: four at once, never more" {
	gate
	seq 1 12 | dq-put -ql "$q"
	handler count <<-'SH'
		echo start >>"$D/log"
		true <"$D/gate"
		echo end >>"$D/log"
	SH
	work -j 4 --drain "$q" -- "$D/count"
	wait_until 10 has_lines "$D/log" 4
	equal "$(states)" '0 8 4 0'
	open_gate
	exits 0 "$worker"
	equal "$(grep -c end "$D/log")" 12
	awk '/start/ { n++ } /end/ { n-- } n > most { most = n } END { exit most != 4 }' "$D/log"
	holds 0 0 0 0
}

@test "one at once without -j" {
	gate
	seq 1 3 | dq-put -ql "$q"
	work "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	equal "$(states)" '0 2 1 0'
	open_gate
	wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
	kill "$worker"
	exits 143 "$worker"
}

@test "one connection, however many run" {
	gate
	seq 1 5 | dq-put -ql "$q"
	start_server lone
	DQ_URL=unix://$T/lone/s dq-put -q "$q" 1 2 3 4 5
	DQ_URL=unix://$T/lone/s work -j 5 "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 5
	equal "$(SERVER=lone rcli CLIENT LIST | grep -c name=dq-run)" 1
	kill "$worker"
	open_gate
	exits 143 "$worker"
}

@test "more at once than descriptors are allowed: as many as have room run, the others are given back, and it is said once" {
	head -c 300000 /dev/zero >"$D/zero"
	for _ in {1..40}; do
		dq-put -q -r 1 "$q" <"$D/zero"
	done
	gate
	(
		ulimit -n 64
		exec dq-run -j 200 --drain "$q" -- sh -c 'cat >/dev/null; true <"$D/gate"'
	) >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 20 grep -q '^dq-run: sh: Too many open files: running [0-9]* at once, fewer than -j$' "$D/err"
	wait_until 20 eval 'count=$(running | wc -l); [ "$count" -gt 4 ] && [ "$(states)" = "0 $((40 - count)) $count 0" ]'
	open_gate
	exits 0 "$worker"
	holds 0 0 0 0
	equal "$(wc -l <"$D/err")" 1
	audit
}

# poll(2) refuses more descriptors than the limit allows, used or not.
@test "-j greater than the limit of descriptors, few messages: they are fed" {
	head -c 1048576 /dev/urandom >"$D/big"
	dq-put -q "$q" <"$D/big"
	run -0 timeout 60 bash -c 'ulimit -n 64; exec dq-run -j 100 --drain "$0" -- cmp - "$D/big" >"$D/out" 2>&1' "$q"
	holds 0 0 0 0
}

@test "no process can be started for lack of descriptors: 75, and the message is given back, without a try" {
	dq-put -q -i x "$q" x
	# How few are too few depends on what the test was started with.
	for few in {24..6}; do
		run --separate-stderr bash -c "ulimit -n $few; exec dq-run --once \"\$0\" -- true" "$q" 3>&-
		[ "$status" = 0 ] || break
		dq-put -q -i x "$q" x
	done
	equal "$status" 75
	holds 0 1 0 0
	equal "$(tries x)" 0
}
