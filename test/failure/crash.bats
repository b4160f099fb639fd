# Goal: When any process dies, is cut off or restarts in the middle of its work, every accepted message survives, once.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# A background job may start with INT ignored.
background() { # COMMAND...  -> $job
	env --default-signal=INT,HUP,PIPE "$@" 3>&- &
	job=$!
}

micros() {
	echo "${EPOCHREALTIME/./}"
}

connected() { # TOOL [N]
	[ "$(rcli CLIENT LIST | grep -c "name=$1 ")" -ge "${2:-1}" ]
}

bodies() { # -> the payloads
	rcli --raw HVALS "dq:{$q}:msg" | grep -v '^$' | sort
}

@test "a consumer killed between take and ack: the message is redelivered after its ttr, the old receipt is 1" {
	dq-put -q -i x "$q" hello
	run -137 bash -c 'dq-take -t 50ms "$0" >"$1/taken"; kill -9 $$' "$q" "$T"
	holds 0 0 1 0
	wait_until 20 eval 'dq-take "$q" >"$T/again"'
	fails 1 'no longer valid$' dq-ack "$(cut -f1 "$T/taken")"
	equal "$(cut -f2 "$T/again")" hello
	equal "$(tries x)" 2
	dq-ack <"$T/again"
	holds 0 0 0 0
}

@test "a taker killed with a batch: all of it is redelivered" {
	mkfifo "$T/stuck"
	exec 9<>"$T/stuck"
	seq 1 500 | sed 's/$/ and much more text, so that the pipe is full before the batch is written out, whatever its size/' |
		dq-put -ql "$q"
	background dq-take -n 1000 "$q" >"$T/stuck" 9>&-
	wait_until 20 eval '[ "$(rcli HGET "dq:{$q}:stat" taken)" -ge 200 ]' # one call's batch fills the pipe
	kill -9 "$job"
	exec 9>&-
	later 60001
	wait_until 20 eval 'dq-promote "$q"; [ "$(states)" = "0 500 0 0" ]'
	audit
}

@test "the server killed in the middle of dq-put -l: every accepted message survives, once" {
	local -x SERVER=aof DQ_URL=unix://$T/aof/s
	local round code=0 n=60000
	case $DQ_BIN in */asan) n=15000 ;; esac
	start_server aof --appendonly yes --appendfsync always
	seq 1 "$n" >"$T/lines"
	dq-put -l "$q" <"$T/lines" >"$T/names" 2>"$T/errors" 3>&- &
	local pid=$!
	for round in 1 2 3; do
		wait_until 20 eval "[ \"\$(rcli HLEN 'dq:{$q}:msg')\" -gt $((n * round / 6)) ]"
		stop_server aof KILL
		start_server aof --appendonly yes --appendfsync always
	done
	wait_until 30 ended "$pid"
	wait "$pid" || code=$?
	cat "$T/errors"
	audit
	# No payload twice, and what was printed is there.
	equal "$(bodies | uniq -d)" ''
	rcli --raw HKEYS "dq:{$q}:msg" | sed "s|^|$q/|" | sort >"$T/stored"
	equal "$(sort "$T/names" | comm -23 - "$T/stored")" ''
	if [ "$code" -eq 0 ]; then
		bodies | cmp - <(sort "$T/lines")
		equal "$(sort "$T/names" | comm -3 - "$T/stored")" ''
	else
		equal "$code" 75
		grep -qE '[0-9]+ accepted, [0-9]+ refused, [0-9]+ unknown' "$T/errors"
	fi
	stop_server aof
}

@test "the server killed and gone during dq-put -l: 75, with counts that are true" {
	local -x SERVER=gone DQ_URL=unix://$T/gone/s
	start_server gone --appendonly yes --appendfsync always
	mkfifo "$T/feed"
	exec 9<>"$T/feed"
	dq-put --timeout 2s -l "$q" <"$T/feed" >"$T/gone.names" 2>"$T/gone.errors" 3>&- 9>&- &
	local pid=$!
	seq 1 100 >&9
	wait_until 20 eval '[ "$(wc -l <"$T/gone.names")" = 100 ]'
	stop_server gone KILL
	seq 101 200 >&9
	exec 9>&-
	exits 75 "$pid"
	matches "$(cat "$T/gone.errors")" "^dq-put: $q: .*100 accepted, 0 refused"
	start_server gone --appendonly yes --appendfsync always
	holds 0 100 0 0
	stop_server gone
}

@test "the scripts vanish from the server again and again, and connections are cut" {
	local n=20000 part
	case $DQ_BIN in */asan) n=5000 ;; esac
	part=$((n / 10))
	: >"$T/flush.names"
	: >"$T/flush.cuts"
	( # each time that more was answered: who is cut faster than Redis can answer gives up, and is right
		seen=0
		while [ ! -e "$T/flush.end" ]; do
			now=$(stat -c %s "$T/flush.names")
			if [ "$now" != "$seen" ]; then
				rcli SCRIPT FLUSH
				rcli CLIENT KILL TYPE normal >>"$T/flush.cuts"
				seen=$now
			fi
			pause
		done
	) >/dev/null 2>&1 3>&- &
	local flusher=$! code=0
	for ((i = 0; i < 10; i++)); do
		seq $((i * part + 1)) $(((i + 1) * part))
		wait_until 20 eval '[ "$(wc -l <"$T/flush.cuts")" -gt "$i" ]' || break
	done | dq-put -l "$q" >"$T/flush.names" 2>"$T/flush.errors" || code=$?
	: >"$T/flush.end"
	wait "$flusher"
	cat "$T/flush.errors"
	equal "$code" 0
	grep -q '[1-9]' "$T/flush.cuts"
	holds 0 "$n" 0 0
	bodies | cmp - <(seq "$n" | sort)
	sort "$T/flush.names" | cmp - <(rcli --raw HKEYS "dq:{$q}:msg" | sed "s|^|$q/|" | sort)
}

@test "SCRIPT FLUSH while taking and settling" {
	seq 1 3000 | dq-put -ql "$q"
	(
		while [ ! -e "$T/flush2.end" ]; do
			rcli SCRIPT FLUSH
			pause
		done
	) >/dev/null 2>&1 3>&- &
	local flusher=$!
	for _ in 1 2 3; do dq-take -n 1000 "$q"; done | tee "$T/flush2.taken" | dq-ack
	: >"$T/flush2.end"
	wait "$flusher"
	holds 0 0 0 0
	equal "$(cut -f2 "$T/flush2.taken" | sort -n | cksum)" "$(seq 1 3000 | cksum)"
}

@test "TERM and INT end a waiting dq-take at once" {
	local signal how start
	for signal in TERM INT HUP; do
		for how in '-w 1h' -f; do
			# shellcheck disable=SC2086
			background dq-take $how "$q"
			wait_until 20 connected dq-take
			start=$(micros)
			kill "-$signal" "$job"
			exits $((128 + $(kill -l "$signal"))) "$job"
			between 0 $(($(micros) - start)) 10000000
			wait_until 20 eval '! connected dq-take'
		done
	done
}

@test "TERM while messages arrive: everything leased was printed, and nothing else" {
	: >"$T/printed"
	for _ in $(seq 15); do
		background dq-take -f -n 7 "$q" >>"$T/printed"
		wait_until 20 connected dq-take
		seq 1 40 | dq-put -ql "$q"
		kill "$job"
		exits 143 "$job"
	done
	audit
	equal "$(rcli ZCARD "dq:{$q}:leased")" "$(wc -l <"$T/printed")"
	equal "$(cut -f1 "$T/printed" | sort | uniq -d)" ''
	equal "$(rcli HLEN "dq:{$q}:msg")" 600
}

@test "TERM while standard output is blocked: given back, uncounted" {
	seq 1 1000 | sed 's/$/ and much more text, so that the pipe is full before the batch is written out, whatever its size/' |
		dq-put -ql "$q"
	mkfifo "$T/blocked"
	exec 9<>"$T/blocked"
	background dq-take -n 1000 "$q" >"$T/blocked" 9>&-
	wait_until 20 eval '[ "$(rcli ZCARD "dq:{$q}:leased")" -ge 200 ]'
	read -r _ <&9
	kill "$job"
	exits 143 "$job"
	exec 9>&-
	audit
	between 1 "$(rcli ZCARD "dq:{$q}:ready")" 999
	# a try entry for each that was taken: those leased, and those given back, which count no try
	equal "$(rcli --raw HVALS "dq:{$q}:try" | grep -cE '^0[+]1 0 ')" \
		$(($(rcli HLEN "dq:{$q}:try") - $(rcli ZCARD "dq:{$q}:leased")))
}

@test "dq-take -f | head -1: 141, and the other messages are ready again, without a try" {
	seq 1 1000 | sed 's/$/ and much more text, so that the pipe is full before the batch is written out, whatever its size/' |
		dq-put -ql "$q"
	run -0 env --default-signal=PIPE bash -c 'dq-take -n 1000 -f "$0" | head -1; echo "${PIPESTATUS[0]}"' "$q"
	equal "${#lines[@]}" 2
	matches "${lines[0]}" $'\t1 and much more'
	equal "${lines[1]}" 141
	audit
	local ready leased
	ready=$(rcli ZCARD "dq:{$q}:ready")
	leased=$(rcli ZCARD "dq:{$q}:leased")
	equal $((ready + leased)) 1000
	between 1 "$ready" 999
	equal "$(rcli --raw HVALS "dq:{$q}:try" | grep -cE '^0[+]1 0 ')" $(($(rcli HLEN "dq:{$q}:try") - leased))
}

@test "dq-put | head -1: 141, and the messages are put" {
	seq 1 5000 >"$T/head.lines"
	run -0 env --default-signal=PIPE bash -c 'dq-put -l "$0" <"$1" | head -1; echo "${PIPESTATUS[0]}"' "$q" "$T/head.lines"
	matches "${lines[0]}" "^$q/"
	matches "${lines[1]}" '^(141|0)$'
	audit
	equal "$(rcli HEXISTS "dq:{$q}:msg" "${lines[0]#*/}")" 1
}

@test "dq-take -f lives through a restart of the server" {
	local -x SERVER=restarted DQ_URL=unix://$T/restarted/s
	start_server restarted --appendonly yes --appendfsync always
	background dq-take -f "$q" >"$T/again.out" 2>"$T/again.err"
	dq-put -q "$q" before
	wait_until 20 grep -q before "$T/again.out"
	stop_server restarted KILL
	start_server restarted --appendonly yes --appendfsync always
	dq-put -q "$q" after
	wait_until 10 grep -q after "$T/again.out"
	kill "$job"
	exits 143 "$job"
	equal "$(wc -l <"$T/again.out")" 2
	holds 0 0 2 0
	stop_server restarted
}

@test "delivered and acknowledged by workers of which some die" {
	seq 1 300 | dq-put -ql -t 30ms -r 1000 "$q"
	local n=0
	# Every third worker dies with its message.
	until [ "$(rcli HLEN "dq:{$q}:msg")" = 0 ]; do
		n=$((n + 1))
		[ "$n" -lt 400 ] || break
		dq-take -n 5 "$q" >"$T/work" || continue
		cat "$T/work" >>"$T/worked"
		[ $((n % 3)) -eq 0 ] || dq-ack -q <"$T/work" || true
	done
	holds 0 0 0 0
	equal "$(cut -f2 "$T/worked" | sort -un | cksum)" "$(seq 1 300 | cksum)"
	[ "$(wc -l <"$T/worked")" -gt 300 ]
}

@test "a password is in no command line, no output, no name of a connection" {
	local canary=Zq7-secret-canary
	start_server auth --requirepass "$canary"
	(umask 077 && echo "$canary" >"$T/canary")
	local -x DQ_URL=unix://:$canary@$T/auth/s
	background dq-take -v -w 1h "$q" >"$T/secret.out" 2>&1
	wait_until 20 eval 'REDISCLI_AUTH=Zq7-secret-canary SERVER=auth connected dq-take'
	tr '\0' ' ' <"/proc/$job/cmdline" >>"$T/secret.out"
	REDISCLI_AUTH=$canary SERVER=auth rcli CLIENT LIST >>"$T/secret.out"
	kill "$job"
	exits 143 "$job"
	local tool
	for tool in dq-put dq-take dq-ack dq-promote dq-stat dq-gc; do
		"$tool" -v "$q" </dev/null || true
		"$tool" --version
		DQ_URL=unix://:$canary@$T/none "$tool" -v "$q" </dev/null || true
		DQ_URL=unix://user:$canary@$T/auth/s "$tool" -v "$q" </dev/null || true
		DQ_URL=redis://:$canary@h:x/ "$tool" -v "$q" </dev/null || true
		DQ_URL=redis://$canary@h/ "$tool" -v "$q" </dev/null || true
		DQ_URL=redis://:$canary@@h/ "$tool" -v "$q" </dev/null || true
		REDISCLI_AUTH=$canary DQ_URL=unix://$T/none "$tool" -v "$q" </dev/null || true
		"$tool" -u "unix://:$canary@$T/auth/s" "$q" </dev/null || true
	done >>"$T/secret.out" 2>&1
	run grep -c canary "$T/secret.out"
	equal "$output" 0
	[ -s "$T/secret.out" ]
	stop_server auth
}

@test "TERM while standard output is blocked and more is asked for ahead: all of it is given back, without a try" {
	seq 1 1000 |
		sed 's/$/ and much more text, so that the pipe is full before the batch is written out, whatever its size ............./' |
		dq-put -ql "$q"
	mkfifo "$T/ahead"
	exec 9<>"$T/ahead"
	for _ in 1 2 3; do
		background dq-take -f -n 1000 "$q" >"$T/ahead" 9>&-
		wait_until 20 eval '[ "$(rcli ZCARD "dq:{$q}:leased")" -ge $(($(field stat taken) - 250 + 1)) ] &&
			[ "$(field stat taken)" -ge 500 ]'
		kill "$job"
		exits 143 "$job"
		audit
		equal "$(rcli --raw HVALS "dq:{$q}:try" | grep -cE '^0[+]1 0 ')" \
			$(($(rcli HLEN "dq:{$q}:try") - $(rcli ZCARD "dq:{$q}:leased")))
		later 3600001
		dq-promote "$q"
		holds 0 1000 0 0
		rcli DEL "dq:{$q}:try" >/dev/null
		rcli HDEL "dq:{$q}:stat" taken >/dev/null
		dd if="$T/ahead" of=/dev/null bs=64k iflag=nonblock status=none 2>/dev/null || true # until the pipe is empty
	done
	exec 9>&-
}
