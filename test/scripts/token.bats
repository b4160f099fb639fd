# Goal: By the server's own time, which is the token of a delivery, every delivery is on time or late, never early, and every lease has
# its full length: in a queue with one message, by each path through the scripts.

bats_require_minimum_version 1.5.0

load ../helper

@test "by their tokens deliveries are never early, and leases last as long as set" {
	run -0 python3 "$top/test/tool/by_token.py" "$T/main/s" "$DQ_BIN/lua" 4
	equal "$output" ''
}
