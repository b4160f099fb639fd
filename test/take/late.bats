# Goal: If the reply to a take arrives after a signal, its messages are given back: nobody saw them, so this costs no try.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

@test "TERM before the reply to a take: the message is ready again, without a try, and nothing is written" {
	local pid how began _
	start_gate
	dq-take -q "$q" || true # the server knows the script now
	for how in '-w 1h' -f; do
		# A tool waits 0.9 s for the reply after a signal, and a busy machine may take longer: then again.
		for _ in {1..9}; do
			rm -f "$T/rules/held.EVALSHA"
			dq-rm -qaf "$q" || true
			dq-put -q -i x "$q" x
			rule late.EVALSHA
			# shellcheck disable=SC2086
			env --default-signal dq-take -qu "unix://$T/gate" $how "$q" >"$T/out" 2>"$T/err" 3>&- &
			pid=$!
			wait_until 10 came EVALSHA
			began=${EPOCHREALTIME/./}
			kill "$pid"
			wait_until 10 delivered "$pid"
			lift late.EVALSHA
			exits 143 "$pid"
			equal "$(cat "$T/out")" ''
			[ $((${EPOCHREALTIME/./} - began)) -ge 800000 ] || break
		done
		holds 0 1 0 0
		equal "$(tries x)" 0
	done
}
