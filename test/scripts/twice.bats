# Goal: A message that stands in two states, since a script was interrupted or a key was changed by hand, is in one state after its next
# move, whatever the move and the states; and nothing that is still to be delivered is purged.

bats_require_minimum_version 1.5.0

load ../helper

@test "each move of a message in two states leaves it in one, or in none" {
	run -0 python3 "$top/test/tool/twice.py" "$T/main/s" "$DQ_BIN/lua" "$q"
	equal "$output" '108 cases'
}

@test "dq-gc purges no dead message that is ready, too: the next take delivers it" {
	dq-put -q -i x "$q" hello
	dq-take "$q" | dq-ack -b
	rcli ZADD "dq:{$q}:ready" 5 x >/dev/null
	dq-gc --dead-for 0 "$q"
	holds 0 1 0 0
	run -0 dq-take "$q"
	equal "$(cut -f2 <<<"$output")" hello
}
