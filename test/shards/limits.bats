# Goal: A limit of a queue of several shards is that of the whole queue: each shard has its part.

bats_require_minimum_version 1.5.0

load ../helper
load shards

# The settings of each shard.
parts_of() { # N
	local i name
	for ((i = 0; i < $1; i++)); do
		for name in max-leased rate max-len; do rcli HGET "dq:{$(tag "$i" "$1")}:conf" "$name"; done | paste -sd' '
	done
}

lines() {
	dq-set "$q" | sed '1,2d; /^key/d' | paste -sd' '
}

@test "set together with the shards, and later: the parts, and their sum" {
	dq-set -q "$q" shards=3 max-leased=7 rate=10/1s max-len=5
	equal "$(parts_of 3)" $'2 3/1000 1\n2 3/1000 2\n3 4/1000 2'
	equal "$(lines)" 'max-leased=7 rate=10/1s max-len=5'
	dq-set "$q" max-leased=none rate=3/2s max-len=0
	equal "$(parts_of 3 | sed 's/^ *//')" $'1/2000 0\n1/2000 0\n1/2000 0'
	equal "$(lines)" 'max-leased=none rate=3/2s max-len=0'
	equal "$(dq-set --json "$q" | jq -c '[.max_leased, .rate, .max_len]')" '[null,{"count":3,"ms":2000},0]'
}

@test "a queue that has limits is divided into shards: so are its limits, and its pause is that of all" {
	dq-set -q "$q" max-leased=7 rate=10/1s max-len=5 paused=1h
	local before
	before=$(dq-set "$q" | head -n 1)
	spread 3
	equal "$(parts_of 3)" $'2 3/1000 1\n2 3/1000 2\n3 4/1000 2'
	equal "$(lines)" 'max-leased=7 rate=10/1s max-len=5'
	equal "$(dq-set "$q" | head -n 1)" "$before"
	spread 3 # again: nothing is divided twice
	equal "$(lines)" 'max-leased=7 rate=10/1s max-len=5'
}

@test "a limit below the number of shards is refused, and nothing is set" {
	local word
	for word in max-leased=2 rate=2/1s max-len=2; do
		fails 64 "^$q: not set: ${word%=*}: 2 is less than 3 shards: each of them gets a part of a limit, and needs at least 1\$" \
			dq-set "$q" shards=3 "$word"
		equal "$(digest)" ''
	done
	dq-set -q "$q" max-leased=2
	fails 64 'max-leased: 2 is less than 3 shards' dq-set "$q" shards=3
	equal "$(dq-set "$q" | sed -n '2,3p' | paste -sd' ')" 'shards=1 max-leased=2'
	dq-set "$q" max-leased=3
	spread 3
	fails 64 'max-leased: 2 is less than 3 shards' dq-set "$q" paused=yes max-leased=2
	equal "$(dq-set "$q" | sed -n '1,3p' | paste -sd' ')" 'paused=no shards=3 max-leased=3'
}

@test "all shards together lease no more than that, and no shard uses what another one leaves" {
	dq-set -q "$q" shards=3 max-leased=5
	seq 60 | dq-put -q -l "$q"
	dq-take -n 60 "$q" >"$T/taken"
	equal "$(wc -l <"$T/taken")" 5
	run -1 dq-take -q -n 60 "$q"
	head -n 1 "$T/taken" | dq-ack
	dq-take -n 60 "$q" >"$T/more"
	equal "$(wc -l <"$T/more")" 1
	equal "$(dq-stat --no-header "$q" | awk '{ print $5 }')" 5
	dq-set -q "$q.b" shards=3 max-leased=5
	dq-put -q -i "$(q=$q.b first_of 0)" "$q.b" x
	dq-take "$q.b" >/dev/null
	dq-put -q -i "$(q=$q.b ids_of 0 | sed -n 2p)" "$q.b" x
	run -1 dq-take -q "$q.b" # shard 0 has one place
}

@test "takers of all shards wait for each place that becomes free" {
	dq-set -q "$q" shards=3 max-leased=3
	seq 60 | dq-put -q -l "$q"
	run -0 timeout 60 dq-run --drain -j 20 "$q" -- true
	dq-set "$q" rate=6/50ms max-leased=none
	seq 60 | dq-put -q -l "$q"
	run -0 timeout 60 dq-run --drain -j 20 "$q" -- true
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 + $5 }')" 0
}

@test "a limit that only some shards have is no limit of the queue: dq-set says so, and how to set it again" {
	local name again
	dq-set -q "$q" shards=3 max-leased=6 rate=9/1s max-len=30
	run --separate-stderr dq-set "$q"
	equal "$stderr" ''
	for name in max-leased rate max-len; do
		again=N
		[ "$name" != rate ] || again=N/DUR
		rcli HDEL "dq:{$(tag 1 3)}:conf" "$name" >/dev/null
		run -0 --separate-stderr dq-set "$q"
		matches "$stderr" "dq-set: $q: 2 of 3 shards have $name: dq-set $q $name=$again or $name=none for all of them\$"
	done
	equal "$(wc -l <<<"$stderr")" 3
	equal "$(lines)" 'max-leased=4 rate=6/1s max-len=20'
	dq-set "$q" max-leased=6 rate=none max-len=30
	run -0 --separate-stderr dq-set "$q"
	equal "$stderr" ''
	equal "$(lines)" 'max-leased=6 rate=none max-len=30'
}

@test "limits set together with the shards count in place of the old ones, which could not be divided" {
	dq-set -q "$q" max-leased=2 rate=2/1s max-len=2
	fails 64 'max-leased: 2 is less than 3 shards' dq-set "$q" shards=3 rate=9/1s max-len=none
	fails 64 'max-len: 2 is less than 3 shards' dq-set "$q" shards=3 rate=none max-leased=9
	equal "$(dq-set "$q" | sed '1d; /^key/d' | paste -sd' ')" 'shards=1 max-leased=2 rate=2/1s max-len=2'
	dq-set "$q" shards=3 max-leased=none rate=none max-len=9
	equal "$(dq-set "$q" | sed '1d; /^key/d' | paste -sd' ')" 'shards=3 max-leased=none rate=none max-len=9'
	equal "$(parts_of 3 | sed 's/^ *//')" $'3\n3\n3'
	q+=.kept
	dq-set -q "$q" max-leased=7 rate=2/1s
	dq-set "$q" shards=3 rate=10/2s
	equal "$(dq-set "$q" | sed '1d; /^key/d' | paste -sd' ')" 'shards=3 max-leased=7 rate=10/2s max-len=none'
	dq-put -q "$q.full" x
	dq-set -q "$q.full" max-len=2
	run -1 dq-set "$q.full" shards=3 max-len=9 # it has a message: nothing is set
	equal "$(dq-set "$q.full" | sed '1d; /^key/d' | paste -sd' ')" 'shards=1 max-leased=none rate=none max-len=2'
}

# Whether the queue is limited, for JSON, the table and the check.
limited() {
	dq-stat --json "$q" | jq -r '.queues[0].limited'
	dq-stat --no-header "$q" | awk '{ print $10 }'
	dq-stat --check "$q" | grep -c "^ok.limited.$q: limited, "
}

@test "one key, whose shard is limited: so is the queue" {
	local settings why other
	other=$(first_of $((($(python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 3 one) + 1) % 3)))
	while read -r why settings; do
		dq-rm -qaf "$q"
		dq-set -q "$q" shards=3
		# shellcheck disable=SC2086
		dq-set "$q" $settings
		seq 20 | dq-put -q -l -t 3h -k one "$q"
		equal "$(limited | paste -sd' ')" 'null - 0'
		dq-take -n 20 "$q" >"$T/taken"
		run -1 dq-take -q "$q"
		equal "$(limited | paste -sd' ')" "$why $why 1"
		dq-put -q -i "$other" "$q" x # may be taken; a blocked key is found beside it
		equal "$(limited | paste -sd' ')" "null - $([ "$why" != keys ]; echo $?)"
	done <<<'rate rate=9/1h
leased max-leased=9
keys rate=9/1h keys=serial'
}

@test "a limit that stops one shard is reported only if no other shard gives a message, by dq-take and dq-run" {
	local tool
	for tool in 'dq-take -n 2' 'dq-run --once -j 2'; do
		local q=$q.${tool:3:3} command=()
		[[ $tool != dq-run* ]] || command=(-- sh -c 'cat >/dev/null; exit 75')
		dq-set -q "$q" shards=2 max-leased=2
		dq-put -q -t 2h -i "$(first_of 0 2)" "$q" x
		dq-take "$q" >/dev/null
		dq-put -q -i "$(ids_of 0 2 | sed -n 2p)" "$q" x
		dq-put -q -b 2h -i "$(first_of 1 2)" "$q" x
		# shellcheck disable=SC2086
		run --separate-stderr $tool "$q" "${command[@]}"
		equal "$stderr" ''
		# shellcheck disable=SC2086
		run -1 --separate-stderr $tool "$q" "${command[@]}"
		matches "$output$stderr" "^${tool%% *}: $q: limited by max-leased: .*\$"
	done
}
