# Goal: dq-take takes nothing while its output has no room, and holds no lease past its end while it waits for room.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# The test is the reader of a pipe, on descriptor 8.
setup() {
	begin_test
	mkfifo "$T/pipe"
	exec 8<>"$T/pipe"
}

teardown() {
	exec 8>&-
	end_test
}

# As another writer does.
fill() {
	python3 "$top/test/take/fill.py" "$T/pipe"
}

taken() {
	field stat taken
}

@test "no room until the end of -w: 75, and nothing was taken" {
	local options status
	dq-put -q -i x -r 1 "$q" hello
	fill
	for options in '-w 1500ms' '-w 1500ms -n 10 --json' '-w 1500ms --ack' '-w 0'; do
		status=0
		# shellcheck disable=SC2086
		timeout 20 dq-take $options "$q" >&8 8>&- 2>"$T/err" || status=$?
		equal "$status" 75
		equal "$(cat "$T/err")" "dq-take: $q: nothing was taken: the reader of the output has not read what was written before"
		holds 0 1 0 0
		equal "$(taken)" ''
	done
}

@test "no room, and no limit: nothing is taken until there is some" {
	local options pid status n=0
	for options in '' '-n 10' -f --until-empty; do
		fill
		dq-put -q -r 1 -t 1h "$q" hello
		status=0
		# shellcheck disable=SC2086
		timeout 2 dq-take $options "$q" >&8 8>&- || status=$?
		equal "$status" 124
		holds 0 1 "$n" 0
		equal "$(taken)" "${n#0}"
		# shellcheck disable=SC2086
		dq-take $options "$q" >&8 8>&- 3>&- &
		pid=$!
		head -c 65536 <&8 >/dev/null
		wait_until 20 holds 0 0 $((++n)) 0
		read -rt 20 _ <&8
		[ "$options" != -f ] || kill "$pid"
		wait "$pid" || true
	done
}

@test "a message comes while there is no room: another tool gets it" {
	local pid
	dq-take -q -w 1h "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 20 eval 'rcli CLIENT LIST | grep -q "name=dq-take-wait .*cmd=bzpopmin"'
	fill
	dq-put -q "$q" hello
	dq-take -w 20s "$q" >"$T/other" 8>&-
	equal "$(cut -f2 "$T/other")" hello
	kill "$pid"
	exits 143 "$pid"
}

# 40 records fit into the pipe.
@test "leases end before there is room: given back, no try counts, and taken again" {
	local options pid back
	for options in '-n 100' '-n 100 -w 1h' '-n 100 --until-empty'; do
		q=$q.n
		seq -f '%01200.0f' 36 | dq-put -ql -p 0 -t 1h "$q"
		seq -f '%01200.0f' 37 100 | dq-put -ql -r 1 -t 2s "$q"
		# shellcheck disable=SC2086
		dq-take $options "$q" >&8 8>&- 2>"$T/err" 3>&- &
		pid=$!
		wait_until 20 grep -qx "dq-take: $q/.*: not delivered: the output had no room before its lease ended" "$T/err"
		equal "$(taken)" 100
		wait_until 20 eval 'back=$(rcli ZCARD "dq:{$q}:ready"); [ "$back" -ge 50 ]'
		equal "$(rcli --raw HVALS "dq:{$q}:try" | grep -cE '^0[+]1 0 ')" "$back"
		equal "$(taken)" 100
		head -n 100 <&8 >"$T/read"
		exits 0 "$pid"
		equal "$(cut -f1 "$T/read" | sort | uniq -d)" ''
	done
}

@test "the lease of a record that is written in part ends: 75, given back" {
	head -c 1048576 /dev/zero | dq-put -q -i x -r 1 -t 2s "$q"
	local status=0
	timeout 20 dq-take -f "$q" >&8 8>&- 2>"$T/err" || status=$?
	equal "$status" 75
	equal "$(cat "$T/err")" "dq-take: $q/x: not delivered: the output had no room before its lease ended"
	holds 0 1 0 0
	equal "$(tries x)" 0
}

# The second call of a round is made ahead, while the first is written: its leases end before that.
@test "what was asked for ahead is not written when its lease has ended" {
	local pid reader token
	seq -f '%01000.0f' 125 | dq-put -ql -p 0 -t 1h "$q"
	seq -f '%0100.0f' 125 | dq-put -ql -t 1s "$q"
	dq-put -q -i last -t 1s "$q" x
	dq-take --until-empty -n 250 "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 20 eval '[ "$(rcli ZCARD "dq:{$q}:leased")" -eq 250 ]'
	token=$(field stat token)
	wait_until 20 eval '[ "$(rcli ZCOUNT "dq:{$q}:leased" "$(server_ms)" +inf)" -eq 125 ]' # the others ended, or were given back
	cat <&8 >"$T/read" 3>&- &
	reader=$!
	exits 0 "$pid"
	wait_until 20 eval '[ "$(cut -f1 "$T/read" | sed "s/@.*//" | sort -u | wc -l)" -eq 251 ]'
	kill "$reader"
	equal "$(grep -c "@$token" "$T/read")" 0
}

@test "what was asked for ahead is given back while the write before it waits: no lease of it ends" {
	local pid reader
	seq -f '%01000.0f' 125 | dq-put -ql -p 0 -t 1h "$q"
	seq -f '%0100.0f' 125 | dq-put -ql -t 2m "$q"
	dq-put -q -i last -t 2m "$q" x
	dq-take --until-empty -n 250 "$q" >&8 8>&- 3>&- &
	pid=$!
	wait_until 30 eval '[ "$(field stat given_back)" -ge 125 ]'
	holds 0 126 125 0
	cat <&8 >"$T/read" 3>&- &
	reader=$!
	exits 0 "$pid"
	wait_until 20 eval '[ "$(wc -l <"$T/read")" -eq 251 ]'
	kill "$reader"
	equal "$(cut -f2 "$T/read" | sort -u | wc -l)" 251
	equal "$(field stat expired_leases)" ''
}

@test "after a lease of under a second nothing is asked for ahead" {
	local pid
	seq -f '%01200.0f' 300 | dq-put -ql -t 999ms "$q"
	dq-take -n 250 --until-empty "$q" >&8 8>&- 2>"$T/err" 3>&- &
	pid=$!
	wait_until 20 grep -q 'had no room' "$T/err"
	equal "$(taken)" 125
	kill "$pid"
	exits 143 "$pid"
}
