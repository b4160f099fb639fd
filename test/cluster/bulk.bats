# Goal: While the slot of a queue moves, tools for many messages let only that queue wait. What they send to other queues is done and
# reported at once. Nothing is lost, and nothing is reported that was not done.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load move

setup_file() {
	begin_file
	start_cluster
}

setup() {
	begin_test
	tool=''
	begin_cluster
	begin_moving
}

teardown() {
	[ -z "$tool" ] || kill "$tool" 2>/dev/null || true
	exec 7>&-
	end_moving
	end_test
}

TRYAGAIN='TRYAGAIN Multiple keys request during rehashing of slot'

put_to_all() { # ID...
	local name id
	for name in "$two" "${others[@]}"; do
		for id in "$@"; do dq-put -q -i "$id" "$name" x; done
	done
}

receipts_of() { # N QUEUE
	dq-take -n "$1" --ttr 1h "$2" | cut -f 1
}

# All names with these ids, that of $two first.
names_of() { # ID...
	local name id
	for id in "$@"; do
		for name in "$two" "${others[@]}"; do echo "$name/$id"; done
	done
}

# A tool that reads lines of $T/pipe, which file 7 writes.
begin_tool() { # TOOL...
	mkfifo "$T/pipe"
	"$@" <"$T/pipe" >"$T/out" 2>"$T/err" 3>&- &
	tool=$!
	exec 7>"$T/pipe"
}

ends_with() { # STATUS
	exec 7>&-
	exits "$1" "$tool"
	tool=''
}

@test "dq-ack: receipts of the others are settled at once, also later ones; those of that queue when its slot was moved" {
	local name
	put_to_all a b c
	for name in "$two" "${others[@]}"; do receipts_of 3 "$name"; done >"$T/receipts"
	half_move
	begin_tool dq-ack -v --timeout 60s
	grep /a@ "$T/receipts" >&7
	wait_until 10 are_states '0 0 2 0' "${others[@]}"
	wait_until 10 is_refused
	grep /b@ "$T/receipts" >&7
	wait_until 10 are_states '0 0 1 0' "${others[@]}"
	grep /c@ "$T/receipts" >&7
	wait_until 10 are_states '0 0 0 0' "${others[@]}"
	finish_move
	wait_until 10 is_after_move '0 0 0 0' # before the end of the input
	ends_with 0
	equal "$(said "$T/err")" 'dq-ack: 12 settled'
}

@test "dq-ack: thousands of receipts of that queue do not keep the others waiting" {
	local name
	for name in "$one" "$two"; do seq 6000 | dq-put -q -l "$name"; done
	for name in "$two" "$one"; do receipts_of 6000 "$name"; done >"$T/receipts"
	half_move
	begin_tool dq-ack -v --timeout 60s
	cat "$T/receipts" >&7 7>&- 3>&- &
	wait_until 10 are_states '0 0 0 0' "$one"
	finish_move
	ends_with 0
	is_after_move '0 0 0 0'
	equal "$(said "$T/err")" 'dq-ack: 12000 settled'
}

@test "dq-ack: a call that waits is not taken for an earlier one that was done" {
	local name
	for name in one two; do
		seq 1500 | dq-put -q -l "${!name}"
		receipts_of 1500 "${!name}" >"$T/$name"
	done
	half_move
	begin_tool dq-ack -v --timeout 60s
	head -n 1000 "$T/one" >&7
	wait_until 10 are_states '0 0 500 0' "$one"
	head -n 500 "$T/two" >&7
	wait_until 10 is_refused
	tail -n 1000 "$T/two" >&7
	tail -n 500 "$T/one" >&7
	wait_until 10 are_states '0 0 0 0' "$one"
	finish_move
	ends_with 0
	is_after_move '0 0 0 0'
	equal "$(said "$T/err")" 'dq-ack: 3000 settled'
}

@test "dq-ack: when its time is over, what was not settled is counted, and the others are settled" {
	local name
	put_to_all a b
	for name in "$two" "${others[@]}"; do receipts_of 2 "$name"; done >"$T/receipts"
	half_move
	begin_tool dq-ack -v --timeout 3s
	cat "$T/receipts" >&7
	wait_until 10 grep -q ': 2 receipts not settled: TRYAGAIN' "$T/err" # before the end of the input
	ends_with 75
	equal "$(said "$T/err")" "dq-ack: $two: 2 receipts not settled: $TRYAGAIN"$'\n''dq-ack: 6 settled'
	are_states '0 0 0 0' "${others[@]}"
	finish_move
	dq-ack <<<"$(grep "^$two/" "$T/receipts")"
	is_after_move '0 0 0 0'
}

@test "dq-ack that is stopped says at once what it has not settled" {
	local name began
	put_to_all a
	for name in "$two" "${others[@]}"; do receipts_of 1 "$name"; done >"$T/receipts"
	half_move
	begin_tool dq-ack -v --timeout 60s
	cat "$T/receipts" >&7
	wait_until 10 is_refused 2
	wait_until 10 are_states '0 0 0 0' "${others[@]}"
	began=${EPOCHREALTIME/./}
	kill "$tool"
	ends_with 143
	between 0 "$((${EPOCHREALTIME/./} - began))" 20000000 # of a minute
	equal "$(said "$T/err")" "dq-ack: $two: 1 receipt not settled: $TRYAGAIN"$'\n''dq-ack: 3 settled'
}

@test "dq-rm: names of the others are done at once" {
	put_to_all a b
	dq-put -q -d 1h -i c "$two" x
	half_move
	begin_tool dq-rm -v --timeout 60s
	names_of a >&7
	wait_until 10 are_states '0 1 0 0' "${others[@]}"
	wait_until 10 is_refused
	names_of b >&7
	wait_until 10 are_states '0 0 0 0' "${others[@]}"
	finish_move
	wait_until 10 is_after_move '1 0 0 0'
	ends_with 0
	equal "$(said "$T/err")" 'dq-rm: 8 removed'
}

@test "dq-promote NAME: likewise" {
	local name
	for name in "$two" "${others[@]}"; do
		dq-put -q -d 1h -i a "$name" x
		dq-put -q -d 1h -i b "$name" x
	done
	half_move
	begin_tool dq-promote --timeout 60s -
	names_of a >&7
	wait_until 10 are_states '1 1 0 0' "${others[@]}"
	names_of b >&7
	wait_until 10 are_states '0 2 0 0' "${others[@]}"
	finish_move
	wait_until 10 is_after_move '0 2 0 0'
	ends_with 0
	equal "$(said "$T/err")" ''
}

# The shards of $two but for the first of three, whose slot moves.
other_shards_have() { # N
	local shard sum=0
	while read -r shard; do
		sum=$((sum + $(states_of "$shard" | cut -d' ' -f 2)))
	done < <(python3 "$top/test/tool/shards.py" "$two" 3 | tail -n +2)
	[ "$sum" -eq "$1" ]
}

ids_of_other_shards() { # ID...
	python3 "$top/test/tool/shards.py" "$two" 3 "$@" | grep -c '[12]'
}

@test "dq-put to several shards: the others get their messages at once; the names keep their order" {
	dq-set -q "$two" shards=3
	begin_tool dq-put --tsv --timeout 60s "$two"
	printf -- '-\t%s\tx\n' {1..100} >&7
	wait_until 10 has_lines "$T/out" 100 # it knows the shards
	half_move
	printf -- '-\t%s\tx\n' {101..200} >&7
	wait_until 10 other_shards_have "$(ids_of_other_shards {1..200})"
	wait_until 10 is_refused
	printf -- '-\t%s\tx\n' {201..400} >&7
	wait_until 10 other_shards_have "$(ids_of_other_shards {1..400})"
	finish_move
	wait_until 10 has_lines "$T/out" 400
	ends_with 0
	equal "$(said "$T/err")" ''
	equal "$(<"$T/out")" "$(printf "$two/%s\n" {1..400})"
	equal "$(dq-take -n 600 "$two" | wc -l)" 400
}

@test "dq-put -l to that queue: it waits, and the messages keep their order" {
	seq 1000 | dq-put -q -l "$two"
	half_move
	begin_tool dq-put -l --timeout 60s "$two"
	seq 1001 9000 >&7
	wait_until 10 is_refused 5
	finish_move
	ends_with 0
	equal "$(wc -l <"$T/out")$(said "$T/err")" 8000
	equal "$(dq-take -n 9000 "$two" | cut -f 2)" "$(seq 9000)"
}

@test "dq-stat: messages of the others are listed at once; that queue last, within --timeout" {
	put_to_all a
	half_move
	begin_tool dq-stat --messages all --timeout 60s "$two" "${others[@]}"
	wait_until 10 has_lines "$T/out" 3
	run -1 grep "^$two/" "$T/out"
	finish_move
	ends_with 0
	equal "$(tail -n 1 "$T/out" | cut -f 1 | cut -d/ -f 1)" "$two"
	run --separate-stderr dq-stat --json "$two" "${others[@]}"
	equal "$status$stderr" 0
}

@test "dq-stat: the numbers of the others; 75 when its time is over" {
	put_to_all a
	half_move
	run --separate-stderr dq-stat --timeout 3s "$two" "${others[@]}"
	equal "$status" 75
	equal "${#lines[@]}" 4
	equal "$(said <(echo "$stderr"))" "dq-stat: $two: not shown: $TRYAGAIN"
}

shows_queues() { # N
	[ "$(tail -n 1 "$T/out" | awk '{ print $2 }')" = "$1" ]
}

@test "dq-stat --watch goes on with the others, and shows that queue again when its slot was moved" {
	put_to_all a
	half_move
	begin_tool dq-stat --watch --every 200ms --timeout 60s "$two" "${others[@]}"
	# It polls for at most a twentieth of the time: on a busy machine that may be ten seconds apart.
	wait_until 60 shows_queues 3
	grep -q "$two: not shown: TRYAGAIN" "$T/err"
	finish_move
	wait_until 60 shows_queues 4
	kill "$tool"
	ends_with 143
}
