# Goal: dq-put -k gives messages a key: their ids are KEY+ID. An id has at most one key, and never too many bytes.

bats_require_minimum_version 1.5.0

load ../helper

long=$(printf '%0126d' 0)

@test "-k: a generated id behind the key; those of one call ascend" {
	run -0 dq-put -k ann "$q" x
	[[ $output =~ ^"$q"/ann\+[0-9A-Z]{26}$ ]]
	seq 1100 | dq-put -l --message-key=ann "$q" >"$T/names"
	equal "$(grep -cxE "$q/ann\+[0-9A-Z]{26}" "$T/names")" 1100
	LC_ALL=C sort -cu "$T/names"
	holds 0 1101 0 0
}

@test "-k with -i: KEY+ID is one id, and another one without the key" {
	equal "$(dq-put -k ann -i 1 "$q" x)" "$q/ann+1"
	fails 1 "^$q/ann\+1: not put: there is such a message already\$" dq-put -k ann -i 1 "$q" y
	fails 1 "^$q/ann\+1: not put: there is such a message already\$" dq-put -i ann+1 "$q" y
	equal "$(dq-put -k bob -i 1 "$q" x; dq-put -i 1 "$q" x)" "$q/bob+1"$'\n'"$q/1"
	dq-put -q -k ann -i 1 --existing -e edit "$q" new
	equal "$(field msg ann+1)" $'\nnew'
	equal "$(dq-put -k a:b -i - "$q" x)" "$q/a:b+-"
}

@test "-i KEY+ID: such a name is one of every tool" {
	dq-put -q -i ann+1 -d 1h "$q" x
	dq-promote "$q/ann+1"
	equal "$(dq-stat "$q/ann+1" | cut -f2 | head -1)" "$q/ann+1"
	equal "$(dq-take "$q" | tee "$T/record" | cut -f2)" x
	matches "$(cut -f1 "$T/record")" "^$q/ann\+1@[0-9]+\$"
	dq-ack -r -d 0 <"$T/record"
	dq-rm "$q/ann+1"
	holds 0 0 0 0
}

@test "ids: one + within; other ones are refused, and change nothing" {
	local id
	for id in + ann+ +1 ann++1 ann+1+2 'ann+a b' "a+$long"1; do
		fails 64 '^-i: ".*: an id with a \+ is KEY\+ID, both of A-Z a-z 0-9 . _ : -, at most 128 bytes in all$' \
			dq-put -i "$id" "$q" x
		run -65 --separate-stderr dq-put --tsv "$q" <<<"-	$id	x"
		matches "$stderr" '^dq-put: standard input: line 1: not put: .*an id with a \+ is KEY\+ID'
	done
	equal "$(digest)" ''
	equal "$(dq-put -i "a+$long" "$q" x; dq-put -i "$long+b" "$q" x)" "$q/a+$long"$'\n'"$q/$long+b"
	fails 64 "a queue.s name is" dq-put a+b x
}

@test "-k: wrong keys" {
	local key
	for key in '' + a+ a+b 'a b' a/b ä "${long}1"; do
		fails 64 '^-k: ".*": a key is 1 to 126 of A-Z a-z 0-9 . _ : - and does not begin with -; .*, FAIR SHARES$' \
			dq-put -k "$key" "$q" x
	done
	fails 64 '^-k: needs an argument$' dq-put -k
	fails 64 '^-k: the id of -i has a key already$' dq-put -k ann -i bob+1 "$q" x
	equal "$(digest)" ''
}

@test "-k: KEY+ID fits into 128 bytes" {
	fails 64 '^-k: KEY\+ID is over 128 bytes$' dq-put -k "$long" -i 12 "$q" x
	fails 64 '^-k: before a generated id a key has at most 101 bytes$' dq-put -k "${long:102}${long:0:78}" "$q" x
	equal "$(digest)" ''
	equal "$(dq-put -k "$long" -i 1 "$q" x)" "$q/$long+1"
	matches "$(dq-put -k "${long:25}" "$q" x)" "^$q/0{101}\+[0-9A-Z]{26}\$"
}

@test "--tsv: KEY+REST, KEY+- and -, beside ids without a key" {
	printf -- '-\t%s\tx\n' ann+1 ann+- plain - | dq-put --tsv "$q" >"$T/names"
	equal "$(sed -E 's/[0-9A-Z]{26}$/ULID/' "$T/names")" "$q/ann+1
$q/ann+ULID
$q/plain
$q/ULID"
	equal "$(dq-stat --messages ready "$q" | cut -f1 | sort)" "$(sort "$T/names")"
}

@test "--tsv with -k: the key of all lines; a line with a key of its own is refused" {
	run -65 --separate-stderr dq-put --tsv -k ann "$q" <<<$'-\t1\tx\n-\tbob+1\tx\n-\tbob+-\tx\n-\t-\tx'
	matches "$output" "^$q/ann\+1"$'\n'"$q/ann\+[0-9A-Z]{26}\$"
	equal "$stderr" 'dq-put: standard input: line 2: not put: its id has a key, and -k is given
dq-put: standard input: line 3: not put: its id has a key, and -k is given'
	holds 0 2 0 0
}

@test "--tsv: a key before a generated id has at most 101 bytes" {
	run -65 --separate-stderr dq-put -q --tsv "$q" <<<$'-\t'"${long:24}"$'+-\tx\n-\t'"${long:25}"$'+-\tx'
	equal "$stderr" 'dq-put: standard input: line 1: not put: before a generated id a key has at most 101 bytes'
	run -65 --separate-stderr dq-put -q --tsv -k "$long" "$q" <<<$'-\t1\tx\n-\t12\tx\n-\t-\tx'
	equal "$stderr" 'dq-put: standard input: line 2: not put: KEY+ID is over 128 bytes
dq-put: standard input: line 3: not put: before a generated id a key has at most 101 bytes'
	holds 0 2 0 0
}

@test "JSON of a message has its key, null without one" {
	dq-put -q -k ann -i 1 --keep 1h "$q" x
	dq-put -q -i 2 --keep 1h "$q" x
	for command in "dq-stat --json $q/ann+1 $q/2" "dq-stat --messages ready --json $q" "dq-dump $q" "dq-take --ack -n 2 --json $q" \
		"dq-wait --json $q/ann+1 $q/2" "dq-stat --json $q/ann+1 $q/2"; do
		equal "$($command | jq -r 'select(.id) | "\(.id) \(.key)"' | sort)" $'2 null\nann+1 ann'
	done
}
