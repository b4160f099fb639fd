# Goal: Each kind of JSON object always has all members that the table in dq-stat(1) lists, with the same meaning in each kind.

bats_require_minimum_version 1.5.0

load ../helper
load queue

# The members of a kind in dq-stat(1), as a sorted list in JSON.
table() { # LETTER
	awk -v kind="$1" '/^\.S[hs] / { on = $0 == ".Sh JSON" }
		on && /^\.It Li / { name = $3; next }
		on && name { split($0 ":", part, /[;:]/); if (part[1] " " ~ " " kind " ") print name; name = "" }' "$top/man/dq-stat.1" |
		jq -Rsc 'split("\n") | map(select(. != "")) | sort'
}

# All objects on standard input have these members.
all_have() { # SORTED-LIST
	equal "$(jq -c 'keys' | sort -u)" "$1"
}

# Messages with everything, and with nothing, in each state; one that has expired, and one without a place.
fill() {
	local state
	for state in dead leased ready; do
		dq-put -q -i "$state" "$q" x
		TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 TRACESTATE=a=b \
			dq-put -q -i "$state-all" -x 1h --unique-for 1h -b exp:1s..1h -p 3 -t 1h "$q" $'\xff'
		[ "$state" = ready ] || dq-take -n 2 "$q" >"$T/$state"
	done
	dq-ack -b -m $'\xff' <"$T/dead"
	dq-put -q -d 1h -i delayed "$q" x
	dq-put -q -d 1h -x 2h -i delayed-all "$q" x
	dq-put -q -x 1ms -i expired "$q" x
	wait_until 10 is_expired
}

is_expired() {
	[ "$(dq-stat --json "$q" | jq '.queues[0].expired')" = 1 ]
}

@test "each kind of object has the members of the table" {
	local L M D all id
	fill
	L=$(table L) M=$(table M) D=$(table D)
	equal "$(jq -n "($L | length) > 8 and ($M | length) > 18 and ($D | length) > 10")" true
	dq-stat --messages all --json "$q" >"$T/listed"
	equal "$(jq -r .state "$T/listed" | sort -u | paste -sd' ')" 'dead delayed leased ready'
	all_have "$L" <"$T/listed"
	all=$(jq -c -n "$L + $(table E) | unique")
	dq-stat --messages expired --json "$q" | all_have "$all"
	all=$(jq -c -n "$L + $M + $(table P) | unique")
	dq-stat --messages all --json --payload "$q" >"$T/whole"
	all_have "$all" <"$T/whole"
	dq-stat --messages expired --json --payload "$q" | all_have "$all"
	for id in $(jq -r .name "$T/listed"); do
		dq-stat --json "$id" || return
	done >"$T/shown"
	all_have "$M" <"$T/shown"
	equal "$(jq -n "$L - $M")" '[]'
	dq-stat --json "$q" "$q.none" 2>/dev/null | jq -c '.queues[]' | all_have "$(table Q)"
	dq-stat --check --json | jq -c '.findings[]' | all_have "$(table F)"
	dq-put -q -k k "$q" x
	dq-stat --keys --json "$q" | all_have "$(table K)"
	dq-stat -k k --json "$q" >"$T/of_k"
	all_have "$(table C)" <"$T/of_k"
	jq -c '.list[]' "$T/of_k" | all_have "$L"
	dq-take --json -n 9 "$q" | all_have "$D"
}

@test "members have the same values in each kind; a dump has the members of its manual" {
	local all
	fill
	dq-stat --messages all --json "$q" | jq -S . >"$T/listed"
	dq-stat --messages all --json --payload "$q" >"$T/whole"
	equal "$(jq -S "with_entries(select(.key as \$k | $(table L) | index(\$k)))" "$T/whole")" "$(<"$T/listed")"
	jq -r .name "$T/whole" | while read -r name; do dq-stat --json "$name"; done | jq -S 'del(.now_ms)' >"$T/shown"
	equal "$(jq -S 'del(.now_ms, .payload, .payload_base64)' "$T/whole")" "$(<"$T/shown")"
	dq-dump "$q" | jq -c 'select(.kind == "message")' >"$T/dump"
	all=$(awk '/^\.It Li message/ { on = 1; next } on && /^\.It/ { exit } on && /^\.Li/' "$top/man/dq-dump.1" |
		grep -oE '[a-z_0-9]{2,}' | jq -Rsc 'split("\n") | map(select(. != "")) + ["kind"] | sort')
	all_have "$all" <"$T/dump"
	equal "$(jq -S 'del(.kind)' "$T/dump" | jq -cs 'sort_by(.id)')" \
		"$(jq -S 'del(.name, .now_ms, .size, .holder)' "$T/whole" | jq -cs 'sort_by(.id)')"
}
