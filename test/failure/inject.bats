# Goal: Payloads, names, reasons, options and variables that imitate a protocol, formats, scripts, shell, or a terminal's commands: output
# for programs has them byte for byte, output for people is harmless, and nothing is executed.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

inject() { # WHAT
	local keys
	export CANARY=$T/canary KEPT=$T/kept
	mkdir -p "$KEPT"
	python3 "$top/test/hostile/inject.py" "$1" || return
	[ ! -e "$CANARY" ] || return
	keys=$(rcli --raw KEYS '*' | grep -vE '^(dq:\{[A-Za-z0-9._-]+\}:[a-z]+|\{dq:queues\}(:new)?)$' || true)
	equal "$keys" ''
}

@test "payloads are the same byte for byte, by every way in and out" {
	inject payloads
}

@test "handlers get payloads unchanged, and no output is executed" {
	inject handlers
}

@test "reasons are shown escaped, and nothing is executed" {
	inject reasons
}

@test "names and receipts are refused, and shown escaped" {
	inject names
	equal "$(rcli EXISTS "dq:{names}:msg")" 0
}

@test "options and variables are refused, and shown escaped" {
	inject options
	equal "$(rcli EXISTS "dq:{options}:msg")" 0
}

@test "keys written by a foreign client: nothing is executed" {
	inject foreign
}

# With a dq-stat that lets escapes through, a dq-take that loses a byte, and a dq-run that lets a shell read.
@test "the checks find a payload that gets through" {
	mkdir "$T/bad"
	printf '#!/bin/bash\n"$DQ_BIN/dq-stat" "$@"\nprintf "\\033[1m"\n' >"$T/bad/dq-stat"
	printf '#!/bin/bash\n"$DQ_BIN/dq-take" "$@" | tr -d "%%"\n' >"$T/bad/dq-take"
	printf '#!/bin/bash\n: >"$CANARY"\nexec "$DQ_BIN/dq-run" "$@"\n' >"$T/bad/dq-run"
	chmod +x "$T"/bad/*
	PATH=$T/bad:$PATH run -1 inject reasons
	matches "$output" 'shows'
	PATH=$T/bad:$PATH run -1 inject payloads
	matches "$output" 'was b.%.* and is'
	rcli flushall
	PATH=$T/bad:$PATH run -1 inject handlers
	[ -e "$T/canary" ]
}
