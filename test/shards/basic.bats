# Goal: For each tool a queue of several shards is one queue with one name; how it is made, removed, and moved.

bats_require_minimum_version 1.5.0

load ../helper
load shards
load ../acl

sum() { # COLUMN...: of dq-stat
	dq-stat --no-header "$q" | awk -v columns="$*" \
		'{ n = split(columns, c, " "); for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? " " : ""), $c[i] }'
}

# DELAYED DUE READY LEASED DEAD
has() {
	equal "$(sum 2 3 4 5 6)" "$*"
}

@test "each message is in the shard that its id says, and nowhere else" {
	local id ids=(id{1..60}) in i=0
	spread 6
	printf -- '-\t%s\tx\n' "${ids[@]}" | dq-put -q --tsv "$q"
	has 0 0 60 0 0
	mapfile -t in < <(python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 6 "${ids[@]}")
	for id in "${ids[@]}"; do
		equal "$id $(rcli HEXISTS "dq:{$(tag "${in[i]}" 6)}:msg" "$id")" "$id 1"
		i=$((i + 1))
	done
	equal "$(shares 6 | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 60
}

@test "a put of one id goes to one shard, even if the caller knew another number of shards" {
	spread 3
	dq-put -q -i a "$q" one
	run -1 dq-put -q -i a "$q" two
	dq-put -q -e keep -i a "$q" two
	dq-put -q -e replace -i a "$q" three
	has 0 0 1 0 0
	equal "$(dq-stat --payload "$q/a")" three
	dq-put -q --unique-for 1h -i b "$q" x
	dq-take -n 2 "$q" | dq-ack
	run -1 dq-put -q -i b "$q" again
	has 0 0 0 0 0
}

@test "names are printed in the order of the input, whichever shard replies first" {
	spread 5
	seq 3000 | sed 's/^/-\tid/; s/$/\tx/' | dq-put --tsv "$q" >"$T/names"
	equal "$(md5sum <"$T/names")" "$(seq 3000 | sed "s,^,$q/id," | md5sum)"
	# and without those that were there
	seq 2 2 3000 | sed "s,^,$q/id," | dq-rm
	run -1 --separate-stderr bash -c "seq 3000 | sed 's/^/-\tid/; s/\$/\tx/' | dq-put --tsv $q"
	equal "$(md5sum <<<"$output")" "$(seq 2 2 3000 | sed "s,^,$q/id," | md5sum)"
}

@test "many messages to many shards: as few calls as to one, and some a shard" {
	local before
	calls_of_scripts() { rcli INFO commandstats | awk -F'[:=,]' '/^cmdstat_eval(sha)?:/ { n += $3 } END { print n + 0 }'; }
	spread 64
	before=$(calls_of_scripts)
	seq 50000 | dq-put -q -l "$q"
	# 500 messages in each call; besides, the last ones of each shard, and some from before the tool knew of the shards
	between 164 "$(($(calls_of_scripts) - before))" 330
	has 0 0 50000 0 0
}

@test "a take visits all shards, and begins with a different one each time" {
	spread 4
	seq 400 | dq-put -q -l "$q"
	dq-take -n 1000 "$q" >"$T/taken"
	equal "$(cut -f 2 "$T/taken" | sort -n | md5sum)" "$(seq 400 | md5sum)"
	dq-ack <"$T/taken"
	has 0 0 0 0 0
	seq 400 | dq-put -q -l "$q"
	dq-take --until-empty -n 10 "$q" | head -n 40 >"$T/first"
	cut -f 1 "$T/first" | sed 's,.*/,,; s,@.*,,' >"$T/ids"
	equal "$(xargs python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 4 <"$T/ids" | sort -u | wc -l)" 4
}

@test "settling, releasing, promoting by name: in the shard that has the message" {
	spread 6
	seq 30 | sed 's/^/-\tid/; s/$/\tx/' | dq-put -q --tsv "$q"
	dq-take -n 30 "$q" >"$T/taken"
	has 0 0 0 30 0
	head -n 10 "$T/taken" | dq-ack -b -m why
	sed -n 11,20p "$T/taken" | dq-ack -r -d 1h
	tail -n 10 "$T/taken" | dq-promote --release
	has 10 0 10 0 10
	dq-stat --messages delayed "$q" | dq-promote -
	dq-stat --messages dead "$q" | dq-promote --dead
	has 0 0 30 0 0
	run -1 dq-ack "$q/id1@5"
	matches "$output" 'this receipt is no longer valid'
	equal "$(dq-stat --json "$q/id7" | grep -c '"state":"ready"')" 1
	seq 30 | sed "s,^,$q/id," | dq-rm -v 2>&1 | grep -qx 'dq-rm: 30 removed'
}

@test "promote, pause, --check, gc and --next work on all shards" {
	spread 3
	seq 30 | dq-put -q -l -d 1ms "$q"
	wait_until 20 is_due
	dq-promote "$q"
	has 0 0 30 0 0
	dq-set "$q" paused=yes
	run -1 dq-take -n 30 "$q"
	equal "$(sum 2 3 4 5 6)" '0 0 30 0 0'
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" paused
	dq-set "$q" paused=no
	equal "$(dq-stat --next "$q")" 0
	dq-take -n 30 "$q" | dq-ack -b
	run -0 dq-gc --check "$q"
	equal "$output" ''
	dq-gc --dead-for 0 "$q"
	has 0 0 0 0 0
	dq-put -q -d 1h "$q" x
	between 3500000 "$(dq-stat --next "$q")" 3600000
	equal "$(dq-stat --json "$q" | grep -o '"put":[0-9]*')" '"put":31'
}

is_due() {
	[ "$(sum 3)" = 30 ]
}

@test "a worker runs the messages of all shards" {
	spread 6
	seq 40 | dq-put -q -l "$q"
	dq-run -j 3 --until-empty "$q" -- xargs >"$T/ran"
	equal "$(sort -n "$T/ran" | md5sum)" "$(seq 40 | md5sum)"
	has 0 0 0 0 0
}

took() { # N
	[ "$(wc -l <"$T/taken")" -ge "$1" ]
}

@test "a waiting tool learns of the shards when the queue is made" {
	local take promote
	dq-take -q -f "$q" >"$T/taken" 3>&- &
	take=$!
	dq-promote -q -f "$q" 3>&- &
	promote=$!
	wait_until 10 are_blocked 2
	spread 4
	seq 20 | dq-put -q -l -d 100ms "$q"
	wait_until 30 took 20
	kill "$take" "$promote"
	equal "$(cut -f 2 "$T/taken" | sort -n | md5sum)" "$(seq 20 | md5sum)"
}

are_blocked() {
	[ "$(rcli INFO clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" -ge "$1" ]
}

# --- creation, removal, moving ---

@test "the number is set once, before the first message; a repeat changes nothing" {
	spread 4
	dq-put -q "$q" x
	spread 4
	run -1 dq-set "$q" shards=3
	matches "$output" 'it has 4 shards already'
	has 0 0 1 0 0
	dq-put -q "$q.one" x
	run -1 dq-set "$q.one" shards=3
	matches "$output" 'set before the first put'
	equal "$(rcli KEYS "dq:{$q.one/*")" ''
	dq-set "$q.one" shards=1
	fails 64 'an integer|number' dq-set "$q" shards=65
}

@test "a creation that was killed half way puts no message into two shards, and the same command completes it" {
	local last
	last=$(tag 5 6)
	rcli HSET "dq:{$last}:stat" shards 6 >/dev/null # the last shard is the first one
	dq-put -q -i a "$q" x
	equal "$(states "$q")" '0 1 0 0'
	dq-take "$q" | dq-ack
	spread 6
	seq 12 | dq-put -q -l "$q"
	has 0 0 12 0 0
	# another number than what was left
	q=$q.b
	rcli HSET "dq:{$(tag 2 3)}:stat" shards 5 >/dev/null
	spread 3
	equal "$(said 2 3)" 3
}

@test "an incomplete shard is reported, and nothing is put elsewhere" {
	spread 4
	rcli DEL "dq:{$(tag 2 4)}:stat" >/dev/null
	run -75 bash -c "seq 40 | dq-put -l $q"
	matches "$output" "not all of its 4 shards are there: dq-set $q shards=4"
	equal "$(rcli EXISTS "dq:{$(tag 2 4)}:msg")" 0
	spread 4
	seq 40 | dq-put -q -l "$q"
}

@test "dq-promote -f serves other queues while the removal of one was interrupted" {
	spread 3
	rcli HSET "dq:{$(tag 0 3)}:stat" shards 3- >/dev/null
	dq-put -q -d 10ms "$q.other" x
	run -75 --separate-stderr timeout 20 dq-promote -f --for 2s "$q" "$q.other"
	matches "$stderr" "^dq-promote: $q: not promoted: .*being removed"
	equal "$(states "$q.other")" '0 1 0 0'
	dq-rm -f -a "$q"
}

@test "dq-rm -a removes all shards and the name; a removal that was interrupted is done anew" {
	spread 3
	seq 30 | dq-put -q -l "$q"
	dq-rm -f -a "$q"
	equal "$(rcli KEYS "dq:{$q*")" ''
	is_unlisted
	spread 3
	rcli HSET "dq:{$(tag 0 3)}:stat" shards 3- >/dev/null
	fails 75 "being removed" dq-put "$q" x
	dq-rm -f -a "$q"
	equal "$(rcli KEYS "dq:{$q*")" ''
	dq-put -q "$q" x
	equal "$(states "$q")" '0 1 0 0'
}

@test "an empty queue of several shards stays, whatever dq-gc removes" {
	spread 3
	dq-put -q "$q" x
	dq-take "$q" | dq-ack
	dq-gc --empty-for 0 "$q"
	equal "$(said 0 3) $(said 2 3)" '3 3'
}

@test "to more shards: dump, remove, a new number, load" {
	spread 2
	seq 50 | sed 's/^/-\tid/; s/$/\tx/' | dq-put -q --tsv "$q"
	dq-put -q --unique-for 1h -i gone "$q" x
	dq-take -n 60 "$q" | grep /gone@ | cut -f 1 | dq-ack
	seq 10 | dq-put -q -l -d 1h "$q"
	dq-dump "$q" >"$T/dump"
	dq-rm -f -a "$q"
	spread 5
	dq-load -q "$T/dump"
	has 10 0 0 50 0
	run -1 dq-put -q -i gone "$q" x
	dq-load -q "$T/dump" # whole already: nothing comes back
	dq-dump "$q" | grep '"kind":"message"' | sed 's/"lease_until_ms":[0-9]*//' | sort | md5sum >"$T/after"
	grep '"kind":"message"' "$T/dump" | sed 's/"lease_until_ms":[0-9]*//' | sort | md5sum >"$T/before"
	equal "$(cat "$T/after")" "$(cat "$T/before")"
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" -
}

@test "a creation that ends early leaves a queue of one shard, in which puts are safe" {
	rcli SET "dq:{$(tag 1 3)}:msg" foreign >/dev/null
	run -70 dq-set "$q" shards=3
	seq 30 | dq-put -q -l "$q" # so many that some would belong to that shard
	equal "$(states "$q")" '0 30 0 0'
	equal "$(dq-take -n 30 "$q" | cut -f 2 | sort -n)" "$(seq 30)"
}

@test "dq-stat -v has a row for each shard, by its tag, and their sum" {
	spread 3
	seq 30 | dq-put -q -l "$q"
	dq-stat -v --no-header "$q" >"$T/rows"
	equal "$(awk '{ print $1 }' "$T/rows")" "$q"$'\n'"$(for i in 0 1 2; do tag $i 3; done)"
	equal "$(awk 'NR > 1 { n += $4 } END { print n }' "$T/rows")" 30
	equal "$(dq-stat --json "$q" | grep -o '"shards":[0-9]*')" '"shards":3'
	equal "$(dq-stat --prometheus "$q" | sed -n "s/^dq_queue_messages{queue=\"$q\",state=\"ready\"} //p")" 30
}

@test "a user with the rights of a consumer for one queue needs those of its shards, too" {
	local queue=$q rules
	spread 3
	seq 30 | dq-put -q -l "$q"
	q=none
	read -ra rules < <(rights consumer | sed "s/~dq:{none\*}:\*/~dq:{$queue}:*/")
	q=$queue
	equal "$(rcli ACL SETUSER dq-consumer "${rules[@]}")" OK
	as consumer dq-take -n 30 "$q" >"$T/taken" || equal $? 77
	[ "$(wc -l <"$T/taken")" -lt 30 ]
	equal "$(rcli ACL SETUSER dq-consumer "~dq:{$q/*}:*")" OK
	as consumer dq-take -n 30 "$q" >>"$T/taken"
	equal "$(wc -l <"$T/taken")" 30
	as consumer dq-ack <"$T/taken"
	has 0 0 0 0 0
}

# After the first put the next one is a usual call.
@test "a script that is called with another number replies with the right one, and writes nothing" {
	local before
	dq-put -q -d 1h "$q" x
	list_it "$q"
	before=$(digest)
	run script put /3 fail 100 '' 7200000 b $'\nx'
	matches "$output" 'DQSHARDS 1'
	equal "$(digest)" "$before"
	equal "$(script put '' fail 100 '' 7200000 b $'\nx')" n
	q=$q.3
	spread 3
	dq-put -q -d 1h -i "$(first_of 0)" "$q" x
	list_it "$q"
	before=$(digest)
	for told in '' /2 /4; do
		run script put "$told" fail 100 '' 7200000 b $'\nx'
		matches "$output" 'DQSHARDS 3'
		run script stat "$told"
		matches "$output" 'DQSHARDS 3'
		run script ack "$told" b 5
		matches "$output" 'DQSHARDS 3'
	done
	equal "$(digest)" "$before"
	equal "$(script put /3 fail 100 '' 7200000 b $'\nx')" n
}

@test "a shard that cannot be paused: the others are paused, this is reported, and dq-stat shows it" {
	spread 3
	dq-put -q "$q" x
	rcli SET "dq:{$(tag 1 3)}:conf" foreign >/dev/null
	fails 70 "^$q: not paused: 1 of 3 shards \\($(tag 1 3)\\): .*is a string, not a hash; the others are\$" dq-set "$q" paused=yes
	rcli DEL "dq:{$(tag 1 3)}:conf" >/dev/null
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" partly
	equal "$(dq-stat -v --no-header "$q" | awk 'NR > 1 { print $10 }' | xargs)" 'paused - paused'
	equal "$(dq-stat --json "$q" | grep -o -E '"paused(_shards)?":[^,}]*' | xargs)" 'paused:false paused_shards:2'
	equal "$(dq-stat --prometheus "$q" | sed -n "s/^dq_queue_paused{queue=\"$q\"} //p")" 0
	matches "$(dq-stat --check "$q" || true)" "$q: consumers get no messages from 2 of its 3 shards"
	dq-set "$q" paused=yes
	equal "$(dq-stat --json "$q" | grep -o -E '"paused(_shards)?":[^,}]*' | xargs)" 'paused:true paused_shards:3'
	dq-set "$q" paused=no
	equal "$(dq-stat --json "$q" | grep -o -E '"paused(_shards)?":[^,}]*' | xargs)" 'paused:false paused_shards:0'
}

@test "a queue that was paused before it had shards is paused in all of them" {
	dq-set "$q" paused=yes
	spread 4
	seq 40 | dq-put -q -l "$q"
	run -1 --separate-stderr dq-take "$q"
	equal "$output$(dq-stat --json "$q" | grep -o -E '"paused(_shards)?":[^,}]*' | xargs)" 'paused:true paused_shards:4'
	dq-set "$q" paused=no
	spread 4 # again: it stays resumed
	equal "$(dq-take --ack -n 40 "$q" | wc -l)" 40
}

@test "dq-rm -a: a foreign id that is skipped stays, as in a queue of one shard" {
	local shards
	for shards in 1 3; do
		q=$q.$shards
		[ "$shards" = 1 ] || spread "$shards"
		seq 30 | dq-put -q -l "$q"
		rcli HSET "dq:{$q}:msg" 'a b' $'\nforeign' >/dev/null
		rcli ZADD "dq:{$q}:ready" 1 'a b' >/dev/null
		run -1 dq-rm -f -a "$q"
		matches "$output" 'foreign id "a b" in ready: skipped'
		equal "$(rcli HGETALL "dq:{$q}:msg" | xargs)" 'a b foreign'
		[ "$shards" = 1 ] || equal "$(said 1 3)" 3
	done
}

@test "dq-rm -a of a queue whose number of shards changes each time: not removed, and this is reported" {
	start_fake changing '-DQSHARDS 3\r\n' '$-1\r\n'
	DQ_URL=unix://$T/changing/s fails 75 "^$q: not removed: other clients change its shards" dq-rm -f -a "$q"
}

@test "a server that refuses each number of shards: no tool calls for ever" {
	local why="other clients change its shards at the same time\$"
	start_fake changing '-DQSHARDS 3\r\n' '$-1\r\n'
	export DQ_URL=unix://$T/changing/s
	fails 75 "^$q: 1 message not put: $why" dq-put "$q" x
	fails 75 "^$q: $why" dq-take "$q"
	fails 75 "^$q: 1 receipt not settled: $why" dq-ack "$q/x@1"
}

@test "a closed shard with messages in an open queue: dq-promote reports it, and dq-rm -a removes it" {
	spread 3
	seq 30 | dq-put -q -l "$q"
	rcli HSET "dq:{$(tag 1 3)}:stat" shards 3- >/dev/null
	fails 1 "^$q: .*shard 1 has messages of an interrupted removal: dq-rm -a $q removes them\$" \
		dq-set "$q" shards=3
	run -0 dq-rm -f -a "$q"
	equal "$output$(rcli KEYS "dq:{$q*")" ''
}
