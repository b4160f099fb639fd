# Goal: A command of dq-run gets its payload byte for byte, however it reads it, and delays no other command.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

@test "payloads exactly: empty, 1 MiB, any bytes" {
	head -c 1048576 /dev/urandom >"$D/big"
	dq-put -q -i big "$q" <"$D/big"
	printf '\0\1\2\r\n\n\\n\377\0' >"$D/bytes"
	dq-put -q -i bytes "$q" <"$D/bytes"
	dq-put -q -i empty "$q" ''
	: >"$D/empty"
	dq-run --drain -j 3 "$q" -- sh -c 'cmp - "$D/$DQ_ID" && echo "$DQ_ID" >>"$D/same"'
	equal "$(sort "$D/same" | paste -sd' ')" 'big bytes empty'
	holds 0 0 0 0
}

@test "a worker killed before its command has read: the payload is whole all the same" {
	head -c 200000 /dev/urandom >"$D/big"
	dq-put -q "$q" <"$D/big"
	run -137 --separate-stderr dq-run "$q" -- sh -c 'kill -9 $PPID; cat >"$D/part"; mv "$D/part" "$D/got"'
	wait_until 10 test -e "$D/got"
	cmp "$D/got" "$D/big"
}

@test "a large payload is whole whatever a pipe holds: a file in memory, which can be read again" {
	head -c 3000000 /dev/urandom >"$D/big"
	dq-put -q --max-bytes 4M "$q" <"$D/big"
	run -137 --separate-stderr dq-run "$q" -- sh -c '
		kill -9 $PPID
		[ -f /dev/stdin ] && cmp - "$D/big" && cmp /dev/stdin "$D/big" && : >"$D/same"
	'
	wait_until 10 test -e "$D/same"
}

@test "standard input is a pipe for a small payload, and above 64 KiB a file, which epoll refuses: not behind cat" {
	dq-put -q "$q" small
	dq-run --once "$q" -- python3 -c 'import select; select.epoll().register(0)'
	head -c 65537 /dev/zero | dq-put -q "$q"
	dq-run --once "$q" -- sh -ec '
		python3 -c "import select; select.epoll().register(0)" 2>"$D/refused" && exit 1
		cat | python3 -c "import select, sys; select.epoll().register(0); sys.exit(len(sys.stdin.read()) != 65537)"
	'
	grep -q PermissionError "$D/refused"
	holds 0 0 0 0
}

@test "a payload over the limit of file sizes fails its message, with that reason, and no other" {
	head -c 200000 /dev/urandom >"$D/big"
	dq-put -q -i big -r 2 -b 0 "$q" <"$D/big"
	dq-put -q -i small "$q" x
	(ulimit -f 64 && run -123 --separate-stderr dq-run --drain "$q" -- sh -c 'echo "$DQ_ID" | tee -a "$D/log"' &&
		equal "$output" small &&
		equal "$stderr" "dq-run: $q/big: dead: the payload is larger than the limit of file sizes (ulimit -f)")
	equal "$(cat "$D/log")" small
	equal "$(tries big)" 2
	holds 0 0 0 1
}

@test "a command that reads nothing of its stdin, some of it, or closes it, is no error" {
	head -c 1048576 /dev/urandom >"$D/big"
	local way
	for way in true 'exec <&-; echo $$ >/dev/null' 'head -c 10 >/dev/null' 'exec 0</dev/null' \
		'dd bs=1 count=1 of=/dev/null 2>/dev/null'; do
		dq-put -q "$q" <"$D/big"
		dq-put -q "$q" small
		run -0 --separate-stderr dq-run --drain -j 2 "$q" -- sh -c "$way"
		equal "$output$stderr" ''
		holds 0 0 0 0
	done
}

@test "a command that reads slowly holds up no other" {
	head -c 1048576 /dev/urandom >"$D/big"
	gate
	dq-put -q -i slow "$q" <"$D/big"
	seq 1 20 | dq-put -ql "$q"
	handler slow <<-'SH'
		[ "$DQ_ID" = slow ] || exec sed '$s/$/./'
		true <"$D/gate"
		cmp - "$D/big"
	SH
	work -j 2 --drain "$q" -- "$D/slow"
	wait_until 10 eval '[ "$(states)" = "0 0 1 0" ]'
	equal "$(tr -cd . <"$D/out" | wc -c)" 20
	open_gate
	exits 0 "$worker"
	holds 0 0 0 0
}

# docker in the manual: a client, and a container that does not end with it.
@test "the script for docker run in dq-run(1) stops the container when the lease is lost, and passes payload and status on" {
	mkdir "$D/bin"
	cat >"$D/bin/docker" <<-'SH'
		#!/bin/sh
		case $1 in
		stop) echo "$2" >"$D/stopped" ;;
		run)
			while [ "$1" != --cidfile ]; do shift; done
			echo c0ffee >"$2"
			cat >"$D/payload"
			grep -q hang "$D/payload" || exit 7
			echo "$$" >"$D/hangs"
			exec tail -f /dev/null
			;;
		esac
	SH
	chmod +x "$D/bin/docker"
	sed -n '/^#!\/bin\/sh$/,/^\.Ed/p' "$top/man/dq-run.1" | sed '/^\.Ed/d' >"$D/resize"
	chmod +x "$D/resize"
	PATH=$D/bin:$PATH
	dq-put -q -i x -b 1h "$q" short
	run -123 dq-run --once "$q" -- "$D/resize"
	equal "$(cat "$D/payload"),$(reason x)" 'short,exit status 7'
	dq-put -q -i y "$q" hang
	work "$q" -- "$D/resize"
	wait_until 10 test -s "$D/hangs"
	dq-rm -q "$q/y"
	wait_until 10 test -s "$D/stopped"
	equal "$(cat "$D/stopped")" c0ffee
	kill "$worker"
	exits 143 "$worker"
}
