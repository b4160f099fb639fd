# Goal: dq-rm -a asks on a terminal, queue by queue, and accepts only yes.

bats_require_minimum_version 1.5.0

load ../helper
load states

@test "-a on a terminal: asks, and y is yes" {
	seq 123 | dq-put -ql "$q"
	run -0 terminal "dq-rm -a $q" <<<y
	matches "$output" "dq-rm: $q: remove all 123 messages\? \[y/N\] "
	holds 0 0 0 0
	one_of_each
	run -0 terminal "dq-rm -a --state dead $q" <<<Yes
	matches "$output" "dq-rm: $q: remove 1 dead message\? \[y/N\] "
	holds 2 1 1 0
}

@test "-a on a terminal: the question names settings, too" {
	dq-set -q "$q" paused=yes
	dq-put -q "$q" x
	run -0 terminal "dq-rm -a $q" <<<y
	matches "$output" "dq-rm: $q: remove 1 message, and its settings\? \[y/N\] "
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "-a on a terminal: the prompt is on standard error" {
	dq-put -q "$q" x
	run -0 terminal "dq-rm -a $q 2>$T/prompt" <<<y
	equal "$(cat "$T/prompt")" "dq-rm: $q: remove 1 message? [y/N] "
	holds 0 0 0 0
}

@test "-a on a terminal: anything else, or nothing, is no" {
	dq-put -q "$q" x
	local answer
	for answer in n N '' ' y' 1; do
		run -1 terminal "dq-rm -a $q" <<<"$answer"
		matches "$output" "dq-rm: $q: not removed: the answer was not yes\$"
	done
	run -1 terminal "dq-rm -aq $q" </dev/null
	[[ $output != *'not removed'* ]]
	holds 0 1 0 0
}

@test "-a on a terminal: a question for each queue, none for an empty one" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	run -1 terminal "dq-rm -a $q.a $q.never $q.b $q.c" <<<$'y\nn\ny'
	holds 0 0 0 0 "$q.a"
	holds 0 1 0 0 "$q.b"
	holds 0 0 0 0 "$q.c"
	[[ $output != *'never: remove'* && $output != *'never: is empty'* ]]
}

@test "-a on a terminal: a signal at the question ends it" {
	dq-put -q "$q" x
	local pid
	mkfifo "$T/keys"
	exec 9<>"$T/keys"
	command script -qec "dq-rm -a -u $DQ_URL $q; echo ended \$?" /dev/null <"$T/keys" >"$T/screen" 9>&- 3>&- &
	pid=$!
	wait_until 20 grep -q 'y/N' "$T/screen"
	kill -TERM "$(pgrep -f "^dq-rm -a -u $DQ_URL $q\$")"
	wait_until 20 ended "$pid"
	exec 9>&-
	matches "$(tr -d '\r' <"$T/screen")" 'ended 143$'
	holds 0 1 0 0
}
