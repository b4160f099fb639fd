# Goal: dq-wait says what became of messages, with an exit status that a script can use, and never done for what is not.

bats_require_minimum_version 1.5.0

load ../helper

settle() { # OPTION-OF-DQ-ACK...: the next message
	dq-take "$q" >"$T/settled" && dq-ack "$@" <"$T/settled"
}

put() { # ID...: kept
	local id
	for id; do
		dq-put -q --keep 1h -i "$id" "$q" x
	done
}

# Waits in the background.
waits() { # OPTION...
	dq-wait "$@" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
	wait_until 60 has_asked
}

# It asks, and then sleeps.
has_asked() {
	rcli CLIENT LIST | grep -q 'name=dq-wait.* cmd=evalsha'
}

@test "done: the result of each message, as they end, and 0" {
	put a b
	waits -w 60s "$q/a" "$q/b"
	settle -m 'sum	42'
	wait_until 30 has_lines "$T/out" 1
	settle
	exits 0 "$waiter"
	equal "$(<"$T/out")" "$q/a"$'\tdone\tsum\\t42\n'"$q/b"$'\tdone\t'
	equal "$(<"$T/err")" ''
	run -0 --separate-stderr dq-wait -w 0 "$q/a"
	equal "$output$stderr" "$q/a"$'\tdone\tsum\\t42'
}

@test "dead or removed: 1, with the last reason" {
	put a b c
	settle -b -m 'no such customer'
	dq-rm -q "$q/b"
	settle
	run -1 --separate-stderr dq-wait "$q/c" "$q/b" "$q/a"
	equal "$output" "$q/c"$'\tdone\t\n'"$q/b"$'\tremoved\t\n'"$q/a"$'\tdead\tno such customer'
	equal "$stderr" ''
	dq-gc --dead-for 0s "$q"
	run -1 dq-wait "$q/a"
	equal "$output" "$q/a"$'\tdead\tno such customer'
}

@test "a dead message that dq-rm removes is removed, with its last reason, from then on" {
	local before
	put a b
	settle -b -m 'no such customer'
	settle -b
	before=$(server_ms)
	dq-rm -q "$q/a"
	dq-rm -q -a -f --state dead "$q"
	run -1 dq-wait "$q/a" "$q/b"
	equal "$output" "$q/a"$'\tremoved\tno such customer\n'"$q/b"$'\tremoved\t'
	between "$before" "$(field outcome a | head -n 1 | cut -d' ' -f 3)" "$(server_ms)"
}

@test "a dead message that is made ready again is waited for" {
	put a
	settle -b
	dq-promote -q --dead "$q/a"
	run -124 --separate-stderr dq-wait -w 0 "$q/a"
	equal "$output" ''
	settle
	run -0 dq-wait -w 0 "$q/a"
}

@test "66: a name that is not there and left no outcome is never done" {
	put a
	settle
	run -66 --separate-stderr dq-wait "$q/a" "$q/other"
	equal "$output" "$q/a"$'\tdone\t'
	equal "$stderr" "dq-wait: $q/other: no such message, and no outcome"
	run -66 --separate-stderr dq-wait -q "$q.none/a"
	equal "$output$stderr" ''
}

@test "66: what was to be kept, and is lost, is not done" {
	put a
	waits "$q/a"
	rcli DEL "${parts[@]/#/dq:{$q\}:}" >/dev/null
	exits 66 "$waiter"
	equal "$(<"$T/out")$(<"$T/err")" "dq-wait: $q/a: is gone, and left no outcome"
}

@test "what an earlier message of an id left says nothing of a new one, however that is put and ends" {
	local mode
	for mode in replace move earlier later edit; do
		dq-put -q --unique-for 1h -i "$mode" "$q" x
		settle
		equal "$(dq-wait -w 0 "$q/$mode")" "$q/$mode"$'\tdone\t'
		dq-put -q -e "$mode" -i "$mode" "$q" y
		dq-rm -q "$q/$mode"
		fails 66 'no such message' dq-wait -w 0 "$q/$mode"
	done
	dq-put -q --unique-for 1h -i load "$q" x
	settle
	dq-dump "$q" | grep reserved >"$T/reserved"
	printf '%s\n' '{"queue":"'"$q"'","id":"load","due_ms":5,"payload":"y"}' "$(head -n 1 "$T/reserved")" | dq-load -q -e replace
	dq-rm -q "$q/load"
	fails 66 'no such message' dq-wait -w 0 "$q/load"
}

@test "without --keep: it waits for the message to leave, and says that its outcome was not kept" {
	dq-put -q -i a "$q" x
	waits "$q/a"
	settle
	exits 0 "$waiter"
	equal "$(<"$T/out")" "$q/a"$'\tgone\t'
	equal "$(<"$T/err")" "dq-wait: $q/a: is gone, and its outcome was not kept (dq-put --keep)"
	dq-put -q --unique-for 1h -i b "$q" x
	settle
	run -0 dq-wait "$q/b"
	equal "$output" "$q/b"$'\tdone\t'
}

@test "124: the time is over; 0 only asks" {
	put a b
	settle
	run -124 --separate-stderr dq-wait -w 0 "$q/a" "$q/b"
	equal "$output" "$q/a"$'\tdone\t'
	equal "$stderr" 'dq-wait: the time is over: 1 of 2 messages has not ended'
	run -124 --separate-stderr dq-wait -q -w 10ms "$q/b"
	equal "$output$stderr" ''
	run -124 dq-wait -q -w 0 "$q/b" "$q/none"
}

@test "--any: the first that ends decides" {
	put a b
	settle -b -m broken
	run -1 --separate-stderr dq-wait --any "$q/b" "$q/a"
	equal "$output$stderr" "$q/a"$'\tdead\tbroken'
	run -124 dq-wait --any -q -w 0 "$q/b"
}

@test "names by lines, receipts, and the pipe from dq-put" {
	dq-put --keep 1h -l "$q" < <(seq 3) >"$T/names"
	# shellcheck disable=SC2016
	dq-run --until-empty "$q" -- sh -c 'read -r n || :; echo "done $((n * n))" >&3'
	run -0 dq-wait <"$T/names"
	equal "$(cut -f2,3 <<<"$output")" $'done\t1\ndone\t4\ndone\t9'
	put x
	dq-take "$q" >"$T/taken"
	dq-ack <"$T/taken"
	run -0 dq-wait - <"$T/taken"
	equal "$output" "$q/x"$'\tdone\t'
	run -0 dq-wait "$(cut -f1 "$T/taken")"
}

@test "--json: an object a line" {
	put a b
	settle -m "$(printf 'x\ny')"
	settle -b
	run -1 dq-wait --json "$q/a" "$q/b"
	equal "$(jq -c '[.name, .queue, .id, .outcome, .tries, .result, .ended_ms > 1e12]' <<<"$output")" \
		"[\"$q/a\",\"$q\",\"a\",\"done\",1,\"x\\ny\",true]"$'\n'"[\"$q/b\",\"$q\",\"b\",\"dead\",1,null,true]"
	dq-put -q --unique-for 1h -i u "$q" x
	settle
	equal "$(dq-wait --json "$q/u" | jq -c '[.outcome, .ended_ms]')" '["done",null]'
}

@test "many names, and those of several queues and shards" {
	dq-set "$q" shards=3
	seq 600 | sed 's/.*/-\tn&\tx/' | dq-put --keep 1h --tsv "$q" >"$T/names"
	dq-put --keep 1h -i a "$q.other" x >>"$T/names"
	run -124 dq-wait -w 0 -q - <"$T/names"
	dq-take -n 1000 --ack "$q" "$q.other" >/dev/null
	dq-take -n 1000 --until-empty --ack "$q" "$q.other" >/dev/null || true
	run -0 dq-wait <"$T/names"
	equal "$(cut -f1 <<<"$output" | sort)" "$(sort "$T/names")"
}

@test "--empty: until nothing is ready, due or leased; --all: nor delayed, but for held messages" {
	run -0 dq-wait --empty "$q"
	dq-put -q -d never -i held "$q" x
	dq-put -q -d 1h -i later "$q" x
	run -0 dq-wait --empty "$q"
	run -124 --separate-stderr dq-wait -w 0 --empty --all "$q"
	equal "$output$stderr" 'dq-wait: the time is over'
	dq-put -q -i now "$q" x
	run -124 dq-wait -q -w 0 --empty "$q"
	dq-take "$q" >"$T/taken"
	run -124 dq-wait -q -w 0 --empty "$q.none" "$q"
	waits --empty "$q"
	dq-ack <"$T/taken"
	exits 0 "$waiter"
	dq-rm "$q/later"
	run -0 dq-wait --empty --all "$q"
}

@test "a signal ends it within a second" {
	put a
	waits "$q/a"
	kill "$waiter"
	exits 143 "$waiter"
}

@test "it waits through a restart of the server, with --retry-for" {
	start_server "$q" --appendonly yes --appendfsync always
	export DQ_URL=unix://$T/$q/s
	put a
	dq-wait --retry-for 60s "$q/a" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
	stop_server "$q" KILL
	start_server "$q" --appendonly yes --appendfsync always
	settle -m through
	exits 0 "$waiter"
	equal "$(<"$T/out")" "$q/a"$'\tdone\tthrough'
	stop_server "$q"
}

@test "options that exclude each other, and names that are none" {
	fails 64 '^--all: only with --empty$' dq-wait --all "$q"
	fails 64 '^--empty: not with --any, --json or --allow-empty$' dq-wait --empty --any "$q"
	fails 64 '^--empty: no queue given$' dq-wait --empty
	fails 64 '^"": a queue' dq-wait --empty ''
	fails 64 'not-a-name' dq-wait not-a-name
	run -65 --separate-stderr dq-wait <<<not-a-name
	: | fails 65 '^no name: standard input is empty .--allow-empty.$' dq-wait -q -w 1s
	fails 65 '^no name: ' dq-wait - </dev/null
	run -0 --separate-stderr dq-wait --allow-empty </dev/null
	equal "$output$stderr" ''
}
