# Goal: The whole way: many lines of real text pass through the tools in ordinary use, each once, byte for byte, in little memory.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# N lines of text from this system, numbered, so that all differ.
text() {
	while :; do
		find /usr/share/common-licenses /usr/share/perl /usr/share/dict /usr/share/doc /usr/share/zoneinfo -type f -size -2000k \
			-exec cat {} + 2>/dev/null
		printf 'tab\tbackslash\\ \\n \\0 quote" \xff\xfe \xc3\xa9\r\n'
	done | tr -d '\0' | awk -v n="$1" 'NR > n { exit } { print NR ": " substr($0, 1, 3000) }'
}

consume() { # N
	dq-take -qf -n 100 "$q" > >(tee "$T/got.$1" | dq-ack 2>"$T/ack.$1") 2>"$T/take.$1" 3>&- &
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
	wait_until 300 gathered "$n"
	for pid in "${takers[@]}"; do
		kill "$pid"
		exits 143 "$pid"
	done
	equal "$(wc -l <"$T/names")" "$n"
	equal "$(sort -u "$T/names" | wc -l)" "$n"
	cat "$T"/got.* >"$T/got"
	equal "$(wc -l <"$T/got")" "$n"
	# Both consumers got messages.
	[ -s "$T/got.1" ] && [ -s "$T/got.2" ]
	equal "$(cat "$T"/take.* "$T"/ack.*)" ''
	python3 "$top/test/system/flow_taken.py" "$T"
	cmp "$T/text" "$T/text.back"
	holds 0 0 0 0
	equal "$(field stat put) $(field stat taken) $(field stat acked)" "$n $n $n"
	equal "$(field stat expired_leases)$(field stat given_back)" ''
}

@test "delayed, promoted, failed, retried, settled" {
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

# STATUS PEAK: how a command that reads that file ends, and the most memory it had, in KiB (not less than python's own).
watched() { # FILE COMMAND...
	python3 "$top/test/system/flow_peak.py" "$@"
}

# Ten times the input takes no more memory: less than a quarter of the input would show.
stays() { # STATUS FILE COMMAND...
	local few many wanted=$1 file=$2
	shift 2
	head -n $(($(wc -l <"$file") / 10)) "$file" >"$T/few"
	few=$(watched "$T/few" "$@")
	many=$(watched "$file" "$@")
	equal "${few% *} ${many% *}" "$wanted $wanted" || return
	between 0 "${many#* }" $((${few#* } + $(wc -c <"$file") / 4096))
}

@test "memory does not grow with the stream, though Redis reads slower than a tool writes" {
	[ -z "${ASAN_OPTIONS:-}" ] || return 0 # what is freed is kept for a while
	seq 60000 | awk '{ printf "%0999d\n", $1 }' >"$T/lines"
	stays 0 "$T/lines" dq-put -ql "$q"
	stays 0 "$T/lines" dq-put -l "$q"
	seq 200000 | awk -v q="$q" '{ printf "%s/%0120d@1\n", q, $1 }' >"$T/receipts"
	stays 1 "$T/receipts" dq-ack -q
	stays 1 "$T/receipts" dq-rm -q
}

@test "memory does not grow with the number of queues" {
	[ -z "${ASAN_OPTIONS:-}" ] || return 0
	local few many
	seq 20000 | awk -v q="$q" '{ printf "ZADD {%s:queues} 1 %s.%d\n", q, q, $1 }' >"$T/names"
	export DQ_PREFIX=$q
	head -n 2000 "$T/names" | rcli >/dev/null
	few=$(watched /dev/null dq-gc)
	rcli <"$T/names" >/dev/null
	many=$(watched /dev/null dq-gc)
	equal "${few% *} ${many% *}" '0 0'
	between 0 "${many#* }" $((${few#* } + 10240)) # 18,000 queues more, of 3 KiB each
	# 30 receipts of each of 1,000 queues, in turn; then of 10 queues
	seq 30000 | awk -v q="$q" '{ printf "%s.%d/%0100d@1\n", q, $1 % 1000, $1 }' >"$T/receipts"
	many=$(watched "$T/receipts" dq-ack -q)
	sed -i -E 's/^([^.]*\.)[0-9]*([0-9])/\1\2/' "$T/receipts"
	few=$(watched "$T/receipts" dq-ack -q)
	equal "${few% *} ${many% *}" '1 1'
	between 0 "${many#* }" $((${few#* } + 6144)) # 1,000 queues of 3 KiB, and some batches
}

peak_of() { # PID
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status"
}

@test "memory does not grow with the number of messages taken" {
	[ -z "${ASAN_OPTIONS:-}" ] || return 0
	local pid before n
	dq-take -qf -n 1000 "$q" >"$T/taken" 2>"$T/said" 3>&- &
	pid=$!
	for n in 10000 100000; do
		before=$(peak_of "$pid")
		seq "$n" | awk '{ printf "%0299d\n", $1 }' | dq-put -ql "$q"
		taken() { [ "$(states)" = "0 0 $((n == 10000 ? n : n + 10000)) 0" ]; }
		wait_until 300 taken
	done
	between 0 "$(peak_of "$pid")" $((before + 2048))
	kill "$pid"
	exits 143 "$pid"
	equal "$(cat "$T/said")" ''
}
