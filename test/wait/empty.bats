# Goal: dq-wait --empty ends only if all queues, and shards, were empty at one time.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

# The next question about a queue is on its way.
asks() { # QUEUE
	wait_until 60 came "{$1}"
	rm "$T/rules/held.{$1}"
}

# The next question about TO comes after this message left FROM, and before the next one about FROM.
goes_by() { # HOW FROM TO
	dq-put -q "$3" x
	dq-take -t 1h -q "$2" >"$T/taken" || true
	case $1 in
	ack) dq-ack <"$T/taken" ;;
	dead) dq-ack -b <"$T/taken" ;;
	retry) dq-ack -r -d 1h <"$T/taken" ;;
	giveback) dq-ack -g -d 1h <"$T/taken" ;;
	rm) cut -d @ -f 1 "$T/taken" | dq-rm -q ;;
	move)
		dq-put -q -e move -d 1h -i "$(cut -d @ -f 1 "$T/taken" | cut -d / -f 2)" "$2" ''
		dq-promote -q --release "$(cut -d @ -f 1 "$T/taken")"
		;;
	esac
}

@test "a message that goes to and fro between two queues is never missed, however it leaves" {
	local how a=$q.a b=$q.b
	start_gate
	dq-put -q "$a" x
	rule "hold.{$b}"
	dq-wait -u "unix://$T/gate" --empty "$b" "$q.c" "$q.c" "$a" 3>&- & # asked by two calls: b and c; c and a
	waiter=$!
	for how in ack dead retry giveback rm move ack; do
		asks "$b"
		rule "hold.{$a}"
		lift "hold.{$b}"
		asks "$a"
		goes_by "$how" "$a" "$b"
		rule "hold.{$b}"
		lift "hold.{$a}"
		asks "$b"
		goes_by "$how" "$b" "$a"
		touch "$T/rules/held.{$b}"
	done
	asks "$b"
	dq-take -q --ack "$a" >/dev/null
	lift "hold.{$b}"
	exits 0 "$waiter"
}
