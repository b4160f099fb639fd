# Goal: Signals that the parent blocked and limits that it set change no promise of a tool.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

given() {
	exec python3 "$top/test/tool/given.py" "$@"
}

runs() { # PID TOOL: it is no longer the shell or given.py
	[ "$(<"/proc/$1/comm")" = "$2" ]
}

# Its input stays silent.
ends_by() { # SIGNAL STATUS COMMAND...
	local pid
	(given block=TERM,INT,HUP "${@:3}") <"$T/silent" >"$T/out" 2>&1 3>&- 8>&- &
	pid=$!
	wait_until 10 runs "$pid" "$3"
	kill "-$1" "$pid"
	exits "$2" "$pid"
}

@test "blocked signals: each tool that waits for input or messages ends by TERM, INT and HUP" {
	mkfifo "$T/silent"
	exec 8<>"$T/silent"
	ends_by TERM 143 dq-take -f "$q"
	ends_by INT 130 dq-take -f "$q"
	ends_by HUP 129 dq-take -w 1h "$q"
	ends_by TERM 143 dq-put -l "$q"
	ends_by TERM 143 dq-ack
	ends_by TERM 143 dq-promote -f "$q"
	ends_by TERM 143 dq-promote -
	ends_by TERM 143 dq-rm
	ends_by TERM 143 dq-load
	ends_by TERM 143 dq-run "$q" -- true
	exec 8>&-
}

# With the default action of SIGXFSZ and files of at most 4 KiB, which a subshell cannot take back.
limited() {
	(ulimit -f 4 && given "$@")
}

too_large() { # COMMAND...
	local code=0
	limited "$@" >"$T/out" 2>"$T/err" || code=$?
	equal "$code" 74
	equal "$(wc -c <"$T/out")" 4096
}

@test "a limit of file sizes: dq-take gives back what it could not write" {
	local written
	seq -f '%060g' 200 | dq-put -ql "$q"
	too_large dq-take --until-empty "$q"
	matches "$(cat "$T/err")" '^dq-take: .*: not delivered: File too large$'
	written=$(wc -l <"$T/out")
	holds 0 $((200 - written)) "$written" 0
}

@test "a limit of file sizes: whatever is printed, the exit status is 74 and says why" {
	local command
	seq -f '%060g' 200 | dq-put -ql "$q"
	seq 200 >"$T/lines"
	while read -r command; do
		# shellcheck disable=SC2086
		too_large $command <"$T/lines"
		matches "$(cat "$T/err")" '^dq-[a-z]*: .*: File too large'
	done <<-END
		dq-put -l $q.b
		dq-dump $q
		dq-stat --messages ready $q
		dq-stat --prometheus $q
	END
}

@test "a limit of file sizes: --output leaves the old file, and no other beside it" {
	local code=0
	mkdir "$T/d"
	echo old >"$T/d/dq.prom"
	limited dq-stat --prometheus --output "$T/d/dq.prom" 2>"$T/err" || code=$?
	equal "$code" 74
	equal "$(cat "$T/err")" "dq-stat: --output: $T/d/dq.prom: File too large"
	equal "$(ls "$T/d"; cat "$T/d/dq.prom")" $'dq.prom\nold'
}
