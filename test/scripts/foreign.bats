# Goal: Ids that a foreign client wrote with ZADD and HSET, so that no tool can name them: every tool works all the same.

bats_require_minimum_version 1.5.0

load ../helper

LONG=$(printf '%0129d' 1)

# A message under any id, ready unless a state is given, due before all others.
plant() { # ID [STATE]
	rcli HSET "dq:{$q}:msg" "$1" $'\npay of '"$1" >/dev/null
	rcli ZADD "dq:{$q}:${2:-ready}" 1 "$1" >/dev/null
}

plant_many() { # N SCORE  of equal score, "a 1" to "a N"
	rcli EVAL 'for i = 1, ARGV[2] do
			redis.call("HSET", ARGV[1] .. "msg", "a " .. i, "\n") redis.call("ZADD", ARGV[1] .. "ready", ARGV[3], "a " .. i)
		end' 0 "dq:{$q}:" "$1" "$2" >/dev/null
}

body() { # ID
	rcli HGET "dq:{$q}:msg" "$1"
}

@test "take: neighbours of the foreign id are delivered, it is buried unchanged, and one line reports it" {
	local id
	for id in 'a b' '' $'x\e[1m' "$LONG" 'a/b' 'a@1'; do
		dq-put -q -i n1 "$q" one
		dq-put -q -i n2 "$q" two
		plant "$id"
		run -0 --separate-stderr dq-take -n 9 "$q"
		equal "$(cut -f2 <<<"$output" | xargs)" 'one two'
		equal "${#stderr_lines[@]}" 1
		matches "$stderr" "^dq-take: $q: foreign id \".*\": buried$"
		[[ $stderr != *$'\e'* ]]
		holds 0 0 2 1
		equal "$(body "$id")" $'\npay of '"$id"
		matches "$(field try "$id")" '^1 0 .*'$'\n''foreign id$'
		equal "$(tries n1)" 1
		dq-ack <<<"$output"
		rcli DEL "${parts[@]/#/dq:{$q\}:}" >/dev/null
	done
}

@test "take: of several, the first is named; one at the head does not end a take of one" {
	plant 'a b'
	plant 'c d'
	plant 'e f'
	dq-put -q "$q" hello
	run -0 --separate-stderr dq-take -n 2 "$q"
	equal "$(cut -f2 <<<"$output")" hello
	equal "$stderr" "dq-take: $q: foreign id \"a b\", and 1 more: buried"$'\n'"dq-take: $q: foreign id \"e f\": buried"
	holds 0 0 1 3
	plant 'g h'
	run -1 --separate-stderr dq-take "$q"
	equal "$stderr" "dq-take: $q: foreign id \"g h\": buried"
}

@test "take --until-empty, which asks ahead: all other messages are delivered once" {
	seq 300 | dq-put -ql "$q"
	plant_many 300 "$(rcli ZRANGE "dq:{$q}:ready" 0 0 WITHSCORES | tail -n 1)"
	seq 301 600 | dq-put -ql "$q"
	run -0 --separate-stderr dq-take --until-empty "$q"
	equal "$(cut -f2 <<<"$output" | sort -n)" "$(seq 600)"
	holds 0 0 600 300
}

@test "dq-run: the neighbours are run" {
	plant 'a b'
	seq 3 | dq-put -ql "$q"
	run -0 --separate-stderr dq-run --until-empty "$q" -- cat
	equal "$(tr -d '\n' <<<"$output")" 123
	equal "$stderr" "dq-run: $q: foreign id \"a b\": buried"
	holds 0 0 0 1
}

@test "if a foreign id cannot be buried, its neighbours are delivered all the same" {
	plant 'a b'
	dq-put -q "$q" hello
	rcli ACL SETUSER "no-bury-$q" on '>x' '~*' '&*' +@all -eval >/dev/null
	rcli SCRIPT FLUSH >/dev/null
	"$DQ_BIN/embed" -x "$top/lua/take.lua" | rcli -x SCRIPT LOAD >/dev/null
	DQ_URL=unix://no-bury-$q:x@$T/main/s run -0 --separate-stderr dq-take -n 9 "$q"
	equal "$(cut -f2 <<<"$output")" hello
	matches "$stderr" "^dq-take: $q: foreign id \"a b\": not buried: "
}

@test "dq-stat --messages: foreign ids are skipped, with one line for each queue" {
	local state
	for state in delayed ready leased dead; do
		plant "$state x" "$state"
		plant "$state y" "$state"
	done
	dq-put -q -i n "$q" hello
	run -0 --separate-stderr dq-stat --messages all "$q"
	matches "$output" "^$q/n"$'\t'
	equal "${#lines[@]}" 1
	matches "$stderr" "^dq-stat: $q: foreign id \"[a-z]* x\" in [a-z]*: skipped"
	equal "${#stderr_lines[@]}" 1
	run -0 --separate-stderr dq-stat --messages all --json "$q"
	equal "$(jq -r .id <<<"$output")" n
}

@test "dq-stat --messages: pages that end with long ids or NULs are not repeated" {
	rcli EVAL 'for i = 1, 2500 do
			local id = string.rep("x", 300) .. "\0" .. i
			redis.call("HSET", ARGV[1] .. "msg", id, "\n") redis.call("ZADD", ARGV[1] .. "ready", 5, id)
		end' 0 "dq:{$q}:"
	dq-put -q -i n "$q" hello
	run -0 --separate-stderr timeout 20 dq-stat --messages all "$q"
	equal "${#lines[@]}" 1
}

@test "dq-rm -a and dq-promote --dead: all others, and 1 for what stayed" {
	seq 3 | dq-put -ql "$q"
	plant_many 300 5
	run -1 --separate-stderr dq-rm -af "$q"
	equal "$stderr" "dq-rm: $q: foreign id \"a 1\" in ready: skipped, as are others like it (dq-gc --check lists them)"
	holds 0 300 0 0
	rcli DEL "dq:{$q}:ready" "dq:{$q}:msg" >/dev/null
	plant 'a b' dead
	dq-put -q "$q" hello
	dq-take "$q" | dq-ack -b
	run -1 --separate-stderr dq-promote --dead "$q"
	equal "$stderr" "dq-promote: $q: foreign id \"a b\" in dead: skipped, as are others like it (dq-gc --dead-for purges dead ones)"
	holds 0 1 0 1
	run -0 --separate-stderr dq-gc --check "$q"
	equal "$output$stderr" '' # so it is no place to look for it
	dq-gc --dead-for 0 "$q"
	run -0 --separate-stderr dq-rm -af "$q"
	equal "$stderr$(rcli --scan --pattern "dq:{$q}:*")" ''
}

@test "--check reports the foreign id, --repair makes the message dead, with its body" {
	local state
	for state in ready leased delayed; do
		plant "$state x" "$state"
	done
	plant "$LONG"
	rcli HSET "dq:{$q}:msg" 'in no state' $'p=7\nlost' >/dev/null
	rcli HSET "dq:{$q}:try" 'leased x' $'3 77 5 p=7\nwhy' >/dev/null
	dq-put -q -i n "$q" hello
	local bodies before
	bodies=$(rcli DEBUG DIGEST-VALUE "dq:{$q}:msg")
	before=$(digest)
	run -1 --separate-stderr dq-gc --check "$q"
	equal "$stderr$(digest)" "$before"
	equal "$(sort <<<"$output")" "$(printf "$q/%s\tforeign id\n" "$LONG" 'delayed x' 'in no state' 'leased x' 'ready x' | sort)"
	run -0 --separate-stderr dq-gc --repair "$q"
	equal "${#lines[@]} $stderr" '5 '
	holds 0 1 0 5
	equal "$(rcli DEBUG DIGEST-VALUE "dq:{$q}:msg")" "$bodies"
	equal "$(field try 'leased x')" $'3 0 5 \nforeign id'
	run -0 --separate-stderr dq-gc --check "$q"
	equal "$output$stderr" ''
	run -0 --separate-stderr dq-take -n 9 "$q"
	equal "$(cut -f2 <<<"$output")$stderr" hello
}

@test "a score that is no time: takes go on, and so do dq-stat, dq-gc --check and --repair" {
	local score
	for score in 1e300 1125899906842624000 inf -inf; do
		rcli HSET "dq:{$q}:msg" odd $'\nx' bare $'\ny' >/dev/null
		rcli ZADD "dq:{$q}:delayed" "$score" odd >/dev/null
		if [ "$score" != -inf ]; then # that one is due
			run -1 --separate-stderr dq-take "$q"
			equal "$stderr" ''
			run -0 --separate-stderr dq-promote "$q" # which is no usual call here
		else
			run -1 --separate-stderr dq-take --no-promote "$q"
			equal "$stderr" ''
		fi
		run -0 dq-stat "$q"
		run -1 dq-gc --check "$q"
		equal "$(sort <<<"$output")" "$q/bare"$'\tno state\n'"$q/odd"$'\twrong score'
		run -0 dq-gc --repair "$q"
		run -0 dq-take -n 1 "$q"
		matches "$output" "^$q/bare@|^$q/odd@"
		rcli DEL "${parts[@]/#/dq:{$q\}:}" >/dev/null
	done
}
