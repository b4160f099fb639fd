# Goal: Every parser and script survives every input: fuzzers for a short time, always with the same inputs (make fuzz: longer, and with
# others), and scripts with arguments that no caller should send.

bats_require_minimum_version 1.5.0

load ../helper

@test "fuzzers: faults found before stay repaired, and some thousand inputs more" {
	if ! command -v clang >/dev/null; then
		[ "${CI:-}" != true ] || {
			echo 'clang not found: make test-deps'
			return 1
		}
		skip 'clang not found: make test-deps'
	fi
	BUILD=$DQ_BIN "$top/test/fuzz/run" --short
}

# Its seed is on the first line: test/fuzz/scripts.py SOCKET build/lua CALLS SEED.
@test "scripts: any arguments are answered or refused with a code, and the queue holds together" {
	DQ_FUZZ_SEED=${DQ_FUZZ_SEED:-$RANDOM}
	timeout 600 "$top/test/fuzz/scripts.py" "$T/main/s" "$DQ_BIN/lua" 20000 "$DQ_FUZZ_SEED"
}

# Tests the check itself, with scripts that have each kind of fault.
finds() { # WHAT FILE SED-EXPRESSION
	local dir=$BATS_TEST_TMPDIR/lua
	rm -rf "$dir"
	cp -r "$DQ_BIN/lua" "$dir"
	sed -i "$3" "$dir/$2"
	if cmp -s "$dir/$2" "$DQ_BIN/lua/$2"; then
		echo "$2: nothing to spoil by $3"
		return 1
	fi
	local seed # not every order of calls meets it
	for seed in {4..23}; do
		run timeout 600 "$top/test/fuzz/scripts.py" "$T/main/s" "$dir" 3000 "$seed"
		[ "$status" -eq 0 ] || break
	done
	equal "$status" 1 || return
	matches "$output" "$1"
}

@test "scripts: the check finds faults" {
	finds 'ack: ERR' ack.lua 's/^return refusal(now_arg/return refusal(nil .. now_arg/'
	finds 'audit of ' bury.lua "s/^if reply then/& redis.call('ZADD', KEYS[5], 1, 'nobody')/"
	finds 'refused, and wrote: DQ' set.lua "s/^local refused = /redis.call('HINCRBY', KEYS[7], 'x', 1)\n&/"
	finds 'score in leased' extend.lua "s/integer(up + ttr), sure/integer(up + ttr) .. '.5', sure/"
}
