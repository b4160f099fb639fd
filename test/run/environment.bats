# Goal: Variables tell a command of dq-run about its delivery and the same Redis. It gets nothing else of the worker: no password, no
# descriptor, no blocked signal.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

push_gate() {
	true <>"$D/gate"
}

value_of() { # KEY NAME
	dq-stat "$2" | awk -F '\t' -v key="$1" '$1 == key { print $2 }'
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
	due=${due%@*}
	equal "$tries" 1
	printf '%s\n' "DQ_DUE_MS=$due" DQ_GIVEN_BACK=0 DQ_ID=a:1 "DQ_LEASE_UNTIL_MS=$(cat "$D/lease")" DQ_MAX_TRIES=7 DQ_MESSAGE_KEY= \
		"DQ_NAME=$q/a:1" "DQ_QUEUE=$q" "DQ_REASON=" "DQ_RECEIPT=$q/a:1@$token" DQ_TRY=1 >"$D/wanted"
	grep -E '^DQ_(QUEUE|ID|NAME|MESSAGE_KEY|RECEIPT|TRY|MAX_TRIES|DUE_MS|LEASE_UNTIL_MS|GIVEN_BACK|REASON)=' "$D/env" |
		LC_ALL=C sort | diff - "$D/wanted"
	between $((before + 90000)) "$(cat "$D/lease")" $((before + 120000))
	between $((before - 10000)) "$due" "$before"
}

@test "DQ_MESSAGE_KEY: the key of the message, empty without one" {
	dq-put -q -k ann -i 1 "$q" x
	dq-put -q -i 2 "$q" x
	run -0 dq-run --drain "$q" -- sh -c 'echo "$DQ_ID <$DQ_MESSAGE_KEY>"'
	equal "$(sort <<<"$output")" $'2 <>\nann+1 <ann>'
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

@test "DQ_* variables of the delivery replace those from outside, other variables stay" {
	dq-put -q -i x "$q" x
	DQ_QUEUE=-old- DQ_ID=-old- DQ_NAME=-old- DQ_RECEIPT=-old- DQ_TRY=-old- DQ_MAX_TRIES=-old- DQ_DUE_MS=-old- DQ_REASON=-old- \
		DQ_GIVEN_BACK=-old- DQ_MESSAGE_KEY=-old- DQ_VERDICT=-old- DQ_LEASE_UNTIL_MS=-old- DQ_PREFIX=dq OTHER='a b' \
		dq-run --once "$q" -- sh -c 'tr "\0" "\n" </proc/$$/environ >"$D/env"'
	run ! grep -q -e -old- "$D/env"
	equal "$(grep -cE '^DQ_(QUEUE|ID|NAME|MESSAGE_KEY|RECEIPT|TRY|MAX_TRIES|DUE_MS|LEASE_UNTIL_MS|GIVEN_BACK|REASON)=' "$D/env")" 11
	grep -qx 'OTHER=a b' "$D/env"
	grep -qx 'DQ_PREFIX=dq' "$D/env"
	grep -qx "DQ_URL=$DQ_URL" "$D/env"
}

@test "TRACEPARENT and TRACESTATE are those of the message, never of the worker" {
	local mine=00-11111111111111111111111111111111-1111111111111111-00
	local his=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
	handler show <<-'SH'
		tr '\0' '\n' </proc/$$/environ | grep '^TRACE' >"$D/$DQ_ID"
		true
	SH
	TRACEPARENT=$his TRACESTATE=' a=b c , d="%20"' dq-put -q -i both "$q" x
	TRACEPARENT=$his dq-put -q -i one "$q" x
	dq-put -q -i none "$q" x
	TRACEPARENT=$mine TRACESTATE=worker=1 dq-run --drain "$q" -- "$D/show"
	equal "$(sort "$D/both")" "TRACEPARENT=$his"$'\nTRACESTATE=a=b c,d="%20"'
	equal "$(cat "$D/one")" "TRACEPARENT=$his"
	equal "$(cat "$D/none")" ''
}

@test "what a command puts continues the trace of its message" {
	local his=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
	TRACEPARENT=$his dq-put -q "$q" x
	dq-run --once "$q" -- sh -c 'dq-put -q -i y "$DQ_QUEUE.next" y'
	equal "$(value_of traceparent "$q.next/y")" "$his"
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

# Only 0, 1, 2 and 3, whatever others run beside it; the Redis socket and their pipes stay with the worker.
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
	equal "$(cut -d' ' -f1 <<<"$output" | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" '0=3 1=3 2=3 3=3 4=3'
	equal "$(grep -c '^0 -> pipe:' <<<"$output")" 3
	equal "$(grep -c "^1 -> $D/out\$" <<<"$output")" 3
	equal "$(grep -c '^2 -> pipe:' <<<"$output")" 3
	equal "$(grep -c '^3 -> pipe:' <<<"$output")" 3
	equal "$(grep -c '^4 -> /proc/[0-9]*/fd$' <<<"$output")" 3
}

descriptors() {
	find "/proc/$worker/fd" -mindepth 1 | wc -l
}

# A command runs, all that its start needed is closed, and the second connection is open: the worker has slept twice since.
waits_beside_one() {
	[ -n "$(running)" ] && rcli CLIENT LIST | grep -q 'name=dq-run-wait .*cmd=bzpopmin' &&
		wait_until 20 has_slept "$worker" "$(sleeps "$worker")" 2
}

@test "the worker itself keeps no descriptor of commands that ended" {
	local before
	gate
	dq-put -q "$q" first
	work -j 5 "$q" -- sh -c 'true <"$D/gate"'
	wait_until 10 waits_beside_one
	before=$(descriptors)
	seq 1 40 | dq-put -ql "$q"
	wait_until 20 eval 'push_gate; [ "$(states)" = "0 0 0 0" ]'
	dq-put -q "$q" last
	wait_until 10 waits_beside_one
	wait_until 10 eval '[ "$(descriptors)" = "$before" ]'
	kill "$worker"
	open_gate
	exits 143 "$worker"
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

@test "a password that was read from a pipe: tools that a command calls have none, and say so" {
	start_server piped --requirepass s3cret
	export DQ_URL=unix://$T/piped/s
	dq-put --password-file <(echo s3cret) -q "$q" x
	run -123 --separate-stderr dq-run --password-file <(echo s3cret) --once "$q" -- sh -c 'dq-put -q "$DQ_QUEUE.next" y || exit "$?"'
	equal "$(dq-stat --password-file <(echo s3cret) --json --messages all "$q" | jq -r .reason | grep -c NOAUTH)" 1
}

@test "a command reaches the same Redis, database and prefix without options" {
	dq-put -q -u "unix://$T/main/s?db=3" --prefix own "$q" hello
	DQ_URL=unix://$T/none DQ_PREFIX=wrong \
		dq-run --once -u "unix://$T/main/s?db=3" --prefix own "$q" -- sh -c 'dq-put -q "$DQ_QUEUE.next" "$(cat)"'
	equal "$(dq-take -u "unix://$T/main/s?db=3" --prefix own "$q.next" | cut -f2)" hello
	equal "$(rcli --raw KEYS "*$q.next*")" ''
}

@test "a command that needs a password gets the user's name, and asks for no other" {
	rcli ACL SETUSER "u$q" on '>secret' '~*' '&*' '+@all' >/dev/null
	dq-put -q "$q" x
	run -0 --separate-stderr env REDISCLI_AUTH=secret dq-run --once -u "unix://u$q:@$T/main/s" "$q" -- sh -c 'echo "$DQ_URL"'
	equal "$output" "unix://u$q:@$T/main/s"
	fails 77 'WRONGPASS' dq-put -u "$output" "$q" x
	equal "$(REDISCLI_AUTH=secret dq-put -u "unix://u$q:@$T/main/s" -i mine "$q" x)" "$q/mine"
}
