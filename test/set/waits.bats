# Goal: Tools wait for what limits hold back, and get it as soon as it may be: a place that becomes free, the next time of a rate, the end
# of a pause. If they were not woken they would look only every five seconds, and these tests would take minutes.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../run/worker

# The times at which the deliveries of these receipts began, us, in order: the token of a take is its time, or one more than the last.
times() { # FILE...
	cat "$@" | sed -E 's/^[^@]*@([0-9]+).*/\1/' | sort -n
}

# In no span did more begin: each began that long after the one N before it. (A token may be a few us more than its time.)
keeps_rate() { # N US FILE...
	times "${@:3}" | awk -v n="$1" -v us="$2" '{ t[NR] = $1 }
		NR > n && $1 - t[NR - n] < us - 50 { print t[NR - n], $1; bad = 1 } END { exit bad }'
}

have_lines() { # N FILE...
	[ "$(cat "${@:2}" | wc -l)" -ge "$1" ]
}

@test "a rate: takers get the next message at its time, with and without promotion, alone and together" {
	local option pids
	for option in '' --no-promote both; do
		q=q$BATS_TEST_NUMBER$option
		dq-set -q "$q" rate=2/100ms
		seq 60 | dq-put -q -l "$q"
		: >"$T/b"
		dq-take -f ${option:+--no-promote} "$q" >"$T/a" 3>&- &
		pids=($!)
		if [ "$option" = both ]; then
			dq-take -f "$q" >"$T/b" 3>&- &
			pids+=($!)
		fi
		wait_until 30 have_lines 60 "$T/a" "$T/b"
		kill "${pids[@]}"
		keeps_rate 2 100000 "$T/a" "$T/b"
	done
}

@test "a rate: dq-run --drain waits for all, --until-empty and --once end when nothing may be taken" {
	dq-set -q "$q" rate=3/250ms
	seq 9 | dq-put -q -l "$q"
	run -0 timeout 60 dq-run --drain -j 9 "$q" -- sh -c 'echo "$DQ_RECEIPT" >>"$0"' "$D/ran"
	equal "$(wc -l <"$D/ran")" 9
	keeps_rate 3 250000 "$D/ran"
	dq-set "$q" rate=3/1d
	seq 9 | dq-put -q -l "$q"
	run -0 timeout 60 dq-run --until-empty "$q" -- true
	run -1 timeout 60 dq-run --once "$q" -- true
	run -1 timeout 60 dq-take -q --until-empty "$q"
	between 0 "$(dq-stat --no-header "$q" | awk '{ print $4 }')" 9
	dq-set "$q" rate=none
	run -0 timeout 60 dq-take -q --until-empty --ack "$q"
	equal "$(states)" '0 0 0 0'
}

@test "max-leased: two workers never have more at work than that, and each place that becomes free is used" {
	dq-set -q "$q" max-leased=3
	seq 40 | dq-put -q -l "$q"
	handler work <<-'END'
		echo + >>"$D/log"
		sleep 0.03
		echo - >>"$D/log"
	END
	work -j 5 "$q" -- "$D/work"
	work -j 5 "$q" -- "$D/work"
	wait_until 30 eval '[ "$(states)" = "0 0 0 0" ]'
	equal "$(grep -c + "$D/log")" 40
	# At no time more than three: a command starts after the lease began, and ends before its ack.
	awk '{ n += $1 == "+" ? 1 : -1; if (n > 3) bad = 1 } END { exit bad }' "$D/log"
}

@test "max-leased: a taker waits until another consumer acks, buries, retries, gives back; raising wakes, too" {
	local how option
	for option in '' --no-promote; do
		for how in '' -b '-r -d 1h' '-g -d 1h' set; do
			q=q$BATS_TEST_NUMBER$option${how// /}
			dq-set -q "$q" max-leased=1
			dq-put -q "$q" a b
			dq-take "$q" >"$T/held"
			dq-take -w 60s $option "$q" >"$T/got" 3>&- &
			wait_until 10 eval "rcli CLIENT LIST | grep -q 'name=dq-take-wait.*cmd=bzpopmin'"
			if [ "$how" = set ]; then
				dq-set "$q" max-leased=2
			else
				# shellcheck disable=SC2086
				dq-ack $how <"$T/held"
			fi
			exits 0 $!
			equal "$how $(cut -f 2 "$T/got")" "$how b"
		done
	done
}

@test "a pause that ends with nobody running; those that wait wake then, and not before" {
	local option n until
	for option in '' --no-promote; do
		for n in 1 2 3 4 5; do
			q=q$BATS_TEST_NUMBER$option$n
			dq-put -q "$q" x
			dq-set "$q" paused=300ms
			until=$(rcli HGET "dq:{$q}:conf" paused)
			run -1 dq-take -q "$q"
			dq-take -q -w 60s $option "$q" >"$T/got" 3>&- &
			exits 0 $!
			[ "$(times "$T/got")" -ge "${until}000" ]
			equal "$(dq-set "$q" | head -n 1)" paused=no
		done
	done
}

@test "a pause until a time is printed as it is taken, and paused=no ends it" {
	local until
	until=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%S.000Z)
	dq-put -q "$q" x
	dq-set "$q" "paused=$until"
	equal "$(dq-set "$q" | head -n 1)" "paused=$until"
	equal "$(dq-set --json "$q" | jq -c '[.paused, .paused_until_ms]')" "[true,$(date -d "$until" +%s)000]"
	# shellcheck disable=SC2046
	dq-set -q "$q.b" $(dq-set "$q")
	equal "$(dq-set "$q.b" | head -n 1)" "paused=$until"
	fails 64 "^$q: not set: paused: that time has passed\$" dq-set "$q" paused=2020-01-01T00:00:00Z
	run -1 dq-take -q "$q"
	dq-set "$q" paused=no
	dq-take --ack "$q" >"$T/got"
	fails 64 "^$q: not set: paused: the pause would end after May 2109\$" dq-set "$q" paused=5200w
}

@test "many takers at a limit: a place that becomes free wakes one" {
	local i pids=()
	dq-set -q "$q" max-leased=1
	seq 9 | dq-put -q -l "$q"
	dq-take "$q" >"$T/held"
	for i in {1..12}; do
		dq-take -w 60s "$q" >"$T/got.$i" 3>&- &
		pids+=($!)
	done
	wait_until 30 eval "[ \$(rcli CLIENT LIST | grep -c 'name=dq-take-wait.*cmd=bzpopmin') -ge 12 ]"
	dq-ack <"$T/held"
	wait_until 10 have_lines 1 "$T"/got.*
	equal "$(states)" '0 7 1 0'
	equal "$(cat "$T"/got.* | wc -l)" 1
	kill "${pids[@]}" 2>/dev/null || true
}

@test "a rate and a clock that was set back: a promoter alone asks now and then, and does not spin" {
	local calls
	dq-set -q "$q" rate=1/1s
	dq-put -q "$q" a
	dq-take "$q" >/dev/null
	rcli ZADD "dq:{$q}:begun" $((($(date +%s) + 300) * 1000000)) "$(rcli ZRANGE "dq:{$q}:begun" 0 0)" >/dev/null
	dq-put -q "$q" b
	rcli CONFIG RESETSTAT >/dev/null
	run -124 timeout 2 dq-promote -f "$q"
	calls=$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\),.*/\1/p')
	[ "$calls" -lt 100 ]
}
