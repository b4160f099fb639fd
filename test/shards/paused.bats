# Goal: A queue of which only some shards are paused still delivers, and no tool says otherwise.
# shellcheck disable=SC2016,SC2154

bats_require_minimum_version 1.5.0

load ../helper
load shards
load ../gate
load ../run/worker

pause_shard() { # I
	rcli HSET "dq:{$(tag "$1" 3)}:conf" paused 1 >/dev/null
	rcli HSET "dq:{$(tag "$1" 3)}:stat" limits p >/dev/null
}

paused() {
	grep -c "^dq-run: $q: paused: nothing is taken until it is resumed" "$D/err"
}

@test "dq-stat --next: the first message of the shards that are not paused" {
	spread 3
	pause_shard 0
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
	dq-put -q -i "$(first_of 0)" "$q" ready
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
	dq-put -q -d 1h -i "$(first_of 1)" "$q" x
	between 3500000 "$(dq-stat --next "$q")" 3600000
	dq-put -q -t 1m -i "$(first_of 2)" "$q" x
	equal "$(dq-stat --next "$q")" 0
	dq-take "$q"
	between 50000 "$(dq-stat --next "$q")" 60000
	dq-set -q "$q" paused=yes
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
}

@test "dq-run reports the pause when all shards are paused, and not before" {
	spread 3
	pause_shard 0
	work "$q" -- sh -c 'cat; echo'
	dq-put -q -i "$(first_of 1)" "$q" one
	wait_until 5 grep -q one "$D/out"
	equal "$(paused)" 0
	pause_shard 1
	dq-put -q -i "$(first_of 1)" "$q" two
	dq-put -q -i "$(first_of 2)" "$q" three
	wait_until 5 grep -q three "$D/out"
	equal "$(paused)" 0
	dq-set -q "$q" paused=yes
	wait_until 10 eval '[ "$(paused)" = 1 ]'
}

@test "dq-take reports the pause when all shards are paused, once" {
	spread 3
	dq-put -q -i "$(first_of 0)" "$q" x
	pause_shard 0
	run -1 --separate-stderr dq-take "$q"
	run -1 grep paused <<<"$stderr"
	pause_shard 1
	pause_shard 2
	run -1 --separate-stderr dq-take "$q"
	equal "$stderr" "dq-take: $q: paused: nothing is taken until it is resumed (dq-set $q paused=no)"
	run -1 --separate-stderr dq-take -q "$q"
	equal "$stderr" ''
}

shards_paused() {
	dq-stat --json "$q" | jq '.queues[].paused_shards'
}

# A load of nine messages that was interrupted after its first line; the whole of it is in $T/dump.
begin_load() {
	seq 9 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	dq-rm -q -f -a "$q"
	head -1 "$T/dump" | run -65 dq-load -q
}

# dq-set shards=3 has read whether shard 0 is paused, and stops there.
create_slowly() {
	start_gate
	rule late.paused
	dq-set -q -u "unix://$T/gate" --timeout 60s "$q" shards=3 3>&- &
	slow=$!
	wait_until 10 came paused
}

@test "shards made during a load are paused until it ends" {
	begin_load
	spread 3
	equal "$(shards_paused)" 3
	head -5 "$T/dump" | run -65 dq-load -q
	run -1 dq-take "$q"
	dq-load -q "$T/dump"
	equal "$(dq-take -q --ack -n 9 "$q" | cut -f2 | sort)" "$(seq 9)"
}

@test "two create a queue during a load: the slow one does not pause again what the end of the load resumed" {
	local slow
	begin_load
	create_slowly
	spread 3
	dq-load -q "$T/dump"
	lift late.paused
	exits 0 "$slow"
	equal "$(shards_paused)" 0
	equal "$(dq-take -q --ack -n 9 "$q" | cut -f2 | sort)" "$(seq 9)"
}

@test "two create a queue during a load, and it is paused: it stays so when the load ends" {
	local slow
	begin_load
	create_slowly
	spread 3
	dq-set -q "$q" paused=yes
	lift late.paused
	exits 0 "$slow"
	dq-load -q "$T/dump"
	equal "$(shards_paused)" 3
}

@test "a pause that another program wrote is that of all shards, too" {
	rcli HSET "dq:{$q}:conf" paused yes >/dev/null
	rcli HSET "dq:{$q}:stat" limits p >/dev/null
	spread 3
	equal "$(shards_paused)" 3
	dq-set -q "$q" paused=no
	equal "$(shards_paused)" 0
}
