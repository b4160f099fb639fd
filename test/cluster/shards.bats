# Goal: A queue of several shards is spread evenly over the nodes of a cluster, and each tool finds all of it by its one name.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

setup_file() {
	begin_file
	NODE_TIMEOUT=60000 start_cluster # the others do not take one that is stopped for failed
}

setup() {
	begin_test
	begin_cluster
	dq-set "$q" shards=6
}

teardown() {
	kill -CONT "$(<"$F/n1/pid")"
	end_test
}

tags() {
	python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 6
}

# What commands find in all shards of a node, added up.
on_node() { # NODE COMMAND PART
	local tag sum=0
	for tag in $(tags); do
		[ "$(node_of "$tag")" != "$1" ] || sum=$((sum + $(in_cluster "$1" "$2" "dq:{$tag}:$3")))
	done
	echo "$sum"
}

is_spread() { # PART COMMAND LEAST MOST
	local node
	for node in n0 n1 n2; do between "$3" "$(on_node "$node" "$2" "$1")" "$4" || return; done
}

@test "two of six shards are on each of three nodes, and a third of the messages" {
	local tag
	for tag in $(tags); do node_of "$tag"; done | sort | uniq -c | awk '{ print $1 }' >"$T/counts"
	equal "$(cat "$T/counts")" $'2\n2\n2'
	seq 6000 | dq-put -l "$q" >"$T/names"
	equal "$(sort -u "$T/names" | wc -l)" 6000
	is_spread ready ZCARD 1600 2400
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 }')" 6000
	dq-take --until-empty "$q" >"$T/taken"
	equal "$(cut -f 2 "$T/taken" | sort -n | md5sum)" "$(seq 6000 | md5sum)"
	dq-ack <"$T/taken"
	equal "$(dq-stat --no-header "$q" | awk '{ print $2 + $3 + $4 + $5 + $6 }')" 0
	run -0 dq-gc --check "$q"
	equal "$output" ''
	equal "$(listed | grep -cxF "$q")" 1
}

@test "due messages are promoted, dead ones redriven, and the queue goes, on all nodes" {
	seq 60 | sed 's/.*/1h\tm&\tx/' | dq-put -q --tsv "$q" # of generated ids that differ little a node may have few
	seq 60 | sed 's/^/-\tid/; s/$/\tx/' | dq-put -q --tsv "$q"
	seq 60 | sed "s,^,$q/id," | dq-rm
	equal "$(dq-stat --messages delayed "$q" | cut -f 1 | dq-promote - && dq-stat --no-header "$q" | awk '{ print $4 }')" 60
	dq-take --until-empty "$q" | dq-ack -b
	is_spread dead ZCARD 15 25
	dq-promote --dead "$q"
	is_spread ready ZCARD 15 25
	dq-rm -f -a "$q"
	equal "$(dq-stat --names | grep -cxF "$q" || true)" 0
	equal "$(for tag in $(tags); do in_cluster "$(node_of "$tag")" EXISTS "dq:{$tag}:stat"; done | sort -u)" 0
}

took() { # N
	[ "$(wc -l <"$T/taken")" -ge "$1" ]
}

@test "waiting tools notice each shard, and a worker runs the messages of any of them" {
	local taker
	dq-take -f "$q" >"$T/taken" 3>&- &
	taker=$!
	wait_until 10 connected_waits
	seq 40 | dq-put -q -l -d 300ms "$q"
	wait_until 20 took 40
	equal "$(cut -f 2 "$T/taken" | sort -n)" "$(seq 40)"
	kill "$taker"
	wait "$taker" || true
	cut -f 1 "$T/taken" | dq-ack
	seq 20 | dq-put -q -l "$q"
	dq-run -j 4 --until-empty "$q" -- xargs >"$T/ran"
	equal "$(sort -n "$T/ran")" "$(seq 20)"
	equal "$(dq-stat --no-header "$q" | awk '{ print $2 + $3 + $4 + $5 + $6 }')" 0
}

# A wait for each shard: two a node.
connected_waits() {
	local node
	for node in n0 n1 n2; do
		[ "$(in_cluster "$node" INFO clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" -ge 2 ] || return
	done
}

# The tags of the shards on that node, as a sentence lists them.
tags_on() { # NODE
	local tag
	for tag in $(tags); do [ "$(node_of "$tag")" != "$1" ] || echo "$tag"; done | paste -sd , | sed 's/,/, /'
}

pause_of() {
	dq-stat --no-header "$q" | awk '{ print $10 }'
}

@test "paused=yes and paused=no while a node is away: the others, and which are missing; again completes it" {
	local word state shown
	q=$one # its first shard is not on n1: that one has the number of shards
	dq-set "$q" shards=6
	dq-put -q "$q" x
	for word in paused resumed; do
		state=$([ "$word" = paused ] && echo yes || echo no)
		kill -STOP "$(<"$F/n1/pid")"
		run -75 --separate-stderr dq-set --timeout 3s "$q" "paused=$state"
		kill -CONT "$(<"$F/n1/pid")"
		matches "$stderr" "^dq-set: $q: perhaps not $word: 2 of 6 shards \($(tags_on n1)\): timed out after "
		matches "$stderr" "[^;]; the others are$"
		equal "$(on_node n0 EXISTS conf)$(on_node n2 EXISTS conf)" "$([ "$word" = paused ] && echo 22 || echo 00)"
		shown=$([ "$word" = paused ] && echo paused || echo -)
		matches "$(pause_of)" "^(partly|$shown)$" # the node may have read the requests meanwhile
		run -0 --separate-stderr dq-set -v "$q" "paused=$state"
		matches "$stderr" "^dq-set: $q: $word: it was (not |partly )?paused$"
		equal "$(pause_of)" "$shown"
	done
}

slots_asked() {
	local n
	for n in 0 1 2; do in_cluster "n$n" INFO commandstats; done | sed -n 's/^cmdstat_cluster|slots:calls=\([0-9]*\),.*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

@test "a short run does not ask which node has which slot" {
	local before
	dq-set -q "$q" shards=6
	seq 60 | dq-put -q -l "$q"
	before=$(slots_asked)
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 }')" 60
	dq-set "$q" paused=yes
	dq-set "$q" paused=no
	equal "$(dq-dump "$q" | grep -c .)" "$(dq-dump "$q" | grep -c .)"
	equal "$(slots_asked)" "$before"
}

@test "the limits of a queue whose shards are on several nodes: each shard has its part, and takers wait at all of them" {
	dq-set -q "$q" shards=6 max-leased=13 rate=60/50ms
	equal "$(dq-set "$q" | sed 1,2d | paste -sd' ')" 'max-leased=13 rate=60/50ms max-len=none keys=fair key-limit=none'
	seq 200 | dq-put -q -l "$q"
	dq-take -n 200 "$q" >"$T/$q.taken"
	between 1 "$(wc -l <"$T/$q.taken")" 13
	dq-ack -g <"$T/$q.taken"
	run -0 timeout 60 dq-run --drain -j 20 "$q" -- true
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 + $5 }')" 0
}
