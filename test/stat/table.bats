# Goal: dq-stat shows the counts of each queue, sorted and aligned, for people.

bats_require_minimum_version 1.5.0

load ../helper
load queue

@test "no queues: a header and nothing else" {
	run -0 --separate-stderr dq-stat
	equal "$output" 'QUEUE  DELAYED  DUE  READY  LEASED  DEAD  OLDEST  LATE  NEXT  LIMITED  EXPIRED  RETRYING  FAILING  HELD  BLOCKED'
	equal "$stderr" ''
	run -0 dq-stat --no-header
	equal "$output" ''
	run -0 dq-stat --json
	equal "$(jq -c .queues <<<"$output")" '[]'
}

@test "each state in its column, and nothing moves" {
	make_queue "$q.x"
	local before
	before=$(digest "$q.x")
	run -0 --separate-stderr dq-stat "$q.x"
	equal "$stderr" ''
	equal "${#lines[@]}" 2
	matches "${lines[1]}" "^$q\\.x +1 +2 +3 +4 +5 +[0-9.]+m?s +[0-9.]+m?s +(1h0m|59m[0-9]+s) +- +0 +0 +- +0 +-\$"
	equal "$(digest "$q.x")" "$before"
}

@test "all queues, sorted; columns in line" {
	dq-put -q "$q.b" x
	dq-put -q "$q.a" x y
	dq-put -q "$q.long-name" x
	run -0 dq-stat
	equal "$(awk '{ print $1, $4 }' <<<"$output" | paste -sd,)" "QUEUE READY,$q.a 2,$q.b 1,$q.long-name 1"
	equal "$(awk '{ print length }' <<<"$output" | sort -u | wc -l)" 1
	run -0 dq-stat --no-header "$q.long-name" "$q.a"
	equal "$(awk '{ print $1 }' <<<"$output" | paste -sd,)" "$q.long-name,$q.a"
}

@test "a queue that does not exist yet is shown as empty, and 1" {
	run -1 dq-stat -q --no-header "$q.none"
	matches "$output" "^$q.none +0 +0 +0 +0 +0 +- +- +- +- +0 +0 +- +0 +-\$"
	equal "$(digest "$q.none")" ''
}

# What is shown of a message due in MS. dq-stat has 0.8 s until it would be the text before; a busy machine may need more.
shows() { # MS TEXT
	rcli ZADD "$q:{$q.x}:delayed" $(($(server_ms) + $1 + 800)) a >/dev/null
	matches "$(dq-stat --no-header "$q.x")" "^$q.x +1 .* $2 +- +0 +0 +- +0 +-\$"
}

@test "ages for people" {
	DQ_PREFIX=dq script put "$(server_ms)" fail 100 '' '' a 0 $'\n' >/dev/null
	rcli DEL "$q:{$q.x}:delayed" >/dev/null
	rcli HSET "$q:{$q.x}:msg" a $'\n' >/dev/null
	while read -r ms shown; do
		wait_until 10 shows "$ms" "$shown"
	done <<-'TABLE'
		5000 5\.[0-9]s
		41200 41s
		123200 2m3s
		18750000 5h12m
		274200000 3d4h
	TABLE
}

@test "a broken queue: 70, and the others are shown" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	rcli DEL "$q:{$q.b}:ready" >/dev/null
	rcli SET "$q:{$q.b}:ready" mine >/dev/null
	run -70 --separate-stderr dq-stat --no-header
	equal "$(awk '{ print $1 }' <<<"$output" | paste -sd,)" "$q.a,$q.c"
	matches "$stderr" "^dq-stat: $q.b: not shown: .*is a string"
	run -70 --separate-stderr dq-stat --json
	jq -e '.queues | length == 2' <<<"$output"
}

@test "--no-header: the same lines without the first; refused where no table is printed" {
	dq-put -q "$q.a" x
	dq-take --ack "$q.a" >/dev/null
	dq-set -q "$q.a" paused=yes
	run -0 dq-stat "$q.a"
	equal "${#lines[@]}" 2
	equal "$(dq-stat --no-header "$q.a" | tr -s ' ')" "$(tr -s ' ' <<<"${lines[1]}")"
	local refusal='^--no-header: not with --json, --messages or --check$'
	fails 64 "$refusal" dq-stat --no-header --json
	fails 64 "$refusal" dq-stat --json --no-header "$q.a"
	fails 64 "$refusal" dq-stat --no-header --messages ready "$q.a"
	fails 64 "$refusal" dq-stat --check --no-header
}

@test "no colours, no escapes, through a pipe" {
	dq-put -q "$q.a" x
	dq-stat | LC_ALL=C grep -q '[^ -~]' && return 1
	NO_COLOR=1 TERM=dumb dq-stat | LC_ALL=C grep -q '[^ -~]' && return 1
	true
}
