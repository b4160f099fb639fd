# Goal: The client of the tests (test/tool/rcli.c) prints what redis-cli prints; the helper's pauses do not disturb a test, and a test
# that fails says where.

bats_require_minimum_version 1.5.0

load ../helper

# Both print the same and end with the same status. Fields that change from call to call, and their own names, do not count.
same() { # WORD...  with $input on standard input
	local client said=() status
	local changing='id|idle|fd|age|cmd|addr|[a-z]*q?buf[a-z-]*|multi-mem|rbs|rbp|tot-mem|omem|oll|argv-mem|events|user'
	for client in redis-cli "$DQ_BIN/rcli"; do
		status=0
		"$client" -s "$T/main/s" "$@" >"$T/out" 2>"$T/err" < <(printf '%b' "${input:-}") || status=$?
		said+=("$(sed -E "s/($changing)=[^ ]*//g" "$T/out" | od -c) $status $(wc -l <"$T/err")")
	done
	equal "${said[1]}" "${said[0]}"
}

@test "every kind of reply, and errors" {
	local each
	for each in '' --raw -e '-n 3'; do
		# shellcheck disable=SC2086
		{
			same $each PING
			same $each SET "$q" $'two\nlines\n'
			same $each GET "$q"
			same $each GET none
			same $each HGETALL none
			same $each STRLEN "$q"
			same $each EVAL 'return {1, "a", {"x", {}, {"y"}}, {}, {{}}, "", 5}' 0
			same $each EVAL 'return {}' 0
			same $each NO SUCH
			same $each CLIENT LIST
			same $each INFO replication
		}
	done
	same EVAL 'return {1, redis.error_reply("OOPS"), 2}' 0
}

@test "requests on standard input, and a word" {
	input='set "a b" 1\n\nget "a b"\nnosuch\n  ping\n' same
	input='no newline\0\377 and \377' same -x SET "$q"
	same GET "$q"
	input='' same -x SET "$q"
	same GET "$q"
}

@test "passwords and users" {
	REDISCLI_AUTH=wrong same PING
	rcli CONFIG SET requirepass secret
	same PING
	REDISCLI_AUTH=secret same PING
	REDISCLI_AUTH=secret rcli ACL SETUSER "$q" on '>other' +ping
	same --user "$q" --pass other --no-auth-warning PING
	same --user "$q" --pass other --no-auth-warning GET x
	input="monitor\nping\n" same --user "$q" --pass other --no-auth-warning
	same --user "$q" --pass wrong --no-auth-warning PING
	REDISCLI_AUTH=secret rcli CONFIG SET requirepass ''
}

@test "no server, one that hangs up, and MONITOR" {
	SERVER=none run -1 rcli PING
	matches "$output" '^Could not connect to Redis'
	SERVER=none run -1 rcli MONITOR
	start_server short
	SERVER=short rcli MONITOR >"$T/monitor" 3>&- &
	local monitor=$!
	wait_until 10 grep -qx OK "$T/monitor"
	SERVER=short rcli ECHO "$(printf '%9000s' long)" >/dev/null
	wait_until 10 grep -qE '^[0-9.]+ \[0 unix:.*\] "ECHO" " {8996}long"$' "$T/monitor"
	stop_server short KILL
	exits 1 "$monitor"
}

@test "helper: a pause leaves \$! to its caller, and no process" {
	sleep 60 3>&- &
	local own=$! before
	before=$(jobs -p)
	! wait_until 0 false || return
	pause
	equal "$! $(jobs -p)" "$own $before"
	kill "$own"
}

# bats waits the whole time limit when a test ends before the one who watches the time has set its trap.
@test "a test that fails is not ok, and says where" {
	{
		echo "load '$top/test/helper'"
		printf '@test "%s" {\n\ttrue\n\t%s\n\ttrue\n}\n' 'in its body' false 'in a helper' 'equal a b' \
			'in a subshell' '(exit 3)' 'by itself' 'exit 4' 'by return' 'false || return' good true
	} >"$T/some.bats"
	run -1 env BATS_TEST_TIMEOUT=20 bats --tap "$T/some.bats"
	equal "$(grep -E '^(not )?ok' <<<"$output")" $'not ok 1 in its body\nnot ok 2 in a helper\nnot ok 3 in a subshell
not ok 4 by itself\nnot ok 5 by return\nok 6 good'
	equal "$(grep -o 'in test file .*, line [0-9]*' <<<"$output" | sed 's/.* //' | head -3 | paste -sd ' ')" '4 9 14'
	matches "$output" 'wanted: b'
}
