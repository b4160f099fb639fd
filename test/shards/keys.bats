# Goal: All messages of a key are in one shard, also after a load into another number of shards.

bats_require_minimum_version 1.5.0

load ../helper
load shards

# How many of these keys have messages in each of N shards, wherever they should be: a line each, "KEY SHARD MESSAGES".
places() { # N
	local i
	for ((i = 0; i < $1; i++)); do
		rcli HKEYS "dq:{$(tag "$i" "$1")}:msg" | sed -n 's/+.*//p' | LC_ALL=C sort | uniq -c | awk -v i="$i" '{ print $2, i, $1 }'
	done | LC_ALL=C sort
}

# The same, computed without dq.
wanted() { # N MESSAGES KEY...
	local n=$1 messages=$2
	shift 2
	paste -d' ' <(printf '%s\n' "$@") <(python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" "$n" "$@") | sed "s/\$/ $messages/" |
		LC_ALL=C sort
}

@test "the key decides which shard has a message" {
	local key
	spread 3
	for key in key{1..12}; do
		seq 3 | dq-put -ql -k "$key" "$q"
		printf '1h\t%s+-\tx\n-\t%s+1\tx\n' "$key" "$key" | dq-put -q --tsv "$q"
	done
	equal "$(places 3)" "$(wanted 3 5 key{1..12})"
	equal "$(dq-stat "$q/key7+1" | cut -f2 | head -1)" "$q/key7+1"
	dq-rm "$q"/key{1..12}+1
	dq-take -n 100 "$q" | dq-ack
	equal "$(places 3)" "$(wanted 3 1 key{1..12})"
}

@test "a message of a key in another shard than the key's: named, and moved" {
	local n i
	spread 3
	n=$(python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" 3 ann)
	i=$(((n + 1) % 3))
	dq-put -q -k ann -i 1 -d 1h "$q" x
	run -0 dq-gc --check "$q"
	equal "$output" ''
	local part
	for part in msg delayed; do
		rcli RENAME "dq:{$(tag "$n" 3)}:$part" "dq:{$(tag "$i" 3)}:$part" >/dev/null
	done
	run -1 --separate-stderr dq-gc --check "$q"
	equal "$output" "$q/ann+1"$'\tin the wrong shard'
	run -0 dq-gc --repair "$q"
	run -0 dq-gc --check "$q"
	equal "$output $(places 3)" " ann $n 1"
	dq-promote "$q/ann+1"
	equal "$(dq-take --ack "$q" | cut -f2)" x
}

@test "a dump is loaded into another number of shards: each key in the shard that it has there" {
	local key shards
	spread 3
	for key in key{1..12}; do
		printf -- '-\t%s+1\t1\n1h\t%s+2\t2\n-\t%s+3\t3\n' "$key" "$key" "$key" | dq-put -q --tsv "$q"
	done
	dq-take -n 5 -t 1h "$q" >/dev/null
	dq-dump "$q" >"$T/dump"
	jq -c 'select(.kind == "message") | [.id, .key, .tries, .payload]' "$T/dump" | LC_ALL=C sort >"$T/before"
	equal "$(wc -l <"$T/before")" 36
	for shards in 1 2 4 3; do
		dq-rm -af "$q" 2>/dev/null
		[ "$shards" = 1 ] || dq-set -q "$q" shards="$shards"
		[ "$shards" != 1 ] || dq-put -q -i mine "$q" x # else the load makes as many shards as there were
		dq-load -q "$T/dump"
		equal "$(places "$shards")" "$(wanted "$shards" 3 key{1..12})"
		dq-rm "$q/mine" 2>/dev/null || true
		dq-dump "$q" | jq -c 'select(.kind == "message") | [.id, .key, .tries, .payload]' | LC_ALL=C sort | diff "$T/before" -
		run -0 dq-gc --check "$q"
		equal "$output" ''
	done
}
