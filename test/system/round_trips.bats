#!/usr/bin/env bats
# Each tool costs so many round trips and no more: to a far server they are what an invocation takes. The greeting is in the first of
# them. A connection to TCP costs one more before it, and TLS another one; DQ_URL names a unix socket here.

load ../helper

setup_file() {
	begin_file
	make_way way 0
	make_way far 40
	know_scripts
}

make_way() { # NAME MS
	mkdir "$F/$1"
	python3 "$top/test/tool/rounds.py" "$F/$1/s" "$F/main/s" "$F/$1/log" "$2" 3>&- &
	echo $! >"$F/$1/pid"
	disown
	wait_until 10 test -S "$F/$1/s"
}

# A server that was used before knows them.
know_scripts() {
	local file
	for file in "$top"/lua/*.lua; do
		"$DQ_BIN/embed" -x "$file" >"$F/text"
		redis-cli -s "$F/main/s" -x SCRIPT LOAD <"$F/text" >/dev/null # an argument has at most 128 KiB
	done
}

costs() { # ROUND-TRIPS COMMAND...
	local trips log=$F/${way:-way}/log
	: >"$log"
	DQ_URL=${url:-unix://$F/${way:-way}/s} "${@:2}" <"${from:-/dev/null}" >"$T/out" 2>"$T/err" || true
	mapfile -t trips <"$log"
	[ "${#trips[@]}" -eq "$1" ] || {
		printf '%s: %s round trips, and not %s:\n' "${*:2}" "${#trips[@]}" "$1"
		printf '%s\n' "${trips[@]}" "$(<"$T/err")"
		false
	}
}

fill() { # N
	seq "$1" | dq-put -q -l "$q"
}

# --- the greeting ---

# AUTH and SELECT may fail. What comes after them waits, so that it runs as nobody else, and in no other database.
@test "a password or a database costs one more, both together no more than one of them" {
	warm_up "$q"
	rcli ACL SETUSER someone on '>secret' '~*' '&*' +@all >/dev/null
	costs 1 dq-put "$q" x
	url="unix://someone:secret@$F/way/s" costs 2 dq-put "$q" x
	url="unix://$F/way/s?db=3" costs 4 dq-put "$q" x # with the name of the new queue
	url="unix://$F/way/s?db=3" costs 2 dq-put "$q" x
	url="unix://someone:secret@$F/way/s?db=3" costs 2 dq-put "$q" x
}

# The default user of this server may do everything without a password.
@test "nothing runs if a password or a database is refused" {
	local before
	rcli ACL SETUSER someone on '>secret' '~*' '&*' +@all >/dev/null
	before=$(scripts_run)
	url="unix://someone:wrong@$F/way/s" costs 1 dq-put "$q" x
	matches "$(<"$T/err")" 'WRONGPASS'
	url="unix://:wrong@$F/way/s" costs 1 dq-put "$q" x
	matches "$(<"$T/err")" 'AUTH'
	url="unix://$F/way/s?db=99" costs 1 dq-put "$q" x
	matches "$(<"$T/err")" 'DB index is out of range'
	equal "$(scripts_run)" "$before"
}

# --- each tool ---

@test "dq-put: one, and three for a new queue" {
	costs 3 dq-put "$q" x
	costs 1 dq-put "$q" x
	costs 1 dq-put -d 1h -r 3 -t 5s -p 7 -x 1d -b 1s -i x "$q" x
	costs 1 dq-put -e replace -i x "$q" y
	costs 1 dq-put "$q" a b c d
	seq 5000 >"$T/lines"
	from=$T/lines costs 2 dq-put -l "$q" # eight calls of 500 are on their way at once
}

@test "dq-take: one, two with --ack" {
	warm_up "$q" other
	fill 2000
	costs 1 dq-take "$q"
	costs 1 dq-take -n 100 "$q"
	costs 1 dq-take --json -t 1h "$q"
	costs 2 dq-take --ack "$q"
	costs 2 dq-take other "$q"
	costs 1 dq-take -q "$q"
	costs 3 dq-take nonesuch
}

# Each reply brings two more calls of 125, until they fill the way: 1, 2, 4, 8, 16, 16...
@test "dq-take from a far server: many calls are on their way at once" {
	fill 10000
	way=far costs 4 dq-take -n 1000 "$q"
	way=far costs 6 dq-take -n 5000 "$q"
	way=far costs 6 dq-take --until-empty "$q"
	holds 0 0 10000 0
}

@test "dq-ack: one, for each verb" {
	local verb
	fill 2000
	for verb in '' -r '-r -d 5s' -b '-x 1h' -g '-g -d 1h'; do
		dq-take "$q" | cut -f 1 >"$T/receipt"
		# shellcheck disable=SC2086
		costs 1 dq-ack $verb "$(<"$T/receipt")"
	done
	dq-take -n 1000 "$q" >"$T/receipts"
	from=$T/receipts costs 1 dq-ack
}

@test "dq-promote" {
	local receipt
	export DQ_PREFIX=promote
	warm_up "$q"
	dq-put -q -d 1h -i a "$q" x
	costs 2 dq-promote "$q"
	costs 2 dq-promote
	costs 1 dq-promote "$q/a"
	dq-take "$q" >"$T/taken"
	IFS=$'\t' read -r receipt _ <"$T/taken"
	costs 1 dq-promote --release "$receipt"
	dq-ack -b "$(dq-take "$q" | cut -f 1)"
	costs 1 dq-promote --dead "$q/a"
	costs 3 dq-promote --dead "$q"
}

@test "dq-set" {
	warm_up "$q"
	costs 1 dq-set "$q"
	costs 1 dq-set --json "$q"
	costs 1 dq-set "$q" paused=yes
	costs 1 dq-set "$q" paused=no
}

@test "dq-rm" {
	fill 2000
	dq-put -q -d 1h -i a "$q" x
	costs 1 dq-rm "$q/a"
	costs 5 dq-rm -a --dry-run --state ready "$q"
	costs 10 dq-rm -af "$q"
	dq-put "$q" x
	costs 6 dq-rm -afq "$q"
}

@test "dq-run: what it settles goes with what it takes next" {
	fill 2
	costs 2 dq-run --once "$q" -- true
	costs 2 dq-run --once "$q" -- true
	fill 10
	costs 12 dq-run --until-empty "$q" -- true # the last take has no verdict before it
}

@test "dq-stat" {
	export DQ_PREFIX=stat # no other queues
	warm_up "$q"
	dq-put -q -d 1h -i a "$q" x
	costs 2 dq-stat
	costs 1 dq-stat "$q"
	costs 1 dq-stat --json "$q"
	costs 1 dq-stat --names
	costs 1 dq-stat --messages delayed "$q"
	costs 1 dq-stat --next "$q"
	costs 4 dq-stat --check "$q"
	costs 5 dq-stat --prometheus
	costs 1 dq-stat "$q/a"
	costs 1 dq-stat --payload "$q/a"
	costs 5 dq-stat --messages all --json "$q"
}

@test "dq-gc" {
	export DQ_PREFIX=gc
	warm_up "$q"
	costs 3 dq-gc
	costs 3 dq-gc "$q"
	costs 3 dq-gc --check "$q"
	costs 3 dq-gc --repair "$q"
}

@test "dq-dump and dq-load" {
	fill 1000
	costs 19 dq-dump "$q"
	cp "$T/out" "$T/dump"
	dq-rm -fa "$q"
	costs 7 dq-load "$T/dump"
	costs 2 dq-load "$T/dump"
}
