# Goal: An interrupted load or dump can be repeated: every message is there once, also while consumers wait.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate
load ../dump/dump

paused() { # QUEUE
	[ "$(dq-stat --prefix new --json "$1" | jq '.queues[].paused')" = true ]
}

@test "nobody takes from a queue before its end is loaded, and then a waiting consumer is woken" {
	seq 20 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	dq-take --prefix new -q -w 20s -n 20 --ack "$q" >"$T/taken" 3>&- &
	local pid=$!
	head -15 "$T/dump" | fails 65 "standard input: the end of the dump is missing: $q stays paused" dq-load -q --prefix new
	paused "$q"
	equal "$(wc -l <"$T/taken")" 0
	run -0 dq-load --prefix new "$T/dump"
	exits 0 "$pid"
	equal "$(cut -f2 "$T/taken" | sort -n)" "$(seq 20)"
	run -1 paused "$q"
}

@test "messages of a queue that was loaded whole, and acked, do not come back" {
	seq 5 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	dq-load -q --prefix new "$T/dump"
	dq-take --prefix new --ack -n 3 "$q" >/dev/null
	run --separate-stderr -0 dq-load -v --prefix new "$T/dump"
	equal "$(sort <<<"$output")" "$(jq -r 'select(.kind == "message") | .queue + "/" + .id' "$T/dump" | sort)"
	matches "$stderr" "^dq-load: $q: this dump was loaded whole before: nothing to do"
	run --separate-stderr -0 dq-load --prefix new "$T/dump"
	equal "$stderr" 'dq-load: 1 queue was loaded whole from this dump before: nothing to do; to load it again: dq-rm -a QUEUE'
	run --separate-stderr -0 dq-load -q --prefix new "$T/dump"
	equal "$stderr" ''
	DQ_PREFIX=new holds 0 2 0 0
}

@test "a dump, then another one, then the first again: only the last dump is known, so what was acked comes back" {
	seq 3 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/a"
	dq-dump "$q" >"$T/b"
	dq-load -q --prefix new "$T/a"
	dq-take --prefix new --ack -n 3 "$q" >/dev/null
	dq-load -q --prefix new "$T/a"
	DQ_PREFIX=new holds 0 0 0 0
	dq-load -q --prefix new "$T/b"
	dq-take --prefix new --ack -n 3 "$q" >/dev/null
	dq-load -q --prefix new "$T/a"
	DQ_PREFIX=new holds 0 3 0 0
}

@test "a part that is loaded twice exists once, in its present state" {
	seq -f 'm%g' 1500 | awk '{ print "-\t" $1 "\tx" }' | dq-put -q --tsv "$q"
	dq-put -q -d 50ms -i soon "$q" x
	dq-dump "$q" >"$T/dump"
	run -65 dq-load -q --prefix new <<<"$(head -1000 "$T/dump")"
	dq-promote --prefix new -q "$q"
	dq-load --prefix new "$T/dump" | sort >"$T/names"
	equal "$(uniq "$T/names" | wc -l)" 1501
	equal "$(wc -l <"$T/names")" 1501
	equal "$(rcli HLEN "new:{$q}:msg")" 1501
	equal "$(DQ_PREFIX=new field stat put)" 1501
	DQ_PREFIX=new audit "$q"
}

@test "a queue that was paused stays so; also one that somebody pauses meanwhile, or had paused" {
	dq-put -q -i a "$q" x
	dq-set "$q" paused=yes
	run --separate-stderr -0 dq-load --prefix new < <(dq-dump "$q")
	equal "$stderr" 'dq-load: 1 queue is paused, as when dumped: dq-set QUEUE paused=no'
	paused "$q"
	dq-set "$q" paused=no
	dq-dump "$q" >"$T/dump"
	dq-load -q --prefix new "$T/dump"
	paused "$q"
	rcli DEL "new:{$q}:conf" "new:{$q}:stat" >/dev/null
	run -65 dq-load -q --prefix new <<<"$(head -2 "$T/dump")"
	paused "$q"
	dq-set --prefix new "$q" paused=yes
	dq-load -q --prefix new "$T/dump"
	paused "$q"
}

@test "lines that are missing, or not valid: the queue stays paused until all is loaded" {
	seq 5 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	sed 3d "$T/dump" | fails 65 "line 6: $q: stays paused: 5 messages and 0 reserved ids were dumped, but the input has 4 and 0" \
		dq-load -q --prefix new
	paused "$q"
	sed '3s/due_ms/due/' "$T/dump" | run -65 dq-load -q --prefix new
	paused "$q"
	dq-put -q --prefix new -i "$(jq -r 'select(.kind == "message").id' "$T/dump" | head -1)" "$q" other || true
	dq-load -q --prefix new "$T/dump"
	run -1 paused "$q"
	DQ_PREFIX=new holds 0 5 0 0
}

@test "a conflict: the queue stays paused, and is resumed by a load that keeps or replaces" {
	dq-put -q -i a "$q" x
	dq-put -q -i b "$q" x
	dq-put -q --prefix new -i a "$q" y
	dq-dump "$q" >"$T/dump"
	run --separate-stderr -1 dq-load --prefix new "$T/dump"
	equal "$output" "$q/b"
	matches "$stderr" "$q/a: not loaded: .*"$'\n'"dq-load: $q: stays paused: not all of it was loaded"
	paused "$q"
	run -0 dq-load --prefix new -e keep "$T/dump"
	equal "$output" "$q/b"
	run -1 paused "$q"
}

@test "the server is killed while it loads: exit 75, and a repeat completes it" {
	start_server next --appendonly yes --appendfsync always
	seq 20000 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	mkfifo "$T/pipe"
	dq-load -q -u "unix://$T/next/s" --timeout 3s <"$T/pipe" 2>"$T/err" 3>&- &
	local pid=$!
	exec 9>"$T/pipe"
	head -10000 "$T/dump" >&9
	some() { [ "$(DQ_URL=unix://$T/next/s dq-stat --json "$q" | jq '.queues[].messages.ready')" -gt 500 ]; }
	wait_until 10 some
	kill -9 "$(<"$T/next/pid")"
	tail -n +10001 "$T/dump" >&9 || true
	exec 9>&-
	exits 75 "$pid"
	start_server next --appendonly yes --appendfsync always
	dq-load -q -u "unix://$T/next/s" "$T/dump"
	dq-dump -u "unix://$T/next/s" >"$T/new"
	diff <(contents "$T/dump") <(contents "$T/new")
}

@test "the tool and the server are killed several times: all messages exist, field by field" {
	start_server next
	run -0 python3 "$top/test/tool/moved.py" "$DQ_BIN" "$T/main/s" "$T/next/s" 8000 6
	matches "$output" '8[0-9]{3} lines, all equal$'
}

@test "a signal: the sent part is reported, and a repeat completes it" {
	seq 3000 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	mkfifo "$T/pipe"
	dq-load --prefix new <"$T/pipe" >"$T/names" 2>"$T/err" 3>&- &
	local pid=$!
	exec 9>"$T/pipe"
	head -2000 "$T/dump" >&9
	some() { [ "$(rcli HLEN "new:{$q}:msg")" -ge 1000 ]; }
	wait_until 10 some
	kill "$pid"
	exits 143 "$pid"
	exec 9>&-
	matches "$(head -1 "$T/err")" \
		'^dq-load: the rest was not read: 0 there already, 0 replaced, 0 kept, [0-9]{4} loaded, 0 refused, 0 unknown$'
	equal "$(tail -n +2 "$T/err")" "dq-load: $q: stays paused until all of it is loaded: load the dump again"
	equal "$(rcli HLEN "new:{$q}:msg")" "$(wc -l <"$T/names")"
	dq-load -q --prefix new "$T/dump"
	equal "$(rcli HLEN "new:{$q}:msg")" 3000
}

@test "a message that a dump has in two states is loaded once; so is one of a queue that the dump does not begin" {
	local a='{"kind":"message","queue":"'$q'","id":"a","state":"ready","due_ms":1,"payload":"x"}'
	run -0 dq-load <<<"$a"$'\n'"${a/ready/delayed}"$'\n'"${a/$q/$q.other}"
	equal "$(sort <<<"$output" | paste -sd" ")" "$q.other/a $q/a $q/a"
	holds 0 1 0 0
	holds 0 1 0 0 "$q.other"
}

@test "one shard was loaded before, and the queue is made anew with other shards meanwhile: exit 75, and a repeat loads all" {
	local id all=(i{1..30}) ids=() other=() in slow tag
	mapfile -t in < <(python3 "$top/test/tool/shards.py" "$q" 2 "${all[@]}")
	for id in "${!all[@]}"; do
		[ "${in[id]}" = 0 ] && ids+=("${all[id]}") || other+=("${all[id]}")
	done
	head -c 600000 /dev/zero | tr '\0' x >"$T/payload" # a batch has one such message, and eight batches have no reply yet
	for id in "${ids[@]}" "${other[@]}"; do dq-put -q -i "$id" "$q" <"$T/payload"; done
	dq-dump "$q" | awk '/"kind":"(queue|end|done)"/ { print; next } { print >(ENVIRON["T"] "/messages") }' >"$T/edges"
	{
		head -n 1 "$T/edges"
		for id in "${ids[@]}" "${other[@]}"; do grep "\"id\":\"$id\"" "$T/messages"; done
		tail -n 2 "$T/edges"
	} >"$T/dump"
	dq-set --prefix new "$q" shards=2
	tag=$(python3 "$top/test/tool/shards.py" "$q" 2 | tail -n 1)
	rcli HSET "new:{$tag}:stat" loaded "$(head -n 1 "$T/dump" | jq .dump)" >/dev/null # as a load that was interrupted leaves it
	start_gate
	rule "hold.${ids[0]}"
	dq-load -u "unix://$T/gate" --prefix new "$T/dump" >"$T/names" 2>"$T/err" 3>&- &
	slow=$!
	wait_until 10 came "${ids[0]}"
	dq-rm --prefix new -f -a "$q"
	dq-set --prefix new "$q" shards=3
	lift "hold.${ids[0]}"
	exits 75 "$slow"
	equal "$(head -n 1 "$T/err" | sed 's/: [0-9]* messages* not/: not/')" \
		"dq-load: $q: not loaded: the load lost the queue, which was removed or got other shards: load the dump again"
	equal "$(wc -l <"$T/err")" 2
	dq-load --prefix new "$T/dump" >"$T/names"
	equal "$(sort "$T/names")" "$(dq-stat --prefix new --messages ready "$q" | cut -f 1 | sort)"
	equal "$(wc -l <"$T/names")" 30
}

@test "a reply to the end of a queue that does not arrive: the line names the queue" {
	local loader
	start_server own
	dq-set -q "$q" paused=yes
	dq-dump "$q" >"$T/dump"
	equal "$(wc -l <"$T/dump")" 3
	mkfifo "$T/lines"
	dq-load -u "unix://$T/own/s" --timeout 2s <"$T/lines" 2>"$T/err" 3>&- &
	loader=$!
	exec 8>"$T/lines"
	head -n 1 "$T/dump" >&8
	SERVER=own wait_until 10 begun
	kill -STOP "$(<"$T/own/pid")"
	tail -n 2 "$T/dump" >&8
	exec 8>&-
	exits 75 "$loader"
	kill -CONT "$(<"$T/own/pid")"
	matches "$(<"$T/err")" "^dq-load: $q: timed out after 2s \(unix://$T/own/s\): 0 there already,"
}

@test "a reply to the load of a beginning, or of an end, that does not arrive: the line names the queue, and counts no message" {
	local edge
	start_gate
	dq-set -q "$q" paused=yes
	dq-dump "$q" >"$T/dump"
	for edge in 'begin ' 'end '; do
		rule "late.$edge"
		run --separate-stderr -75 dq-load -u "unix://$T/gate" --prefix new --timeout 2s "$T/dump"
		lift "late.$edge"
		equal "$stderr" \
			"dq-load: $q: timed out after 2s (unix://$T/gate): 0 there already, 0 loaded, 0 refused, 0 unknown, 0 not sent"
	done
}

@test "shards that are made at the moment of the beginning: each of them is paused" {
	local slow tag
	seq 9 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	head -n 5 "$T/dump" >"$T/part"
	start_gate
	rule 'hold.begin '
	dq-load -q -u "unix://$T/gate" --prefix new "$T/part" 2>"$T/err" 3>&- &
	slow=$!
	wait_until 10 came 'begin '
	dq-set -q --prefix new "$q" shards=3
	lift 'hold.begin '
	exits 65 "$slow"
	equal "$(cat "$T/err")" "dq-load: $T/part: the end of the dump is missing: $q stays paused: load the whole dump, or a new one"
	for tag in $(python3 "$top/test/tool/shards.py" "$q" 3); do
		equal "$(rcli HGET "new:{$tag}:conf" paused)" load
	done
	run -1 dq-take -q --prefix new "$q"
}

@test "a beginning that Redis refuses is no message: the line is about the queue, once for all its shards" {
	dq-put -q "$q" x
	dq-dump "$q" >"$T/dump"
	start_server full
	export DQ_URL=unix://$T/full/s
	dq-set -q --prefix new "$q" shards=3
	SERVER=full rcli CONFIG SET maxmemory 1 >/dev/null
	run --separate-stderr dq-load -v --prefix new "$T/dump"
	equal "$status" 75
	equal "${stderr_lines[0]%%: OOM*}" "dq-load: $q: its beginning was not loaded"
	equal "$(grep -c 'its beginning' <<<"$stderr")" 1
	equal "$(grep -c " 0 refused, 0 unknown" <<<"$stderr")" 1
}

@test "a beginning that no replica confirms, and names that cannot be written: the cause, and what is left" {
	dq-put -q "$q" x
	dq-dump "$q" >"$T/dump"
	run --separate-stderr -75 dq-load --prefix new --wait-replicas 1,50ms "$T/dump"
	equal "${stderr_lines[0]}" "dq-load: $q: its beginning was loaded, not confirmed: 0 of 1 replicas"
	equal "${stderr_lines[-1]}" "dq-load: $q: stays paused until all of it is loaded: load the dump again"
	paused "$q"
	names_lost() { dq-load --prefix new "$T/dump" >/dev/full; }
	run --separate-stderr -74 names_lost
	equal "${stderr_lines[-1]}" "dq-load: $q: stays paused until all of it is loaded: load the dump again"
	paused "$q"
	dq-load -q --prefix new "$T/dump"
	run -1 paused "$q"
}

# Both scripts of the beginning have run, each for the first time: the one that loads it, and the one that lists the queue.
begun() {
	rcli INFO commandstats | grep -q '^cmdstat_eval:calls=2,'
}

@test "a queue of several shards is loaded with as many, unless it exists" {
	dq-set -q "$q" shards=3
	seq 30 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	equal "$(head -n 1 "$T/dump" | jq -c '[.paused, .shards]')" '[false,3]'
	dq-load -q --prefix new "$T/dump"
	equal "$(dq-set --prefix new "$q" | head -n 2)" $'paused=no\nshards=3'
	equal "$(dq-take --prefix new -n 99 "$q" | wc -l)" 30
	dq-put -q --prefix other "$q" x
	dq-load -q --prefix other "$T/dump"
	equal "$(dq-set --prefix other "$q" | head -n 2)" $'paused=no\nshards=1'
	equal "$(dq-take --prefix other -n 99 "$q" | wc -l)" 31
	dq-set -q --prefix two "$q" shards=2
	dq-load -q --prefix two "$T/dump"
	equal "$(dq-set --prefix two "$q" | head -n 2)" $'paused=no\nshards=2'
}

@test "a load that was killed while it made the shards: the next one goes on" {
	dq-set -q "$q" shards=3
	dq-put -q "$q" x
	dq-dump "$q" >"$T/dump"
	rcli HSET "new:{$q}:stat" shards 3+ >/dev/null
	dq-load -q --prefix new "$T/dump"
	equal "$(dq-set --prefix new "$q" | head -n 2)" $'paused=no\nshards=3'
	equal "$(dq-take --prefix new "$q" | cut -f 2)" x
	fails 65 '^line 1: shards: not a number from 1 to 64$' dq-load --dry-run <<<"$(sed 's/"shards":3/"shards":0/; q' "$T/dump")"
}
