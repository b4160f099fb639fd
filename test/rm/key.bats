# Goal: dq-rm -k removes all messages of one key, in whatever state, and no other.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate

# One message of ann's and one of bob's in each state, and one without a key.
some_of_each() {
	local key
	for key in ann bob; do
		dq-put -q -i "$key+dead" "$q" x
		dq-take "$q" | dq-ack -b
	done
	dq-put -q -i leased -k ann -p 1 "$q" x
	dq-put -q -i leased -k bob -p 1 "$q" x
	dq-take -n 2 -t 1d "$q" >"$T/leased"
	for key in ann bob; do
		dq-put -q -i due -k "$key" -d 1h "$q" x
	done
	later 3600001
	for key in ann bob; do
		dq-put -q -i delayed -k "$key" -d 1h "$q" x
		dq-put -q -i ready -k "$key" "$q" x
	done
	dq-put -q -i ann "$q" x
	holds 4 3 2 2
}

@test "-k: all messages of the key, in all states" {
	some_of_each
	run -0 --separate-stderr dq-rm -v -k ann "$q"
	equal "$output$stderr" 'dq-rm: 5 removed'
	equal "$(dq-stat --messages all "$q" | cut -f1 | sort | paste -sd' ')" \
		"$q/ann $q/bob+dead $q/bob+delayed $q/bob+due $q/bob+leased $q/bob+ready"
	audit
	fails 1 "^$q/ann\+leased@[0-9]+: settled already, or removed\$" dq-ack "$(grep ann "$T/leased" | cut -f1)"
	equal "$(field stat removed)" 5
}

@test "-k --state: only in these states" {
	some_of_each
	equal "$(dq-rm --dry-run -k ann --state ready,due "$q" | sort | paste -sd' ')" "$q/ann+due $q/ann+ready"
	holds 4 3 2 2
	dq-rm --message-key=ann --state ready,due "$q"
	holds 3 2 2 2
	fails 1 "^$q: no message that is due or ready has the key ann\$" dq-rm -k ann --state ready,due "$q"
	dq-rm -k ann --state delayed,leased,dead "$q"
	holds 2 2 1 1
	audit
}

@test "-k: 1 if there was none; a key is not a pattern, nor the beginning of one" {
	dq-put -q -k ann -i 1 "$q" x
	dq-put -q -i an "$q" x
	local key
	for key in an annn 1 a.n; do
		fails 1 "^$q: no message has the key $key\$" dq-rm -k "$key" "$q"
	done
	run -1 --separate-stderr dq-rm -q -k an "$q"
	equal "$output$stderr" ''
	fails 1 "^$q.none: no such queue yet: nothing to remove\$" dq-rm -k ann "$q.none"
	holds 0 2 0 0
}

@test "-k: thousands, each once, of several queues; the others stay" {
	seq 2500 | dq-put -ql -k ann "$q"
	seq 1500 | dq-put -ql -k bob "$q"
	seq 10 | dq-put -ql -k ann "$q.b"
	dq-rm --dry-run -k ann "$q" "$q.b" >"$T/names"
	equal "$(sort -u "$T/names" | wc -l)" 2510
	equal "$(wc -l <"$T/names")" 2510
	run -0 --separate-stderr dq-rm -v -k ann "$q" "$q.b"
	equal "$stderr" 'dq-rm: 2510 removed'
	holds 0 1500 0 0
	audit
}

@test "-k: a connection that is lost during the search: each once all the same" {
	local second id
	seq 3000 | dq-put -ql -k ann "$q"
	second=$(rcli HSCAN "dq:{$q}:msg" 0 COUNT 1000 | head -n 1)
	id=$(rcli HSCAN "dq:{$q}:msg" "$second" COUNT 1000 | sed -n 2p)
	start_gate
	rule "eat.$id"
	DQ_URL=unix://$T/gate dq-rm --dry-run -k ann "$q" >"$T/names"
	[ ! -e "$T/rules/eat.$id" ]
	equal "$(wc -l <"$T/names") $(sort -u "$T/names" | wc -l)" '3000 3000'
	rule "eat.$id"
	run -0 --separate-stderr env "DQ_URL=unix://$T/gate" dq-rm -v -k ann "$q"
	equal "${stderr_lines[-1]}" 'dq-rm: 3000 removed'
	holds 0 0 0 0
}

@test "-k: in a queue of several shards the key is in one of them" {
	dq-set "$q" shards=3
	local key
	for key in a b c d e f; do
		seq 20 | dq-put -ql -k "$key" "$q"
	done
	for key in a c f; do
		dq-rm -k "$key" "$q"
	done
	dq-stat --messages all "$q" | cut -f1 | sed "s|^$q/||; s|+.*||" | sort >"$T/keys"
	equal "$(uniq -c <"$T/keys" | paste -sd' ' | tr -s ' ')" ' 20 b 20 d 20 e'
	fails 1 "^$q: no message has the key a\$" dq-rm -k a "$q"
}

@test "-k: a foreign id of the key is skipped, and 1" {
	dq-put -q -k ann -i 1 "$q" x
	rcli HSET "dq:{$q}:msg" 'ann+a b' x >/dev/null
	rcli ZADD "dq:{$q}:ready" 1 'ann+a b' >/dev/null
	fails 1 "^$q: foreign id \"ann\+a b\" in ready: skipped, as are others like it" dq-rm -k ann "$q"
	equal "$(rcli HKEYS "dq:{$q}:msg")" 'ann+a b'
	spread=$q.spread
	dq-set "$spread" shards=3
	for tag in $(python3 "$top/test/tool/shards.py" "$spread" 3); do
		rcli HSET "dq:{$tag}:msg" 'ann+a b' x >/dev/null
	done
	fails 1 "^$spread: foreign id \"ann\+a b\" in msg: skipped" dq-rm -k ann "$spread"
}

@test "-k: needs a key and a queue, and takes no names" {
	fails 64 '^-k: "a\+b": a key is 1 to 126 of' dq-rm -k a+b "$q"
	fails 64 '^-k: "": a key is 1 to 126 of' dq-rm -k '' "$q"
	fails 64 '^-k: no queue given$' dq-rm -k ann
	fails 64 '^only one of -a and -k$' dq-rm -a -k ann "$q"
	fails 64 "^\"$q/ann\+1\": a queue.s name is" dq-rm -k ann "$q/ann+1"
}

@test "the line of dq-rm(1) that removes the outcomes of a key: of no other one, also where a dot is in the key" {
	local line key
	line=$(grep "^dq-stat --messages ended -k KEY QUEUE" "$top/man/dq-rm.1")
	line=${line//'\(dq'/'"'} line=${line//QUEUE/$q}
	for key in a.b a-b a; do
		dq-put -q --keep 1h -k "$key" -i 1 "$q" x
	done
	dq-take --ack --until-empty "$q" >/dev/null
	run -0 sh -c "${line//KEY/a.b}"
	equal "$(dq-stat --messages ended "$q" | cut -f1 | sort | paste -sd' ')" "$q/a+1 $q/a-b+1"
}
