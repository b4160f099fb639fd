# Goal: dq-run --once and --drain end after their work, and their exit status tells the result.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker
load ../gate

@test "--once: nothing due is 1, without a message" {
	run -1 --separate-stderr dq-run -q --once "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	dq-put -q -d 1h "$q" x
	run -1 --separate-stderr dq-run --once "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	[ ! -e "$D/ran" ]
	holds 1 0 0 0
}

@test "--once: at most -j, and 123 if one of them failed" {
	seq 1 7 | dq-put -ql "$q"
	run -0 dq-run --once "$q" -- cat
	equal "$output" 1
	run -0 dq-run --once -j 3 "$q" -- sh -c 'echo "$(cat)."'
	equal "$(sort <<<"$output" | paste -sd' ')" '2. 3. 4.'
	run -123 dq-run --once -j 10 "$q" -- sh -c 'read -r n; [ "$n" != 6 ]'
	holds 1 0 0 0
	run -1 dq-run --once -j 10 "$q" -- true
}

@test "--drain: runs all of it, and ends at once if there is nothing" {
	run -0 --separate-stderr dq-run -q --drain "$q" -- touch "$D/ran"
	equal "$output$stderr" ''
	seq 1 50 | dq-put -ql "$q"
	run -0 dq-run --drain -j 3 "$q" -- sh -c 'echo "$(cat)"'
	equal "$(sort -n <<<"$output" | paste -sd' ')" "$(seq -s' ' 1 50)"
	holds 0 0 0 0
}

@test "--drain: waits for messages that are due later, and for a retry" {
	dq-put -q -i later -d 400ms "$q" x
	dq-put -q -i again -b 700ms "$q" x
	run -123 dq-run --drain "$q" -- sh -c 'echo "$DQ_ID $DQ_TRY"; [ "$DQ_ID" = later ] || [ "$DQ_TRY" = 2 ]'
	equal "$(paste -sd, <<<"$output")" 'again 1,later 1,again 2'
	holds 0 0 0 0
}

@test "--drain: waits for what another has leased, and leaves the dead" {
	dq-put -q -i bad "$q" x
	run -123 dq-run --once "$q" -- sh -c 'exit 65'
	dq-put -q -i x "$q" x
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	work --drain "$q" -- touch "$D/ran"
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-run'
	rcli CONFIG RESETSTAT
	wait_until 10 eval '[ "$(rcli INFO commandstats | sed -n "s/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p")" -ge 3 ]'
	run ! ended "$worker"
	dq-ack "$receipt"
	exits 0 "$worker"
	[ ! -e "$D/ran" ]
	holds 0 0 0 1
}

# A call brings a batch.
@test "--once: as many as -j allows, even if that is more than a batch" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 700 ] || skip 'each command needs two descriptors'
	seq 400 | dq-put -ql "$q"
	dq-run --once -j 300 "$q" -- true
	holds 0 100 0 0
	seq 2 | dq-put -ql "$q.2"
	dq-run --once -j 300 "$q" "$q.2" -- true
	holds 0 0 0 0
	holds 0 0 0 0 "$q.2"
}

# The reply of the second queue is lost, with the connection. By then the command for the first one has ended, so two more could run.
@test "--once: at most -j in all, even if the connection is lost between two calls" {
	dq-put -q "$q" x
	printf 'lost\n%s\n%s\n' a b | dq-put -ql "$q.2"
	start_gate
	rule eat.lost
	DQ_URL=unix://$T/gate run -0 dq-run -q --once -j 2 "$q" "$q.2" -- sh -c 'echo ran'
	equal "$(grep -cx ran <<<"$output")" 2
}
