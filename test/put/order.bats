# Goal: a put that begins after another has ended is behind it, also within one ms, from one process or several of one host: with and
# without keys, priorities and shards. DQ_FULL=1: three times as many.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

setup_file() {
	export times=${DQ_FULL:+3}
	begin_file
}

# Takes all; of each key the numbers of the payloads must rise. The first ones that do not are the output.
takes_in_order() { # COUNT
	dq-take -q --ack --until-empty "$q" | cut -f 2 >"$T/taken"
	equal "$(wc -l <"$T/taken")" "$1"
	run -0 awk '$2 <= last[$1] && wrong++ < 5 { print $1, $2, "after", last[$1] } { last[$1] = $2 }' "$T/taken"
	equal "$output" ''
}

@test "a process after another: all are in order" {
	local n=$((1000 * ${times:-1}))
	sh -c 'n=0; while [ "$n" -lt "$2" ]; do n=$((n + 1)); dq-put -q "$1" "x $n" || exit; done' sh "$q" "$n"
	takes_in_order "$n"
}

@test "processes that stay, by turns, in all forms of input" {
	local n=$((3000 * ${times:-1}))
	python3 "$top/test/put/turns.py" "$q" "$n" -l -l --tsv '--tsv -p 100'
	takes_in_order "$n"
}

@test "due times that are equal" {
	local n=$((2000 * ${times:-1}))
	python3 "$top/test/put/turns.py" "$q" "$n" '-l -a @1700000000' '--tsv -a @1700000000'
	takes_in_order "$n"
}

@test "keys, which take turns, in a queue of several shards" {
	local n=$((3000 * ${times:-1}))
	dq-set -q "$q" shards=3
	python3 "$top/test/put/turns.py" "$q" "$n" '-l -k a' '-l -k b' '--tsv -k a' '--tsv -k b' '-l -k c' '-l -k c'
	takes_in_order "$n"
}

@test "keys=serial, with priorities: of a key and priority in order" {
	local n=$((600 * ${times:-1}))
	dq-set -q "$q" keys=serial
	python3 "$top/test/put/turns.py" "$q" "$n" '-l -k a -p 7' '--tsv -k a -p 7' '-l -k b' '--tsv -k b'
	takes_in_order "$n"
}

@test "a lost reply: the put that is sent again keeps its place" {
	start_cut n touch "$T/lost"
	python3 "$top/test/put/turns.py" "$q" 300 "-l -u unix://$T/cut" -l
	[ -e "$T/lost" ]
	takes_in_order 300
}
