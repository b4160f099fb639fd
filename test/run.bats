# shellcheck disable=SC2016
# dq-run: what its commands get, how they end, and where their messages end.

bats_require_minimum_version 1.5.0

load helper

setup() {
	begin_test
	D=$T/$q.d
	mkdir "$D"
	export D
}

teardown() {
	local pid
	for pid in $(cat "$D/workers" 2>/dev/null) $(running); do
		kill_ours "$pid"
	done
	end_test
}

# Pids of what runs for a message of this test.
running() {
	local files
	mapfile -t files < <(grep -slzx "D=$D" /proc/[0-9]*/environ)
	grep -slz '^DQ_NAME=' "${files[@]}" /dev/null | cut -d/ -f3
}

# bats warns of 127 unless run itself is told.
not_found() { # REGEX COMMAND...
	local regex=$1
	shift
	run -127 --separate-stderr "$@"
	equal "$output" ''
	equal "${#stderr_lines[@]}" 1
	matches "${stderr#dq-run: }" "$regex"
}

none_run() {
	[ -z "$(running)" ]
}

handler() { # NAME: its script is on stdin; the path is $D/NAME
	{
		echo '#!/bin/sh'
		cat
	} >"$D/$1"
	chmod +x "$D/$1"
}

# A worker in the background: its pid is in $worker, what it says in $D/out and $D/err.
work() { # ARG...
	dq-run "$@" >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
}

# Handlers that open $D/gate to read wait until it is open. A push lets those through that wait now.
gate() {
	mkfifo "$D/gate"
}

open_gate() {
	exec 9<>"$D/gate"
}

push_gate() {
	true <>"$D/gate"
}

lines() { # FILE
	wc -l <"$1" 2>/dev/null || echo 0
}

has_lines() { # N FILE
	[ "$(lines "$2")" -ge "$1" ]
}

reason() { # ID [QUEUE]
	field try "$1" "${2:-$q}" | sed 1d
}

# --- what a command gets ---

@test "the payload is on its stdin, its stdout is ours, exit 0 settles the message" {
	dq-put -q "$q" hello
	run -0 --separate-stderr dq-run --once "$q" -- cat
	equal "$output$stderr" hello
	holds 0 0 0 0
}

@test "arguments reach the command as they are" {
	dq-put -q "$q" x
	run -0 dq-run --once "$q" -- printf '<%s>' -j '' 'a b' -- --once '*'
	equal "$output" '<-j><><a b><--><--once><*>'
}

@test "DQ_* describe the delivery" {
	dq-put -q -i a:1 -r 7 -t 90s "$q" x
	local before
	before=$(server_ms)
	handler show <<-'SH'
		env >"$D/env"
		"$DQ_BIN/rcli" -s "$T/main/s" HGET "dq:{$DQ_QUEUE}:try" "$DQ_ID" >"$D/try"
		"$DQ_BIN/rcli" -s "$T/main/s" ZSCORE "dq:{$DQ_QUEUE}:leased" "$DQ_ID" >"$D/lease"
	SH
	dq-run --once "$q" -- "$D/show"
	local tries token due
	read -r tries token due _ <"$D/try"
	equal "$tries" 1
	printf '%s\n' "DQ_DUE_MS=$due" DQ_ID=a:1 "DQ_LEASE_UNTIL_MS=$(cat "$D/lease")" DQ_MAX_TRIES=7 "DQ_NAME=$q/a:1" \
		"DQ_QUEUE=$q" "DQ_REASON=" "DQ_RECEIPT=$q/a:1@$token" DQ_TRY=1 >"$D/wanted"
	grep -E '^DQ_(QUEUE|ID|NAME|RECEIPT|TRY|MAX_TRIES|DUE_MS|LEASE_UNTIL_MS|REASON)=' "$D/env" | LC_ALL=C sort | diff - "$D/wanted"
	between $((before + 90000)) "$(cat "$D/lease")" $((before + 120000))
	between $((before - 10000)) "$due" "$before"
}

@test "DQ_TRY counts, and the receipt is another each time" {
	dq-put -q -i x -r 3 -b 0 "$q" x
	run -123 dq-run --drain "$q" -- sh -c 'echo "$DQ_TRY $DQ_MAX_TRIES $DQ_RECEIPT" >>"$D/log"; [ "$DQ_TRY" = 3 ]'
	equal "$(cut -d' ' -f1,2 "$D/log" | paste -sd,)" '1 3,2 3,3 3'
	equal "$(cut -d' ' -f3 "$D/log" | sort -u | wc -l)" 3
	holds 0 0 0 0
}

@test "DQ_REASON: why the last try failed, empty at first" {
	dq-put -q -i x -r 4 -b 0 "$q" x
	run -123 --separate-stderr dq-run --until-empty "$q" -- sh -c 'echo "$DQ_TRY <$DQ_REASON>"
		case $DQ_TRY in
		1) exit 7 ;;
		2) printf "no such \"host\" \$HOME \t\033[1m\377\n" >&2; exit 1 ;;
		3) kill -KILL $$ ;;
		esac'
	equal "$output" "1 <>"$'\n'"2 <exit status 7>"$'\n3 <no such "host" $HOME \t\e[1m\xff>\n4 <killed by signal 9>'
	holds 0 0 0 0
	dq-put -q -i x "$q" x
	dq-take "$q" >/dev/null
	later 60001
	equal "$(dq-run --once "$q" -- sh -c 'echo "$DQ_TRY $DQ_REASON"')" '2 lease ran out'
}

@test "DQ_REASON: at most 1000 bytes, and a blank where the reason has a NUL" {
	dq-put -q -i nul "$q" x
	dq-take "$q" | dq-ack -r -d 0 -m 'a@b@'
	rcli EVAL 'redis.call("HSET", KEYS[1], "nul", (redis.call("HGET", KEYS[1], "nul"):gsub("@", "\0")))' 1 "dq:{$q}:try" >/dev/null
	run -0 --separate-stderr dq-run --drain "$q" -- sh -c 'echo "<$DQ_REASON>"'
	equal "$output$stderr" '<a b >'
	dq-put -q -i long "$q" x
	dq-take "$q" | dq-ack -r -d 0 -m "$(printf '%01000d' 0)"
	run -0 dq-run --drain "$q" -- sh -c 'printf %s "$DQ_REASON" | tr -d 0 | wc -c; printf %s "$DQ_REASON" | wc -c'
	equal "$output" $'0\n1000'
}

@test "-t: the length of the lease instead of the message's own" {
	dq-put -q -i x -t 1h "$q" x
	dq-run --once -t 20s "$q" -- sh -c 'echo "$DQ_LEASE_UNTIL_MS" >"$D/until"'
	between "$(($(server_ms) + 1000))" "$(cat "$D/until")" "$(($(server_ms) + 20001))"
}

@test "DQ_* of the delivery that come from outside are replaced, other variables stay" {
	dq-put -q -i x "$q" x
	DQ_QUEUE=old DQ_ID=old DQ_NAME=old DQ_RECEIPT=old DQ_TRY=old DQ_MAX_TRIES=old DQ_DUE_MS=old DQ_LEASE_UNTIL_MS=old DQ_REASON=old \
		DQ_PREFIX=dq OTHER='a b' dq-run --once "$q" -- sh -c 'tr "\0" "\n" </proc/$$/environ >"$D/env"'
	run ! grep -q old "$D/env"
	equal "$(grep -cE '^DQ_(QUEUE|ID|NAME|RECEIPT|TRY|MAX_TRIES|DUE_MS|LEASE_UNTIL_MS|REASON)=' "$D/env")" 9
	grep -qx 'OTHER=a b' "$D/env"
	grep -qx 'DQ_PREFIX=dq' "$D/env"
	grep -qx "DQ_URL=$DQ_URL" "$D/env"
}

@test "no password reaches the command: REDISCLI_AUTH, DQ_URL, REDIS_URL" {
	SERVER=auth start_server auth --requirepass s3cret
	local how url=unix://:s3cret@$T/auth/s
	handler show <<-'SH'
		tr '\0' '\n' </proc/$$/environ >"$D/env"
		tr '\0' '\n' </proc/$$/cmdline >>"$D/env"
	SH
	for how in "REDISCLI_AUTH=s3cret DQ_URL=unix://$T/auth/s" "DQ_URL=$url" "DQ_URL= REDIS_URL=$url" \
		"DQ_URL=$url REDIS_URL=$url REDISCLI_AUTH=s3cret"; do
		# shellcheck disable=SC2086
		env $how dq-put -q "$q" x
		rm -f "$D/env"
		# shellcheck disable=SC2086
		run -0 --separate-stderr env $how dq-run --once "$q" -- "$D/show"
		equal "$output$stderr" ''
		grep -q "^DQ_NAME=$q/" "$D/env"
		run ! grep -q s3cret "$D/env"
	done
}

@test "nor by a password file: only its name" {
	start_server filed --requirepass s3cret
	echo s3cret >"$D/password"
	chmod 600 "$D/password"
	export DQ_URL=unix://$T/filed/s DQ_PASSWORD_FILE=$D/password
	dq-put -q "$q" x
	dq-run --once "$q" -- sh -c 'env >"$D/env"; ls -l /proc/$$/fd >"$D/fd"'
	run ! grep -q s3cret "$D/env"
	run ! grep -q password "$D/fd"
}

@test "payloads exactly: empty, 1 MiB, any bytes" {
	head -c 1048576 /dev/urandom >"$D/big"
	dq-put -q -i big "$q" <"$D/big"
	printf '\0\1\2\r\n\n\\n\377\0' >"$D/bytes"
	dq-put -q -i bytes "$q" <"$D/bytes"
	dq-put -q -i empty "$q" ''
	: >"$D/empty"
	dq-run --drain -j 3 "$q" -- sh -c 'cmp - "$D/$DQ_ID" && echo "$DQ_ID" >>"$D/same"'
	equal "$(sort "$D/same" | paste -sd' ')" 'big bytes empty'
	holds 0 0 0 0
}

@test "a worker killed before its command has read: the payload is whole all the same" {
	head -c 200000 /dev/urandom >"$D/big"
	dq-put -q "$q" <"$D/big"
	run -137 --separate-stderr dq-run "$q" -- sh -c 'kill -9 $PPID; cat >"$D/part"; mv "$D/part" "$D/got"'
	wait_until 10 test -e "$D/got"
	cmp "$D/got" "$D/big"
}

@test "a command that reads nothing of its stdin, some of it, or closes it, is no error" {
	head -c 1048576 /dev/urandom >"$D/big"
	local way
	for way in true 'exec <&-; echo $$ >/dev/null' 'head -c 10 >/dev/null' 'exec 0</dev/null' 'dd bs=1 count=1 of=/dev/null 2>/dev/null'; do
		dq-put -q "$q" <"$D/big"
		dq-put -q "$q" small
		run -0 --separate-stderr dq-run --drain -j 2 "$q" -- sh -c "$way"
		equal "$output$stderr" ''
		holds 0 0 0 0
	done
}

@test "a command that reads slowly holds up no other" {
	head -c 1048576 /dev/urandom >"$D/big"
	gate
	dq-put -q -i slow "$q" <"$D/big"
	seq 1 20 | dq-put -ql "$q"
	handler slow <<-'SH'
		[ "$DQ_ID" = slow ] || exec sed '$s/$/./'
		true <"$D/gate"
		cmp - "$D/big"
	SH
	work -j 2 --drain "$q" -- "$D/slow"
	wait_until 10 eval '[ "$(states)" = "0 0 1 0" ]'
	equal "$(tr -cd . <"$D/out" | wc -c)" 20
	open_gate
	exits 0 "$worker"
	holds 0 0 0 0
}

# Only 0, 1 and 2, whatever others run beside it; the Redis socket and their pipes stay with the worker.
@test "no descriptor is leaked into the command" {
	seq 1 3 | dq-put -ql "$q"
	(
		for fd in /proc/"$BASHPID"/fd/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-"
		done
		exec dq-run --once -j 3 "$q" -- ls -l /proc/self/fd >"$D/out"
	)
	run -0 sed -n 's/.* \([0-9]* -> .*\)/\1/p' "$D/out"
	equal "$(cut -d' ' -f1 <<<"$output" | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" '0=3 1=3 2=3 3=3'
	equal "$(grep -c '^0 -> pipe:' <<<"$output")" 3
	equal "$(grep -c "^1 -> $D/out\$" <<<"$output")" 3
	equal "$(grep -c '^2 -> pipe:' <<<"$output")" 3
	equal "$(grep -c '^3 -> /proc/[0-9]*/fd$' <<<"$output")" 3
}

@test "the worker itself keeps no descriptor of commands that ended" {
	local before
	gate
	dq-put -q "$q" first
	work -j 5 "$q" -- sh -c 'true <"$D/gate"'
	wait_until 10 eval '[ -n "$(running)" ]'
	before=$(find "/proc/$worker/fd" -mindepth 1 | wc -l)
	seq 1 40 | dq-put -ql "$q"
	wait_until 20 eval 'push_gate; [ "$(states)" = "0 0 0 0" ]'
	dq-put -q "$q" last
	wait_until 10 eval '[ -n "$(running)" ]'
	equal "$(find "/proc/$worker/fd" -mindepth 1 | wc -l)" "$before"
	kill "$worker"
	open_gate
	exits 143 "$worker"
}

@test "signals have their default actions in the command, and none is blocked" {
	dq-put -q "$q" x
	dq-run --once "$q" -- sh -c 'exec cat /proc/self/status' >"$D/status"
	equal "$(awk '/^SigBlk/ { print $2 }' "$D/status")" 0000000000000000
	# bit 12: SIGPIPE, bits 1, 14, 16: INT, TERM, CHLD
	equal "$((0x$(awk '/^SigIgn/ { print $2 }' "$D/status") & 0x15003))" 0
}

@test "no zombies while it works" {
	gate
	dq-put -q -i stays "$q" x
	seq 1 20 | dq-put -ql "$q"
	work -j 4 "$q" -- sh -c 'if [ "$DQ_ID" = stays ]; then true <"$D/gate"; fi'
	wait_until 10 eval '[ "$(states)" = "0 0 1 0" ]'
	equal "$(ps -o stat= --ppid "$worker" | awk '/Z/')" ''
	equal "$(ps -o pid= --ppid "$worker" | wc -l)" 1
	open_gate
	wait_until 10 eval '[ "$(states)" = "0 0 0 0" ]'
	equal "$(ps -o pid= --ppid "$worker" | wc -l)" 0
	kill "$worker"
	exits 143 "$worker"
}

# --- how it ends ---

@test "exit 65: dead at once, whatever tries are left" {
	dq-put -q -i x -r 5 "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'echo no such user >&2; exit 65'
	equal "$stderr" $'no such user\ndq-run: '"$q/x: dead: no such user"
	holds 0 0 0 1
	equal "$(tries x) $(reason x)" '1 no such user'
}

@test "exit 75, any other, or a signal: by the message's schedule, with the reason" {
	local end before
	for end in 'exit 75' 'exit 1' 'exit 255' 'exit 2' 'exit 64' 'exit 128' 'kill -KILL $$' 'kill -TERM $$' 'kill -SEGV $$'; do
		dq-put -q -i x -b 100s,200s "$q" x
		before=$(server_ms)
		run -123 --separate-stderr dq-run --once "$q" -- sh -c "ulimit -c 0; $end"
		equal "$output$stderr" ''
		holds 1 0 0 0
		between $((before + 100000)) "$(score delayed x)" $((before + 130000))
		later 130001
		before=$(server_ms)
		run -123 dq-run --once "$q" -- sh -c "ulimit -c 0; $end"
		between $((before + 200000)) "$(score delayed x)" $((before + 230000))
		case $end in
		exit*) equal "$(reason x)" "exit status ${end#exit }" ;;
		*KILL*) equal "$(reason x)" 'killed by signal 9' ;;
		*TERM*) equal "$(reason x)" 'killed by signal 15' ;;
		*SEGV*) equal "$(reason x)" 'killed by signal 11' ;;
		esac
		equal "$(tries x)" 2
		dq-rm "$q/x"
	done
}

@test "out of tries: dead, and said" {
	dq-put -q -i x -r 2 -b 0 "$q" x
	run -123 --separate-stderr dq-run --drain "$q" -- false
	equal "$stderr" "dq-run: $q/x: dead: exit status 1"
	holds 0 0 0 1
	equal "$(tries x)" 2
}

@test "--once: nothing due is 1, without a word" {
	run -1 --separate-stderr dq-run -q --once "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	dq-put -q -d 1h "$q" x
	run -1 --separate-stderr dq-run --once "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	[ ! -e "$D/ran" ]
	holds 1 0 0 0
}

@test "--once: at most -j, and 123 if one of them failed" {
	seq 1 7 | dq-put -ql "$q"
	run -0 dq-run --once "$q" -- cat
	equal "$output" 1
	run -0 dq-run --once -j 3 "$q" -- sh -c 'echo "$(cat)."'
	equal "$(sort <<<"$output" | paste -sd' ')" '2. 3. 4.'
	run -123 dq-run --once -j 10 "$q" -- sh -c 'read -r n; [ "$n" != 6 ]'
	holds 1 0 0 0
	run -1 dq-run --once -j 10 "$q" -- true
}

@test "--drain: all of it, and at once when there is nothing" {
	run -0 --separate-stderr dq-run -q --drain "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	seq 1 50 | dq-put -ql "$q"
	run -0 dq-run --drain -j 3 "$q" -- sh -c 'echo "$(cat)"'
	equal "$(sort -n <<<"$output" | paste -sd' ')" "$(seq -s' ' 1 50)"
	holds 0 0 0 0
}

@test "--drain: waits for what is due later, and for a retry" {
	dq-put -q -i later -d 400ms "$q" x
	dq-put -q -i again -b 700ms "$q" x
	run -123 dq-run --drain "$q" -- sh -c 'echo "$DQ_ID $DQ_TRY"; [ "$DQ_ID" = later ] || [ "$DQ_TRY" = 2 ]'
	equal "$(paste -sd, <<<"$output")" 'again 1,later 1,again 2'
	holds 0 0 0 0
}

@test "--drain: waits for what another has leased, and leaves the dead" {
	dq-put -q -i bad "$q" x
	run -123 dq-run --once "$q" -- sh -c 'exit 65'
	dq-put -q -i x "$q" x
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	work --drain "$q" -- touch "$D/ran"
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-run'
	rcli CONFIG RESETSTAT
	wait_until 10 eval '[ "$(rcli INFO commandstats | sed -n "s/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p")" -ge 3 ]'
	run ! ended "$worker"
	dq-ack "$receipt"
	exits 0 "$worker"
	[ ! -e "$D/ran" ]
	holds 0 0 0 1
}

@test "several queues: what the first has goes first" {
	dq-put -q "$q.b" b1 b2
	dq-put -q "$q.a" a1 a2
	run -0 dq-run -q --drain "$q.a" "$q.none" "$q.b" -- sh -c 'echo "$DQ_QUEUE $(cat)"'
	equal "$(paste -sd, <<<"$output")" "$q.a a1,$q.a a2,$q.b b1,$q.b b2"
	dq-put -q "$q.b" b
	dq-put -q "$q.a" a
	run -0 dq-run --once -j 5 "$q.a" "$q.b" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | paste -sd,)" a,b
}

@test "a paused queue gives nothing" {
	dq-put -q "$q" x
	rcli HSET "dq:{$q}:conf" paused 1
	run -1 dq-run --once "$q" -- touch "$D/ran"
	[ ! -e "$D/ran" ]
	holds 0 1 0 0
}

@test "126: a command that cannot be run stops the worker at once, and the message is given back" {
	dq-put -q -i x "$q" x
	echo 'not a program' >"$D/file"
	fails 126 'file: Permission denied$' dq-run "$q" -- "$D/file"
	fails 126 ': Permission denied$' dq-run "$q" -- "$D"
	chmod +x "$D/file"
	printf '\0\1' >"$D/file"
	fails 126 'file: Exec format error$' dq-run "$q" -- "$D/file"
	holds 0 1 0 0
	equal "$(tries x)" 0
}

@test "127: a command that is not there" {
	seq 1 5 | dq-put -ql "$q"
	not_found '^dq-no-such: No such file or directory$' dq-run -j 3 "$q" -- dq-no-such
	not_found '^\\x1b\[31m/none: No such file or directory$' dq-run --drain "$q" -- $'\e[31m/none'
	not_found '^: No such file or directory$' dq-run --once "$q" -- ''
	printf '#!/no/such/interpreter\n' >"$D/script"
	chmod +x "$D/script"
	not_found 'script: No such file or directory$' dq-run --once "$q" -- "$D/script"
	holds 0 5 0 0
}

@test "126 and 127 said by the command: failed tries, with their reasons, and the worker goes on" {
	dq-put -q -i x -b 1h "$q" x
	dq-put -q -i y -b 1h "$q" y
	dq-put -q -i z -r 1 "$q" z
	dq-put -q -i good "$q" good
	run -123 --separate-stderr dq-run --once -j 4 "$q" -- sh -c 'case $(cat) in
		x) exit 126 ;;
		y) dq-no-such-command ;;
		z) exit 127 ;;
		esac'
	holds 2 0 0 1
	equal "$(tries x) $(reason x)" '1 exit status 126'
	matches "$(tries y) $(reason y)" '^1 .*dq-no-such-command: .*not found$'
	equal "$(tries z) $(reason z)" '1 exit status 127'
	matches "$stderr" "dq-run: $q/z: dead: exit status 127"
	dq-put -q "$q" more
	work "$q" -- sh -c 'cat; exit 127'
	wait_until 10 grep -q more "$D/out"
	wait_until 10 eval '[ "$(states)" = "3 0 0 1" ]'
	dq-put -q "$q" again
	wait_until 10 grep -q again "$D/out"
	kill "$worker"
	exits 143 "$worker"
}

@test "127: what runs beside one that cannot be started is finished first" {
	gate
	handler one <<-'SH'
		rm "$D/one"
		true <"$D/gate"
	SH
	dq-put -q -i a "$q" a
	work -j 2 "$q" -- "$D/one"
	wait_until 10 eval '[ ! -e "$D/one" ]'
	dq-put -q -i b "$q" b
	wait_until 10 grep -q '/one: No such file or directory$' "$D/err"
	holds 0 1 1 0
	equal "$(tries b)" 0
	open_gate
	exits 127 "$worker"
	holds 0 1 0 0
}

@test "usage: 64" {
	local form='dq-run QUEUE\.\.\. -- CMD \[ARG\.\.\.\]$'
	fails 64 "^no queue and no command given: $form" dq-run
	fails 64 "^no queue and no command given: $form" dq-run --once
	fails 64 "^no queue and no command given: $form" dq-run --
	fails 64 "^no queue given before --: $form" dq-run -- cat
	fails 64 "^no queue given before --: $form" dq-run --once -- cat -n
	fails 64 "^no queue given before --: $form" dq-run -- -- cat
	fails 64 "^no command given: $form" dq-run "$q"
	fails 64 "^no command given: $form" dq-run "$q" --
	fails 64 "^no command given: $form" dq-run -- "$q" --
	fails 64 "^no -- between queues and command: $form" dq-run "$q" true
	fails 64 "^no -- between queues and command: $form" dq-run "$q" ./deliver now
	fails 64 '^-j: "0": not a whole number from 1 to ' dq-run -j 0 "$q" -- true
	fails 64 '^-j: "x": ' dq-run -j x "$q" -- true
	fails 64 '^-j: "-1": ' dq-run -j -1 "$q" -- true
	fails 64 '^-j: "1001": ' dq-run --jobs 1001 "$q" -- true
	fails 64 '^-t: a lease is at least 1ms$' dq-run -t 0 "$q" -- true
	fails 64 '^--kill-after: "x": not a duration' dq-run --kill-after x "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --once --drain "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --once --until-empty "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --until-empty --drain "$q" -- true
	fails 64 '^"a/b": a queue' dq-run a/b -- true
	fails 64 '^"": a queue' dq-run "$q" '' -- true
	equal "$(rcli EXISTS "dq:{$q}:msg")" 0
}

@test "options behind a queue are an operand that is no queue's name, not the command's" {
	run -64 dq-run "$q" --bad/one -- true
	run -64 dq-run "$q" 'a b' -- true
}

@test "no Redis: 69, and nothing is run" {
	fails 69 '/none: no such socket: ' dq-run -u "unix://$D/none" --once "$q" -- touch "$D/ran"
	[ ! -e "$D/ran" ]
}

@test "-v counts" {
	seq 1 3 | dq-put -ql "$q"
	run -123 --separate-stderr dq-run -v --drain "$q" -- sh -c 'read -r n; [ "$n" = 1 ] || [ "$n" = 3 ] || exit 65'
	matches "$stderr" 'dq-run: 3 run, 1 failed$'
}

# --- how many at once ---

# The first ones wait for each other.
@test "-j 4: four at once, never more" {
	gate
	seq 1 12 | dq-put -ql "$q"
	handler count <<-'SH'
		echo start >>"$D/log"
		true <"$D/gate"
		echo end >>"$D/log"
	SH
	work -j 4 --drain "$q" -- "$D/count"
	wait_until 10 has_lines 4 "$D/log"
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
	wait_until 10 has_lines 1 "$D/log"
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
	wait_until 10 has_lines 5 "$D/log"
	equal "$(SERVER=lone rcli CLIENT LIST | grep -c name=dq-run)" 1
	kill "$worker"
	open_gate
	exits 143 "$worker"
}

@test "more at once than descriptors are allowed: said, given back, nothing lost, nothing spins" {
	head -c 300000 /dev/zero >"$D/zero"
	for _ in {1..40}; do
		dq-put -q -b 0 "$q" <"$D/zero"
	done
	gate
	(
		ulimit -n 40
		exec dq-run -j 200 "$q" -- sh -c 'cat >/dev/null; true <"$D/gate"'
	) >"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	open_gate
	wait_until 20 eval 'ended "$worker" || [ "$(states)" = "0 0 0 0" ]'
	audit
	equal "$(($(states | tr ' ' +)))" "$(rcli HLEN "dq:{$q}:msg")"
	run -0 dq-run --drain "$q" -- true
}

# poll(2) refuses more descriptors than the limit allows, used or not.
@test "-j greater than the limit of descriptors, few messages: they are fed" {
	head -c 1048576 /dev/urandom >"$D/big"
	dq-put -q "$q" <"$D/big"
	run -0 timeout 10 bash -c 'ulimit -n 64; exec dq-run -j 100 --drain "$0" -- cmp - "$D/big" >"$D/out" 2>&1' "$q"
	holds 0 0 0 0
}

# --- the lease ---

@test "the lease is renewed while the command runs: delivered once" {
	dq-put -q -i x -t 500ms "$q" x
	mkfifo "$D/never"
	work "$q" -- bash -c 'echo "$DQ_TRY" >>"$D/log"; read -rt 1.8 <>"$D/never"; exit 0'
	wait_until 10 has_lines 1 "$D/log"
	# Another who would take it
	dq-run --drain "$q" -- sh -c 'echo "another $DQ_TRY" >>"$D/log"'
	equal "$(cat "$D/log")" 1
	holds 0 0 0 0
	equal "$(field stat expired_leases)" ''
	between 2 "$(field stat extended)" 11
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$D/err")" ''
}

lost_script() {
	handler stubborn <<-'SH'
		trap '' TERM
		tail -f /dev/null &
		echo "$!" >"$D/grandchild"
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
		wait
	SH
	handler soft <<-'SH'
		trap 'echo TERM >>"$D/log"; exit 0' TERM
		tail -f /dev/null &
		echo "$!" >"$D/grandchild"
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
	SH
	# It dies of TERM, what it started does not.
	handler mixed <<-'SH'
		(trap '' TERM; exec tail -f /dev/null) &
		echo "$!" >"$D/grandchild"
		until grep -q '^SigIgn:.*[4567cdef]...$' "/proc/$!/status"; do :; done
		echo "$$" >"$D/child.part"
		mv "$D/child.part" "$D/child"
		wait
	SH
}

both_ended() {
	ended "$(cat "$D/child")" && ended "$(cat "$D/grandchild")"
}

@test "the message is removed: the command's process group gets TERM" {
	dq-put -q -i x -t 600ms "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 10 test -e "$D/child"
	dq-rm "$q/x"
	wait_until 10 both_ended
	equal "$(cat "$D/log")" TERM
	wait_until 5 grep -q "^dq-run: $q/x: the lease is lost (no such message): ending its command\$" "$D/err"
	holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
}

# Within a second, and not when the lease would be renewed: here after 20 minutes.
loses() { # COMMAND...
	dq-put -q -i x -t 1h "$q" x
	dq-put -q -i stays -t 1h "$q" stays
	lost_script
	work -j 2 "$q" -- sh -c 'case $(cat) in
		x) exec "$D/soft" ;;
		stays) exec tail -f /dev/null ;;
		*) : >"$D/new" ;;
		esac'
	wait_until 10 test -e "$D/child"
	"$@"
	local began=${EPOCHREALTIME/./}
	wait_until 10 both_ended
	between 0 $((${EPOCHREALTIME/./} - began)) 5000000
	equal "$(running | wc -l)" 1
	equal "$(field stat extended)" ''
	equal "$(tries stays)" 1
	equal "$(grep -c 'the lease is lost' "$D/err")" 1
}

@test "the message is removed: its command ends within a second, whatever its lease; another runs on" {
	loses dq-rm "$q/x"
	grep -q "^dq-run: $q/x: the lease is lost (no such message): ending its command\$" "$D/err"
}

@test "the message is replaced: its command ends within a second, and the new one is run" {
	loses dq-put -q -e replace -i x -p 0 "$q" new
	grep -q "^dq-run: $q/x: the lease is lost (released, taken by another consumer, or put again): ending its command\$" "$D/err"
	wait_until 10 test -e "$D/new"
	holds 0 0 1 0
}

@test "the message is given to another: its command ends within a second" {
	given() {
		later 3600001
		dq-take -n 2 -t 1h "$q" >"$D/taken"
		# for the other one: the receipt is as it was
		rcli HSET "dq:{$q}:try" stays "$1"$'\n' >/dev/null
	}
	loses eval 'given "$(field try stays)"'
	holds 0 0 2 0
}

reads_of() { # QUEUE
	awk -v key="\"dq:{$1}:try\"" '$3 != "lua]" && tolower($4) == "\"hmget\"" && $5 == key { n++ } END { print n + 0 }' "$D/monitor"
}

@test "one read a second a queue, however many run in it; none when nothing runs; the leases stay" {
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
	wait_until 20 eval '[ "$(reads_of "$q.1")" -ge 3 ]'
	ms=$((${EPOCHREALTIME/./} - ms))
	kill "$monitor"
	for i in 1 2 3; do
		reads=$(reads_of "$q.$i")
		between 2 "$reads" $((ms / 1000000 + 1))
		between 2 "$reads" 4
		equal "$(field stat extended "$q.$i")" ''
		before=${before#"$(rcli ZRANGE "dq:{$q.$i}:leased" 0 -1 WITHSCORES)"}
	done
	equal "$before" ''
	equal "$(reads_of "$q.4")" 0
	matches "$(grep -i '"hmget"' "$D/monitor" | grep -v lua | head -n 1)" "$(printf ' "[0-9A-Z]{26}"%.0s' {1..5})\$"
	equal "$(cat "$D/err")" ''
}

@test "-j 100 with 100 queues: all are asked for, and the one whose message is gone ends" {
	local queues=("$q".{1..100}) i
	for i in "${queues[@]}"; do
		dq-put -q -i x -t 1h "$i" x
	done
	work -j 100 "${queues[@]}" -- tail -f /dev/null
	wait_until 20 eval '[ "$(running | wc -l)" = 100 ]'
	dq-rm "$q.99/x"
	wait_until 10 eval '[ "$(running | wc -l)" = 99 ]'
	wait_until 10 grep -q "^dq-run: $q.99/x: the lease is lost (no such message)" "$D/err"
	equal "$(wc -l <"$D/err")" 1
}

@test "somebody else has it: TERM, and KILL after --kill-after; nothing is settled" {
	dq-put -q -i x -t 600ms "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	kill -STOP "$worker"
	later 60000
	local receipt
	receipt=$(dq-take -t 1h "$q" | cut -f1)
	kill -CONT "$worker"
	wait_until 10 both_ended
	wait_until 5 grep -q 'the lease is lost' "$D/err"
	equal "$(wc -l <"$D/err")" 1
	equal "$(states)" '0 0 1 0'
	equal "$(tries x)" 2
	dq-ack "$receipt"
	holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
}

@test "another token in the try entry: TERM, not settled" {
	dq-put -q -i x -t 600ms "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 10 test -e "$D/child"
	local entry
	entry=$(field try x)
	rcli HSET "dq:{$q}:try" x "1 1 ${entry#* * }" >/dev/null
	wait_until 10 both_ended
	wait_until 5 grep -q 'the lease is lost (released, taken by another consumer, or put again)' "$D/err"
	equal "$(states)" '0 0 1 0'
	kill "$worker"
	exits 143 "$worker"
}

@test "a lost lease: what ignores TERM in the group is killed although the command itself died" {
	dq-put -q -i x -t 600ms "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/mixed"
	wait_until 10 test -e "$D/child"
	dq-rm "$q/x"
	wait_until 10 both_ended
	kill "$worker"
	exits 143 "$worker"
}

@test "KILL comes no sooner than --kill-after" {
	dq-put -q -i x -t 600ms "$q" x
	handler slow <<-'SH'
		#!/bin/bash
		trap 'read -rt 1 <>"$D/never"; echo clean >>"$D/log"; exit 0' TERM
		echo "$$" >"$D/child"
		tail -f /dev/null &
		wait
	SH
	mkfifo "$D/never"
	work --kill-after 20s "$q" -- bash "$D/slow"
	wait_until 10 test -s "$D/child"
	dq-rm "$q/x"
	wait_until 10 has_lines 1 "$D/log"
	equal "$(cat "$D/log")" clean
	kill "$worker"
	exits 143 "$worker"
}

@test "the server is killed and comes back: the verdict is delivered" {
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
	wait_until 10 has_lines 3 "$D/log"
	stop_server kept KILL
	open_gate
	wait_until 10 none_run
	run ! ended "$worker"
	start_server kept --appendonly yes --appendfsync always
	wait_until 20 eval '[ "$(states)" = "1 0 0 1" ]'
	equal "$(tries again) $(reason again)" '1 exit status 75'
	equal "$(lines "$D/log")" 3
	dq-put -q -i more "$q" x
	wait_until 10 has_lines 4 "$D/log"
	open_gate
	wait_until 10 eval '[ "$(states)" = "1 0 0 1" ]'
	audit
	kill "$worker"
	exits 143 "$worker"
	each_once 'connecting again$' "$D/err"
	equal "$(grep -c 'connected again$' "$D/err")" 1
}

@test "the server is killed and comes back while the command runs: the lease is kept" {
	start_server back --appendonly yes --appendfsync always
	export DQ_URL=unix://$T/back/s SERVER=back
	gate
	dq-put -q -i x -t 6s "$q" x
	work "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines 1 "$D/log"
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
	dq-put -q -i x -t 800ms "$q" x
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
	dq-put -q -i x -t 800ms "$q" x
	lost_script
	work --kill-after 200ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	kill -STOP "$(cat "$T/hung/pid")"
	wait_until 5 both_ended
	kill -CONT "$(cat "$T/hung/pid")"
	# it may have taken the message again meanwhile: then one signal lets that run finish, which never happens
	wait_until 20 eval 'kill "$worker" 2>/dev/null; ended "$worker"'
}

@test "no Redis any more: two signals end it all the same, with a word on what is not settled" {
	start_server dead
	export DQ_URL=unix://$T/dead/s SERVER=dead
	gate
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo >"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines 1 "$D/log"
	stop_server dead KILL
	open_gate
	wait_until 10 none_run
	kill "$worker"
	wait_until 5 grep -q 'connecting again' "$D/err"
	run ! ended "$worker"
	kill "$worker"
	wait_until 10 ended "$worker"
	grep -q "^dq-run: $q/x: not settled: " "$D/err"
}

@test "a queue that is spoiled while a command runs: 70, and the worker ends" {
	gate
	dq-put -q -i x "$q" x
	work "$q" -- sh -c 'echo >"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines 1 "$D/log"
	rcli DEL "dq:{$q}:dead" "dq:{$q}:stat"
	rcli SET "dq:{$q}:stat" spoiled
	open_gate
	exits 70 "$worker"
}

# --- signals ---

@test "TERM while it waits: the end" {
	work -q "$q" -- true
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-run'
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$D/err")" ''
}

@test "TERM: takes no more, what runs is finished" {
	gate
	seq 1 5 | dq-put -ql -t 600ms "$q"
	work -j 2 "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
	wait_until 10 has_lines 2 "$D/log"
	kill "$worker"
	local before
	before=$(field stat extended)
	# The leases are still renewed.
	wait_until 10 eval "[ \"\$(field stat extended)\" -gt $((${before:-0} + 4)) ]"
	equal "$(states)" '0 3 2 0'
	equal "$(running | wc -l)" 2
	open_gate
	exits 143 "$worker"
	holds 0 3 0 0
	equal "$(lines "$D/log")" 2
}

@test "a signal: what is waited for is said, in number" {
	gate
	seq 3 | dq-put -ql "$q"
	local jobs signal
	while read -r jobs signal text; do
		work -j "$jobs" "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"'
		wait_until 10 has_lines "$jobs" "$D/log"
		kill "-$signal" "$worker"
		wait_until 10 grep -qxF "dq-run: $text" "$D/err"
		kill "-$signal" "$worker"
		wait_until 10 ended "$worker"
		equal "$(wc -l <"$D/err")" 1
		rm "$D/log"
	done <<-'END'
		1 TERM finishing 1 command; signal again to end it
		3 HUP finishing 3 commands; signal again to end them
	END
	holds 0 3 0 0
}

@test "TERM twice: what runs gets TERM and is given back, its try not counted" {
	seq 1 5 | dq-put -ql "$q"
	lost_script
	work -j 2 "$q" -- sh -c 'echo >>"$D/log"; exec tail -f /dev/null'
	wait_until 10 has_lines 2 "$D/log"
	kill "$worker"
	wait_until 5 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 5 none_run
	holds 0 5 0 0
	equal "$(rcli HVALS "dq:{$q}:try" | grep -cE '^0 0 ')" 2
}

@test "TERM twice: what ignores TERM is killed after --kill-after, and given back" {
	dq-put -q -i x "$q" x
	lost_script
	work --kill-after 300ms "$q" -- "$D/stubborn"
	wait_until 10 test -e "$D/child"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 5 both_ended
	holds 0 1 0 0
	equal "$(tries x)" 0
}

@test "TERM twice: the lease is kept until the command has ended" {
	dq-put -q -i x -t 600ms "$q" x
	mkfifo "$D/never"
	handler slow <<-'SH'
		trap 'echo >>"$D/log"; read -rt 3 <>"$D/never"; exit 1' TERM
		echo "$$" >"$D/child"
		tail -f /dev/null &
		wait
	SH
	work --kill-after 20s "$q" -- bash "$D/slow"
	wait_until 10 test -s "$D/child"
	kill "$worker"
	wait_until 10 eval 'test -e "$D/log" || kill "$worker"; test -e "$D/log"'
	run -1 dq-take -w 1500ms "$q"
	exits 143 "$worker"
	equal "$(cat "$D/err")" 'dq-run: finishing 1 command; signal again to end it'
	holds 0 1 0 0
	equal "$(tries x)" 0
}

@test "TERM twice: a command that still ends with 0 is done" {
	dq-put -q -i x "$q" x
	lost_script
	work "$q" -- "$D/soft"
	wait_until 10 test -e "$D/child"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 5 both_ended
	holds 0 0 0 0
}

@test "INT to the whole process group: the command does not get it" {
	gate
	dq-put -q "$q" x y
	env --default-signal=INT setsid dq-run "$q" -- sh -c 'echo >>"$D/log"; true <"$D/gate"' \
		>"$D/out" 2>"$D/err" 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 has_lines 1 "$D/log"
	kill -INT -- "-$worker"
	pause
	run ! ended "$worker"
	equal "$(running | wc -l)" 1
	open_gate
	exits 130 "$worker"
	holds 0 1 0 0
}

# --- stderr ---

@test "stderr passes through unchanged" {
	{
		printf 'plain\n\n\e[31mred\e[0m \t\r\n\1\0\377'
		head -c 5000 /dev/zero | tr '\0' x
		printf '\n'
		head -c 200000 /dev/urandom
		printf 'no newline at the end'
	} >"$D/says"
	dq-put -q "$q" x
	dq-run --once "$q" -- sh -c 'cat "$D/says" >&2' 2>"$D/err"
	cmp "$D/err" "$D/says"
}

@test "the reason is the last line of stderr with anything in it" {
	local n=0 text wanted
	while IFS=$'\t' read -r text wanted; do
		n=$((n + 1))
		dq-put -q -i "$n" -b 1h "$q" x
		TEXT=$text run -123 dq-run --once "$q" -- sh -c 'printf "$TEXT" >&2; exit 1'
		equal "$(reason "$n")" "$wanted"
	done <<-'END'
		one\ntwo\n	two
		one\ntwo	two
		one\n\n  \n\n	one
		  indented\n	indented
		\n	exit status 1
		tab\there\n	tab	here
	END
	equal "$n" 6
}

@test "the reason is at most 1000 bytes" {
	dq-put -q -i x -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'head -c 5000 /dev/zero | tr "\0" y >&2; exit 1'
	equal "$(reason x | tr -d '\n' | wc -c)" 1000
	dq-put -q -i z -b 1h "$q" x
	run -123 dq-run --once "$q" -- sh -c 'head -c 5000 /dev/zero | tr "\0" y >&2; echo >&2; echo short >&2; exit 1'
	equal "$(reason z)" short
}

@test "escapes in a reason are kept, and shown escaped" {
	dq-put -q -i x "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'printf "\033[31mred\001\n" >&2; exit 65'
	equal "$stderr" $'\e[31mred\1\ndq-run: '"$q/x: dead: "'\x1b[31mred\x01'
	equal "$(rcli --raw HGET "dq:{$q}:try" x | sed 1d)" $'\e[31mred\1'
}

@test "the reason of one command is not that of the next" {
	dq-put -q -i a -b 1h "$q" x
	dq-put -q -i b -b 1h "$q" x
	dq-put -q -i c -b 1h "$q" x
	run -0 dq-run --once "$q.none" -- true || true
	work "$q" -- sh -c '[ "$DQ_ID" != a ] || echo from a >&2; exit 1'
	wait_until 10 eval '[ "$(states)" = "3 0 0 0" ]'
	equal "$(reason a),$(reason b),$(reason c)" 'from a,exit status 1,exit status 1'
	kill "$worker"
	exits 143 "$worker"
}

@test "what a command leaves behind, with its stderr open, blocks nothing" {
	dq-put -q "$q" a b
	run -0 timeout 10 dq-run --drain "$q" -- sh -c 'tail -f /dev/null >/dev/null & echo said >&2'
	equal "$(paste -sd, <<<"$output")" said,said
	holds 0 0 0 0
}

@test "a command that never stops writing to stderr keeps nobody from being heard" {
	dq-put -q -i x -t 1s "$q" x
	dq-run "$q" -- sh -c 'yes >&2 & yes >&2 & yes >&2 & exec yes >&2' >/dev/null 2>&1 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 eval '[ "$(states)" = "0 0 1 0" ]'
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	holds 0 1 0 0
}

@test "something that is left behind and never stops writing to stderr does not keep its message" {
	dq-put -q -i x "$q" x
	dq-run --once "$q" -- sh -c 'yes >&2 & yes >&2 & yes >&2 & exit 0' >/dev/null 2>&1 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	exits 0 "$worker"
	holds 0 0 0 0
}

@test "nobody reads our stderr any more: work goes on" {
	seq 1 3 | dq-put -ql "$q"
	run -0 bash -c 'dq-run --drain "$0" -- sh -c "echo said >&2; cat" 2> >(exec true)' "$q"
	equal "$output" 123
	holds 0 0 0 0
}

# --- all together ---

# 200 messages: 0 is gone; 1 and KILL are tried again and then dead; 65 is dead at once; 75 waits for its time; never stays leased.
@test "200 messages whose commands exit 0, 1, 65, 75, by SIGKILL, and never: each ends where the manual says" {
	local kind
	for kind in 0 1 65 75 KILL; do
		seq -f "-	$kind-%g	$kind" 39 >"$D/list"
		case $kind in
		75) dq-put -q --tsv -b 1h "$q" <"$D/list" ;;
		*) dq-put -q --tsv -r 2 -b 50ms "$q" <"$D/list" ;;
		esac
	done
	seq -f '-	never-%g	never' 5 | dq-put -q --tsv -t 2s "$q"
	equal "$(rcli HLEN "dq:{$q}:msg")" 200
	handler one <<-'SH'
		read -r kind
		echo "$kind $DQ_ID" >>"$D/log"
		case $kind in
		KILL) kill -KILL $$ ;;
		never) exec tail -f /dev/null ;;
		*) exit "$kind" ;;
		esac
	SH
	work -j 10 "$q" -- "$D/one"
	wait_until 60 eval '[ "$(states)" = "39 0 5 117" ]'
	equal "$(cut -d' ' -f1 "$D/log" | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" '0=39 1=78 65=39 75=39 KILL=78 never=5'
	# never: the lease is renewed past its first end, and the command is alive
	local id
	for id in never-{1..5}; do
		wait_until 10 eval "[ \"\$(score leased $id)\" -gt \$((\$(server_ms) + 400)) ]"
		equal "$(tries "$id")" 1
	done
	equal "$(running | wc -l)" 5
	equal "$(rcli ZRANGE "dq:{$q}:delayed" 0 -1 | sed 's/-.*//' | sort -u)" 75
	equal "$(rcli ZRANGE "dq:{$q}:leased" 0 -1 | sed 's/-.*//' | sort -u)" never
	equal "$(rcli ZRANGE "dq:{$q}:dead" 0 -1 | sed 's/-.*//' | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" '1=39 65=39 KILL=39'
	for id in {1..39}; do
		equal "$(tries "1-$id") $(reason "1-$id")" '2 exit status 1'
		equal "$(tries "65-$id") $(reason "65-$id")" '1 exit status 65'
		equal "$(tries "75-$id") $(reason "75-$id")" '1 exit status 75'
		equal "$(tries "KILL-$id") $(reason "KILL-$id")" '2 killed by signal 9'
	done
	equal "$(ps -o stat= --ppid "$worker" | awk '/Z/')" ''
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 5 none_run
	holds 39 5 0 117
	for id in never-{1..5}; do
		equal "$(tries "$id")" 0
	done
	equal "$(grep -c ': dead: ' "$D/err")" 117
	equal "$(grep -vc ': dead: ' "$D/err")" 1
	grep -qx 'dq-run: finishing 5 commands; signal again to end them' "$D/err"
}

@test "a reader of our stderr that has stopped: work and leases go on, and what was dropped is said" {
	mkfifo "$D/err"
	dq-put -q -i a -t 1s -r 1 "$q" x
	dq-put -q -i b -d 3s "$q" y
	exec 8<>"$D/err"
	dq-run "$q" -- sh -c 'head -c 300000 /dev/zero | tr "\0" x >&2; cat >>"$D/out"; echo end >>"$D/out"' 2>"$D/err" 8>&- 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 10 eval '[ "$(states)" = "1 0 1 0" ]'
	wait_until 10 eval '[ "$(tries a)" = 1 ] && [ "$(score leased a)" -gt "$(($(server_ms) + 300))" ] && [ "$(server_ms)" -gt "$(($(field try a | cut -d" " -f3) + 2000))" ]'
	holds 1 0 1 0 # renewed twice by now: a lease of 1 s, and one try
	timeout 20 head -c 300000 <&8 >/dev/null
	wait_until 10 grep -q end "$D/out"
	kill "$worker"
	cat <&8 >/dev/null &
	local reader=$! # wait_until begins processes, too
	wait_until 10 ended "$worker"
	kill "$reader"
	exec 8>&-
}

@test "a password file reaches the tools that a command calls, wherever they work" {
	start_server handed --requirepass s3cret
	echo s3cret >"$D/password"
	chmod 600 "$D/password"
	cd "$D"
	export DQ_URL=unix://$T/handed/s
	dq-put --password-file password -q "$q" x
	dq-run --password-file password --prefix dq --once "$q" -- sh -c 'cd / && dq-put -q "$DQ_QUEUE.next" y'
	equal "$(dq-take --password-file password --ack "$q.next" | cut -f2)" y
}
