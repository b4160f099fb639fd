# shellcheck disable=SC2016
# dq-take: what it leases, prints and gives back.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

@test "nothing due: 1, and not a word" {
	dq-put -q -d 1h "$q" x
	run -1 --separate-stderr dq-take "$q"
	equal "$output$stderr" ''
	holds 1 0 0 0
}

@test "a record is RECEIPT TAB PAYLOAD LF, the message is leased" {
	dq-put -q -i x "$q" hello
	dq-take "$q" >"$T/record"
	holds 0 0 1 0
	local token
	token=$(field try x | head -1 | cut -d' ' -f2)
	printf '%s/x@%s\thello\n' "$q" "$token" | cmp - "$T/record"
	equal "$(tries x)" 1
	equal "$(field stat token)" "$token"
	run -1 dq-take "$q"
}

@test "first in, first out; -n takes as many, or as many as there are" {
	seq 1 7 | dq-put -ql "$q"
	equal "$(dq-take "$q" | cut -f2)" 1
	equal "$(dq-take -n 3 "$q" | cut -f2 | paste -sd' ')" '2 3 4'
	equal "$(dq-take --count 1000 "$q" | cut -f2 | paste -sd' ')" '5 6 7'
	holds 0 0 7 0
}

@test "-n: 1 to 2147483647" {
	fails 64 '^-n: "0": not a whole number from 1 to 2147483647$' dq-take -n 0 "$q"
	fails 64 '^-n: "2147483648": ' dq-take -n 2147483648 "$q"
	fails 64 '^-n: "": ' dq-take -n '' "$q"
	fails 64 '^-n: "\+1": ' dq-take -n +1 "$q"
	fails 64 '^no queue given$' dq-take -n 1
	dq-put -q "$q" x
	equal "$(dq-take -n 2147483647 "$q" | cut -f2)" x
}

@test "-n N: N due messages give N records, moved or not, in calls of a bounded size" {
	seq 3000 | dq-put -q -l -d 5s "$q"
	later 6000
	run -0 --separate-stderr dq-take -v -n 1000 "$q"
	equal "${#lines[@]} $stderr" '1000 dq-take: 1000 taken'
	holds 2000 0 1000 0
	equal "$(dq-take -n 1500 "$q" | wc -l)" 1500
	equal "$(dq-take -n 1500 "$q" | wc -l)" 500
	equal "$(rcli EVAL 'local all, n = redis.call("HGETALL", KEYS[1]), {}
		for i = 2, #all, 2 do
			local token = string.match(all[i], "^%d+ (%d+)")
			n[token] = (n[token] or 0) + 1
		end
		local most = 0
		for _, many in pairs(n) do most = math.max(most, many) end
		return most' 1 "dq:{$q}:try")" 250
	run -1 dq-take -n 1500 "$q"
}

@test "-n N: what expired, or whose lease ran out, in between does not end it" {
	seq 600 | dq-put -q -l -d 5s -x 6s "$q"
	seq 600 | dq-put -q -l -d 6s "$q"
	later 7000
	rcli EVAL 'for _, id in ipairs(redis.call("ZRANGE", KEYS[2], 0, 599)) do redis.call("HSET", KEYS[1], id, "x=1\nx") end' \
		2 "dq:{$q}:msg" "dq:{$q}:delayed" >/dev/null
	equal "$(dq-take -n 5000 "$q" | wc -l)" 600
	later 70000
	equal "$(dq-take -n 5000 "$q" | wc -l)" 600
}

@test "-n N of a paused queue ends" {
	seq 600 | dq-put -q -l -d 5s "$q"
	later 7000
	dq-promote --pause "$q"
	run -1 timeout 10 dq-take -n 5000 "$q"
}

@test "a delayed message is taken once it is due, and not before" {
	dq-put -q -i x -d 10s "$q" hello
	later 5000
	run -1 dq-take "$q"
	holds 1 0 0 0
	later 5001
	run -0 dq-take "$q"
	matches "$output" $'\thello$'
	holds 0 0 1 0
}

@test "-w: taken when due, never early" {
	dq-put -q -d 300ms "$q" hello
	run -0 dq-take -w 10s --json "$q"
	between "$(jq .due_ms <<<"$output")" "$(($(jq .lease_until_ms <<<"$output") - 60000))" 9999999999999
	matches "$(jq -r .payload <<<"$output")" '^hello$'
	holds 0 0 1 0
}

@test "-w: a message that another puts is taken" {
	dq-take -w 20s "$q" >"$T/waited" 3>&- &
	local pid=$!
	wait_until 5 eval "rcli CLIENT LIST | grep -q name=dq-take"
	dq-put -q "$q" hello
	wait "$pid"
	equal "$(cut -f2 "$T/waited")" hello
	holds 0 0 1 0
}

@test "-w: 1 when the wait is over, for 0 at once" {
	run -1 --separate-stderr timeout 20 dq-take -q -w 100ms "$q"
	equal "$output$stderr" ''
	run -1 timeout 20 dq-take -w 0 "$q"
	fails 64 '^-w: "-1": not a duration' dq-take -w -1 "$q"
	fails 64 '^only one of -w, -f and --until-empty$' dq-take -w 1 -f "$q"
}

@test "-w: what is there is printed without waiting for more" {
	dq-put -q "$q" a
	run -0 dq-take -w 1h -n 10 "$q"
	equal "${#lines[@]}" 1
}

@test "-f: goes on until a signal" {
	dq-take -f -n 10 "$q" >"$T/followed" 3>&- &
	local pid=$!
	dq-put -q "$q" a b
	wait_until 5 eval "[ \"\$(cut -f2 '$T/followed' | paste -sd' ')\" = 'a b' ]"
	dq-put -q -d 50ms "$q" c
	wait_until 5 eval "[ \"\$(cut -f2 '$T/followed' | paste -sd' ')\" = 'a b c' ]"
	kill "$pid"
	exits 143 "$pid"
	holds 0 0 3 0
}

@test "leases: 60 s, the message's own, or -t" {
	dq-put -q -i a "$q" x
	dq-put -q -i b -t 90s "$q" x
	dq-put -q -i c -t 90s "$q" x
	dq-put -q -i d -t 90s "$q" x
	local before after
	before=$(server_ms)
	dq-take -n 2 "$q" >/dev/null
	dq-take -t 5m "$q" >/dev/null
	dq-take --ttr 1ms "$q" >/dev/null
	after=$(server_ms)
	between $((before + 60000)) "$(score leased a)" $((after + 60001))
	between $((before + 90000)) "$(score leased b)" $((after + 90001))
	between $((before + 300000)) "$(score leased c)" $((after + 300001))
	fails 64 '^-t: a lease is at least 1ms$' dq-take -t 0 "$q"
}

@test "a lease that ran out: delivered again, with another token, and counted" {
	dq-put -q -i x "$q" hello
	local first second
	first=$(dq-take "$q" | cut -f1)
	later 59000
	run -1 dq-take "$q"
	later 1001
	second=$(dq-take "$q" | cut -f1)
	holds 0 0 1 0
	equal "$(tries x)" 2
	[ "${second#*@}" -gt "${first#*@}" ]
	fails 1 "^$first: not settled: this receipt is no longer valid\$" dq-ack "$first"
	holds 0 0 1 0
	dq-ack "$second"
	holds 0 0 0 0
}

@test "out of tries: dead, and not delivered again" {
	dq-put -q -i x -r 2 "$q" hello
	dq-take -t 1s "$q"
	later 1001
	dq-take -t 1s "$q"
	later 1001
	run -1 dq-take "$q"
	holds 0 0 0 1
	equal "$(field try x | tail -1)" 'lease ran out'
}

@test "--no-promote: what is due and what ran out stays where it is" {
	dq-put -q -i due -d 1s "$q" x
	dq-put -q -i old "$q" x
	dq-take -t 1s "$q"
	later 2000
	run -1 dq-take --no-promote "$q"
	holds 1 0 1 0
	dq-promote "$q"
	run -0 dq-take --no-promote -n 9 "$q"
	equal "${#lines[@]}" 2
	holds 0 0 2 0
}

@test "--json: the reason why the last delivery ended" {
	local reason
	for reason in plain $'two\nlines "quoted" \e[1m \xc3\xa9'; do
		dq-put -q -i x -b 0 "$q" x
		dq-take "$q" | dq-ack -r -d 0 -m "$reason"
		dq-take -w 5s --json "$q" >"$T/json"
		equal "$(jq -r '[.try, .reason] | @json' "$T/json")" "$(jq -nc --arg reason "$reason" '[2, $reason]')"
		dq-rm "$q/x"
	done
	dq-put -q -i x "$q" x
	dq-take "$q" | dq-ack -r -d 0 -m $'no \xff UTF-8'
	equal "$(dq-take -w 5s --json "$q" | jq -r .reason_base64 | base64 -d)" $'no \xff UTF-8'
	later 60001
	equal "$(dq-take --json "$q" | jq -r '"\(.try) \(.reason)"')" '3 lease ran out'
	dq-put -q -i y "$q" y
	dq-take "$q" | dq-ack -g
	equal "$(dq-take --json "$q" | jq -c '[.try, .reason]')" '[1,null]'
}

@test "--json: one object a line" {
	dq-put -q -i x:1 -r 3 -t 7s "$q" $'tab\t"quote" \\ \x01 \xc3\xa9'
	dq-put -q -i y "$q" second
	dq-take --json -n 2 "$q" >"$T/json"
	equal "$(wc -l <"$T/json")" 2
	equal "$(jq -r 'keys | join(" ")' "$T/json" | sort -u)" \
		'due_ms id lease_until_ms max_tries payload payload_base64 queue reason reason_base64 receipt tries try'
	equal "$(head -1 "$T/json" | jq -r '[.queue, .id, .try, .tries, .max_tries] | join(" ")')" "$q x:1 1 1 3"
	equal "$(head -1 "$T/json" | jq -r .payload)" $'tab\t"quote" \\ \x01 \xc3\xa9'
	equal "$(head -1 "$T/json" | jq .reason)" null
	equal "$(head -1 "$T/json" | jq .lease_until_ms)" "$(score leased x:1)"
	matches "$(head -1 "$T/json" | jq -r .receipt)" "^$q/x:1@[0-9]+\$"
	equal "$(tail -1 "$T/json" | jq -r '[.max_tries, .payload] | join(" ")')" '5 second'
	jq -r .receipt "$T/json" | dq-ack
	holds 0 0 0 0
}

@test "-0: RECEIPT NUL PAYLOAD NUL" {
	dq-put -q -i x "$q" $'a\nb\tc\\'
	dq-put -q -i y "$q" ''
	dq-take -0 -n 2 "$q" | tr '\0\n' '\n|' >"$T/null"
	matches "$(sed -n 1p "$T/null")" "^$q/x@[0-9]+\$"
	equal "$(sed -n 2p "$T/null")" $'a|b\tc\\'
	matches "$(sed -n 3p "$T/null")" "^$q/y@[0-9]+\$"
	equal "$(sed -n 4p "$T/null")" ''
	equal "$(wc -l <"$T/null")" 4
	fails 64 '^only one of -0 and --json$' dq-take -0 --json "$q"
	fails 64 '^only one of -0 and --json$' dq-take --json --null "$q"
}

@test "-0: a payload with NUL is 65, given back and not counted; what came before it stays delivered" {
	dq-put -q -i a "$q" first
	printf 'x\0y' | dq-put -q -i b "$q"
	dq-put -q -i c "$q" third
	run -65 --separate-stderr bash -c 'dq-take -0 -n 3 "$0" | tr "\0" " "; exit "${PIPESTATUS[0]}"' "$q"
	matches "$output" "^$q/a@[0-9]+ first \$"
	matches "$stderr" "^dq-take: $q/b: not delivered: the payload holds a NUL"
	holds 0 2 1 0
	equal "$(tries b) $(tries c)" '0 0'
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'x\0y third'
}

@test "several queues: each in turn, -n over all of them" {
	dq-put -q "$q.a" a1 a2
	dq-put -q "$q.b" b1 b2
	run -0 dq-take -n 3 "$q.none" "$q.a" "$q.b"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'a1 a2 b1'
	matches "${lines[2]}" "^$q.b/"
	holds 0 1 1 0 "$q.b"
	run -1 dq-take "$q.none" "$q.a"
}

@test "what has expired hides nothing behind it" {
	dq-put -q -x 1s -i old "$q" A
	dq-put -q -i new "$q" B
	rcli HSET "dq:{$q}:msg" old $'x=1000\nA' >/dev/null
	run -0 dq-take "$q"
	matches "$output" $'^'"$q"$'/new@[0-9]+\tB$'
	holds 0 0 1 0
}

@test "-f ends when the peer of a socket on its standard output is gone" {
	python3 "$top/test/take/peer_gone.py" "$q"
}

@test "urgent messages first, then the oldest" {
	script put '' fail 100 '' '' n1 0 $'\nnormal1' n2 0 $'\nnormal2'
	script put '' fail 255 '' '' last 0 $'p=255\nlast'
	script put '' fail 0 '' '' first 0 $'p=0\nfirst'
	script put '' fail 99 '' '' soon 1 $'p=99\nsoon'
	later 2
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'first soon normal1 normal2 last'
}

@test "a full disk: 74, given back, tries not counted, nothing else lost" {
	dq-put -q -i x "$q" hello
	run -74 --separate-stderr bash -c 'dq-take "$0" >/dev/full' "$q"
	equal "$stderr" "dq-take: $q/x: not delivered: No space left on device"
	holds 0 1 0 0
	equal "$(tries x)" 0
	equal "$(dq-take --json "$q" | jq .try)" 1
}

@test "-v counts on stderr" {
	dq-put -q "$q" a b
	run -0 --separate-stderr dq-take -v -n 5 "$q"
	equal "${#lines[@]}" 2
	equal "$stderr" 'dq-take: 2 taken'
	run -1 --separate-stderr dq-take -v "$q"
	equal "$stderr" 'dq-take: 0 taken'
}

@test "--prefix is another queue" {
	dq-put -q --prefix other "$q" x
	run -1 dq-take "$q"
	run -0 dq-take --prefix other "$q"
}

@test "a write is whole records, as many as a pipe keeps together" {
	command -v strace >/dev/null || skip 'no strace'
	local sizes
	{
		printf '%01000d\n' 1 2 3 4 5 6 7
		printf '%05000d\n' 8
		printf '%s\n' 9
	} | dq-put -lq "$q"
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write -s 0 -o "$T/trace" dq-take -n 9 "$q" >"$T/written"
	equal "$(wc -l <"$T/written")" 9
	sizes=$(sed -n 's/^[0-9]* *write(1, .* = //p' "$T/trace" | paste -sd' ')
	matches "$sizes" '^3[0-9]{3} 3[0-9]{3} 1[0-9]{3} 5[0-9]{3} [0-9]{2}$'
}

# How many writes of dq-take it takes for a payload of 1 MiB to go through a pipe, whole. STRACE-OPTIONs may let calls fail.
large() { # STRACE-OPTION...
	dq-put -q "$q" <"$T/large"
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write,openat -s 0 -o "$T/trace" "$@" dq-take --ack "$q" | cat >"$T/record"
	cut -f2 "$T/record" | tr -d '\n' | cmp - "$T/large" || return
	grep -c ' write(.* = [1-9]' "$T/trace" || true
}

@test "a large record goes through a pipe as fast as its reader is" {
	command -v strace >/dev/null || skip 'no strace'
	head -c 1048576 /dev/zero | tr '\0' x >"$T/large"
	between 1 "$(large)" 20
	# where the pipe cannot be opened once more, writes are short, and all comes the same
	large -P /proc/self/fd/1 -e inject=openat:error=EACCES >/dev/null
	grep -q 'openat(.*"/proc/self/fd/1".* = -1 EACCES' "$T/trace"
}

# The tool's standard output is a pipe or a socket whose reader reads no more than that. Prints how it ends.
unread() { # KIND BYTES
	python3 "$top/test/take/unread.py" "$q" "$@"
}

@test "TERM ends a writer in the middle of a large record, which goes back; the output of others stays as it is" {
	local kind
	head -c 1048576 /dev/zero | dq-put -q -i x "$q"
	for kind in pipe socket; do
		equal "$(unread "$kind" 200000)" 'blocking -15'
		holds 0 1 0 0
		equal "$(tries x)" 0
	done
}

@test "-w -n: what was printed before the connection went counts: no more than N, and never 1" {
	dq-put -q -i a "$q.a" x
	dq-put -q -i b "$q.b" y
	start_cut $'\ny' # the answer that holds this record is lost
	run -75 --separate-stderr dq-take -u "unix://$T/cut" -n 2 -w 5s "$q.a" "$q.b"
	stop_cut
	matches "$output" "^$q.a/a@"
	equal "${#lines[@]}" 1
}

@test "many deliveries at once are in a table, where Redis finds each at once, and are what they should be" {
	seq 40 | dq-put -q -l "$q"
	equal "$(dq-take -n 40 "$q" | cut -f 2 | xargs)" "$(seq 40 | xargs)"
	equal "$(rcli OBJECT ENCODING "dq:{$q}:try")" hashtable
	equal "$(rcli HVALS "dq:{$q}:try" | grep -c '^1 [0-9]* [0-9]* $')" 40
	equal "$(rcli HLEN "dq:{$q}:try")" 40
}

@test "an entry of deliveries that a foreign hand wrote: no receipt is valid, and it says so; the next delivery is the first" {
	dq-put -q -i a "$q" x
	dq-take -t 1ms "$q" >"$T/one"
	rcli HSET "dq:{$q}:try" a garbage >/dev/null
	run -1 dq-ack <"$T/one"
	matches "$(dq-stat "$q/a")" 'unreadable entry'
	dq-take -w 5s "$q" >/dev/null
	equal "$(tries a)" 1
}

# What a command writes to a terminal, which is made for it.
on_terminal() { # COMMAND...
	python3 "$top/test/take/terminal.py" "$@" 2>&1 >/dev/null </dev/null
}

@test "on a terminal nothing acts on it; elsewhere each byte is as it was" {
	printf 'a\e]0;title\a\e[31m\tb\\c\n\xc2\x9b2J\xff é' | dq-put -q -i x "$q"
	equal "$(on_terminal dq-stat --payload "$q/x")" 'a\x1b]0;title\x07\x1b[31m\tb\\c'$'\n''\xc2\x9b2J\xff é'
	run -0 on_terminal dq-take "$q"
	equal "${output#*$'\t'}" 'a\x1b]0;title\x07\x1b[31m\tb\\c\n\xc2\x9b2J\xff é'
	dq-ack -g <<<"$output"
	equal "$(dq-stat --payload "$q/x" | od -An -tx1)" "$(printf 'a\e]0;title\a\e[31m\tb\\c\n\xc2\x9b2J\xff é' | od -An -tx1)"
	equal "$(dq-take "$q" | cut -f2-)" $'a\e]0;title\a\e[31m\\tb\\\\c\\n\xc2\x9b2J\xff é'
}
