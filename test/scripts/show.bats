# Goal: show reads many messages in one call, in the order of their ids, and a call reads no more than about a megabyte.

bats_require_minimum_version 1.5.0

load ../helper
load calls

# The ids of messages, by the payloads in a reply, which are the last of each fourteen fields.
payloads() { # ARG... of show
	script show "$now" "$@" | sed 1d | awk 'NR % 14 == 0' | paste -sd' '
}

@test "show: each id has its place in the reply; nothing stands for a message that is gone" {
	put a 0 $'p=7\nA' b 0 $'\nB' c 9000 $'\nC'
	equal "$(payloads 1 c a b)" 'C A B'
	equal "$(script show "$now" 1 c x a | sed -n '1p; 2p; 15,18p; 30p' | paste -sd,)" \
		"$now,delayed,C,,ready,$now,A"
	equal "$(script show "$now" 0 a | tail -2 | paste -sd,)" '1,'
	refuses '^DQRANGE ids$' show "$now" 1
}

@test "show: a call ends after a megabyte of records, and shows at least one" {
	printf '%0500000d' 0 | dq-put -q -i a "$q"
	printf '%0600000d' 0 | dq-put -q -i b "$q"
	dq-put -q -i c "$q" C
	printf '%01048576d' 0 | dq-put -q -i d "$q"
	equal "$(script show "$now" 1 a b c d | wc -c)" "$(script show "$now" 1 a b | wc -c)"
	equal "$(script show "$now" 1 d c a | wc -c)" "$(script show "$now" 1 d | wc -c)"
	equal "$(payloads 1 c a | wc -c)" 500003
	equal "$(script show "$now" 0 a b c | grep -c ready)" 2 # it has read them
}
