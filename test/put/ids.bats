# Goal: An id set by the caller exists once; with --unique-for it stays reserved after the ack, until its time.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load says

@test "-i: the caller's id; a second one is refused with 1 and changes nothing" {
	local before
	run -0 dq-put -i order:1 "$q" first
	equal "$output" "$q/order:1"
	before=$(digest)
	fails 1 "^$q/order:1: not put: there is such a message already\$" dq-put --id order:1 "$q" second
	equal "$(digest)" "$before"
	equal "$(field msg order:1)" $'\nfirst'
}

@test "-i: refused in any state, free again when the message is gone" {
	dq-put -q -i x -d 1h "$q" 1
	fails 1 'such a message' dq-put -i x "$q" 2
	later 3600001
	dq-promote "$q"
	fails 1 'such a message' dq-put -i x "$q" 2
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	fails 1 'such a message' dq-put -i x "$q" 2
	dq-ack "$receipt"
	dq-put -q -i x "$q" 2
	equal "$(dq-take "$q" | cut -f2)" 2
}

@test "--unique-for: the id stays reserved after the ack, until its time" {
	local before
	dq-put -q -i x --unique-for 1h "$q" one
	refused -i x "$q" two
	before=$(server_ms)
	dq-take "$q" | dq-ack
	holds 0 0 0 0
	between $((before + 3600000)) "$(score settled x)" $((before + 3609000))
	before=$(digest)
	fails 1 "^$q/x: not put: its message was acked, and the id is still reserved \(--unique-for\)\$" dq-put -i x "$q" two
	says 'not put: its message was acked, and the id is still reserved (--unique-for)' -i x -e keep "$q" two
	equal "$(digest)" "$before"
	rcli ZADD "dq:{$q}:settled" XX 1 x >/dev/null
	says '' -i x "$q" two
	equal "$(dq-take "$q" | cut -f2)" two
}

@test "--unique-for: the other modes put the message all the same" {
	local mode
	for mode in replace earlier later; do
		q=q$BATS_TEST_NUMBER.$mode
		dq-put -q -i x --unique-for 1h "$q" one
		dq-take --ack "$q" >/dev/null
		reserved -i x "$q" two
		says put -i x -e $mode "$q" two
		holds 0 1 0 0
	done
}

@test "--unique-for counts from the ack, however late; a retry or death does not start it" {
	local before
	dq-put -q -i x -r 2 --unique-for 10s "$q" one
	dq-take "$q" | dq-ack -r -d 0
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	dq-take "$q" >"$T/last"
	later 60001
	dq-promote -q "$q"
	holds 0 0 0 1
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	refused -i x "$q" two
	before=$(server_ms)
	dq-ack <"$T/last"
	between $((before + 10000)) "$(score settled x)" $((before + 19000))
	reserved -i x "$q" two
}

@test "--unique-for shorter than the delay: the id is taken until the message is acked, and after that as long" {
	local before
	dq-put -q -i x -d 1h --unique-for 10s "$q" one
	refused -i x "$q" two
	later 3600001
	refused -i x "$q" two
	before=$(server_ms)
	equal "$(dq-take --ack "$q" | cut -f 2)" one
	between $((before + 10000)) "$(score settled x)" $((before + 19000))
	reserved -i x "$q" two
}

@test "--unique-for: a message that was removed, or purged when dead, frees its id at once" {
	dq-put -q -i x --unique-for 1h "$q" one
	equal "$(script rm '' '' x)" d
	dq-put -q -i x --unique-for 1h "$q" two
	dq-take "$q" | dq-ack -b
	refused -i x "$q" three
	later 2000
	dq-gc --dead-for 1s "$q"
	says '' -i x "$q" three
	holds 0 1 0 0
}

@test "--unique-for: dq-rm frees a reserved id, but not one that it looks for in some states" {
	dq-put -q -i x --unique-for 1h "$q" one
	dq-take "$q" | dq-ack
	local before
	before=$(digest)
	equal "$(script rm '' ready,dead x)" u
	equal "$(digest)" "$before"
	reserved -i x "$q" two
	equal "$(script rm '' '' x x)" du
	dq-put -q -i x "$q" two
}

@test "--unique-for: dq-gc and later puts remove ids whose time is over" {
	seq -f 'id%g' 300 | sed 's/.*/-\t&\tx/' | dq-put -q --unique-for 1h --tsv "$q"
	dq-take -n 300 --ack "$q" >/dev/null
	equal "$(rcli ZCARD "dq:{$q}:settled")" 300
	dq-gc "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 300
	rcli EVAL 'for _, id in ipairs(redis.call("ZRANGE", KEYS[1], 0, 249)) do redis.call("ZADD", KEYS[1], 1, id) end' 1 \
		"dq:{$q}:settled" >/dev/null
	dq-put -q "$q" x
	between 50 "$(rcli ZCARD "dq:{$q}:settled")" 299
	dq-gc "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 50
}

@test "--unique-for 0 reserves nothing; times out of range are refused" {
	dq-put -q -i x --unique-for 0 "$q" one
	equal "$(field msg x)" $'\none'
	dq-take "$q" | dq-ack
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
	local text
	for text in -1 nan x '' 36526d; do
		fails 64 '^--unique-for: ' dq-put --unique-for "$text" "$q" x
	done
}
