# Goal: When a server is killed, unreachable or hangs while commands run, every verdict that can still arrive is settled, and every lease
# that can be kept is kept.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

@test "the server is killed and returns: the verdict is settled" {
	start_server kept --appendonly yes --appendfsync always
	export DQ_URL=unix://$T/kept/s SERVER=kept
	gate
	dq-put -q -i good "$q" x
	dq-put -q -i bad "$q" x
	dq-put -q -i again -b 1h "$q" x
	handler wait <<-'SH'
		echo >>"$D/log"
		true <"$D/gate"
		case $DQ_ID in
		bad) exit 65 ;;
		again) exit 75 ;;
		esac
	SH
	work -j 3 "$q" -- "$D/wait"
	wait_until 10 has_lines "$D/log" 3
	stop_server kept KILL
	open_gate
	wait_until 10 none_run
	run ! ended "$worker"
	start_server kept --appendonly yes --appendfsync always
	wait_until 20 eval '[ "$(states)" = "1 0 0 1" ]'
	equal "$(tries again) $(reason again)" '1 exit status 75'
	equal "$(lines "$D/log")" 3
	dq-put -q -i more "$q" x
	wait_until 10 has_lines "$D/log" 4
	open_gate
	wait_until 10 eval '[ "$(states)" = "1 0 0 1" ]'
	audit
	kill "$worker"
	exits 143 "$worker"
	each_once 'connecting again$' "$D/err"
	equal "$(grep -c 'connected again$' "$D/err")" 1
}

@test "the server is killed and returns while the command runs: the lease is kept" {
	start_server back --appendonly yes --appendfsync always
	export DQ_URL=unix://$T/back/s SERVER=back
	gate
	dq-put -q -i x -t 6s "$q" x
	work "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	local first
	first=$(score leased x)
	stop_server back KILL
	start_server back --appendonly yes --appendfsync always
	wait_until 10 eval "[ \"\$(score leased x)\" -gt $first ]"
	open_gate
	wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
	equal "$(lines "$D/log")" 1
	kill "$worker"
	exits 143 "$worker"
}

@test "the server is gone for longer than the lease: the command is ended" {
	start_server gone --appendonly yes --appendfsync always
	export DQ_URL=unix://$T/gone/s SERVER=gone
	dq-put -q -i x -t 3s "$q" x
	lost_script
	work --kill-after 200ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	stop_server gone KILL
	wait_until 10 both_ended
	grep -q "^dq-run: $q/x: the lease is lost (it expired before it was renewed): ending its command\$" "$D/err"
	rm "$D/child"
	start_server gone --appendonly yes --appendfsync always
	wait_until 10 test -e "$D/child"
	equal "$(tries x)" 2
	dq-rm "$q/x"
	wait_until 10 both_ended
	kill "$worker"
	exits 143 "$worker"
}

@test "the server hangs for longer than the lease: the command is ended" {
	start_server hung
	export DQ_URL=unix://$T/hung/s SERVER=hung
	dq-put -q -i x -t 3s "$q" x
	lost_script
	work --kill-after 200ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	kill -STOP "$(cat "$T/hung/pid")"
	wait_until 20 both_ended
	kill -CONT "$(cat "$T/hung/pid")"
	# it may have taken the message again meanwhile: then one signal lets that run finish, which never happens
	wait_until 20 eval 'kill "$worker" 2>/dev/null; ended "$worker"'
}

@test "the server hangs while leases end one after the other: reported once, whatever each time-out was" {
	start_server slow
	export DQ_URL=unix://$T/slow/s SERVER=slow
	local ttr
	for ttr in 3s 4s 5s; do dq-put -q -t "$ttr" "$q" x; done
	work -j 3 --kill-after 100ms "$q" -- sh -c 'echo >>"$D/log"; exec sleep 100'
	wait_until 10 has_lines "$D/log" 3
	kill -STOP "$(cat "$T/slow/pid")"
	wait_until 20 eval '[ "$(grep -c "the lease is lost" "$D/err")" -ge 3 ]'
	kill -CONT "$(cat "$T/slow/pid")"
	equal "$(grep -c 'timed out after .*: connecting again$' "$D/err")" 1
	wait_until 20 eval 'kill "$worker" 2>/dev/null; ended "$worker"'
}

@test "only the waiting connection is dead: a worker whose lease ends soon stops without a lost connection" {
	start_server half
	export DQ_URL=unix://$T/half/s SERVER=half
	dq-put -q -t 4s "$q" x
	python3 "$top/test/tool/no_bzpopmin_reply.py" "$T/$q.no_reply" "$T/half/s" 3>&- &
	disown
	echo $! >>"$D/workers"
	wait_until 10 test -S "$T/$q.no_reply"
	DQ_URL=unix://$T/$q.no_reply work -j 2 "$q" -- sh -c 'echo >>"$D/log"; exec sleep 3'
	wait_until 10 has_lines "$D/log" 1
	wait_until 10 eval 'rcli CLIENT LIST | grep -q "name=dq-run-wait.*cmd=bzpopmin"'
	kill "$worker"
	exits 143 "$worker"
	equal "$(grep -v finishing "$D/err")" ''
	equal "$(states)" '0 0 0 0'
}

@test "Redis is unreachable for good: two signals end the worker, which reports what is not settled" {
	start_server dead
	export DQ_URL=unix://$T/dead/s SERVER=dead
	gate
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo >"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	stop_server dead KILL
	open_gate
	wait_until 10 none_run
	kill "$worker"
	wait_until 20 grep -q 'connecting again' "$D/err"
	run ! ended "$worker"
	kill "$worker"
	wait_until 10 ended "$worker"
	grep -q "^dq-run: $q/x: not settled: " "$D/err"
}

@test "a key of another type while a command runs: 70, and the worker ends" {
	gate
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo >"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 1
	rcli DEL "dq:{$q}:dead" "dq:{$q}:stat"
	rcli SET "dq:{$q}:stat" spoiled
	open_gate
	exits 70 "$worker"
}

@test "a verdict is the first to see that Redis is gone: until it is back, dq-run sleeps" {
	local before
	start_server lone
	export DQ_URL=unix://$T/lone/s
	printf '%s\n' one two | dq-put -q -l "$q"
	gate
	work -j 3 "$q" -- sh -c 'read -r what; echo "$what" >>"$D/log"; [ "$what" = one ] || exec tail -f /dev/null
		true <"$D/gate"'
	wait_until 10 has_lines "$D/log" 2
	SERVER=lone wait_until 10 eval 'rcli CLIENT LIST | grep -q "cmd=bzpopmin"'
	kill -STOP "$worker" # it sees both at once: the end of the command, and that of the connections
	stop_server lone KILL
	open_gate
	wait_until 10 eval '[ "$(running | wc -l)" = 1 ]'
	kill -CONT "$worker"
	wait_until 10 grep -q 'connecting again' "$D/err"
	before=$(ticks "$worker")
	wait_until 30 has_slept "$worker" "$(sleeps "$worker")" 8
	between 0 $(($(ticks "$worker") - before)) 40
	kill -KILL "$worker"
	exits 137 "$worker"
}
