# Goal: dq-take -w and -f wait for due messages, print them on time and never early, and end when they should.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

@test "a delayed message is taken once it is due, and not before" {
	dq-put -q -i x -d 10s "$q" hello
	later 5000
	run -1 dq-take "$q"
	holds 1 0 0 0
	later 5001
	run -0 dq-take "$q"
	matches "$output" $'\thello$'
	holds 0 0 1 0
}

@test "-w: taken when due, never early" {
	dq-put -q -d 300ms "$q" hello
	run -0 dq-take -w 10s --json "$q"
	between "$(jq .due_ms <<<"$output")" "$(($(jq .lease_until_ms <<<"$output") - 60000))" 9999999999999
	matches "$(jq -r .payload <<<"$output")" '^hello$'
	holds 0 0 1 0
}

@test "-w: a message that is put during the wait is taken" {
	dq-take -w 20s "$q" >"$T/waited" 3>&- &
	local pid=$!
	wait_until 5 eval "rcli CLIENT LIST | grep -q name=dq-take"
	dq-put -q "$q" hello
	wait "$pid"
	equal "$(cut -f2 "$T/waited")" hello
	holds 0 0 1 0
}

@test "-w: 1 when the wait is over; with 0 at once" {
	run -1 --separate-stderr timeout 20 dq-take -q -w 100ms "$q"
	equal "$output$stderr" ''
	run -1 timeout 20 dq-take -w 0 "$q"
	fails 64 '^-w: "-1": not a duration' dq-take -w -1 "$q"
	fails 64 '^only one of -w, -f and --until-empty$' dq-take -w 1 -f "$q"
}

@test "-w: ready messages are printed without waiting for more" {
	dq-put -q "$q" a
	run -0 dq-take -w 1h -n 10 "$q"
	equal "${#lines[@]}" 1
}

@test "-f: continues until a signal" {
	dq-take -f -n 10 "$q" >"$T/followed" 3>&- &
	local pid=$!
	dq-put -q "$q" a b
	wait_until 5 eval "[ \"\$(cut -f2 '$T/followed' | paste -sd' ')\" = 'a b' ]"
	dq-put -q -d 50ms "$q" c
	wait_until 5 eval "[ \"\$(cut -f2 '$T/followed' | paste -sd' ')\" = 'a b c' ]"
	kill "$pid"
	exits 143 "$pid"
	holds 0 0 3 0
}

@test "-f ends when the peer of a socket on its standard output is gone" {
	python3 "$top/test/take/peer_gone.py" "$q"
}

@test "-w -n: messages printed before the connection was lost count: no more than N, and never 1" {
	dq-put -q -i a "$q.a" x
	dq-put -q -i b "$q.b" y
	start_cut $'\ny' # the answer that holds this record is lost
	run -75 --separate-stderr dq-take -u "unix://$T/cut" -n 2 -w 5s "$q.a" "$q.b"
	stop_cut
	matches "$output" "^$q.a/a@"
	equal "${#lines[@]}" 1
}
