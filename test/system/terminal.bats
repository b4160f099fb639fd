# Goal: What others wrote (payloads, results, reasons, operands, names of files, the environment) never acts on a terminal, and
# whatever of it people can read they see.

bats_require_minimum_version 1.5.0

load ../helper

# A title, a C1 control, a character that is not seen, one that changes the direction; and half a character.
evil=$'\e]0;owned\a\xc2\x9b31m\xe2\x80\x8b\xe2\x80\xae\x01\x7f' cut=$'\xc3'

# The command writes nothing to a terminal on which that acts, but it writes.
shows() { # COMMAND...
	if python3 "$top/test/tool/terminal.py" --shown "$@" >/dev/null 2>"$T/shown" </dev/null && [ -s "$T/shown" ]; then return 0; fi
	echo "$* (acts, or says nothing)"
	cat -v "$T/shown"
	return 1
}

@test "payloads, results and reasons, in each format" {
	local id json
	for id in acked dead retried ready; do
		dq-put -q --keep 1h -k k -i "$id" "$q" "$evil$cut"
	done
	dq-take "$q" | dq-ack -m "$evil$cut"
	dq-take "$q" | dq-ack -b -m "$evil"
	dq-take "$q" | dq-ack -r -d 1h -m "$evil$cut"
	dq-put -q -i utf8 -d 1h "$q" "$evil"
	dq-put -q "$q" "$evil" "$evil$cut"
	for json in '' --json; do
		shows dq-wait -w 0 $json "$q/k+acked" "$q/k+dead"
		shows dq-stat $json --messages all --payload "$q"
		shows dq-stat $json --messages ended "$q"
		shows dq-stat $json -k k "$q"
		shows dq-stat $json "$q/k+acked" "$q/k+dead" "$q/k+retried"
		shows dq-take $json --ack "$q"
	done
	shows dq-stat --payload "$q/utf8"
	shows dq-dump "$q"
	equal "$(dq-dump "$q" | jq -r 'select(.id == "utf8").payload')" "$evil" # the same text for a program
}

@test "operands, options, names of files and the environment" {
	local tool name
	for tool in "$DQ_BIN"/dq-*; do
		tool=${tool##*/}
		shows "$tool" "$evil"
		shows "$tool" "--$evil"
		shows "$tool" -u "redis://h/$evil$cut" "$q"
		shows env DQ_RETRY_FOR="$evil" DQ_URL="unix:///tmp/$evil" "$tool" "$q" true
		shows "$tool" --cacert "/no/$evil" -u rediss://127.0.0.1:1 "$q" true
	done
	shows dq-load "/no/$evil$cut"
	for name in "$evil" "{\"$evil\":1}" '{"kind":"\u009b\u202e\u0007"}'; do
		printf '%s\n' "$name" >"$T/$evil"
		shows dq-load "$T/$evil"
	done
}

@test "what a server answers" {
	local tool
	start_fake evil "-OOPS $evil$cut\\r\\n"
	for tool in put take promote stat gc dump; do
		shows "dq-$tool" -u "unix://$T/evil/s" "$q" x
		grep -q 'OOPS .*owned' "$T/shown"
	done
}

@test "letters that people write are shown as they are, in errors, too" {
	fails 64 '^"Müller €": a queue' dq-put 'Müller €' x
	fails 74 '^/no/März 😀: No such file or directory$' dq-load '/no/März 😀'
	fails 64 '^"\\xe2\\x80\\xaeM\\xc3": a queue' dq-put $'\xe2\x80\xaeM\xc3' x
}
