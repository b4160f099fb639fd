# Goal: dq-take leases due messages in order, and at most as many as -n says.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "nothing is due: 1, without a message" {
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
		return most' 1 "dq:{$q}:try")" 125
	run -1 dq-take -n 1500 "$q"
}

@test "-n N: expired messages and expired leases in between do not end it" {
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
	dq-set "$q" paused=yes
	run -1 timeout 60 dq-take -n 5000 "$q"
}

@test "--no-promote: due and expired messages stay where they are" {
	dq-put -q -i due -d 1h "$q" x
	dq-put -q -i old "$q" x
	dq-take -t 1h "$q"
	later 7200000
	run -1 dq-take --no-promote "$q"
	holds 1 0 1 0
	dq-promote "$q"
	run -0 dq-take --no-promote -n 9 "$q"
	equal "${#lines[@]}" 2
	holds 0 0 2 0
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

@test "expired messages do not hide due ones" {
	dq-put -q -x 1s -i old "$q" A
	dq-put -q -i new "$q" B
	rcli HSET "dq:{$q}:msg" old $'x=1000\nA' >/dev/null
	run -0 dq-take "$q"
	matches "$output" $'^'"$q"$'/new@[0-9]+\tB$'
	holds 0 0 1 0
}

@test "urgent messages first, then the oldest" {
	script put '' fail 100 '' '' n1 0 $'\nnormal1' n2 0 $'\nnormal2'
	script put '' fail 255 '' '' last 0 $'p=255\nlast'
	script put '' fail 0 '' '' first 0 $'p=0\nfirst'
	script put '' fail 99 '' '' soon 1 $'p=99\nsoon'
	later 2
	equal "$(dq-take -n 9 "$q" | cut -f2 | paste -sd' ')" 'first soon normal1 normal2 last'
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
