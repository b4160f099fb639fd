# Goal: dq-run --rotate serves several queues in turn, each its share, whatever -j and shards; without it, the first one until it is empty.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load worker
load ../shards/shards

leased() { # QUEUE...: the numbers of leased messages
	local name
	for name; do states "$name"; done | cut -d' ' -f3 | paste -sd' '
}

@test "in turn: one of each, and what is left when others are empty" {
	printf '%s\n' a1 a2 a3 a4 | dq-put -ql "$q.a"
	printf '%s\n' b1 b2 | dq-put -ql "$q.b"
	run -0 dq-run -q --rotate --until-empty "$q.a" "$q.none" "$q.b" -- sh -c 'echo "$(cat)"'
	case $output in
	a*) equal "$(paste -sd' ' <<<"$output")" 'a1 b1 a2 b2 a3 a4' ;;
	*) equal "$(paste -sd' ' <<<"$output")" 'b1 a1 b2 a2 a3 a4' ;;
	esac
}

@test "-j 6: of many messages each queue gets the same number of commands; what one does not need, the others get" {
	gate
	seq 20 | dq-put -ql "$q.a"
	seq 20 | dq-put -ql "$q.b"
	seq 20 | dq-put -ql "$q.c"
	work --rotate -j 6 --until-empty "$q.a" "$q.b" "$q.c" -- sh -c 'true <"$D/gate"'
	wait_until 10 eval '[ "$(leased "$q.a" "$q.b" "$q.c")" = "2 2 2" ]'
	open_gate
	exits 0 "$worker"
	seq 20 | dq-put -ql "$q.a"
	dq-put -q "$q.b" x
	exec 9>&-
	rm "$D/gate"
	gate
	work --rotate -j 6 --until-empty "$q.a" "$q.b" "$q.c" -- sh -c 'true <"$D/gate"'
	wait_until 10 eval '[ "$(leased "$q.a" "$q.b" "$q.c")" = "5 1 0" ]'
	open_gate
	exits 0 "$worker"
}

@test "shards: the queue gets no more for them, and each of them gets its turn" {
	spread 2
	for i in 0 1; do
		ids_of "$i" 2 | sed -n 1,3p >"$D/$i"
		while read -r id; do dq-put -q -i "$id" "$q" "shard $i"; done <"$D/$i"
	done
	seq 6 | dq-put -ql "$q.b"
	run -0 dq-run --rotate --until-empty "$q" "$q.b" -- sh -c 'echo "$(cat)"'
	sed 's/shard .*/a/; s/[0-9].*/b/' <<<"$output" | tr -d '\n' | grep -Ex '(ab){6}|(ba){6}'
	sed -n 's/^shard //p' <<<"$output" | tr -d '\n' | grep -Ex '(01){3}|(10){3}'
}

@test "--once: at most -j, of each queue its share, and all of it if the others have none" {
	local n
	for n in a b c; do printf '%s\n' "$n" "$n" "$n" | dq-put -ql "$q.$n"; done
	run -0 dq-run --rotate --once -j 3 "$q.a" "$q.b" "$q.c" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | paste -sd' ')" 'a b c'
	run -0 dq-run --rotate --once -j 5 -q "$q.none" "$q.a" "$q.empty" "$q.b" -- sh -c 'echo "$(cat)"'
	equal "$(sort <<<"$output" | paste -sd' ')" 'a a b b'
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 700 ] || return 0 # each command needs two descriptors
	seq 400 | dq-put -ql "$q.c"
	run -0 dq-run --rotate --once -j 300 "$q.a" "$q.c" "$q.b" -- true
	holds 0 102 0 0 "$q.c"
	run -1 dq-run --rotate --once "$q.a" "$q.b" -- true
}

@test "without it the first queue is emptied first" {
	printf '%s\n' a1 a2 a3 | dq-put -ql "$q.a"
	printf '%s\n' b1 b2 b3 | dq-put -ql "$q.b"
	run -0 dq-run --until-empty "$q.a" "$q.b" -- sh -c 'echo "$(cat)"'
	equal "$(paste -sd' ' <<<"$output")" 'a1 a2 a3 b1 b2 b3'
}

# A worker that sleeps is woken by any of its queues, and goes on in turn.
@test "while it waits, a message of any queue wakes it" {
	handler note <<-'SH'
		echo "$DQ_QUEUE" >>"$D/log"
	SH
	work -q --rotate "$q.a" "$q.b" -- "$D/note"
	local n=0 k
	for k in b a b b a a; do
		dq-put -q "$q.$k" x
		n=$((n + 1))
		wait_until 10 has_lines "$D/log" "$n"
		equal "$(tail -n 1 "$D/log")" "$q.$k"
	done
	kill "$worker"
	exits 143 "$worker"
}
