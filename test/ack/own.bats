# Goal: In a command of dq-run, dq-ack on the command's own delivery tells dq-run how it ends, and asks neither Redis nor for a password.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../run/worker

shown() { # KEY ID
	dq-stat "$q/$2" | awk -F '\t' -v key="$1" '$1 == key { print $2 }'
}

@test "every way to settle, with exit 0 of the command" {
	local n=0 args wanted
	while IFS='|' read -r args wanted; do
		n=$((n + 1))
		dq-put -q -i "$n" -b 1h -r 5 "$q" x
		ARGS=$args run --separate-stderr dq-run --once "$q" -- sh -c 'eval "dq-ack $ARGS \"\$DQ_RECEIPT\"" || echo "dq-ack: $?"'
		[[ "$output$stderr" != *'not settled'* ]]
		[[ "$output" != dq-ack:* ]]
		equal "$args|$(shown state "$n") $(shown tries "$n") $(shown reason "$n")" "$args|$wanted"
	done <<-'END'
		-r|delayed 1 of 5 the command asked for it
		-r -d 2h -m busy|delayed 1 of 5 busy
		-r -m "429 from the server"|delayed 1 of 5 429 from the server
		-b|dead 1 of 5 the command asked for it
		-b -m "10 of 10: no"|dead 1 of 5 10 of 10: no
		-g -d 2h -m "not yet"|delayed 0 of 5 not yet
		-g -d 0|ready 0 of 5 -
	END
	equal "$n" 7
}

@test "done, delays and times are those that were asked for" {
	local at
	at=$(($(server_ms) / 1000 + 5000))
	dq-put -q -i settled "$q" x
	run -0 dq-run --once "$q" -- sh -c 'dq-ack "$DQ_RECEIPT"; exit 1'
	holds 0 0 0 0
	dq-put -q -i at "$q" x
	AT=$at run -0 dq-run --once "$q" -- sh -c 'dq-ack -g -a "@$AT" "$DQ_RECEIPT"; exit 1'
	equal "$(shown due_ms at),$(tries at)" "${at}000,0"
	dq-put -q -i for "$q" x
	run -0 dq-run --once "$q" -- sh -c 'dq-ack -g -d 2h "$DQ_RECEIPT"'
	between 7140000 "$(($(shown due_ms for) - $(server_ms)))" 7200000
	dq-put -q -i retry "$q" x
	run -123 dq-run --once "$q" -- sh -c 'dq-ack -r -d 3h "$DQ_RECEIPT"'
	equal "$(tries retry)" 1
	between 10740000 "$(($(shown due_ms retry) - $(server_ms)))" 10800000
}

@test "without a password: it is in DQ_URL of dq-run only, and nothing is lost" {
	start_server own --requirepass s3cret
	export DQ_URL=unix://:s3cret@$T/own/s
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c 'dq-ack -g -d 2h "$DQ_RECEIPT"; echo "$?"'
	equal "$output$stderr" 0
	equal "$(shown state x),$(shown tries x)" "delayed,0 of 5"
	dq-put -q -i y "$q" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c 'printf "%s\tx\n" "$DQ_RECEIPT" | dq-ack -g -d 2h; echo "$?"'
	equal "$output$stderr,$(shown state y)" 0,delayed
	# Other receipts need Redis.
	dq-put -q -i z "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'dq-ack -b "$DQ_RECEIPT" "$DQ_QUEUE/x@1"; echo "$?"'
	equal "$output,$(shown state z)" 77,dead
}

@test "a command that goes on afterwards is not ended, and its message stays leased meanwhile" {
	dq-put -q -i x -t 3s "$q" x
	gate
	work "$q" -- sh -c 'dq-ack "$DQ_RECEIPT"; echo >"$D/said"; true <"$D/gate"; echo whole >"$D/whole"'
	wait_until 10 test -e "$D/said"
	wait_until 10 eval '[ "$(score leased x)" -gt "$(($(due_of x) + 4500))" ]'
	holds 0 0 1 0
	open_gate
	wait_until 10 holds 0 0 0 0
	equal "$(cat "$D/whole")" whole
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$D/err")" ''
}

@test "the last one counts, also over the exit status" {
	dq-put -q -i x "$q" x
	run -0 dq-run --once "$q" -- sh -c 'dq-ack -b "$DQ_RECEIPT"; dq-ack -r "$DQ_RECEIPT"; dq-ack "$DQ_RECEIPT"; exit 65'
	holds 0 0 0 0
}

@test "a reason of any bytes: kept, with the characters that no line can have escaped" {
	dq-put -q -i x "$q" x
	run -123 dq-run --once "$q" -- sh -c 'dq-ack -b -m "$(printf "one\ntwo\\\\n\t\033[1m\377")" "$DQ_RECEIPT"'
	equal "$(rcli --raw HGET "dq:{$q}:try" x | sed 1d)" $'one\ntwo\\n\t\\x1b[1m\\xff'
	dq-put -q -i y "$q" x
	run -123 dq-run --once "$q" -- sh -c 'dq-ack -b -m "$(printf "%01000d" 0 | tr 0 "\001")" "$DQ_RECEIPT"'
	equal "$(rcli --raw HGET "dq:{$q}:try" y | sed 1d | tr -d '\n' | wc -c)" 1000
}

@test "-x goes to Redis, and other deliveries, too" {
	dq-put -q -i x "$q" x
	dq-put -q -i y "$q.other" x
	RECEIPT=$(dq-take "$q.other" | cut -f1) run -0 --separate-stderr dq-run --once "$q" -- sh -c '
		dq-ack -x 3h "$DQ_RECEIPT" && "$DQ_BIN/rcli" -s "$T/main/s" ZSCORE "dq:{$DQ_QUEUE}:leased" "$DQ_ID" >"$D/until"
		dq-ack "$RECEIPT" "$DQ_RECEIPT"; exit 1'
	equal "$output$stderr" ''
	[ "$(cat "$D/until")" -gt "$(($(server_ms) + 7200000))" ]
	holds 0 0 0 0
	holds 0 0 0 0 "$q.other"
}

@test "a foreign descriptor 3, or none, of dq-ack or of the command: dq-run is told all the same" {
	local n=0 how
	for how in 'back 3>"$D/foreign"' 'back 3>&-' 'back 3</dev/null' '(back 3>&1 || echo "$?") | cat' \
		'exec 3>"$D/own"; back; echo own >&3' 'exec 3>&-; dq-ack -b "$DQ_RECEIPT"; back' \
		'python3 -c "import os, subprocess
subprocess.run([\"dq-ack\", \"-gd2h\", os.environ[\"DQ_RECEIPT\"]], check=True)"'; do
		n=$((n + 1))
		dq-put -q -i "$n" "$q" x
		HOW=$how run -0 --separate-stderr dq-run --once "$q" -- sh -c 'export DQ_URL=unix:///nowhere
			back() { dq-ack -g -d 2h "$DQ_RECEIPT"; }
			eval "$HOW"; echo "$?"'
		equal "$how,$output$stderr,$(shown state "$n") $(shown tries "$n")" "$how,0,delayed 0 of 5"
	done
	equal "$n,$(cat "$D/foreign" "$D/own")" 7,own
}

@test "without the variable, Redis is asked" {
	dq-put -q -i x "$q" x
	run --separate-stderr dq-run --once "$q" -- sh -c 'env -u DQ_VERDICT dq-ack "$DQ_RECEIPT"; echo "$?"'
	equal "$output" 0
	holds 0 0 0 0
}

@test "a variable that means another pipe, or none: Redis is asked" {
	local n=0 verdict
	while IFS= read -r verdict; do
		n=$((n + 1))
		dq-put -q -i x "$q" x
		VERDICT=$verdict run -0 --separate-stderr dq-run --once "$q" -- sh -c '
			rest=${DQ_VERDICT#*:*:} pipe=${DQ_VERDICT%"$rest"}
			DQ_VERDICT=$(eval "echo \"$VERDICT\"") dq-ack "$DQ_RECEIPT" 3>"$D/foreign"; echo "$?"'
		equal "$verdict,$output" "$verdict,0"
		holds 0 0 0 0
	done <<-'END'
		1:$rest
		1:2:$rest
		${pipe}1:0:$DQ_RECEIPT
		${pipe}999999999:3:$DQ_RECEIPT
		${pipe}x:3:$DQ_RECEIPT
		$pipe
		x
	END
	equal "$n,$(cat "$D/foreign")" 7,
}

@test "a pipe that another program made non-blocking, and that is full: dq-ack waits for room" {
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c '
		ASAN_OPTIONS=detect_leaks=0 strace -o "$D/trace" -e trace=write -e inject=write:error=EAGAIN:when=1 \
			dq-ack -g -d 1h "$DQ_RECEIPT"; echo "$?"'
	grep -q "write(3, \"give-back 3600000ms.*EAGAIN" "$D/trace"
	equal "$output,$(shown state x)" 0,delayed
}

@test "a dq-run in a command: each dq-ack speaks of its own delivery" {
	dq-put -q -i outer "$q" x
	dq-put -q -i inner "$q.in" x
	run -0 --separate-stderr dq-run --once "$q" -- sh -c '
		OUTER=$DQ_RECEIPT dq-run --once "$DQ_QUEUE.in" -- sh -c "
			dq-ack -g -d 1h \"\$DQ_RECEIPT\"; dq-ack -b -m x \"\$OUTER\""; echo "$?"'
	equal "$output" 0
	equal "$(dq-stat "$q.in/inner" | sed -n 's/^state\t//p'),$(shown state outer)" delayed,dead
}

@test "of a process that outlives its command: exit 1, and nothing happens" {
	dq-put -q -i x -b 1h "$q" x
	run -123 timeout 20 dq-run --once "$q" -- sh -c '
		(exec </dev/null >/dev/null 2>&1; until [ -e "$D/over" ]; do sleep 0.05; done
			dq-ack -b "$DQ_RECEIPT" 2>"$D/why"; echo "$?" >"$D/late") & exit 1'
	true >"$D/over"
	wait_until 10 test -s "$D/late"
	equal "$(cat "$D/late"),$(shown state x)" 1,delayed
	grep -q 'not settled: its command has ended$' "$D/why"
}

@test "a line that cannot be written: reported, and the exit status says it" {
	dq-put -q -i x "$q" x
	dq-run --once "$q" -- sh -c 'dq-ack -r -d 20000d "$DQ_RECEIPT" 2>"$D/why"; echo "$?" >"$D/status"' || true
	equal "$(cat "$D/status")" 64
	grep -q 'not settled: .*longer than 18250d' "$D/why"
}
