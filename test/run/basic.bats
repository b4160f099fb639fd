# Goal: dq-run passes each payload to its command and settles the message by how the command ends: done, retry, or dead.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker

@test "the payload is on its stdin, its stdout is ours, exit 0 settles the message" {
	dq-put -q "$q" hello
	run -0 --separate-stderr dq-run --once "$q" -- cat
	equal "$output$stderr" hello
	holds 0 0 0 0
}

@test "arguments reach the command as they are" {
	dq-put -q "$q" x
	run -0 dq-run --once "$q" -- printf '<%s>' -j '' 'a b' -- --once '*'
	equal "$output" '<-j><><a b><--><--once><*>'
}

@test "exit 65: dead at once, even with tries left" {
	dq-put -q -i x -r 5 "$q" x
	run -123 --separate-stderr dq-run --once "$q" -- sh -c 'echo no such user >&2; exit 65'
	equal "$stderr" $'no such user\ndq-run: '"$q/x: dead: no such user"
	holds 0 0 0 1
	equal "$(tries x) $(reason x)" '1 no such user'
}

@test "exit 75, any other, or a signal: by the message's schedule, with the reason" {
	local end before
	for end in 'exit 75' 'exit 1' 'exit 255' 'exit 2' 'exit 64' 'exit 128' 'kill -KILL $$' 'kill -TERM $$' 'kill -SEGV $$'; do
		dq-put -q -i x -b 100s,200s "$q" x
		before=$(server_ms)
		run -123 --separate-stderr dq-run --once "$q" -- sh -c "ulimit -c 0; $end"
		equal "$output$stderr" ''
		holds 1 0 0 0
		between $((before + 100000)) "$(score delayed x)" $((before + 130000))
		later 130001
		before=$(server_ms)
		run -123 dq-run --once "$q" -- sh -c "ulimit -c 0; $end"
		between $((before + 200000)) "$(score delayed x)" $((before + 230000))
		case $end in
		exit*) equal "$(reason x)" "exit status ${end#exit }" ;;
		*KILL*) equal "$(reason x)" 'killed by signal 9' ;;
		*TERM*) equal "$(reason x)" 'killed by signal 15' ;;
		*SEGV*) equal "$(reason x)" 'killed by signal 11' ;;
		esac
		equal "$(tries x)" 2
		dq-rm "$q/x"
	done
}

@test "out of tries: dead, and reported" {
	dq-put -q -i x -r 2 -b 0 "$q" x
	run -123 --separate-stderr dq-run --drain "$q" -- false
	equal "$stderr" "dq-run: $q/x: dead: exit status 1"
	holds 0 0 0 1
	equal "$(tries x)" 2
}

@test "several queues: messages of the first queue run first" {
	dq-put -q "$q.b" b1 b2
	dq-put -q "$q.a" a1 a2
	run -0 dq-run -q --drain "$q.a" "$q.none" "$q.b" -- sh -c 'echo "$DQ_QUEUE $(cat)"'
	equal "$(paste -sd, <<<"$output")" "$q.a a1,$q.a a2,$q.b b1,$q.b b2"
	dq-put -q "$q.b" b
	dq-put -q "$q.a" a
	run -0 dq-run --once -j 5 "$q.a" "$q.b" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | paste -sd,)" a,b
}

@test "a paused queue gives nothing" {
	dq-put -q "$q" x
	dq-set "$q" paused=yes
	run -1 dq-run --once "$q" -- touch "$D/ran"
	[ ! -e "$D/ran" ]
	holds 0 1 0 0
}

@test "usage: 64" {
	local form='dq-run QUEUE\.\.\. -- CMD \[ARG\.\.\.\]$'
	fails 64 "^no queue and no command given: $form" dq-run
	fails 64 "^no queue and no command given: $form" dq-run --once
	fails 64 "^no queue and no command given: $form" dq-run --
	fails 64 "^no queue given before --: $form" dq-run -- cat
	fails 64 "^no queue given before --: $form" dq-run --once -- cat -n
	fails 64 "^no queue given before --: $form" dq-run -- -- cat
	fails 64 "^no command given: $form" dq-run "$q"
	fails 64 "^no command given: $form" dq-run "$q" --
	fails 64 "^no command given: $form" dq-run -- "$q" --
	fails 64 "^no -- between queues and command: $form" dq-run "$q" true
	fails 64 "^no -- between queues and command: $form" dq-run "$q" ./deliver now
	fails 64 '^-j: "0": not a whole number from 1 to ' dq-run -j 0 "$q" -- true
	fails 64 '^-j: "x": ' dq-run -j x "$q" -- true
	fails 64 '^-j: "-1": ' dq-run -j -1 "$q" -- true
	fails 64 '^-j: "1001": ' dq-run --jobs 1001 "$q" -- true
	fails 64 '^-t: a lease is at least 1ms$' dq-run -t 0 "$q" -- true
	fails 64 '^--kill-after: "x": not a duration' dq-run --kill-after x "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --once --drain "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --once --until-empty "$q" -- true
	fails 64 '^only one of --once, --drain and --until-empty$' dq-run --until-empty --drain "$q" -- true
	fails 64 '^"a/b": a queue' dq-run a/b -- true
	fails 64 '^"": a queue' dq-run "$q" '' -- true
	equal "$(rcli EXISTS "dq:{$q}:msg")" 0
}

@test "options behind a queue are an operand that is no queue's name, not the command's" {
	run -64 dq-run "$q" --bad/one -- true
	run -64 dq-run "$q" 'a b' -- true
}

@test "no Redis: 69, and nothing is run" {
	fails 69 '/none: no such socket: ' dq-run -u "unix://$D/none" --once "$q" -- touch "$D/ran"
	[ ! -e "$D/ran" ]
}

@test "-v counts" {
	seq 1 3 | dq-put -ql "$q"
	run -123 --separate-stderr dq-run -v --drain "$q" -- sh -c 'read -r n; [ "$n" = 1 ] || [ "$n" = 3 ] || exit 65'
	matches "$stderr" 'dq-run: 3 run, 1 failed$'
}

# 200 messages: 0 is gone; 1 and KILL are tried again and then dead; 65 is dead at once; 75 waits for its time; never stays leased.
@test "200 messages whose commands exit 0, 1, 65, 75, by SIGKILL, and never: each ends where the manual says" {
	local kind
	for kind in 0 1 65 75 KILL; do
		seq -f "-	$kind-%g	$kind" 39 >"$D/list"
		case $kind in
		75) dq-put -q --tsv -b 1h "$q" <"$D/list" ;;
		*) dq-put -q --tsv -r 2 -b 50ms "$q" <"$D/list" ;;
		esac
	done
	seq -f '-	never-%g	never' 5 | dq-put -q --tsv -t 4s "$q"
	equal "$(rcli HLEN "dq:{$q}:msg")" 200
	handler one <<-'SH'
		read -r kind
		echo "$kind $DQ_ID" >>"$D/log"
		case $kind in
		KILL) kill -KILL $$ ;;
		never) exec tail -f /dev/null ;;
		*) exit "$kind" ;;
		esac
	SH
	work -j 10 "$q" -- "$D/one"
	wait_until 60 eval '[ "$(states)" = "39 0 5 117" ]'
	wait_until 10 has_lines "$D/log" 278 # a command is taken before it has begun
	equal "$(cut -d' ' -f1 "$D/log" | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" \
		'0=39 1=78 65=39 75=39 KILL=78 never=5'
	# never: the lease is renewed past its first end, and the command is alive
	local id
	for id in never-{1..5}; do
		wait_until 10 eval "[ \"\$(score leased $id)\" -gt \$((\$(server_ms) + 400)) ]"
		equal "$(tries "$id")" 1
	done
	equal "$(running | wc -l)" 5
	equal "$(rcli ZRANGE "dq:{$q}:delayed" 0 -1 | sed 's/-.*//' | sort -u)" 75
	equal "$(rcli ZRANGE "dq:{$q}:leased" 0 -1 | sed 's/-.*//' | sort -u)" never
	equal "$(rcli ZRANGE "dq:{$q}:dead" 0 -1 | sed 's/-.*//' | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" \
		'1=39 65=39 KILL=39'
	for id in {1..39}; do
		equal "$(tries "1-$id") $(reason "1-$id")" '2 exit status 1'
		equal "$(tries "65-$id") $(reason "65-$id")" '1 exit status 65'
		equal "$(tries "75-$id") $(reason "75-$id")" '1 exit status 75'
		equal "$(tries "KILL-$id") $(reason "KILL-$id")" '2 killed by signal 9'
	done
	equal "$(ps -o stat= --ppid "$worker" | awk '/Z/')" ''
	kill "$worker"
	wait_until 10 grep -q ': finishing ' "$D/err" # two signals at once would be one word
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$worker"
	wait_until 20 none_run
	holds 39 5 0 117
	for id in never-{1..5}; do
		equal "$(tries "$id")" 0
	done
	equal "$(grep -c ': dead: ' "$D/err")" 117
	equal "$(grep -vc ': dead: ' "$D/err")" 1
	grep -qx 'dq-run: finishing 5 commands; signal again to end them' "$D/err"
}
