# Goal: With --result the last line of a command's standard output is the result of its message, and the output goes where it went.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

put() { # ID [OPTION...]
	dq-put -q --keep 1h -i "$1" "${@:2}" "$q" x
}

# What dq-wait says of the message, after the outcome.
result() { # ID
	dq-wait -w 0 "$q/$1" 2>&1 | cut -f2-
}

@test "the last line that is not blank, and the output unchanged" {
	{
		printf 'first\n\n'
		odd_bytes
		printf '\n  sum\t42 \n \n\n'
	} >"$D/says"
	put a
	dq-run --once --result "$q" -- sh -c 'cat "$D/says"' >"$D/out"
	cmp "$D/out" "$D/says"
	equal "$(result a)" $'done\tsum\\t42 '
	put b
	run -0 dq-run --once --result "$q" -- printf 'no newline'
	equal "$output" 'no newline'
	equal "$(result b)" $'done\tno newline'
	put lines
	dq-run --once --result "$q" -- printf 'C\0R LF\r\n\r\n' >"$D/out"
	equal "$(result lines)" $'done\tC R LF'
	put c
	run -0 dq-run --once --result "$q" -- true
	equal "$output,$(result c)" $',done\t'
}

@test "at most 1000 bytes, cut at the end of a character" {
	put a
	dq-run --once --result "$q" -- sh -c 'printf "%0999dé and more\n" 0' >"$D/out"
	equal "$(result a)" $'done\t'"$(printf '%0999d' 0)"
	equal "$(wc -c <"$D/out")" 1011
}

@test "a result on descriptor 3 wins, and a command that is not done has none" {
	put a
	dq-run --once --result "$q" -- sh -c 'echo out; echo "done said" >&3' >/dev/null
	equal "$(result a)" $'done\tsaid'
	put b
	dq-run --once --result "$q" -- sh -c 'echo out; echo "done" >&3' >/dev/null
	equal "$(result b)" $'done\tout'
	put c -r 1
	run -123 dq-run --once --result "$q" -- sh -c 'echo out; exit 3'
	equal "$(result c)" $'dead\texit status 3'
	put d
	dq-run --once "$q" -- echo out >/dev/null
	equal "$(result d)" $'done\t'
}

@test "without --keep the command has the standard output of dq-run itself" {
	dq-put -q -i a "$q" x
	put b
	dq-run --until-empty --result "$q" -- \
		sh -c 'if [ /proc/self/fd/1 -ef "$D/out" ]; then echo "$DQ_ID own"; else echo "$DQ_ID pipe"; fi' >"$D/out"
	equal "$(sort "$D/out")" $'a own\nb pipe'
}

@test "lines of several commands are not mixed" {
	seq 8 | sed 's/.*/-\t&\tx/' | dq-put -q --keep 1h --tsv "$q"
	dq-run -j 4 --until-empty --result "$q" -- sh -c 'i=0
		while [ $i -lt 500 ]; do echo "$DQ_ID 0123456789 0123456789 0123456789"; i=$((i + 1)); done' >"$D/out"
	equal "$(sort "$D/out" | uniq -c | awk '{ print $1, $3, $4, $5 }' | sort -u)" '500 0123456789 0123456789 0123456789'
	equal "$(cut -d' ' -f1 "$D/out" | sort -u | wc -l)" 8
}

@test "a process that a command leaves behind, with its output open, blocks nothing" {
	put a
	run -0 timeout 60 dq-run --drain --result "$q" -- sh -c 'tail -f /dev/null & echo said'
	equal "$output,$(result a)" $'said,done\tsaid'
}

pipes() {
	find "/proc/$worker/fd" -lname 'pipe:*' | wc -l
}

has_pipes() { # NUMBER
	[ "$(pipes)" = "$1" ]
}

@test "a process that a command leaves behind may write on, to both outputs: it gets no SIGPIPE, and its lines are passed on" {
	put a
	put b
	work --result "$q" -- sh -c '(until [ -e "$D/go" ]; do sleep 0.05; done
			for i in 1 2 3; do echo "late $DQ_ID"; echo "why $DQ_ID" >&2; done; echo >"$D/$DQ_ID.whole") 3>&- & echo said'
	wait_until 20 holds 0 0 0 0
	equal "$(result a),$(wc -l <"$D/out")" $'done\tsaid,2'
	before=$(pipes)
	true >"$D/go"
	wait_until 20 eval '[ -e "$D/a.whole" ] && [ -e "$D/b.whole" ]'
	wait_until 20 eval '[ "$(sort "$D/out" "$D/err" | uniq -c | tr -s " " | paste -sd,)" = \
		" 3 late a, 3 late b, 2 said, 3 why a, 3 why b" ]'
	wait_until 20 has_pipes "$((before - 4))"
	kill "$worker"
	exits 143 "$worker"
}

@test "the reader of our output has gone: as without --result the command gets SIGPIPE" {
	put a -r 1
	run -0 bash -c 'dq-run --drain --result "$0" -- sh -c "yes; kill -l \$? >>\"\$D/why\"; exit 1" 2>"$D/err" | head -n 1; exit 0' "$q"
	equal "$output" y
	equal "$(<"$D/why")" PIPE
	holds 0 0 0 1
}

@test "the reader of our output has stopped: leases are renewed, the result waits, and a second signal ends it" {
	mkfifo "$D/full"
	exec 8<>"$D/full"
	put a -t 2s
	put b
	dq-run -q --result "$q" -- sh -c 'head -c 100000 /dev/zero | tr "\0" x; echo; echo "$DQ_ID"' >"$D/full" 2>"$D/err" 8>&- 3>&- &
	worker=$!
	echo "$worker" >>"$D/workers"
	wait_until 30 eval '[ "$(states)" = "0 1 1 0" ]'
	wait_until 30 eval '[ "$(score leased a)" -gt "$(($(due_of a) + 5000))" ]'
	holds 0 1 1 0
	head -c 100001 <&8 >/dev/null
	wait_until 30 eval '[ "$(result a)" = "done	a" ]'
	wait_until 30 eval '[ "$(states)" = "0 0 1 0" ]'
	kill "$worker"
	wait_until 30 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	exec 8>&-
}
