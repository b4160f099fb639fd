# Goal: A queue of which only some shards are paused still delivers, and no tool says otherwise.
# shellcheck disable=SC2016,SC2154

bats_require_minimum_version 1.5.0

load ../helper
load shards
load ../run/worker

pause_shard() { # I
	rcli HSET "dq:{$(tag "$1" 3)}:conf" paused 1 >/dev/null
}

# Prints an id that belongs to shard I.
id_in() { # I
	local i
	for i in {1..99}; do
		[ "$(python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 3 "id$i")" != "$1" ] || break
	done
	echo "id$i"
}

paused() {
	grep -c "^dq-run: $q: paused: nothing is taken until it is resumed" "$D/err"
}

@test "dq-stat --next: the first message of the shards that are not paused" {
	spread 3
	pause_shard 0
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
	dq-put -q -i "$(id_in 0)" "$q" ready
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
	dq-put -q -d 1h -i "$(id_in 1)" "$q" x
	between 3500000 "$(dq-stat --next "$q")" 3600000
	dq-put -q -t 1m -i "$(id_in 2)" "$q" x
	equal "$(dq-stat --next "$q")" 0
	dq-take "$q"
	between 50000 "$(dq-stat --next "$q")" 60000
	dq-promote -q --pause "$q"
	run -1 --separate-stderr dq-stat --next "$q"
	equal "$output$stderr" ''
}

@test "dq-run reports the pause when all shards are paused, and not before" {
	spread 3
	pause_shard 0
	work "$q" -- sh -c 'cat; echo'
	dq-put -q -i "$(id_in 1)" "$q" one
	wait_until 5 grep -q one "$D/out"
	equal "$(paused)" 0
	pause_shard 1
	dq-put -q -i "$(id_in 1)" "$q" two
	dq-put -q -i "$(id_in 2)" "$q" three
	wait_until 5 grep -q three "$D/out"
	equal "$(paused)" 0
	dq-promote -q --pause "$q"
	wait_until 10 eval '[ "$(paused)" = 1 ]'
}

@test "dq-take -v reports the pause when all shards are paused, once" {
	spread 3
	dq-put -q -i "$(id_in 0)" "$q" x
	pause_shard 0
	run -1 --separate-stderr dq-take -v "$q"
	run -1 grep paused <<<"$stderr"
	pause_shard 1
	pause_shard 2
	run -1 --separate-stderr dq-take -v "$q"
	equal "$(grep -cx "dq-take: $q: paused" <<<"$stderr")" 1
}

@test "shards made during a load are paused until it ends; those of a paused queue until it is resumed" {
	seq 9 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	dq-rm -q -f -a "$q"
	head -1 "$T/dump" | run -65 dq-load -q
	spread 3
	for i in 0 1 2; do equal "$(rcli HGET "dq:{$(tag $i 3)}:conf" paused)" load; done
	dq-load -q "$T/dump"
	for i in 0 1 2; do equal "$(rcli HGET "dq:{$(tag $i 3)}:conf" paused)" ''; done
	equal "$(dq-take -q --ack -n 9 "$q" | cut -f2 | sort)" "$(seq 9)"
	dq-rm -q -f -a "$q"
	dq-promote -q --pause "$q"
	spread 3
	for i in 0 1 2; do equal "$(rcli HGET "dq:{$(tag $i 3)}:conf" paused)" 1; done
}
