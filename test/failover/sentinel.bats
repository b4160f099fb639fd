# Goal: With Sentinels in the URL the tools find the master, check every reply of a Sentinel, and continue by themselves when the master
# is killed, stopped or cut off: confirmed and replicated messages are delivered, and no message has two valid receipts.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load failover

# --- what Sentinels say ---

# The same as the reply of a Sentinel.
address() { # HOST PORT
	printf '*2\\r\\n$%d\\r\\n%s\\r\\n$%d\\r\\n%s\\r\\n' "${#1}" "$1" "${#2}" "$2"
}

@test "the first Sentinel that knows the master names it" {
	start_tcp main2
	local master=$port
	start_scripted nobody 'SENTINEL=*-1\r\n'
	local nobody=$port
	start_scripted knows "SENTINEL=$(address 127.0.0.1 "$master")"
	local knows=$port
	run -0 dq-put -u "redis+sentinel://127.0.0.1:1,127.0.0.1:$nobody,127.0.0.1:$knows/m/3" -i x "$q" hello
	equal "$(SERVER=main2 rcli -n 3 HEXISTS "dq:{$q}:msg" x)" 1
	run -0 dq-put -u "redis+sentinel://127.0.0.1:$knows/m" -i y "$q" hello
	equal "$(SERVER=main2 rcli HEXISTS "dq:{$q}:msg" y)" 1
	stop_server main2
}

@test "no Sentinel knows the master: 78; no Sentinel is reachable: 69; some of both: 75" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_scripted nobody 'SENTINEL=*-1\r\n'
	fails 78 '^no Sentinel knows the master m\*$' dq-put -u "redis+sentinel://127.0.0.1:$port/m%2a" "$q" x
	fails 69 '^no Sentinel can be reached: 127\.0\.0\.1:1 \(connection refused\), 127\.0\.0\.1:2 \(connection refused\)$' \
		dq-put -u redis+sentinel://127.0.0.1:1,127.0.0.1:2/m "$q" x
	fails 75 "^no Sentinel names the master m: 127\.0\.0\.1:1 \(connection refused\), 127\.0\.0\.1:$port \(does not know it\)$" \
		dq-put -u "redis+sentinel://127.0.0.1:1,127.0.0.1:$port/m" "$q" x
}

@test "a Sentinel that is silent does not keep the next one from being asked" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_tcp main2
	start_scripted knows "SENTINEL=$(address 127.0.0.1 "$port")"
	local knows=$port
	start_scripted silent 'SENTINEL=NOTHING'
	run -0 dq-put -u "redis+sentinel://127.0.0.1:$port,127.0.0.1:$knows/m" --connect-timeout 8s "$q" x
	fails 69 "^no Sentinel can be reached: 127\.0\.0\.1:$port \(timed out after [0-9.]*m?s\)$" \
		dq-put -u "redis+sentinel://127.0.0.1:$port/m" --connect-timeout 400ms "$q" x
	stop_server main2
}

@test "replies of a Sentinel are checked" {
	local answer n=0
	for answer in '+OK\r\n' ':1\r\n' '$-1\r\n' '*0\r\n' '*1\r\n$9\r\n127.0.0.1\r\n' '*2\r\n:1\r\n:2\r\n' '*2\r\n*0\r\n*0\r\n' \
		'*2\r\n$-1\r\n$1\r\n1\r\n' "$(address 127.0.0.1 0)" "$(address 127.0.0.1 65536)" "$(address 127.0.0.1 06379)" \
		"$(address 127.0.0.1 -1)" "$(address 127.0.0.1 '')" "$(address '' 6379)" "$(address 'a b' 6379)" "$(address a/b 6379)" \
		"$(address fe80::1%eth0 6379)" "$(address "$(printf '%0300d' 1)" 6379)" '*2\r\n$3\r\na\x1bb\r\n$1\r\n1\r\n' \
		'*2\r\n$3\r\na\0b\r\n$1\r\n1\r\n' '*2\r\n$1\r\na\r\n$3\r\n1\x001\r\n'; do
		[ "$answer" != '$-1\r\n' ] || continue
		n=$((n + 1))
		start_scripted "scripted$n" "SENTINEL=$answer"
		fails 70 '^no Sentinel names the master m: .*\((unexpected reply to SENTINEL|the Sentinel names an invalid address)\)$' \
			dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x || {
			echo "$answer"
			return 1
		}
	done
}

@test "a Sentinel that does not speak the Redis protocol, or sends without end, is skipped" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	local answer n=0
	for answer in 'HTTP/1.1 400\r\n' '*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n+x\r\n' '*2000000000\r\n' '-ERR unknown\r\n' CLOSE \
		'$600000000\r\nx'; do
		n=$((n + 1))
		start_scripted "scripted$n" "SENTINEL=$answer"
		run --separate-stderr timeout 20 dq-put -u "redis+sentinel://127.0.0.1:$port/m" --connect-timeout 1s "$q" x
		[[ $status == @(69|70|75|78) ]] || {
			echo "$answer: $status $stderr"
			return 1
		}
		equal "${#stderr_lines[@]}" 1
		matches "$stderr" '^dq-put: no Sentinel (names the master m|can be reached): '
	done
}

@test "a Sentinel names a server that is no master: the error names both; 75, or 69" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_tcp main2
	start_tcp replica --replicaof 127.0.0.1 "$port"
	local replica=$port
	start_scripted knows "SENTINEL=$(address 127.0.0.1 "$port")"
	fails 75 "^no master m: 127\.0\.0\.1:$replica, says Sentinel 127\.0\.0\.1:$port \(a replica\): failover\?$" \
		dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x
	start_scripted stale "SENTINEL=$(address 127.0.0.1 1)"
	fails 69 "^no master m: 127\.0\.0\.1:1, says Sentinel 127\.0\.0\.1:$port \(connection refused\)$" \
		dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x
	start_scripted ipv6 "SENTINEL=$(address ::1 1)"
	fails 69 "^no master m: \[::1\]:1, says Sentinel 127\.0\.0\.1:$port \(" dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x
	stop_server replica
	stop_server main2
}

@test "a Redis in place of a Sentinel: its error is printed whole, a long one up to a word" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	local text='ERR AUTH <password> called without any password configured for the default user.'
	text+=' Are you sure your configuration is correct?'
	start_scripted redis "AUTH=-$text\\r\\n"
	DQ_SENTINEL_PASSWORD=x fails 77 "^no Sentinel names the master m: 127\.0\.0\.1:$port \(${text//\?/\\?}\)\$" \
		dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x
	start_scripted longer "AUTH=-ERR $(printf 'twelve bytes%.0s ' {1..12})\\r\\n"
	DQ_SENTINEL_PASSWORD=x fails 75 "^no Sentinel names the master m: 127\.0\.0\.1:$port \(ERR (twelve bytes )+twelve\.\.\.\)\$" \
		dq-put -u "redis+sentinel://127.0.0.1:$port/m" "$q" x
}

# --- passwords ---

@test "a Sentinel's password: from DQ_SENTINEL_PASSWORD or a file, with a user or without; 77 without it" {
	start_tcp main2 --requirepass data
	local at=$port
	start_sentinel guarded "$at" 'requirepass secret'
	local url=redis+sentinel://127.0.0.1:$port/m
	export REDISCLI_AUTH=data
	fails 77 "^no Sentinel names the master m: 127\.0\.0\.1:$port \(the Sentinel wants a password \(DQ_SENTINEL_PASSWORD, sent" \
		dq-put -u "$url" "$q" x
	DQ_SENTINEL_PASSWORD=secret run -0 dq-put -u "$url" "$q" x
	DQ_SENTINEL_PASSWORD=wrong fails 77 '\(WRONGPASS ' dq-put -u "$url" "$q" x
	(umask 077 && echo secret >"$T/the password")
	run -0 dq-put -u "$url?sentinel_username=default&sentinel_password_file=$T/the%20password" "$q" x
	fails 77 '\(WRONGPASS ' dq-put -u "$url?sentinel_username=nobody&sentinel_password_file=$T/the%20password" "$q" x
	fails 78 'no/such: password file: No such file' dq-put -u "$url?sentinel_password_file=no/such" "$q" x
	REDISCLI_AUTH=wrong DQ_SENTINEL_PASSWORD=secret fails 77 'no master m: .*WRONGPASS' dq-put -u "$url" "$q" x
	stop_server guarded
	stop_server main2
}

@test "dq-run: its commands get the whole URL, the password's file by its path, and no password" {
	start_tcp main2
	start_sentinel guarded "$port" 'requirepass secret'
	(umask 077 && echo secret >"$T/file")
	cd "$T"
	local url="redis+sentinel://127.0.0.1:1,127.0.0.1:$port/m/0?sentinel_password_file=file"
	run -0 dq-put -q -u "$url" "$q" x
	DQ_URL=$url DQ_SENTINEL_PASSWORD=other run -0 --separate-stderr dq-run --once "$q" -- sh -c \
		'cd / && env && dq-put -q -i y other there'
	equal "$(grep ^DQ_URL= <<<"$output")" "DQ_URL=redis+sentinel://127.0.0.1:1,127.0.0.1:$port/m/0?sentinel_password_file=$T/file"
	equal "$(grep -c DQ_SENTINEL_PASSWORD <<<"$output" || true)" 0
	equal "$(SERVER=main2 rcli HEXISTS 'dq:{other}:msg' y)" 1
	stop_server guarded
	stop_server main2
}

# --- the master is lost ---

# Prints a number about every 20 ms, as long as $T/feeding exists.
feed() {
	local n=0
	while [ -e "$T/feeding" ]; do
		echo $((n += 1))
		pause
	done
}

# All tools, at work: what is fed is put, taken and acked; $T/put has the names as they are confirmed. A failover may lose an ack: then the
# message comes again when its lease ends, soon.
start_tools() { # TIMEOUT-OF-PIPES
	local go=(-u "$url" --connect-timeout 2s --timeout 2s) pipe=(-u "$url" --connect-timeout 2s --timeout "$1")
	touch "$T/feeding" "$T/taken" "$T/put" "$T/ran"
	feed | dq-put -l "${pipe[@]}" "$q" >"$T/put" 2>"$T/put.err" 3>&- &
	put=$!
	dq-take -f -t 5s "${go[@]}" "$q" 2>"$T/take.err" 3>&- > >(tee "$T/taken" | dq-ack "${pipe[@]}" - 2>"$T/ack.err" 3>&-) &
	take=$!
	dq-run "${go[@]}" "run$q" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/ran" 2>"$T/run.err" 3>&- &
	run=$!
	dq-promote -f "${go[@]}" "due$q" 2>"$T/promote.err" 3>&- &
	promote=$!
	wait_until 20 tools_work before
}

# The list of messages that must arrive is longer now; what else is to be seen of each tool.
tools_work() { # WORD
	dq-put -q -u "$url" -i "$1" "run$q" "$1" 2>/dev/null || [ $? = 1 ] || return
	dq-put -q -u "$url" -i "$1" -d 1ms "due$q" "$1" 2>/dev/null || [ $? = 1 ] || return
	grep -qx "$1" "$T/ran" && [ "$(dq-stat -u "$url" --json "due$q/$1" 2>/dev/null | grep -c '"state":"ready"')" = 1 ]
}

is_taken() { # FILE-OF-NAMES
	! cut -f1 "$T/taken" | sed 's/@.*//' | sort -u | comm -13 - <(sort -u "$1") | grep -q .
}

is_empty() {
	[ "$(SERVER=$new states)" = '0 0 0 0' ]
}

# Everything confirmed before now is in both replicas, and its names in $T/sure.
remember() {
	wait_until 20 has_lines "$T/put" 20
	cp "$T/put" "$T/sure"
	wait_until 20 has_all_of m0 m1
	wait_until 20 has_all_of m0 m2
}

# After the failover: all tools work on, what must arrive does, and each tool has said once what happened.
went_on() {
	local lines
	wait_until 40 has_moved
	wait_until 30 tools_work after
	lines=$(wc -l <"$T/put")
	wait_until 60 has_lines "$T/put" $((lines + 20))
	rm "$T/feeding"
	exits 0 "$put"
	tail -n +$((lines + 1)) "$T/put" >>"$T/sure"
	wait_until 60 is_taken "$T/sure"
	wait_until 30 is_empty
	end_three "$take" "$run" "$promote"
	said_only_that "$T/put.err"
	# the tokens of a message grow: of two receipts only the last one can be valid
	equal "$(sed -n 's/^\([^\t]*\)@\([0-9]*\)\t.*/\1 \2/p' "$T/taken" | awk '$2 <= last[$1] { print } { last[$1] = $2 }')" ''
}

@test "the master is killed: all tools continue" {
	start_watched
	start_tools 60s
	remember
	stop_server m0 KILL
	went_on
}

@test "the master is stopped: all tools continue, and when it runs again it gets no request" {
	start_watched
	start_tools 12s
	remember
	kill -STOP "$(<"$T/m0/pid")"
	wait_until 40 has_moved
	kill -CONT "$(<"$T/m0/pid")"
	wait_until 30 is_role m0 slave
	went_on
	equal "$(SERVER=m0 rcli CLIENT LIST | grep -c ' name=dq-' || true)" 0
}

@test "the network is cut between the master and all others: all tools continue, then and after the repair" {
	start_watched way
	start_tools 12s
	remember
	touch "$T/way/port.closed"
	wait_until 40 has_moved
	wait_until 30 tools_work between
	rm "$T/way/port.closed"
	wait_until 30 is_role m0 slave
	went_on
}
