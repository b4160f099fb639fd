# Goal: A server, or a proxy, that answers and hangs up, or hangs, again and again: pauses that grow, few lines, and --retry-for and -w are
# the end of it.

bats_require_minimum_version 1.5.0

load ../helper

setup() {
	begin_test
}

# A way to the main server (test/tool/unsteady.py); DQ_URL is its own.
start_unsteady() { # NAME FEW HOW [WORD...]
	mkdir "$T/$1"
	python3 "$top/test/tool/unsteady.py" "$T/$1/s" "$T/main/s" "$T/$1/log" "${@:2}" 3>&- &
	echo $! >"$T/$1/pid"
	disown
	wait_until 30 test -S "$T/$1/s"
	export DQ_URL=unix://$T/$1/s
}

# For three seconds, in the background.
tried() { # NAME FEW HOW WORDS TOOL...
	# shellcheck disable=SC2086  # several words
	start_unsteady "$1" "$2" "$3" $4
	timeout -s TERM 3 "${@:5}" </dev/null >"$T/$1/out" 2>"$T/$1/err" 3>&- &
	pids+=($!)
}

calm() { # NAME LINES
	if between 2 "$(wc -l <"$T/$1/log")" 40 && between 0 "$(wc -l <"$T/$1/err")" "$2"; then return; fi
	echo "$1: $(wc -l <"$T/$1/log") connections; $(head -3 "$T/$1/err")"
	return 1
}

@test "a server that answers and hangs up is asked again after pauses that grow, and three lines say it" {
	local name pid pids=()
	dq-put -q --keep 1h -i w kept x
	seq 200 | dq-put -q -l "$q"
	echo hello >"$T/line"
	tried put 1 after '' dq-put -l --retry-for 1m new "$T/line"
	tried take 2 after '' dq-take -f "$q"
	tried promote 2 after '' dq-promote -f "$q"
	tried all 4 after '' dq-promote -f
	tried pop 1 after BZPOPMIN dq-promote -f "$q"
	tried popped 1 close BZPOPMIN dq-take -f -n 1000 "$q"
	tried heard 1 after SSUBSCRIBE dq-wait kept/w
	for pid in "${pids[@]}"; do
		wait "$pid" || true
	done
	for name in put take promote all pop popped heard; do
		calm "$name" 5
	done
}

@test "--retry-for: a try gets what is left of it, however long --timeout is; and so does the next connection" {
	local began=${EPOCHREALTIME/./} name pid pids=()
	start_unsteady hangs 0 hang
	export DQ_RETRY_FOR=200ms
	for name in put stat dump rm wait; do
		case $name in
		put) dq-put --timeout 6s -q -i x "$q" x ;;
		rm) dq-rm --timeout 6s "$q/x" ;;
		wait) dq-wait --timeout 6s "$q/x" ;;
		*) "dq-$name" --timeout 6s "$q" ;;
		esac >/dev/null 2>"$T/$name.err" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		exits 75 "$pid"
	done
	between 6000 $(((${EPOCHREALTIME/./} - began) / 1000)) 11000
	matches "$(<"$T/put.err")" ': trying again for 200ms'
}

@test "a proxy that hangs up at CLIENT: what may be repeated goes on without the name" {
	start_unsteady proxy 0 close CLIENT
	equal "$(dq-put -i x "$q" hello)" "$q/x"
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 }')" 1
	fails 75 'connection closed by the server$' dq-take "$q"
	dq-take -f -n 1 "$q" >"$T/taken" 2>"$T/err" 3>&- &
	local taker=$!
	wait_until 20 has_lines "$T/taken" 1
	kill "$taker" 2>/dev/null || true
	wait "$taker" || true
	dq-ack "$(cut -f 1 "$T/taken")"
	holds 0 0 0 0
}

@test "dq-wait -w ends at most a second later, whatever --timeout and --retry-for are" {
	local began=${EPOCHREALTIME/./}
	dq-put -q --keep 1h -i x "$q" x
	kill -STOP "$(<"$T/main/pid")"
	run -75 dq-wait -w 0 --timeout 1m --retry-for 1m "$q/x"
	run -75 dq-wait -w 0 --timeout 1m "$q/x"
	kill -CONT "$(<"$T/main/pid")"
	run -69 dq-wait -w 0 -u "unix://$T/none" --retry-for 1m "$q/x"
	between 0 $(((${EPOCHREALTIME/./} - began) / 1000)) 30000
	run -124 dq-wait -q -w 0 "$q/x"
}
