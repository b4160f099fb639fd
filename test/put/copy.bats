# Goal: The output of dq-take goes through dq-put into another queue, byte for byte.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# Payloads of all kinds, as lines of --tsv --base64: each byte, all bytes, sizes up to 1 MiB, of text and of noise.
payloads() {
	python3 "$top/test/put/payloads.py"
}

# All payloads of both queues, byte for byte.
same_payloads() { # QUEUE QUEUE
	local name
	for name in "$1" "$2"; do
		rcli EVAL 'local all = redis.call("HGETALL", KEYS[1])
			local lines = {}
			for i = 1, #all, 2 do lines[#lines + 1] = all[i] .. " " .. #all[i + 1] .. " " .. redis.sha1hex(all[i + 1]) end
			table.sort(lines)
			return lines' 1 "dq:{$name}:msg" >"$T/sums.$name"
	done
	cmp "$T/sums.$1" "$T/sums.$2"
}

@test "queue to queue through --json, jq and --tsv: no byte is lost" {
	command -v jq >/dev/null || [ "${CI:-}" = true ] || skip 'jq not found: make test-deps'
	payloads >"$T/payloads"
	local n
	n=$(wc -l <"$T/payloads")
	dq-put -q --tsv --base64 "$q.a" <"$T/payloads"
	dq-put -q --tsv --base64 "$q.copy" <"$T/payloads"
	holds 0 "$n" 0 0 "$q.a"
	while dq-take -n 1000 --json --ack "$q.a"; do :; done >"$T/records"
	holds 0 0 0 0 "$q.a"
	equal "$(wc -l <"$T/records")" "$n"
	grep -q '"payload":"' "$T/records"
	grep -q '"payload_base64":"' "$T/records"
	jq -r '["-", .id, (.payload_base64 // (.payload | @base64))] | @tsv' "$T/records" | dq-put -q --tsv --base64 "$q.b"
	holds 0 "$n" 0 0 "$q.b"
	same_payloads "$q.b" "$q.copy"
}

@test "queue to queue through the default format, sed and --tsv: no byte is lost" {
	payloads >"$T/payloads"
	local n
	n=$(wc -l <"$T/payloads")
	dq-put -q --tsv --base64 "$q.a" <"$T/payloads"
	dq-put -q --tsv --base64 "$q.copy" <"$T/payloads"
	while dq-take -n 1000 --ack "$q.a"; do :; done | sed 's|^[^/]*/\([^@]*\)@[0-9]*|-\t\1|' | dq-put -q --tsv "$q.b"
	holds 0 0 0 0 "$q.a"
	holds 0 "$n" 0 0 "$q.b"
	same_payloads "$q.b" "$q.copy"
}

@test "from queue to queue, with dq-take -f: each new message moves" {
	local taker mover
	mkfifo "$T/move"
	dq-take -f -n 10 --ack "$q.a" >"$T/move" 3>&- &
	taker=$!
	sed -u 's|^[^/]*/\([^@]*\)@[0-9]*|-\t\1|' "$T/move" 3>&- | dq-put -q --tsv "$q.b" 3>&- &
	mover=$!
	seq -f 'line %g' 500 | dq-put -q -l "$q.a"
	wait_until 20 holds 0 500 0 0 "$q.b"
	holds 0 0 0 0 "$q.a"
	kill "$taker"
	exits 143 "$taker"
	exits 0 "$mover"
	equal "$(dq-take -n 1000 "$q.b" | cut -f2 | cmp - <(seq -f 'line %g' 500))" ''
}
