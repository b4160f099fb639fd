# shellcheck shell=bash
# Loops of takes with short waits, so that at any moment some wait begins or ends. They must get each message, once, and not early.

# Takes with short waits, one after the other, until $T/stop is there. Each delivery is a line of $T/got: the time of its end, and its
# payload, which is the time from which it was due, both in us, and its number.
takes_on() { # OPTION...
	local due
	while [ ! -e "$T/stop" ]; do
		dq-take -w 40ms --timeout 60s "$@" 2>>"$T/err" | while IFS=$'\t' read -r _ due; do
			printf '%s %s\n' "${EPOCHREALTIME/./}" "$due"
		done
	done >>"$T/got"
}

begin_takes() { # OPTION...
	local _
	loops=() sent=0
	for _ in {1..8}; do
		takes_on "$@" 3>&- &
		loops+=("$!")
	done
}

end_takes() {
	local loop
	: >"$T/stop"
	for loop in "${loops[@]}"; do exits 0 "$loop"; done
}

puts_some() { # OPTION...: three messages, which are due by and by
	local ms now=${EPOCHREALTIME/./}
	for ms in 1 40 300; do
		now=$(((${EPOCHREALTIME/./} / 1000 + ms) * 1000))
		dq-put -q --timeout 60s -a "@${now:0:-6}.${now: -6:3}" "$@" "$now $sent"
		sent=$((sent + 1))
	done
}

# As many messages have come as were sent, each once, and none before its time.
all_came() {
	wait_until 150 has_lines "$T/got" "$sent"
	equal "$(awk '$1 < $2 { n++ } END { print n + 0 }' "$T/got")" 0
	equal "$(sort -u -k 2 "$T/got" | wc -l)" "$sent"
	equal "$(wc -l <"$T/got")" "$sent"
}
