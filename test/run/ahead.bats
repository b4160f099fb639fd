# Goal: A verdict and the call for the next message are one round trip. A verdict that is refused there, or lost, is sent again; every
# message survives and runs once.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker
load ../cut

reads() {
	rcli INFO stats | tr -d '\r' | sed -n 's/^total_reads_processed://p'
}

@test "a message costs one round trip, however many jobs there are" {
	local jobs before
	for jobs in 1 20; do
		seq 300 | dq-put -q -l "$q"
		before=$(reads)
		dq-run -j "$jobs" --until-empty "$q" -- true
		between 10 $(($(reads) - before)) 400 # with one for the verdict and one for the next message it would be 600
		holds 0 0 0 0
	done
}

@test "the server refuses a verdict: 77, and the messages taken with it are given back, without a try" {
	rcli ACL SETUSER "u$q" on '>secret' '~*' '&*' '+@all' >/dev/null
	dq-put -q -i first "$q.a" x
	handler one <<-'SH'
		echo "$DQ_ID" >>"$D/log"
		until [ -e "$D/go" ]; do sleep 0.02; done
	SH
	DQ_URL=unix://u$q:secret@$T/main/s work -j 1 "$q.b" "$q.a" -- "$D/one"
	wait_until 10 test -s "$D/log"
	dq-put -q -i second "$q.b" y
	rcli ACL SETUSER "u$q" resetkeys "~dq:{$q.b}:*" >/dev/null
	: >"$D/go"
	exits 77 "$worker"
	equal "$(cat "$D/log")" first
	equal "$(states "$q.a") $(states "$q.b")" '0 0 1 0 0 1 0 0'
	q=$q.b
	equal "$(tries second)" 0
}

@test "the replies to a verdict and to the next take are lost: settled once, and the next messages are redelivered" {
	dq-put -q -p 0 -i first "$q" first
	dq-put -q -i second "$q" second
	export -f later rcli
	start_cut d bash -c 'later 60001 "$0"' "$q" # the lease of the second ends
	DQ_URL=unix://$T/cut run -0 --separate-stderr dq-run --drain "$q" -- sh -c 'echo "$DQ_ID $DQ_TRY"'
	stop_cut
	equal "$output" $'first 1\nsecond 2'
	matches "$stderr" '^dq-run: [^ ]*: connection closed.*: connecting again'
	run ! grep -q 'not settled' <<<"$stderr"
	holds 0 0 0 0
}
