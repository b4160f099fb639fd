# Goal: A dq-put that is stopped, cannot write or meets a full Redis reports how many messages were accepted.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "memory full: put is refused whole with 75; existing messages can be taken and settled" {
	local -x SERVER=full DQ_URL=unix://$T/full/s
	start_server full
	seq 1 10 | dq-put -ql "$q"
	rcli CONFIG SET maxmemory 1 >/dev/null
	local before
	before=$(digest)
	fails 75 'not put: OOM' dq-put "$q" x
	equal "$(digest)" "$before"
	dq-take -n 10 "$q" | dq-ack
	holds 0 0 0 0
	stop_server full
}

@test "a full disk: reports how many were accepted, in each form of input" {
	local names="dq-put: standard output: No space left on device
dq-put: $q: not all names were printed:"
	run -74 --separate-stderr bash -c 'dq-put "$0" x y >/dev/full' "$q"
	equal "$stderr" "$names 2 accepted, 0 refused, 0 unknown"
	run -74 --separate-stderr bash -c 'echo x | dq-put "$0" >/dev/full' "$q"
	equal "$stderr" "$names 1 accepted, 0 refused, 0 unknown"
	seq 3 >"$T/three" # a pipe could make the tool print before it has seen the end
	run -74 --separate-stderr bash -c 'dq-put -l "$0" <"$1" >/dev/full' "$q" "$T/three"
	equal "$stderr" "$names 3 accepted, 0 refused, 0 unknown"
	holds 0 6 0 0
	run -74 --separate-stderr bash -c 'seq 30000 | dq-put -l "$0" >/dev/full' "$q.many"
	equal "$stderr" "dq-put: standard output: No space left on device
dq-put: $q.many: the rest of standard input was not read: $(rcli HLEN "dq:{$q.many}:msg") accepted, 0 refused, 0 unknown"
}

@test "dq-put asked to end in the middle of its input: reports the accepted number, but not after its reader has closed the pipe" {
	local form signal pid fd
	mkfifo "$T/$q.in"
	for form in '-l TERM a\n' '-0 INT b\0' '--tsv HUP -\t-\tc\n'; do
		read -r form signal record <<<"$form"
		env --default-signal=INT,HUP dq-put "$form" "$q.$signal" <"$T/$q.in" >"$T/$signal.out" 2>"$T/$signal.err" 3>&- &
		pid=$!
		exec {fd}>"$T/$q.in"
		printf '%b' "$record$record" >&"$fd"
		wait_until 10 eval '[ "$(wc -l <"$T/$signal.out")" -eq 2 ]'
		kill "-$signal" "$pid"
		exits $((128 + $(kill -l "$signal"))) "$pid"
		exec {fd}>&-
		equal "$(cat "$T/$signal.err")" "dq-put: $q.$signal: stopped: 2 accepted, 0 refused, 0 unknown"
	done
	run --separate-stderr env --default-signal=PIPE bash -c 'seq 50000 | dq-put -l "$0" | head -n 1' "$q"
	equal "$stderr" ''
}
