# Goal: -d never holds a message: nothing delivers it, nothing waits for it or calls it late, until it is promoted or put earlier.

bats_require_minimum_version 1.5.0

load ../helper

held() {
	dq-stat --json "$q" | jq -c '.queues[0] | [.messages.delayed, .held, .next_due_ms, .late_ms]'
}

# The payloads.
taken() { # OPTION...
	dq-take --ack "$@" "$q" >"$T/got" || echo "none $?"
	cut -f2 "$T/got"
}

@test "a held message is delayed, HELD, and never next or late" {
	equal "$(dq-put -d never -i join "$q" x)" "$q/join"
	equal "$(held)" '[1,1,null,null]'
	equal "$(dq-stat --no-header "$q" | awk '{ print $2, $3, $9, $(NF - 1) }')" '1 0 - 1'
	equal "$(dq-stat "$q/join" | grep -E '^(state|due|due_ms|when)')" \
		"$(printf '%s\t%s\n' state delayed due never due_ms 4398046511103 when never)"
	equal "$(dq-stat --messages delayed "$q" | cut -f1-3)" "$q/join"$'\tdelayed\tnever'
	equal "$(dq-stat --prometheus "$q" | grep '^dq_queue_held')" "dq_queue_held_messages{queue=\"$q\"} 1"
	matches "$(dq-stat --prometheus "$q")" 'dq_queue_messages\{.*state="delayed"\} 1'
	run -1 dq-stat --next "$q"
	equal "$output" ''
	run -2 dq-stat --check --crit 'held>0' "$q"
	matches "$output" "$q: 1 held \(>0\)"
}

@test "nothing waits for held messages: no mark, and --drain and --until-empty end" {
	dq-put -q -d never -i a "$q" x
	equal "$(rcli EXISTS "dq:{$q}:timer" "dq:{$q}:guard")" 0
	equal "$(rcli HEXISTS "dq:{$q}:stat" armed)" 0
	equal "$(taken)" 'none 1'
	equal "$(taken --until-empty)" 'none 1'
	run -0 dq-run --drain "$q" -- false
	equal "$(dq-promote "$q")" ''
	equal "$(rcli EXISTS "dq:{$q}:timer" "dq:{$q}:guard")" 0
	equal "$(held)" '[1,1,null,null]'
	dq-put -q -d 1h -i b "$q" y
	dq-stat --next "$q"
	equal "$(rcli ZCARD "dq:{$q}:timer")" 1
}

@test "a held message is due when it is promoted by name, with its priority" {
	dq-put -q -d never -p 7 -i urgent "$q" first
	dq-put -q -d never -p 255 -i last "$q" second
	dq-put -q -p 8 "$q" between
	dq-promote "$q/last" "$q/urgent"
	equal "$(held)" '[0,0,null,null]'
	equal "$(taken -n 9)" $'first\nbetween\nsecond'
}

@test "a promoted message wakes a waiting tool" {
	dq-put -q -d never -i a "$q" x
	dq-take -w 60s --ack "$q" >"$T/taken" 3>&- &
	wait_until 30 has_waiter
	dq-promote "$q/a"
	exits 0 $!
	equal "$(cut -f2 "$T/taken")" x
}

has_waiter() {
	rcli CLIENT LIST | grep -q cmd=bzpopmin
}

@test "earlier and move give a held message a due time, later and move hold one" {
	dq-put -q -d never -i a "$q" x
	dq-put -q -d 2h -e later -i a "$q" x
	equal "$(held)" '[1,1,null,null]'
	dq-put -q -d 0 -e earlier -i a "$q" x
	equal "$(taken)" x
	dq-put -q -d 1h -i b "$q" y
	dq-put -q -d never -e move --existing -i b "$q"
	equal "$(held)" '[1,1,null,null]'
	dq-put -q -d 0 -e move -i b "$q" y
	equal "$(taken)" y
}

@test "a leased message that is held is delayed again after its delivery" {
	dq-put -q -i a "$q" x
	dq-take "$q" >"$T/taken"
	dq-put -q -d never -e later -i a "$q" x
	dq-ack <"$T/taken"
	equal "$(held)" '[1,1,null,null]'
	dq-promote "$q/a"
	equal "$(taken)" x
}

@test "a dump holds it, also after dq-load" {
	dq-put -q -d never -p 3 -i a "$q" x
	dq-dump "$q" >"$T/dump"
	dq-rm -q "$q/a"
	dq-load <"$T/dump" >/dev/null
	equal "$(held)" '[1,1,null,null]'
	equal "$(dq-gc --check "$q")" ''
	dq-gc "$q"
	equal "$(held)" '[1,1,null,null]'
	dq-promote "$q/a"
	equal "$(dq-stat --json "$q/a" | jq -c '[.state, .priority]')" '["ready",3]'
	equal "$(taken)" x
}

@test "never is a delay of --tsv, not a time, and takes no expiry" {
	printf 'never\ta\tx\n-\tb\ty\n' | dq-put -q --tsv "$q"
	equal "$(held)" '[1,1,null,null]'
	fails 64 '-a: "never": not a time' dq-put -a never "$q" x
	fails 64 'the expiry is not after the due time' dq-put -d never -x 1h "$q" x
	fails 64 '-d: "never"' dq-ack -r -d never
}

@test "a schedule never ends at the time of held messages" {
	dq-put -q -b 36525d -r 9 "$q" x
	dq-take "$q" | dq-ack -r
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.held, .next_due_ms]')" '[0,4398046511102]'
}
