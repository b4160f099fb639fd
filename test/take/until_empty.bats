# shellcheck disable=SC2016
# --until-empty: all that is due now, and then the end; what is delayed, leased by others, or kept by a paused queue is not waited for.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

# Due in all ways, in two queues; and what is not: delayed, leased, dead, paused.
fill() {
	seq 1 30 | dq-put -q -l "$q.a"
	seq 31 60 | dq-put -q -l -d 1h "$q.b"
	dq-put -q -i held -b 1h "$q.b" held
	dq-take -t 1s "$q.b" >/dev/null
	later 3600001 "$q.b"
	dq-put -q -d 1h -i later "$q.a" later
	dq-put -q -i mine -p 0 "$q.b" mine
	dq-take --no-promote -t 1h "$q.b" >"$T/$q.mine"
	dq-put -q -i dead -p 0 "$q.a" dead
	dq-take "$q.a" | dq-ack -b
	dq-put -q "$q.p" x
	dq-promote --pause "$q.p"
	equal "$(states "$q.a") $(states "$q.b")" '1 30 0 1 30 0 2 0'
}

all() {
	{
		seq 60
		echo held
	} | sort
}

@test "dq-run: all that is due, in all queues, many at once; what is not is not waited for" {
	fill
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty -j 4 "$q.a" "$q.p" "$q.b" "$q.none" -- sh -c 'read -r n; echo "$n"'
	equal "$(sort <<<"$output")" "$(all)"
	equal "$stderr" "dq-run: $q.p: paused: nothing is taken until it is resumed (dq-promote --resume)"
	holds 1 0 0 1 "$q.a"
	holds 0 0 1 0 "$q.b"
	holds 0 1 0 0 "$q.p"
}

@test "dq-run: nothing is due: 0, without a word, and nothing waits" {
	dq-put -q -d 1h "$q" x
	run -0 --separate-stderr timeout 20 dq-run -q --until-empty "$q" "$q.none" -- cat
	equal "$output$stderr" ''
	holds 1 0 0 0
}

@test "dq-run: what fails and waits for its retry is left: 123" {
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

@test "dq-run: what is put while the last command runs is due, too; then it ends" {
	dq-put -q "$q" first
	run -0 --separate-stderr timeout 20 dq-run --until-empty "$q" -- sh -c 'read -r n; echo "$n"; [ "$n" = last ] || dq-put -q "$DQ_QUEUE" last'
	equal "$output" $'first\nlast'
	holds 0 0 0 0
}

# More than are moved in one call; none of them is delivered.
many_expired() {
	seq 400 | dq-put -q -l -d 1s "$q"
	rcli EVAL 'for _, id in ipairs(redis.call("HKEYS", KEYS[1])) do redis.call("HSET", KEYS[1], id, "x=1\nx") end' 1 "dq:{$q}:msg" >/dev/null
	dq-put -q -d 2s "$q" good
	later 2001
}

@test "dq-run: what has expired does not hide what is due" {
	many_expired
	run -0 timeout 20 dq-run --until-empty -j 100 "$q" -- cat
	equal "$output" good
	holds 0 0 0 0
}

@test "dq-run: Redis stays away: 75" {
	start_server "$q"
	mkfifo "$T/$q.gate"
	DQ_URL=unix://$T/$q/s dq-put -q "$q" x
	DQ_URL=unix://$T/$q/s dq-run --until-empty --timeout 300ms "$q" -- sh -c 'echo; true <"$0"' "$T/$q.gate" >"$T/$q.out" 2>/dev/null 3>&- &
	local worker=$!
	wait_until 10 test -s "$T/$q.out"
	stop_server "$q" KILL
	true >"$T/$q.gate"
	exits 75 "$worker"
}

@test "dq-run: an answer to a take that was lost: 75, and said; the rest is run" {
	dq-put -q -p 0 -i x "$q" lost
	dq-put -q -i rest "$q" rest
	start_cut x
	DQ_URL=unix://$T/cut run -75 --separate-stderr timeout 20 dq-run --until-empty "$q" -- cat
	stop_cut
	equal "$output" rest
	matches "$stderr" "dq-run: $q: a reply was lost: messages that it leased are redelivered when their leases end\$"
	holds 0 0 1 0
}

@test "dq-take: all that is due, in all queues, in calls of -n; what is not is not waited for" {
	local n
	for n in '' '-n 1' '-n 7' '-n 1000'; do
		fill
		# shellcheck disable=SC2086
		run -0 --separate-stderr timeout 20 dq-take --until-empty $n "$q.a" "$q.p" "$q.b" "$q.none"
		equal "$(cut -f2 <<<"$output" | sort)" "$(all)"
		equal "$stderr" ''
		holds 1 0 30 1 "$q.a"
		holds 0 0 32 0 "$q.b"
		dq-rm -af "$q.a" "$q.b" "$q.p"
		dq-promote --resume "$q.p"
	done
}

calls() {
	rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p'
}

@test "dq-take: thousands, in calls of bounded size; -n says which" {
	seq 3000 | dq-put -q -l "$q"
	rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-take --until-empty "$q" | cut -f2 | sort -n | md5sum)" "$(seq 3000 | md5sum)"
	between 12 "$(calls)" 14
	later 60001
	rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-take --until-empty -n 100 "$q" | cut -f2 | sort -n | md5sum)" "$(seq 3000 | md5sum)"
	between 30 "$(calls)" 32
}

@test "dq-take: --ack leaves nothing behind" {
	seq 1000 | dq-put -q -l "$q"
	equal "$(dq-take --until-empty --ack "$q" | wc -l)" 1000
	holds 0 0 0 0
}

@test "dq-take: nothing is due: 1, without a word" {
	dq-put -q -d 1h "$q" x
	run -1 --separate-stderr timeout 20 dq-take -q --until-empty "$q" "$q.none"
	equal "$output$stderr" ''
}

@test "dq-take: what has expired does not hide what is due" {
	many_expired
	equal "$(dq-take --until-empty -n 100 "$q" | cut -f2)" good
	holds 0 0 1 0
}

@test "dq-take: --no-promote: what is ready, and no more" {
	dq-put -q "$q" ready
	dq-put -q -d 1h "$q" due
	later 3600001
	equal "$(timeout 20 dq-take --until-empty --no-promote "$q" | cut -f2)" ready
	holds 1 0 1 0
}

@test "dq-take: a reader that goes away: what it did not get is given back" {
	seq 3000 | dq-put -q -l "$q"
	dq-take --until-empty "$q" | head -n 1 >/dev/null || true
	local leased
	leased=$(rcli ZCARD "dq:{$q}:leased")
	[ "$leased" -lt 3000 ]
	audit
}

@test "dq-take: only one of -w, -f and --until-empty" {
	fails 64 '^only one of -w, -f and --until-empty$' dq-take --until-empty -f "$q"
	fails 64 '^only one of -w, -f and --until-empty$' dq-take --until-empty -w 1s "$q"
	fails 64 '^only one of -w, -f and --until-empty$' dq-take -f -w 1s "$q"
}
