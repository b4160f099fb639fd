# Goal: dq-stat names a key that is blocked, and why, whatever happens to other keys at that moment.

bats_require_minimum_version 1.5.0

load ../helper
load ../health
load queue

setup_file() {
	begin_file
	rcli CONFIG SET appendonly yes appendfsync always >/dev/null
}

# A message of the key ann waits for that reason.
block() { # WHY QUEUE
	case $1 in
	paused) dq-set -q "$2" paused:ann=yes ;;
	limit | retry | dead)
		dq-set -q "$2" keys=serial,stop
		dq-put -q -b 9h -k ann -i 0 "$2" x
		dq-take -q -t 12h "$2" >"$T/taken"
		[ "$1" != retry ] || dq-ack -r -m why <"$T/taken"
		[ "$1" != dead ] || dq-ack -b <"$T/taken"
		;;
	esac
	dq-put -q -k ann -i 1 "$2" x
}

# Its finding is there, and the metrics agree.
says() { # QUEUE WHY REMEDY
	on="--warn limited>=0s $1" finds 1 "warning limited $1: limited, key ann for [0-9.]+m?s \(>=0s\): $2; $3"
	dq-stat --prometheus "$1" >"$T/metrics"
	grep -q '^dq_queue_limited{.*} 1$' "$T/metrics"
	! grep '^dq_queue_blocked_seconds{.*} 0$' "$T/metrics"
}

@test "a key that is blocked stays a finding while others have messages or none: its name, why, what helps" {
	local why text remedy n=0
	while IFS=';' read -r why text remedy; do
		n=$((n + 1))
		block "$why" "$q.$n"
		remedy=${remedy//QUEUE/$q.$n}
		says "$q.$n" "$text" "$remedy"
		dq-put -q -k bob -i 1 "$q.$n" x
		says "$q.$n" "$text" "$remedy"
		equal "$(dq-take "$q.$n" | tee "$T/bob" | cut -d@ -f1)" "$q.$n/bob+1"
		dq-put -q "$q.$n" 'without a key'
		says "$q.$n" "$text" "$remedy"
		equal "$(dq-stat --json "$q.$n" | jq -c '.queues[0] | [.blocked_key, .blocked, .blocked_ms > 0]')" "[\"ann\",\"$why\",true]"
		equal "$(dq-stat --keys --no-header "$q.$n" | awk '$1 == "ann" { print $7 }')" "$why"
		dq-rm -qaf "$q.$n"
	done <<-'TABLE'
		paused;it is paused;dq-set QUEUE paused:ann=no resumes it
		limit;as many of its messages are leased as may be;dq-stat -k ann QUEUE lists them; dq-promote --release ends .*
		retry;its first message waits for its next try;dq-stat -k ann QUEUE shows it, and why the last try ended
		dead;a dead message stops it;dq-stat -k ann QUEUE shows it; dq-promote --dead redrives it, or dq-rm removes it
	TABLE
}

@test "oldest is of the messages that no key holds back: its advice is about consumers" {
	block retry "$q"
	dq-put -q -a "@$(($(server_ms) - 700000))ms" -k ann "$q" x
	dq-put -q -a "@$(($(server_ms) - 660000))ms" -k bob "$q" x
	run -1 dq-stat --check --warn 'oldest>10m,limited>1h' "$q"
	matches "$output" $'\n'"warning.oldest.$q: oldest 11m[0-9]+s \(>10m\); run more consumers, or faster ones"$'\n'
	dq-take --ack -q "$q" >/dev/null
	run -0 dq-stat --check --warn 'oldest>10m,limited>1h' "$q"
	matches "$output" $'\n'"ok.limited.$q: limited, key ann for 11m[0-9]+s: its first message waits for its next try"
	equal "$(dq-stat --prometheus "$q" | sed -n 's/^dq_queue_\(oldest_[a-z]*_seconds\){.*} \([0-9]*\).*/\1 \2/p' |
		cut -c1-22 | paste -sd,)" \
		'oldest_ready_seconds 7,oldest_free_seconds 0'
}

@test "a rate explains the messages that no key holds back: two findings, each with its own time" {
	dq-put -q -a "@$(($(server_ms) - 7300000))ms" -k ann "$q" 1
	dq-set -q "$q" paused:ann=yes rate=1/9h
	dq-put -q "$q" 2 3
	dq-take --ack -q "$q" >/dev/null
	on=$q finds 1 "warning limited $q: limited, key ann for 2h1m \(>1h\): it is paused; dq-set $q paused:ann=no resumes it"
	run -1 dq-stat --check "$q"
	matches "$output" "ok.limited.$q: limited, 2 behind \(rate=1/9h: 18h0m at this rate\)"
}

@test "blocked keys behind a backlog of others are found: paused ones, and those with leased messages" {
	block limit "$q"
	seq 700 | sed 's/.*/-\tk&+1\tx/' | dq-put -q -a "@$(($(server_ms) - 60000))ms" --tsv "$q"
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.blocked_key, .limited]')" '["ann",null]'
	dq-put -q -k eve "$q" 1 2 3
	dq-set -q "$q" paused:eve=yes paused:idle=yes
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.paused_ready_keys, .paused_ready]')" '[1,3]'
	run -0 dq-stat --check "$q"
	matches "$output" "limited, key ann for .*; 3 ready of 1 paused key\$"
}

@test "a queue of shards: the key that has waited longest, and the paused keys of all" {
	dq-set -q "$q" shards=3
	dq-put -q -k ann "$q" 1
	for key in a b c d e f; do dq-put -q -k $key "$q" 1 2; done
	dq-set -q "$q" paused:ann=yes paused:a=yes paused:b=1h paused:c=yes paused:d=yes
	says "$q" "it is paused; 9 ready of 5 paused keys" "dq-set $q paused:ann=no resumes it"
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.limited, .blocked_key, .paused_ready_keys, .paused_ready]')" \
		'[null,"ann",5,9]'
}

@test "many keys that are paused at once: nothing may be taken, before a consumer has looked" {
	seq 600 | sed 's/.*/-\tk&+1\tx/' | dq-put -q --tsv "$q"
	seq 600 | sed 's/.*/paused:k&=yes/' | xargs dq-set -q "$q"
	run -1 dq-stat --next "$q"
	equal "$output" ''
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" keys
	dq-set "$q" paused:k300=1h
	between 3500000 "$(dq-stat --next "$q")" 3600000
	dq-set "$q" paused:k300=no
	equal "$(dq-stat --next "$q")" 0
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" -
}
