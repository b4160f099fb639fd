# Goal: Each format of dq-take (default, --json and -0) prints a payload unchanged, and no byte of it acts on a terminal.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "--json: the reason why the last delivery ended" {
	local reason
	for reason in plain $'two\nlines "quoted" \e[1m \xc3\xa9'; do
		dq-put -q -i x -b 0 "$q" x
		dq-take "$q" | dq-ack -r -d 0 -m "$reason"
		dq-take -w 5s --json "$q" >"$T/json"
		equal "$(jq -r '[.try, .reason] | @json' "$T/json")" "$(jq -nc --arg reason "$reason" '[2, $reason]')"
		dq-rm "$q/x"
	done
	dq-put -q -i x "$q" x
	dq-take "$q" | dq-ack -r -d 0 -m $'no \xff UTF-8'
	equal "$(dq-take -w 5s --json "$q" | jq -r .reason_base64 | base64 -d)" $'no \xff UTF-8'
	later 60001
	equal "$(dq-take --json "$q" | jq -r '"\(.try) \(.reason)"')" '3 lease ran out'
	dq-put -q -i y "$q" y
	dq-take "$q" | dq-ack -g
	equal "$(dq-take --json "$q" | jq -c '[.try, .reason]')" '[1,null]'
}

@test "--json: one object a line" {
	dq-put -q -i x:1 -r 3 -t 7s "$q" $'tab\t"quote" \\ \x01 \xc3\xa9'
	dq-put -q -i y "$q" second
	dq-take --json -n 2 "$q" >"$T/json"
	equal "$(wc -l <"$T/json")" 2
	equal "$(jq -r 'keys | join(" ")' "$T/json" | sort -u | fmt -w 80)" \
		'due_ms given_back id key lease_until_ms max_tries payload payload_base64
queue reason reason_base64 receipt traceparent tracestate tries try'
	equal "$(head -1 "$T/json" | jq -r '[.queue, .id, .try, .tries, .max_tries] | join(" ")')" "$q x:1 1 1 3"
	equal "$(jq -c .key "$T/json")" $'null\nnull'
	equal "$(head -1 "$T/json" | jq -r .payload)" $'tab\t"quote" \\ \x01 \xc3\xa9'
	equal "$(head -1 "$T/json" | jq .reason)" null
	equal "$(head -1 "$T/json" | jq .lease_until_ms)" "$(score leased x:1)"
	matches "$(head -1 "$T/json" | jq -r .receipt)" "^$q/x:1@[0-9]+\$"
	equal "$(tail -1 "$T/json" | jq -r '[.max_tries, .payload] | join(" ")')" '5 second'
	jq -r .receipt "$T/json" | dq-ack
	holds 0 0 0 0
}

@test "-0: RECEIPT NUL PAYLOAD NUL" {
	dq-put -q -i x "$q" $'a\nb\tc\\'
	dq-put -q -i y "$q" ''
	dq-take -0 -n 2 "$q" | tr '\0\n' '\n|' >"$T/null"
	matches "$(sed -n 1p "$T/null")" "^$q/x@[0-9]+\$"
	equal "$(sed -n 2p "$T/null")" $'a|b\tc\\'
	matches "$(sed -n 3p "$T/null")" "^$q/y@[0-9]+\$"
	equal "$(sed -n 4p "$T/null")" ''
	equal "$(wc -l <"$T/null")" 4
	fails 64 '^only one of -0 and --json$' dq-take -0 --json "$q"
	fails 64 '^only one of -0 and --json$' dq-take --json --null "$q"
}

@test "-0: a payload with NUL is 65, given back and not counted; what came before it stays delivered" {
	dq-put -q -i a "$q" first
	printf 'x\0y' | dq-put -q -i b "$q"
	dq-put -q -i c "$q" third
	run -65 --separate-stderr bash -c 'dq-take -0 -n 3 "$0" | tr "\0" " "; exit "${PIPESTATUS[0]}"' "$q"
	matches "$output" "^$q/a@[0-9]+ first \$"
	matches "$stderr" "^dq-take: $q/b: not delivered: the payload has a NUL byte"
	holds 0 2 1 0
	equal "$(tries b) $(tries c)" '0 0'
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'x\0y third'
}

# What a command writes to a terminal of its own.
on_terminal() { # COMMAND...
	python3 "$top/test/tool/terminal.py" "$@" 2>&1 >/dev/null </dev/null
}

@test "on a terminal no byte of a payload controls it; elsewhere each byte is unchanged" {
	printf 'a\e]0;title\a\e[31m\tb\\c\n\xc2\x9b2J\xff é' | dq-put -q -i x "$q"
	equal "$(on_terminal dq-stat --payload "$q/x")" 'a\x1b]0;title\x07\x1b[31m\tb\\c'$'\n''\xc2\x9b2J\xff é'
	run -0 on_terminal dq-take "$q"
	equal "${output#*$'\t'}" 'a\x1b]0;title\x07\x1b[31m\tb\\c\n\xc2\x9b2J\xff é'
	dq-ack -g <<<"$output"
	equal "$(dq-stat --payload "$q/x" | od -An -tx1)" "$(printf 'a\e]0;title\a\e[31m\tb\\c\n\xc2\x9b2J\xff é' | od -An -tx1)"
	equal "$(dq-take "$q" | cut -f2-)" $'a\e]0;title\a\e[31m\\tb\\\\c\\n\xc2\x9b2J\xff é'
}
