# Goal: If the reply to a take arrives after a signal, its messages are given back: nobody saw them, so this costs no try.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

@test "TERM before the reply to a take: the message is ready again, without a try, and nothing is written" {
	local pid how
	start_gate
	dq-take -q "$q" || true # the server knows the script now
	for how in '-w 1h' -f; do
		rm -f "$T/rules/held.EVALSHA"
		rule late.EVALSHA
		dq-put -q -i x -e replace "$q" x
		# shellcheck disable=SC2086
		env --default-signal dq-take -qu "unix://$T/gate" $how "$q" >"$T/out" 2>"$T/err" 3>&- &
		pid=$!
		wait_until 10 came EVALSHA
		kill "$pid"
		wait_until 10 delivered "$pid"
		lift late.EVALSHA
		exits 143 "$pid"
		equal "$(cat "$T/out")" ''
		holds 0 1 0 0
		equal "$(tries x)" 0
	done
}
