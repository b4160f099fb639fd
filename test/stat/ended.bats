# Goal: dq-stat lists what became of messages, so that "did it run last night?" has an answer.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

settle() { # ID OPTION-OF-DQ-ACK...: a delivery of that message, put with --keep
	dq-put -q --keep 1h -i "$1" "$q" x
	dq-take "$q" >"$T/taken"
	dq-ack "${@:2}" <"$T/taken"
}

@test "dq-stat --messages ended: the newest outcomes first, of all shards, at most 1,000 of a queue" {
	dq-set "$q" shards=3
	settle a -m one
	settle b -b -m why
	dq-gc --dead-for 0s "$q"
	dq-put -q --unique-for 1h -i u "$q" x
	dq-take "$q" | dq-ack
	settle c -m 'two	words'
	equal "$(dq-stat --messages ended "$q" | cut -f1,2,4,5)" \
		"$q/c"$'\tdone\t1\ttwo\\twords\n'"$q/b"$'\tdead\t1\twhy\n'"$q/a"$'\tdone\t1\tone'
	equal "$(dq-stat --json --messages ended "$q" | jq -r '"\(.id) \(.state) \(.result)"')" \
		$'c done two\twords\nb dead why\na done one'
	equal "$(dq-stat --messages all "$q")" ''
	dq-rm "$q/c"
	matches "$(dq-stat --messages ended "$q" | head -n 1)" "^$q/b"
	settle b+1 -m yes
	settle b:b+1 -m other
	equal "$(dq-stat -k b --messages ended "$q" | cut -f1,2,5)" "$q/b+1"$'\tdone\tyes'
	equal "$(dq-stat --messages ended -k b --json "$q" | jq -r '"\(.id) \(.result)"')" 'b+1 yes'
	equal "$(dq-stat --messages ended -k a "$q")" ''
	fails 64 '^--payload: not with --messages ended$' dq-stat --payload --messages ended "$q"
	seq 2500 | dq-put -l -q --keep 1h "$q.many"
	dq-take --until-empty -n 500 --ack "$q.many" >/dev/null
	equal "$(dq-stat --messages ended "$q.many" | sort -u | wc -l)" 1000
}

@test "a connection that is lost: all is read again, and printed once" {
	seq 400 | sed 's/.*/-\tn&\tx/' | dq-put -q --keep 1h --tsv "$q"
	dq-take -n 400 "$q" | dq-ack
	dq-stat --messages ended "$q" | cut -f 1 | sort >"$T/all"
	equal "$(wc -l <"$T/all")" 400
	start_gate
	rule $'eat.\r\n$1\r\n0\r\n:' # the answer with the last slice
	run -0 --separate-stderr dq-stat -u "unix://$T/gate" --messages ended "$q"
	equal "$(ls "$T/rules")" pid
	equal "$(cut -f 1 <<<"$output" | sort)" "$(<"$T/all")"
}
