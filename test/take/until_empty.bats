# Goal: dq-take --until-empty takes all that is due now, and ends; it does not wait for messages that are delayed, leased by others or
# paused.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../until_empty

@test "dq-take: takes all due messages, in all queues, in calls of -n; does not wait for others" {
	local n
	for n in '' '-n 1' '-n 7' '-n 1000'; do
		fill
		# shellcheck disable=SC2086
		run -0 --separate-stderr timeout 20 dq-take --until-empty $n "$q.a" "$q.p" "$q.b" "$q.none"
		equal "$(cut -f2 <<<"$output" | sort)" "$(all)"
		equal "$stderr" "dq-take: $q.p: paused: nothing is taken until it is resumed (dq-set $q.p paused=no)"
		holds 1 0 30 1 "$q.a"
		holds 0 0 32 0 "$q.b"
		dq-rm -af "$q.a" "$q.b" "$q.p"
		dq-set "$q.p" paused=no
	done
}

calls() {
	rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p'
}

@test "dq-take: thousands, in calls of bounded size; -n says which" {
	seq 3000 | dq-put -q -l "$q"
	rcli CONFIG RESETSTAT >/dev/null
	dq-take --until-empty "$q" >"$T/taken" # a file, because for a slow reader of a pipe there are more calls
	equal "$(cut -f2 "$T/taken" | sort -n)" "$(seq 3000)"
	between 24 "$(calls)" 27
	later 60001
	rcli CONFIG RESETSTAT >/dev/null
	dq-take --until-empty -n 100 "$q" >"$T/taken"
	equal "$(cut -f2 "$T/taken" | sort -n)" "$(seq 3000)"
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

@test "dq-take: expired messages do not hide due ones" {
	many_expired
	equal "$(dq-take --until-empty -n 100 "$q" | cut -f2)" good
	holds 0 0 1 0
}

@test "dq-take: --no-promote: the ready messages, and no others" {
	dq-put -q "$q" ready
	dq-put -q -d 1h "$q" due
	later 3600001
	equal "$(timeout 20 dq-take --until-empty --no-promote "$q" | cut -f2)" ready
	holds 1 0 1 0
}

@test "dq-take: a reader that closes the pipe: unread messages are given back" {
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
