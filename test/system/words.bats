# Goal: Messages about the command line, time-outs and the terminal have the same words in all tools.

bats_require_minimum_version 1.5.0

load ../helper

tools() {
	(cd "$top/cmd" && printf '%s\n' *)
}

@test "--help of every tool fits into 80 columns" {
	local tool
	for tool in $(tools); do
		run -0 "$tool" --help
		[ "${#lines[@]}" -gt 10 ]
		equal "$(awk -v tool="$tool" 'length > 80 { print tool ": " length ": " $0 }' <<<"$output")" ''
	done
}

# --- options ---

@test "a misspelt long option: the error suggests the nearest one; for a word like no option, none" {
	local tool
	for tool in $(tools); do
		fails 64 '^--verbos: needs an argument$|^--verboes: unknown option: did you mean --verbose\?$' "$tool" --verboes
		fails 64 '^--made-up: unknown option$' "$tool" --made-up 1
		fails 64 '^--perfix: unknown option: did you mean --prefix\?$' "$tool" --perfix=x
	done
	fails 64 '^--priorty: unknown option: did you mean --priority\?$' dq-put --priorty 3 "$q" x
	fails 64 '^--retries: unknown option: did you mean --tries\?$' dq-put --retries 3 "$q" x
	fails 64 '^-jsn: unknown option: did you mean --json\?$' dq-stat -jsn
}

@test "a long option with one dash: the error names the long option, not a letter of it" {
	local tool option
	fails 64 '^-priority: did you mean --priority\?$' dq-put -priority 3 "$q" x
	fails 64 '^-priority: did you mean --priority\?$' dq-put -q -priority=3 "$q" x
	fails 64 '^-message: did you mean --message\?$' dq-ack -b -message why "$q/1@1"
	for tool in $(tools); do
		for option in $("$tool" --help | grep -oE '^ +(-., )?--[a-z0-9-]+' | sed 's/.*--//' | grep -vxE 'id|at|help'); do
			fails 64 "^-$option: did you mean --$option\?\$" "$tool" "-$option"
		done
	done
	# These are right as letters.
	run -0 dq-put -id "$q" x
	equal "$output" "$q/d"
	run -0 dq-put -help
	matches "$output" '^usage: dq-put '
	dq-put -q -i -lines -- "$q" x
	holds 0 2 0 0
}

@test "abbreviated long options: taken if one begins so, else the ones that do are named" {
	dq-put -q --prio 3 "$q" x
	holds 0 1 0 0
	fails 64 '^--pr: ambiguous: one of --prefix, --priority$' dq-put --pr 3 "$q" x
	fails 64 '^--priority: takes no argument$|^--quiet: takes no argument$' dq-put --quie=1 "$q" x
	fails 64 '^--quiet: takes no argument$' dq-put --quiet=1 "$q" x
	fails 64 '^--dead: takes no argument$' dq-promote --dead=1
	fails 64 '^--prio: needs an argument$' dq-put --prio
	fails 64 '^-z: unknown option$' dq-put --quiet -zq "$q" x
}

# Arguments with which the tool does something to, or with, queue $q, and the command of dq-run.
operands() { # TOOL
	case $1 in
	dq-put) echo "$q payload" ;;
	dq-ack | dq-rm) echo "$q/id@1" ;;
	*) echo "$q" ;;
	esac
}

@test "an option after an operand is refused, in all tools, whatever POSIXLY_CORRECT says" {
	local tool words command
	dq-put -q -i id "$q" x
	for tool in $(tools); do
		read -ra words < <(operands "$tool")
		command=()
		[ "$tool" != dq-run ] || command=(-- touch "$T/ran")
		for option in --verbose -q --help -5; do
			fails 64 "^$option: options go before operands, and operands that begin with - after --\$" \
				"$tool" "${words[@]}" "$option" "${command[@]}"
			POSIXLY_CORRECT=1 fails 64 "^$option: options go before operands" "$tool" "${words[@]}" "$option" "${command[@]}"
		done
	done
	holds 0 1 0 0
	[ ! -e "$T/ran" ]
}

# TOOL OPTION... : WORD...  with "--" before the words, or after the first of them.
with_dashes() { # before|among ...
	local at=$1 tool=$2 options=()
	shift 2
	while [ "$1" != : ]; do
		options+=("$1")
		shift
	done
	shift
	if [ "$at" = before ]; then
		"$tool" "${options[@]}" -- "$@"
	else
		"$tool" "${options[@]}" "$1" -- "${@:2}"
	fi
}

@test "after -- all words are operands, in all tools, before the first of them and among them" {
	local odd=-$q at
	for at in before among; do
		dq-put -q -i 1 -- "$odd" x
		run -0 with_dashes "$at" dq-put -q : "$q" --help
		run -0 with_dashes "$at" dq-stat --no-header : "$q" "$odd"
		matches "${lines[1]}" "^$odd +0 +0 +1 "
		run -0 with_dashes "$at" dq-promote --dry-run : "$q" "$odd"
		run -0 with_dashes "$at" dq-gc --check : "$q" "$odd"
		run -0 with_dashes "$at" dq-take --ack -n 5 : "$q" "$odd"
		equal "$(cut -f2 <<<"$output" | paste -sd' ')" '--help x'
		dq-put -q -i 2 -- "$odd" x
		run -1 with_dashes "$at" dq-rm : "$q/none" "$odd/2"
		holds 0 0 0 0 "$odd"
		dq-put -q -i 3 -- "$odd" x
		run -1 with_dashes "$at" dq-ack -q : "$q/none@1" "$(dq-take -- "$odd")"
		holds 0 0 0 0 "$odd"
	done
	dq-put -q -- "$odd" x
	run -0 dq-run --drain -- "$q" "$odd" -- cat
	equal "$output" x
	printf in | dq-put -q "$q" a - -- - --
	equal "$(dq-take -n 9 --ack "$q" | cut -f2 | paste -sd' ')" 'a in - --'
}

@test "dq-run without --: no word of the command is a queue or an option" {
	fails 64 '^no -- between queues and command: dq-run QUEUE\.\.\. -- CMD' dq-run "$q" sh -c true
	fails 64 '^no command given: dq-run QUEUE\.\.\. -- CMD' dq-run "$q" --
	fails 64 '^no queue and no command given: ' dq-run --once
	fails 64 '^no queue and no command given: ' dq-run
}

# --- time-outs ---

# Each prints one line, and ends with 75: the object, what was not done, why and where.
late() { # OBJECT COMMAND...
	local object=$1
	shift
	fails 75 "^$object: ((perhaps )?not [a-z ]+: )?timed out after 50ms \(unix://$T/mute/s\)(: 0 [a-z ]+,.*)?\$" "$@" </dev/null
}

@test "a reply that does not arrive: the line names queue or message, and the server, in all tools" {
	start_fake mute ''
	local tool options=(-u "unix://$T/mute/s" --timeout 50ms)
	late "$q" dq-put "${options[@]}" "$q" x
	late "$q" dq-take "${options[@]}" "$q" "$q.b"
	late "$q/1" dq-ack "${options[@]}" "$q/1@1"
	late "$q" dq-ack "${options[@]}" "$q/1@1" "$q/2@1"
	late "$q(.b)? and other queues" dq-ack "${options[@]}" "$q/1@1" "$q.b/2@1"
	late "$q/1" dq-rm "${options[@]}" "$q/1"
	late "$q/1" dq-rm "${options[@]}" --dry-run "$q/1"
	late "$q" dq-rm "${options[@]}" -af "$q"
	late "$q" dq-promote "${options[@]}" "$q"
	late "$q/1" dq-promote "${options[@]}" "$q/1"
	late "$q" dq-promote "${options[@]}" --dead "$q"
	late "$q" dq-set "${options[@]}" "$q" paused=yes
	late "$q" dq-stat "${options[@]}" "$q"
	late "$q/1" dq-stat "${options[@]}" "$q/1"
	late "$q" dq-stat "${options[@]}" --messages all "$q"
	late "$q" dq-gc "${options[@]}" "$q"
	late "$q" dq-gc "${options[@]}" --check "$q"
	for tool in dq-promote dq-stat dq-gc; do
		late '[{]dq:queues}' "$tool" "${options[@]}"
	done
	late "$q" dq-dump "${options[@]}" "$q"
	dq-put -q "$q" x
	dq-dump "$q" >"$T/dump"
	late "$q" dq-load "${options[@]}" "$T/dump"
	run -2 dq-stat "${options[@]}" --check
	equal "${lines[1]}" $'critical\tserver\tno answer: timed out after 50ms (unix://'"$T/mute/s)"
}

# The first line of a tool that continues, before it is killed.
says() { # LINE COMMAND...
	local line=$1 tool
	shift
	: >"$T/err"
	"$@" >"$T/out" 2>"$T/err" 3>&- &
	tool=$!
	wait_until 10 grep -q . "$T/err"
	kill -9 "$tool"
	wait "$tool" 2>/dev/null || true
	equal "$(head -1 "$T/err")" "$line"
}

@test "a reply that does not arrive: the same line in long-running tools" {
	start_fake mute ''
	local at="timed out after 50ms (unix://$T/mute/s): connecting again" options=(-u "unix://$T/mute/s" --timeout 50ms)
	says "dq-take: $q: $at" dq-take -f "${options[@]}" "$q" "$q.b"
	says "dq-take: $q: $at" dq-take -w 1h "${options[@]}" "$q" "$q.b"
	says "dq-promote: $q: $at" dq-promote -f "${options[@]}" "$q" "$q.b"
	says "dq-promote: {dq:queues}: $at" dq-promote -f "${options[@]}"
	says "dq-run: $q: $at" dq-run "${options[@]}" "$q" "$q.b" -- true
	says "dq-stat: $q: $at" dq-stat --watch "${options[@]}" "$q" "$q.b"
	says "dq-stat: {dq:queues}: $at" dq-stat --watch "${options[@]}"
}

@test "a worker that ends by itself without a connection: the last line says why" {
	start_fake mute ''
	local option
	for option in --once --until-empty --drain; do
		run -75 dq-run "$option" -u "unix://$T/mute/s" --timeout 50ms "$q" -- true
		equal "${lines[-1]}" "dq-run: unix://$T/mute/s: still no connection: ending"
	done
}

@test "a connection that cannot be opened in time: the line names the server, in all tools" {
	start_fake mute ''
	local tool words command
	export REDISCLI_AUTH=x
	for tool in $(tools); do
		read -ra words < <(operands "$tool")
		command=()
		[ "$tool" != dq-run ] || command=(-- true)
		fails 69 "^unix://$T/mute/s: timed out after 50ms\$" \
			"$tool" -u "unix://$T/mute/s" --connect-timeout 50ms "${words[@]}" "${command[@]}"
	done
}

# --- names and receipts ---

@test "dq-rm QUEUE: the error says how to remove a whole queue, and nothing is removed" {
	dq-put -q "$q" x
	fails 64 "^\"$q\": not the name of a message \(QUEUE/ID\).*: to remove a whole queue: dq-rm -a $q\$" dq-rm "$q"
	fails 64 ": to remove a whole queue: dq-rm -a -- -$q\$" dq-rm -- "-$q"
	fails 64 "^\"$q/\": no id after the /\$" dq-rm "$q/"
	fails 64 '^"/x": no queue before the /$' dq-rm /x
	holds 0 1 0 0
	# No hint for a word that is not a queue, and none for a line of standard input.
	run -64 --separate-stderr dq-rm 'not a name'
	[[ $stderr != *'dq-rm -a'* ]]
	run -65 --separate-stderr dq-rm <<<"$q"
	[[ $stderr != *'dq-rm -a'* ]]
}

# What the screen shows of a command whose standard input is a terminal, on which that is typed, and Ctrl-D.
typed() { # TEXT COMMAND
	printf '%b\004' "$1" | command script -qec "$2" /dev/null | tr -d '\r'
}

@test "dq-ack and dq-rm without operands, at a terminal: they say that they read from it, and read" {
	dq-put -q -i x "$q" x
	dq-put -q -i y "$q" x
	local receipt command
	receipt=$(dq-take "$q" | cut -f1)
	run -0 typed "$receipt\\n" dq-ack
	matches "$output" 'dq-ack: standard input: reading receipts from the terminal, one per line, until Ctrl-D'
	run -0 typed "$q/y\\n" dq-rm
	matches "$output" 'dq-rm: standard input: reading names from the terminal, one per line, until Ctrl-D'
	holds 0 0 0 0
	# No line with -q, with operands, or for a pipe or a file.
	for command in 'dq-ack -q' 'dq-rm -q' "dq-ack -q $q/1@1" 'dq-rm </dev/null' 'true | dq-ack'; do
		run typed '' "$command"
		[[ $output != *reading* ]]
	done
}

# --- progress ---

# Feeds 300 lines at a time to dq-put, whose standard error is a terminal, until it shows how far it is; then all that the screen
# showed is in $T/screen, and fed_lines says how many were fed.
fed() { # ARGUMENT... (redirections, too)
	local pid
	fed_lines=0
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	: >"$T/screen"
	command script -qec "dq-put -l $* <$T/fifo" /dev/null </dev/null >"$T/screen" 3>&- &
	pid=$!
	exec 9>"$T/fifo"
	until grep -q ' put, [0-9]*/s' "$T/screen" || [ "$fed_lines" -gt 3000000 ]; do
		seq 300 >&9
		fed_lines=$((fed_lines + 300))
		pause
	done
	for _ in 1 2 3; do
		seq 300 >&9
		fed_lines=$((fed_lines + 300))
	done
	exec 9>&-
	exits 0 "$pid"
	matches "$(<"$T/screen")" $'\r\e\\[K[0-9]+ put, [0-9]+/s'
}

# The content of the screen at the end.
left_on_screen() {
	tr -d '\r' < <(sed 's/.*\r\x1b\[K//' "$T/screen") | sed '/^$/d'
}

@test "progress is shown with -q, and cleared at the end" {
	fed -q "$q"
	equal "$(left_on_screen)" ''
	holds 0 "$fed_lines" 0 0
}

@test "progress is shown where names go to a file, and is not in it" {
	fed "$q" ">$T/names"
	equal "$(left_on_screen)" ''
	equal "$(grep -c "^$q/[0-9A-Z]\{26\}$" "$T/names")" "$fed_lines"
	equal "$(wc -l <"$T/names")" "$fed_lines"
}

@test "progress is shown while names go to the terminal, and garbles none of them" {
	fed "$q"
	equal "$(left_on_screen | grep -c "^$q/[0-9A-Z]\{26\}$")" "$fed_lines"
	equal "$(left_on_screen | wc -l)" "$fed_lines"
}

@test "progress is shown by dq-promote -q, too; never where standard error is no terminal" {
	seq 150 | dq-put -ql -r 1 "$q"
	dq-take -n 1000 "$q" | dq-ack -b
	run -0 command script -qec "dq-promote --dead -q --rate 100 $q 2>$T/err" /dev/null </dev/null
	equal "$output$(cat "$T/err")" ''
	dq-take -n 1000 "$q" | dq-ack -b
	run -0 command script -qec "dq-promote --dead -q --rate 100 $q" /dev/null </dev/null
	matches "$output" $'\r\e\\[K[0-9]+ redriven, [0-9]+/s'
	holds 0 150 0 0
}

# --- times ---

@test "a time without a zone, or with a wrong one: the error says what is missing, and how to write it" {
	fails 64 '^-a: "2026-01-01T10:00:00": the time zone is missing: end it with Z \(UTC\) or an offset such as \+02:00$' \
		dq-put -a 2026-01-01T10:00:00 "$q" x
	fails 64 '^-a: "2026-01-01T10:00:00\+0200": a time zone is Z \(UTC\) or an offset with a colon such as \+02:00$' \
		dq-put -a 2026-01-01T10:00:00+0200 "$q" x
	local time
	for time in 2026-01-01 2026-01-01T10:00 '2026-01-01 10:00Z' 2026-01-01T10:00+02:00 2026-01-01Z; do
		fails 64 "^-a: \"${time/+/\\+}\": a date needs a time with seconds and a zone, such as 2026-11-21T09:00:00\+01:00\$" \
			dq-put -a "$time" "$q" x
	done
	fails 65 '^standard input: line 1: not put: .*the time zone is missing: end it with Z' dq-put --tsv "$q" \
		<<<$'2026-01-01T10:00:00\t-\tx'
	fails 64 '"101w99999d": a duration is at most 36525d$' dq-put -d 101w99999d "$q" x
	holds 0 0 0 0
	dq-put -q -a 2096-01-01T10:00:00+02:00 -i x "$q" x
	equal "$(score delayed x)" "$(date -d '2096-01-01 08:00 UTC' +%s000)"
}

# --- what manuals say ---

# Takes and fails the message until it is dead, and prints each wait in ms.
waits() { # ID
	local before
	while dq-take -t 1h "$q" >"$T/record" && [ -s "$T/record" ]; do
		before=$(server_ms)
		dq-ack -r <"$T/record"
		[ "$(states)" != '0 0 0 1' ] || return 0
		echo "$((($(score delayed "$1") - before) / 10000))0" # to ten seconds: this machine may be busy
		later 3600001
	done
}

@test "-b alone is used to its end; with -r the last wait repeats, or the rest is not used" {
	dq-put -q -b 1m,1h -i a "$q" x
	equal "$(waits a | paste -sd' ')" '60 3600'
	dq-rm "$q/a"
	dq-put -q -b 1m,1h -r 5 -i a "$q" x
	equal "$(waits a | paste -sd' ')" '60 3600 3600 3600'
	dq-rm "$q/a"
	dq-put -q -b 1m,2m,3m,4m -r 2 -i a "$q" x
	equal "$(waits a | paste -sd' ')" 60
	dq-rm "$q/a"
}
