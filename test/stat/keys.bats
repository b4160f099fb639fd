# Goal: dq-stat shows the keys of a queue's messages, and the messages of one.

bats_require_minimum_version 1.5.0

load ../helper

# No lease of these ends, and nothing delayed is due, within an hour.
fill() {
	dq-put -q -k b "$q" 1 2 3
	dq-put -q -k a -i x "$q" 1
	dq-put -q -k a -i y -p 7 "$q" 1
	dq-put -q -k c -d 2h -i z "$q" 1
	dq-put -q "$q" 1 2 3 4
	dq-take -n 1 -t 3h "$q" >"$T/receipts" # a+y
	dq-put -q -k a -i dead -p 1 "$q" 1
	dq-take "$q" | dq-ack -b -m why
	dq-put -q -k a -i late -p 1 -b 4h "$q" 1
	dq-take "$q" | dq-ack -r -m again
}

# The rows, but for the column AGE.
rows() {
	dq-stat --keys --no-header "$@" "$q" | awk '{ print $1, $2, $3, $4, $5, $7 }'
}

@test "--keys: a row a key, the greatest backlog first" {
	fill
	equal "$(rows)" $'- 4 0 0 - -\nb 3 0 0 - -\na 1 1 1 - -'
	run -0 dq-stat --keys "$q"
	matches "${lines[0]}" '^KEY  READY  LEASED  TRIED  DEAD  +AGE  BLOCKED$'
	matches "${lines[1]}" '^- +4 +0 +0 +- +[0-9.ms]+ +-$'
	equal "$(rows --limit 1)" '- 4 0 0 - -'
	dq-set "$q" key-limit=1
	equal "$(rows | tail -n 1)" 'a 1 1 1 - limit'
	dq-ack "$(cut -f 1 "$T/receipts")"
	equal "$(rows | tail -n 1)" 'a 1 0 1 - -'
	dq-set "$q" keys=serial key-limit=none
	equal "$(rows | tail -n 1)" 'a 1 0 1 - retry'
	dq-set "$q" keys=serial,stop # the dead are looked for first
	equal "$(rows | tail -n 1)" 'a 1 0 1 - unknown'
	dq-promote "$q"
	equal "$(rows | tail -n 1)" 'a 1 0 1 1 dead'
	equal "$(dq-stat --keys --json "$q" | jq -c '[.key, .dead, .in_turn, .blocked]' | paste -sd' ')" \
		'[null,null,true,null] ["b",0,true,null] ["a",1,false,"dead"]'
	dq-rm -k a "$q"
	dq-set "$q" keys=fair
	dq-take --ack -n 9 "$q" >/dev/null
	equal "$(rows)" ''
	run -0 dq-stat --keys "$q"
	equal "$output" 'KEY  READY  LEASED  TRIED  DEAD  AGE  BLOCKED'
}

@test "--keys: many keys, in pages" {
	seq 2345 | sed 's/.*/-\tk&+-\tx/' >"$T/lines"
	dq-put -q --tsv "$q" <"$T/lines"
	dq-put -q -k k777 "$q" y
	equal "$(dq-stat --keys --no-header "$q" | sort -u | wc -l)" 2345
	equal "$(rows --limit 2)" $'k777 2 0 0 - -\nk1 1 0 0 - -'
}

@test "--keys of a queue without keys, and of one that does not exist" {
	dq-put -q "$q" 1 2
	equal "$(rows)" '- 2 0 0 - -'
	run -1 --separate-stderr dq-stat --keys "$q.none"
	equal "$output$stderr" "dq-stat: $q.none: no such queue yet: dq-put creates it"
}

@test "--keys --json: an object a key" {
	fill
	dq-stat --keys --json "$q" >"$T/json"
	equal "$(jq -c '[.queue, .key, .ready, .leased, .tried, .priority, .in_turn, .blocked]' "$T/json" | sed "s/$q/q/")" \
		'["q",null,4,null,null,100,true,null]
["q","b",3,0,0,100,true,null]
["q","a",1,1,1,100,true,null]'
	equal "$(jq -s 'all(.due_ms > 1600000000000 and .age_ms >= 0 and .age_ms < 60000)' "$T/json")" true
	dq-put -q -k d "$q" x
	dq-take -n 9 -t 1h "$q" >/dev/null
	equal "$(dq-stat --keys --json "$q" |
		jq -c 'select(.key == "d") | [.ready, .leased, .dead, .due_ms, .priority, .age_ms, .in_turn]')" \
		'[0,1,null,null,null,null,false]'
}

@test "-k: the messages of a key in all states; with -v how many there are in each" {
	fill
	dq-put -q -k aa "$q" other
	dq-put -q -i a "$q" other
	dq-put -q -k a -i ready "$q" 1
	run -0 --separate-stderr dq-stat -k a "$q"
	equal "$stderr" ''
	equal "$(cut -f 1,2,4,5 <<<"$output" | sed "s/^$q.//" | tr '\t' ' ')" 'a+y leased 1 -
a+x ready 0 -
a+ready ready 0 -
a+late delayed 1 again
a+dead dead 1 why'
	equal "$(sort <<<"$output")" "$(dq-stat --messages all "$q" | grep "^$q/a+" | sort)"
	local listed=$output
	run -0 --separate-stderr dq-stat -v -k a "$q"
	equal "$output" "$listed"
	equal "$stderr" "dq-stat: $q: key a: 1 delayed, 0 due, 2 ready, 1 leased, 1 dead"
	dq-stat --message-key=a --json "$q" >"$T/json"
	equal "$(jq -c '[.queue, .key, .messages]' "$T/json")" '["'"$q"'","a",{"delayed":1,"due":0,"ready":2,"leased":1,"dead":1}]'
	equal "$(jq -r '.list[].name' "$T/json")" "$(cut -f 1 <<<"$listed")"
	equal "$(jq -cS '.list[]' "$T/json" | sort)" "$(dq-stat --messages all --json "$q" | jq -cS 'select(.key == "a")' | sort)"
}

@test "-k: its lines are input of dq-promote --dead and of dq-rm, whatever queues are called" {
	local word
	fill
	for word in delayed due ready leased dead; do dq-put -q -i m "$word" x; done
	dq-take dead | dq-ack -b # with dq-promote --dead its name would make it ready
	dq-stat -k a "$q" | awk -F'\t' '$2 == "dead"' | dq-promote --dead
	equal "$(dq-stat --messages dead dead "$q" | cut -f 1)" dead/m
	equal "$(dq-stat --messages ready "$q" | cut -f 1 | grep -c "^$q/a+dead\$")" 1
	dq-stat -k a "$q" >"$T/of_a"
	run -0 --separate-stderr dq-rm -v <"$T/of_a"
	equal "$output$stderr" 'dq-rm: 4 removed'
	run -1 dq-stat -q -k a "$q"
	equal "$(rows)" $'- 4 0 0 - -\nb 3 0 0 - -'
	run -0 dq-stat --messages all delayed due ready leased dead
	equal "$(cut -f 1 <<<"$output" | paste -sd' ')" 'delayed/m due/m ready/m leased/m dead/m'
	dq-rm -qaf delayed due ready leased dead
}

@test "-k: no such message, and no such queue: 1" {
	local none='"key":"a","messages":{"delayed":0,"due":0,"ready":0,"leased":0,"dead":0},"list":[]}'
	dq-put -q -k ab "$q" x
	run -1 --separate-stderr dq-stat -v -k a "$q"
	equal "$output$stderr" "dq-stat: $q: no message has the key a"
	run -1 --separate-stderr dq-stat -q -k a "$q"
	equal "$output$stderr" ''
	run -1 --separate-stderr dq-stat -k a --json "$q"
	equal "$output" "{\"queue\":\"$q\",$none"
	equal "$stderr" "dq-stat: $q: no message has the key a"
	run -1 --separate-stderr dq-stat -k a "$q.none"
	equal "$output$stderr" "dq-stat: $q.none: no such queue yet: dq-put creates it"
	run -1 --separate-stderr dq-stat -q -k a --json "$q.none"
	equal "$output$stderr" "{\"queue\":\"$q.none\",$none"
}

@test "a queue of shards: all of its keys, and the messages without one in one row" {
	dq-set -q "$q" shards=3
	seq 2000 | sed 's/.*/-\tk&+-\tx/' | dq-put -q --tsv "$q"
	seq 100 | dq-put -q -l "$q"
	dq-put -q -k k5 "$q" y
	equal "$(rows --limit 3)" $'- 100 0 0 - -\nk5 2 0 0 - -\nk1 1 0 0 - -'
	equal "$(rows | sort -u | wc -l)" 2001
	equal "$(dq-stat -k k5 --json "$q" | jq -c '[.messages.ready, (.list | length)]')" '[2,2]'
}

@test "what it does not take: 64" {
	fails 64 '^--keys: takes one queue$' dq-stat --keys
	fails 64 '^--keys: takes one queue$' dq-stat --keys "$q" "$q.x"
	fails 64 '^-k: takes one queue$' dq-stat -k a
	fails 64 '^-k: ' dq-stat -k a+b "$q"
	fails 64 '^-k: ' dq-stat -k '' "$q"
	fails 64 '^--keys: not with -k$' dq-stat --keys -k a "$q"
	fails 64 '^--messages: with -k only ended$' dq-stat --messages all -k a "$q"
	fails 64 '^--limit: only with --keys$' dq-stat --limit 5 "$q"
	fails 64 '^--limit: ' dq-stat --keys --limit 0 "$q"
	fails 64 '^-k: not with --no-header$' dq-stat -k a --no-header "$q"
	fails 64 '^--no-header: not with --json' dq-stat --keys --no-header --json "$q"
	fails 64 '^--payload: not with --keys$' dq-stat --keys --payload "$q"
	fails 64 '^--all: only for the table$' dq-stat --keys -a "$q"
	fails 64 '.' dq-stat --keys "$q/x"
}
