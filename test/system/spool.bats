# Goal: share/spool, the producer that must not lose: what it accepted is put once, with its due time, whatever fails or is killed.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

setup() {
	begin_test
	export DQ_SPOOL=$T/spool
	direct=$DQ_URL away=unix://$T/nobody
}

spool() {
	"$top/share/spool" "$@"
}

spooled() { # QUEUE
	find "$DQ_SPOOL/q.$1" -name 'm.*' | wc -l
}

# A program in place of another one: CODE is its text, in sh. $real is the other one.
stand_for() { # NAME CODE
	mkdir -p "$T/stand"
	printf '#!/bin/sh\nreal=%s\n%s\n' "$(command -v "$1")" "$2" >"$T/stand/$1"
	chmod +x "$T/stand/$1"
}

@test "an outage: all are accepted, and put once by the next call, due at the time of their calls" {
	local n due
	export DQ_URL=$away
	for n in 1 2 3 4 5; do
		run -0 --separate-stderr spool -i "$n" "$q" '1 hour' "message $n"
		equal "$output$stderr" ''
	done
	equal "$(spooled "$q")" 5
	due=$(cut -f1 "$DQ_SPOOL/q.$q/m.3")
	export DQ_URL=$direct
	run -0 spool "$q" now last
	equal "$(spooled "$q")" 0
	holds 5 1 0 0
	equal "@$(dq-stat --json "$q/3" | jq .due_ms)" "${due/./}"
	equal "$(dq-stat --payload "$q/3")" 'message 3'
}

@test "payloads are passed byte for byte: standard input, control bytes, an empty one" {
	printf 'a\tb\\n\r\nc\0\377\n\n' >"$T/bytes"
	spool -i bytes "$q" now <"$T/bytes"
	spool -i empty "$q" now ''
	spool -i option "$q" now -x
	holds 0 3 0 0
	dq-stat --payload "$q/bytes" | cmp - "$T/bytes"
	equal "$(dq-stat --payload "$q/empty" | wc -c)" 0
	equal "$(dq-stat --payload "$q/option")" -x
}

@test "--send, for cron: 69 while Redis is away, and silent when all is sent; queues and hundreds of messages" {
	local n
	spool --send # nothing was ever accepted
	export DQ_URL=$away
	spool -i first "$q" now x
	head -c 200000 /dev/zero | spool -i large "$q" now
	run -69 --separate-stderr spool --send
	matches "$stderr" '^dq-put: .*no such socket'
	equal "${#stderr_lines[@]}" 1
	spool -i other "o$q" now x
	for n in {1..1200}; do
		printf '@1\t%s\teA==\n' "$n" >"$DQ_SPOOL/q.$q/m.$n"
	done
	export DQ_URL=$direct
	run -0 --separate-stderr spool --send
	equal "$output$stderr" ''
	holds 0 1202 0 0
	holds 0 1 0 0 "o$q"
	equal "$(spooled "$q") $(spooled "o$q")" '0 0'
}

@test "a second call with the same id is the same message" {
	DQ_URL=$away spool -i 1 "$q" now x
	DQ_URL=$away spool -i 1 "$q" now x
	spool --send
	holds 0 1 0 0
	equal "$(dq-take --ack "$q" | cut -f2)" x
	run -0 spool -i 1 "$q" now x
	holds 0 0 0 0
	equal "$(spooled "$q")" 0
}

@test "killed after the put, before it notes that: sent again, and put once, even if the message is done" {
	DQ_URL=$away spool -i 1 "$q" now x
	cp "$DQ_SPOOL/q.$q/m.1" "$T/kept"
	spool --send
	equal "$(dq-take --ack "$q" | cut -f2)" x
	cp "$T/kept" "$DQ_SPOOL/q.$q/m.1"
	run -0 spool --send
	equal "$(spooled "$q")" 0
	holds 0 0 0 0
}

@test "each part of --send fails, or is killed: what is not in Redis stays in the spool" {
	local part end
	for part in find sort head cut xargs cat dq-put rm flock; do
		for end in "exit 1" 'kill -9 $$'; do
			fresh=$q-${part#dq-}-$RANDOM$RANDOM
			DQ_URL=$away spool -i 1 "$fresh" now one
			DQ_URL=$away spool -i 22 "$fresh" now two
			stand_for "$part" "$end"
			run env PATH="$T/stand:$PATH" "$top/share/spool" --send
			rm "$T/stand/$part"
			equal "$({
				find "$DQ_SPOOL/q.$fresh" -name 'm.*' -printf '%f\n' | cut -c3-
				dq-stat --messages all "$fresh" 2>/dev/null | cut -f1 | cut -d/ -f2
			} | sort -u | paste -sd' ')" '1 22' || {
				echo "$part: $end"
				return 1
			}
			run -0 spool --send
			holds 0 2 0 0 "$fresh"
		done
	done
}

@test "each part of a call fails, or is killed: what it does not accept is not put, and what it accepts is" {
	local part end
	for part in date base64 sync ln mkdir dq-put; do
		for end in 'exit 1' 'kill -9 $$'; do
			stand_for "$part" "$end"
			status=0
			DQ_SPOOL=$T/spool-$part PATH=$T/stand:$PATH DQ_URL=$direct "$top/share/spool" -i "$part" "$q" now x 2>/dev/null ||
				status=$?
			rm "$T/stand/$part"
			if [ "$part" = dq-put ]; then
				equal "$status" 0
			else
				[[ $status == @(64|74) ]]
			fi
		done
		DQ_SPOOL=$T/spool-$part spool --send
	done
	equal "$(dq-stat --messages all "$q" | cut -f1)" "$q/dq-put"
	mkdir -p "$DQ_SPOOL/q.$q"
	stand_for sync 'case $1 in */new.*) exec "$real" "$@" ;; esac; exit 1'
	PATH=$T/stand:$PATH run -74 "$top/share/spool" "$q" now x
	equal "$(spooled "$q")" 0
}

@test "what dq-put refuses for good is kept apart, and stops no other" {
	DQ_URL=$away spool -i 1 "$q" now x
	DQ_URL=$away spool -i late "$q" @99999999999 x
	DQ_URL=$away spool -i 3 "$q" now x
	run -65 --separate-stderr spool --send
	holds 0 2 0 0
	equal "$(spooled "$q")" 0
	[ -s "$DQ_SPOOL/q.$q/refused.late" ]
	rm "$DQ_SPOOL/q.$q/refused.late"
	run -0 spool --send
}

@test "options that change what dq-put prints, and keys: each is sent once, and its file goes" {
	local options id
	for options in -q -v '-k ann' '-p 3 -r 2'; do
		id=${options//[ -]/}
		DQ_SPOOL_OPTIONS=$options spool -i "$id" "$q" now "$options"
		equal "$(spooled "$q")" 0
		DQ_SPOOL_OPTIONS=$options run -0 spool --send
	done
	spool -i ann+7 "$q" now own
	equal "$(spooled "$q")" 0
	equal "$(dq-take --ack --until-empty "$q" | cut -f2 | sort | paste -sd,)" '-k ann,-p 3 -r 2,-q,-v,own'
	DQ_SPOOL_OPTIONS='-k ann' DQ_URL=$away spool -i 7 "$q" now again # this id is reserved
	DQ_SPOOL_OPTIONS='-k ann' run -0 spool --send
	holds 0 0 0 0
}

@test "a full queue: what it has is not sent again, the rest is when there is room" {
	local n
	dq-set -q "$q" max-len=2
	for n in 1 2 3; do DQ_URL=$away spool -i "$n" "$q" now "$n"; done
	run -75 spool --send
	equal "$(find "$DQ_SPOOL" -name 'm.*' -printf '%f\n')" m.3
	equal "$(dq-take --ack --until-empty "$q" | cut -f2 | paste -sd' ')" '1 2'
	run -0 spool --send
	equal "$(dq-take --ack "$q" | cut -f2)" 3
}

@test "an empty file is no message: it is kept apart, and stops no other" {
	DQ_URL=$away spool -i 1 "$q" now x
	: >"$DQ_SPOOL/q.$q/m.2"
	run -65 spool --send
	[ -e "$DQ_SPOOL/q.$q/refused.2" ]
	holds 0 1 0 0
}

@test "order: by the time of the calls, also within a ms, and the oldest are sent first" {
	local n
	export DQ_URL=$away
	for n in 1 2 3 4 5 6; do spool "$q" @1700000000 "$n"; done
	export DQ_URL=$direct
	spool --send
	equal "$(dq-take --ack --until-empty "$q" | cut -f2 | paste -sd' ')" '1 2 3 4 5 6'
	for n in {100..699}; do
		printf '@1\t%s\teA==\n' "$n" >"$DQ_SPOOL/q.$q/m.$n"
	done
	touch -d @1700000000 "$DQ_SPOOL/q.$q/m.699"
	stand_for dq-put "[ ! -e $T/once ] || exit 69; : >$T/once; exec \$real \"\$@\""
	PATH=$T/stand:$PATH run -69 "$top/share/spool" --send
	holds 0 500 0 0
	equal "$(field msg 699 | tail -n 1)" x
}

@test "many calls at once, some while Redis is away: each message once" {
	local n pids=()
	for n in {1..20}; do
		if ((n % 2)); then
			DQ_URL=$away spool -i "$n" "$q" now x 3>&- &
		else
			spool -i "$n" "$q" now x 3>&- &
		fi
		pids+=($!)
	done
	for n in "${pids[@]}"; do
		exits 0 "$n"
	done
	spool --send
	equal "$(spooled "$q")" 0
	holds 0 20 0 0
}

@test "words that it does not understand are refused, and nothing is accepted" {
	run -64 spool
	run -64 spool "$q"
	run -64 spool "$q" '' x
	run -64 spool "$q" 'no time' x
	run -64 spool "$q" '1900-01-01' x
	run -64 spool a/b now x
	run -64 spool -- now x
	run -64 spool -i 'a b' "$q" now x
	run -64 spool --send x
	run -0 spool --send
	equal "$(find "$T" -name 'm.*')" ''
	holds 0 0 0 0
}

# The time of that message from now on, in s.
due_in() { # ID
	dq-stat --json "$q/$1" | jq '(.due_ms - .now_ms) / 1000'
}

@test "WHEN: durations as dq-put reads them, and times as date does" {
	local when n=0
	local -A seconds=([10m]=600 [1h30m]=5400 [90]=90 [1.5h]=5400 [15m]=900 [2h]=7200 [1d]=86400 [1w]=604800
		[1h30min]=5400 ['2 hours']=7200)
	for when in "${!seconds[@]}"; do
		n=$((n + 1))
		spool -i "$n" "$q" "$when" x
		between "$((seconds[$when] - 60))" "$(due_in "$n" | sed 's/[.].*//')" "${seconds[$when]}"
	done
	for when in '' 10q 1m1 m -5 . 1ms5; do
		run -64 --separate-stderr spool "$q" "$when" x
		matches "$stderr" 'spool: WHEN:'
	done
	holds "$n" 0 0 0
}

@test "an empty standard input is refused: its program may have failed" {
	run -65 --separate-stderr spool "$q" now </dev/null
	equal "$stderr" 'spool: standard input is empty'
	equal "$(spooled "$q")" 0
}

@test "what dq-put refuses for good: 65 from the call, and from each --send until it is removed" {
	run -65 --separate-stderr spool -i far "$q" @5000000000 x
	matches "$stderr" 'q\.[^/]*/refused\.far: refused by dq-put$'
	for _ in 1 2; do
		run -65 --separate-stderr spool --send
		matches "$stderr" '^spool: 1 refused by dq-put: .*/refused\.\*$'
	done
	rm "$DQ_SPOOL/q.$q/refused.far"
	run -0 spool --send
}

@test "a call that was killed may leave a second name of what it accepted: the next call with that id changes nothing" {
	export DQ_URL=$away
	spool -i x "$q" now first
	ln "$DQ_SPOOL/q.$q/m.x" "$DQ_SPOOL/q.$q/new.1.x"
	spool -i x "$q" now second
	spool -i y "$q" now other
	export DQ_URL=$direct
	run -0 spool --send
	equal "$(dq-stat --payload "$q/x")" first
	equal "$(dq-stat --payload "$q/y")" other
}

@test "a queue's folder may be on another disk; a file that cannot be read keeps no others back" {
	mkdir -p "$DQ_SPOOL" "$T/disk"
	ln -s "$T/disk" "$DQ_SPOOL/q.$q"
	export DQ_URL=$away
	spool -i x "$q" now x
	spool -i y "$q" now y
	mkdir "$T/disk/m.w" # cat cannot read it
	export DQ_URL=$direct
	run -74 spool --send
	holds 0 2 0 0
	rmdir "$T/disk/m.w"
	run -0 spool --send
	equal "$(find "$T/disk" -name 'm.*')" ''
}

@test "DQ_SPOOL may begin with -, and each folder that is made is on the disk before a message is in it" {
	stand_for sync 'printf "%s\n" "$@" >>"$SYNCED"; exec "$real" "$@"'
	export SYNCED=$T/synced
	cd "$T"
	DQ_SPOOL=-x/y/z DQ_URL=$away PATH=$T/stand:$PATH spool "$q" now x
	equal "$(ls -d -- -x/y/z/*/)" "-x/y/z/q.$q/"
	equal "$(head -n 4 "$SYNCED" | paste -sd' ')" '. ./-x ./-x/y ./-x/y/z'
	DQ_SPOOL=-x/y/z run -0 spool --send
	holds 0 1 0 0
}
