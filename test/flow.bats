# shellcheck disable=SC2016
# The whole way: many lines of real text through the tools as they would be used, each once, byte for byte.

bats_require_minimum_version 1.5.0

load helper

# N lines of text from this system, numbered, so that all differ.
text() {
	while :; do
		find /usr/share/common-licenses /usr/share/perl /usr/share/dict /usr/share/doc /usr/share/zoneinfo -type f -size -2000k \
			-exec cat {} + 2>/dev/null
		printf 'tab\tbackslash\\ \\n \\0 quote" \xff\xfe \xc3\xa9\r\n'
	done | tr -d '\0' | awk -v n="$1" 'NR > n { exit } { print NR ": " substr($0, 1, 3000) }'
}

consume() { # N
	dq-take -f -n 100 "$q" > >(tee "$T/got.$1" | dq-ack 2>"$T/ack.$1") 2>"$T/take.$1" 3>&- &
	takers+=($!)
}

gathered() { # N
	[ "$(cat "$T"/got.* | wc -l)" -ge "$1" ] && [ "$(rcli HLEN "dq:{$q}:msg")" = 0 ]
}

@test "lines of real text, one producer, two consumers" {
	local n=100000 takers=() pid
	case $DQ_BIN in */asan) n=5000 ;; esac
	text "$n" >"$T/text"
	equal "$(wc -l <"$T/text")" "$n"
	consume 1
	consume 2
	dq-put -l "$q" <"$T/text" >"$T/names"
	wait_until 60 gathered "$n"
	for pid in "${takers[@]}"; do
		kill "$pid"
		exits 143 "$pid"
	done
	equal "$(wc -l <"$T/names")" "$n"
	equal "$(sort -u "$T/names" | wc -l)" "$n"
	cat "$T"/got.* >"$T/got"
	equal "$(wc -l <"$T/got")" "$n"
	# Both had their share.
	[ -s "$T/got.1" ] && [ -s "$T/got.2" ]
	equal "$(cat "$T"/take.* "$T"/ack.*)" ''
	python3 - "$T" <<-'PYTHON'
		import re, sys
		values = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0"}
		lines = [re.sub(rb"\\(.)", lambda m: values[m.group(1)], line.split(b"\t")[1])
		    for line in open(sys.argv[1] + "/got", "rb").read().split(b"\n")[:-1]]
		lines.sort(key=lambda line: int(line.split(b":")[0]))
		open(sys.argv[1] + "/text.back", "wb").write(b"".join(line + b"\n" for line in lines))
	PYTHON
	cmp "$T/text" "$T/text.back"
	holds 0 0 0 0
	equal "$(field stat put) $(field stat taken) $(field stat acked)" "$n $n $n"
	equal "$(field stat expired_leases)$(field stat given_back)" ''
}

@test "delayed, promoted, failed, tried again, settled" {
	seq 1 200 | dq-put -ql -d 40ms -t 40ms "$q"
	holds 200 0 0 0
	run -1 dq-take --no-promote "$q"
	wait_until 10 eval 'dq-promote "$q"; [ "$(states)" = "0 200 0 0" ]'
	dq-take -n 200 "$q" >"$T/first"
	equal "$(wc -l <"$T/first")" 200
	wait_until 10 eval 'dq-promote "$q"; [ "$(states)" = "0 200 0 0" ]'
	dq-take -t 1m -n 200 "$q" | tee "$T/second" | dq-ack
	holds 0 0 0 0
	equal "$(cut -f2 "$T/second" | sort -n | cksum)" "$(seq 1 200 | cksum)"
	run -1 dq-ack -q <"$T/first"
}
