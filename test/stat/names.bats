# Goal: dq-stat --names prints the names of the queues, and asks Redis for nothing else.

bats_require_minimum_version 1.5.0

load ../helper
load queue

@test "the names of all queues, sorted; idle and paused ones, too" {
	run -0 --separate-stderr dq-stat --names
	equal "$output$stderr" ''
	dq-put -q "$q.b" x
	dq-put -q "$q.a" x
	dq-put -q "$q.c" x
	dq-take --ack "$q.c" >/dev/null
	dq-set -q "$q.b" paused=yes
	run -0 --separate-stderr dq-stat --names
	equal "$output" "$q.a"$'\n'"$q.b"$'\n'"$q.c"
	equal "$stderr" ''
}

@test "one read of the list of queues, none of a queue" {
	local i
	for i in 1 2 3; do dq-put -q "$q.$i" x; done
	dq-stat --names >/dev/null
	rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-stat --names | wc -l)" 3
	equal "$(rcli INFO commandstats | tr -d '\r' | sed -n 's/^cmdstat_\([a-z]*\):calls=\([0-9]*\),.*/\1 \2/p' |
		grep -E '^(eval|evalsha|zscan|hget|zcard)' | xargs)" 'zscan 1'
}

@test "it takes no operand, and nothing else at the same time" {
	fails 64 '^--names: takes no operand$' dq-stat --names "$q"
	fails 64 '^--names: not with --next$' dq-stat --names --next
	fails 64 '^--names: not with --json$' dq-stat --names --json
	fails 64 '^--names: not with --no-header$' dq-stat --names --no-header
	fails 64 '^--payload: not with --names$' dq-stat --names --payload
	fails 64 '^--all: only for the table$' dq-stat --names -a
}

@test "a closed reader, and a full disk" {
	dq-put -q "$q" x
	run -74 --separate-stderr bash -c 'dq-stat --names >/dev/full'
	matches "$stderr" 'No space left'
}
