# Goal: dq-take says once why a limited queue gives it nothing.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

by_rate() {
	echo "dq-take: $q: limited by rate: ready messages wait until another delivery may begin (dq-set $q shows the limit)"
}

@test "its rate, max-leased, a pause that ends: 1, with the reason; -q says nothing" {
	dq-set -q "$q" rate=1/2h
	dq-put -q "$q" 1 2 3
	run -0 --separate-stderr dq-take --ack -n 2 "$q"
	equal "${#lines[@]}$stderr" 1
	run -1 --separate-stderr dq-take "$q"
	equal "$output$stderr" "$(by_rate)"
	run -1 --separate-stderr dq-take -w 10ms "$q"
	equal "$output$stderr" "$(by_rate)"
	run -1 --separate-stderr dq-take --until-empty "$q"
	equal "$output$stderr" "$(by_rate)"
	run -1 --separate-stderr dq-take -q "$q"
	equal "$output$stderr" ''
	dq-set "$q" rate=none max-leased=1
	dq-take -t 2h "$q" >"$T/taken"
	run -1 --separate-stderr dq-take "$q"
	equal "$output$stderr" \
		"dq-take: $q: limited by max-leased: ready messages wait until a delivery ends (dq-set $q shows the limit)"
	dq-ack <"$T/taken"
	dq-set "$q" paused=2h
	run -1 --separate-stderr dq-take "$q"
	matches "$output$stderr" "^dq-take: $q: paused: nothing is taken until 2[0-9-]+T[0-9:.]+Z \(dq-set $q paused=no\)\$"
}

@test "nothing is ready: nothing is said" {
	dq-set -q "$q" rate=1/2h
	dq-put -q "$q" 1
	dq-take --ack "$q" >/dev/null
	run -1 --separate-stderr dq-take "$q"
	equal "$output$stderr" ''
}

got() { # COUNT
	[ "$(wc -l <"$T/out")" = "$1" ]
}

@test "-f: each reason once, however often the limit stops it; what it lets through is taken" {
	dq-set -q "$q" rate=1/2h
	dq-put -q "$q" 1 2 3 4 5
	dq-take -f --ack "$q" >"$T/out" 2>"$T/err" 3>&- &
	local pid=$! i
	wait_until 20 grep -q 'limited by rate' "$T/err"
	got 1
	for i in 2 3 4; do
		dq-set "$q" rate="$i/2h"
		wait_until 20 got "$i"
	done
	dq-set "$q" rate=none max-leased=1
	wait_until 20 got 5
	kill "$pid"
	exits 143 "$pid"
	equal "$(grep -v '^dq-take: [0-9]* taken' "$T/err")" "$(by_rate)"
}

# So many messages of a key, due in an hour.
delayed() { # KEY COUNT
	seq "$2" | sed "s/.*/1h\t$1+&\tx/" | dq-put -q --tsv "$q"
}

@test "what a call has not moved yet is no reason to give nothing, or less: due messages of other keys" {
	dq-set -q "$q" keys=serial
	dq-put -q -i A+0 "$q" x
	dq-take -t 9h "$q" >"$T/first"
	delayed A 1500
	dq-put -q -d 2h -i z+1 "$q" z
	later 7200001
	run -0 --separate-stderr dq-take --ack "$q"
	equal "${output#*$'\t'}$stderr" z
	run -1 dq-take "$q"
	delayed B 1500
	seq 50 | sed 's/.*/2h\tz&+1\tz/' | dq-put -q --tsv "$q"
	later 7200001
	run -0 --separate-stderr dq-run --once -j 60 "$q" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | uniq -c | xargs)" '1 x 50 z'
}

@test "the same: leases that expired, under max-leased; messages that expired, and block their key" {
	seq 2500 | dq-put -q -l "$q"
	dq-take -q -n 2500 -t 1h "$q" >"$T/taken"
	dq-set -q "$q" max-leased=5
	later 3600001
	run -0 --separate-stderr dq-take "$q"
	equal "$stderr" ''
	dq-rm -q -f -a "$q"
	seq 600 | sed 's/.*/0\tA+&\tx/' | dq-put -q -x 5s --tsv "$q"
	dq-take -q -n 600 "$q" | dq-ack -q -g -d 1h
	dq-set -q "$q" keys=serial
	dq-put -q -i A+z "$q" last
	wait_until 20 eval '[ "$(dq-stat --json "$q" | jq ".queues[0].expired")" = 600 ]'
	run -0 --separate-stderr dq-take --ack "$q"
	equal "${output#*$'\t'}$stderr" last
}
