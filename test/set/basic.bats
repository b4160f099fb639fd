# Goal: dq-set prints and changes the settings of a queue. A paused queue delivers nothing until it is resumed; everything else in
# it continues.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

silent() { # STATUS COMMAND...
	run "-$1" --separate-stderr "${@:2}"
	equal "$output$stderr" ''
}

unlimited=$'\nmax-leased=none\nrate=none\nmax-len=none\nkeys=fair\nkey-limit=none'
no_limits='"max_leased":null,"rate":null,"max_len":null,"keys":null,"key_limit":null,"paused_keys":{}'

# The row of the queue in the list of all.
row() {
	dq-stat | grep "^$1 "
}

@test "paused=yes: no deliveries, but puts and promotion; paused=no" {
	dq-put -q -d 1m "$q" x
	silent 0 dq-set "$q" paused=yes
	dq-put -q "$q" y
	later 60001
	dq-promote "$q"
	holds 0 2 0 0
	run -1 dq-take "$q"
	silent 0 dq-set "$q" paused=no
	dq-take -n 2 "$q" >/dev/null
	holds 0 0 2 0
	equal "$(rcli EXISTS "dq:{$q}:conf")" 0
}

@test "paused=yes before the first put: done, with a warning, and the queue is listed" {
	run -0 --separate-stderr dq-set "$q" paused=no
	equal "$stderr" "dq-set: $q: no such queue yet: nothing to resume"
	equal "$(digest)" ''
	run -0 --separate-stderr dq-set "$q" paused=yes
	equal "$stderr" "dq-set: $q: no such queue yet: paused before its first put"
	equal "$(field conf paused)" 1
	matches "$(row "$q")" " paused "
	silent 0 dq-gc
	silent 0 dq-gc --check
	equal "$(dq-set "$q")" $'paused=yes\nshards=1'"$unlimited"
	silent 0 dq-set "$q" paused=no
}

@test "-v: reports the state before" {
	dq-put -q "$q" x
	run -0 --separate-stderr dq-set -v "$q" paused=yes
	equal "$stderr" "dq-set: $q: paused: it was not paused"
	run -0 --separate-stderr dq-set -v "$q" paused=yes
	equal "$stderr" "dq-set: $q: paused: it was paused"
	run -0 --separate-stderr dq-set -v "$q" paused=no
	equal "$stderr" "dq-set: $q: resumed: it was paused"
	run -0 --separate-stderr dq-set -v "$q" paused=no
	equal "$stderr" "dq-set: $q: resumed: it was not paused"
}

@test "-v: reports until when it was paused" {
	local end until
	silent 0 dq-set -q "$q" shards=3
	for until in 5h 9h no; do
		end=$(dq-set "$q" | sed -n 's/^paused=2/2/p')
		run -0 --separate-stderr dq-set -v "$q" "paused=$until"
		case $until in
		5h) equal "$stderr" "dq-set: $q: paused: it was not paused" ;;
		9h) equal "$stderr" "dq-set: $q: paused: it was paused until $end" ;;
		no) equal "$stderr" "dq-set: $q: resumed: it was paused until $end" ;;
		esac
	done
}

@test "a pause with an end does not end a longer one, and paused=no does" {
	local earlier='paused=2100-01-01T00:00:00.000Z' later='paused=2100-01-01T00:00:01.000Z'
	silent 0 dq-set "$q" shards=3 paused=5h
	silent 0 dq-set "$q" "$earlier"
	silent 0 dq-set "$q" "$later"
	run -0 --separate-stderr dq-set "$q" "$earlier"
	equal "$stderr" "dq-set: $q: stays paused until ${later#*=}, as before: paused=no ends that pause"
	equal "$(dq-set "$q" | head -n 1)" "$later"
	silent 0 dq-set "$q" paused=no
	silent 0 dq-set "$q" "$earlier"
	equal "$(dq-set "$q" | head -n 1)" "$earlier"
	silent 0 dq-set "$q" paused=yes
	run -0 --separate-stderr dq-set "$q" "$later"
	equal "$stderr" "dq-set: $q: stays paused, as before: paused=no ends that pause"
	silent 0 dq-set -q "$q" paused=10m
	equal "$(dq-set "$q" | head -n 1)" paused=yes
}

@test "a broken queue is 70" {
	rcli SET "dq:{$q}:conf" text >/dev/null
	fails 70 "^$q: not paused: dq:\{$q\}:conf is a string, not a hash\$" dq-set "$q" paused=yes
	fails 70 "^$q: not resumed: " dq-set "$q" paused=no
	fails 70 "^$q: not shown: dq:\{$q\}:conf is a string" dq-set "$q"
}

@test "it prints what it takes: lines, or a JSON object" {
	dq-put -q "$q" x
	equal "$(dq-set "$q")" $'paused=no\nshards=1'"$unlimited"
	equal "$(dq-set --json "$q")" "{\"queue\":\"$q\",\"paused\":false,\"paused_until_ms\":null,\"shards\":1,$no_limits}"
	silent 0 dq-set -q "$q.b" paused=yes shards=3
	equal "$(dq-set "$q.b")" $'paused=yes\nshards=3'"$unlimited"
	equal "$(dq-set --json "$q.b")" "{\"queue\":\"$q.b\",\"paused\":true,\"paused_until_ms\":null,\"shards\":3,$no_limits}"
	# shellcheck disable=SC2046
	silent 0 dq-set -q "$q.c" $(dq-set "$q.b")
	equal "$(dq-set "$q.c")" $'paused=yes\nshards=3'"$unlimited"
	run dq-put "$q.c" x
	run -1 dq-take "$q.c"
}

@test "a queue that does not exist has the defaults; 1, and a line" {
	run -1 --separate-stderr dq-set "$q"
	equal "$output" $'paused=no\nshards=1'"$unlimited"
	equal "$stderr" "dq-set: $q: no such queue yet: dq-put creates it, or a setting"
	run -1 --separate-stderr dq-set -q "$q"
	equal "$stderr" ''
	equal "$(digest)" ''
}

@test "several settings: if one is refused, none is changed" {
	dq-put -q "$q" x
	fails 1 "^$q: not divided into shards: it has messages or reserved ids" dq-set "$q" paused=yes shards=3
	equal "$(dq-set "$q")" $'paused=no\nshards=1'"$unlimited"
	silent 0 dq-set -q "$q.b" shards=3
	fails 1 "^$q.b: not divided into shards: it has 3 shards already\$" dq-set "$q.b" paused=yes shards=2
	equal "$(dq-set "$q.b")" $'paused=no\nshards=3'"$unlimited"
}

@test "what it does not take: 64, and nothing is set" {
	local words
	fails 64 '^no queue given$' dq-set
	local pauses='yes, no, a duration such as 10m, or a time such as 2026-11-21T09:00:00Z, or of words: @.*'
	for words in paused= paused=0s paused=soon paused=2026-01-01; do
		fails 64 "^paused: \"${words#*=}\": not $pauses\$" dq-set "$q" "$words"
	done
	for words in paused=1 paused=0 paused=1.5 paused=10; do
		fails 64 "^paused: \"${words#*=}\": a number without a unit: $pauses\$" dq-set "$q" "$words"
	done
	fails 64 '^"max-leased": no NAME=VALUE$' dq-set "$q" max-leased
	for words in max-leased=0 max-leased=-1 max-leased=x max-leased= max-leased=1000000001; do
		fails 64 '^max-leased: .*, or none$' dq-set "$q" "$words"
	done
	for words in max-len=-1 max-len=x max-len= max-len=1000000001; do
		fails 64 '^max-len: .*, or none$' dq-set "$q" "$words"
	done
	for words in rate= rate=5 rate=5/x rate=abc rate=0/1s rate=1000000001/1s rate=5/ rate=/1s rate=5/0s rate=5/745h rate=5/1s/1s \
		rate=-5/1s; do
		fails 64 "^rate: \"${words#*=}\": not N/DUR, N from 1 to 1000000000, DUR from 1ms to 31d, or none\$" dq-set "$q" "$words"
	done
	for words in max-leased=3 max-leased=none rate=5/1s max-len=0; do
		fails 64 "^${words%=*}: given twice\$" dq-set "$q" "$words" "$words"
	done
	fails 64 '^paused: given twice$' dq-set "$q" paused=yes paused=no
	fails 64 '^shards: given twice$' dq-set "$q" shards=3 shards=3
	fails 64 '^"colour=red": no such setting: paused, paused:KEY, max-leased, rate, max-len, keys, key-limit, shards$' \
		dq-set "$q" paused=yes colour=red
	fails 64 '^"pause=yes": no such setting' dq-set "$q" pause=yes
	fails 64 '^"=yes": no such setting' dq-set "$q" =yes
	fails 64 '^"other": no NAME=VALUE$' dq-set "$q" other
	fails 64 '^--json: not with NAME=VALUE$' dq-set --json "$q" paused=yes
	for words in shards=0 shards=65 shards=-1 shards=x shards=; do
		fails 64 '^shards: ' dq-set "$q" "$words"
	done
	fails 64 "^\"$q/x\"" dq-set "$q/x" paused=yes
	equal "$(digest)" ''
}

@test "a queue that has only shards is listed, and stays" {
	silent 0 dq-set -q "$q" shards=2
	matches "$(row "$q")" "^$q +0 "
	silent 0 dq-gc
	silent 0 dq-gc --check
	equal "$(dq-set "$q")" $'paused=no\nshards=2'"$unlimited"
}

@test "dq-rm -a removes the settings, too" {
	silent 0 dq-set -q "$q" paused=yes
	dq-rm -f -a "$q"
	equal "$(digest)" ''
	run -1 dq-set -q "$q"
	equal "$output" $'paused=no\nshards=1'"$unlimited"
}

@test "without the right to the list of queues: it is set, and the line says what is missing" {
	rcli ACL SETUSER nolist reset on nopass '~dq:*' '+@all' >/dev/null
	fails 77 "^$q: the queue could not be added to the list of queues: NOPERM" \
		env "DQ_URL=unix://nolist:x@$T/main/s" dq-set -q "$q" paused=yes
	equal "$(field conf paused)" 1
	silent 0 dq-set -q "$q" paused=yes # lists it
	matches "$(row "$q")" " paused "
}
