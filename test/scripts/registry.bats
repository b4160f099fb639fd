# Goal: The list of queues is right, in whatever order names are added and removed, and also if a client dies between two steps.

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	begin_file
}

setup() {
	begin_test
	export DQ_PREFIX=$q
}

says_listed() {
	[ -n "$(field stat listed)" ]
}

# A way to the server on which a command is run before the first request that has ZADD in it: the producer has put, and not yet listed.
start_between() { # COMMAND...
	python3 "$top/test/tool/run_before_zadd.py" "$T/$q.between" "$T/main/s" "$@" 3>&- &
	disown
	wait_until 10 test -S "$T/$q.between"
}

put_between() { # [OPTION...]
	dq-put -u "unix://$T/$q.between" "$@" "$q" x
}

@test "every order of two puts, dq-gc, dq-rm -a and consumers, with a death before any step" {
	unset DQ_PREFIX
	start_server explore
	run python3 "$top/test/tool/explore.py" "$T/explore/s" "$DQ_BIN/lua"
	matches "$status $output" '^0 [1-9][0-9]{3,} states$'
}

@test "the first put lists its queue, once; others send one request" {
	local name n
	name=$(dq-put "$q" x)
	matches "$name" "^$q/"
	is_listed
	says_listed
	equal "$(rcli ZRANGE "{$q:queues}" 0 -1 WITHSCORES | tail -n 1)" "$(field stat generation)"
	equal "$(rcli ZRANGE "{$q:queues}:new" 0 -1)" r
	rcli DEL "{$q:queues}" >/dev/null
	dq-put -q "$q" y
	is_unlisted
	# An hour later, or after a failover that lost the name: again.
	rcli HSET "$q:{$q}:stat" listed 1 >/dev/null
	dq-put -q "$q" z
	is_listed
	n=$(field stat listed)
	seq 3000 | dq-put -ql "$q"
	equal "$(field stat listed)" "$n"
}

@test "messages put while the queue is not listed are reported after it is listed" {
	dq-put -q "$q.other" x # the server knows the script
	start_between sh -c "dq-stat --no-header $q >'$T/$q.seen'; cat '$T/$q.names' >>'$T/$q.seen'"
	put_between >"$T/$q.names"
	matches "$(cat "$T/$q.seen")" "^$q +0 +0 +1 +0 +0 [^/]*\$"
	matches "$(cat "$T/$q.names")" "^$q/"
	is_listed
	says_listed
}

@test "a producer that dies before it lists the queue: the next put lists it" {
	dq-put -q "$q.other" x
	start_between sh -c "until [ -s '$T/$q.pid' ]; do sleep 0.01; done; kill -9 \$(cat '$T/$q.pid')"
	dq-put -u "unix://$T/$q.between" "$q" x >"$T/$q.names" 3>&- &
	echo $! >"$T/$q.pid.new"
	mv "$T/$q.pid.new" "$T/$q.pid"
	exits 137 "$(cat "$T/$q.pid")"
	equal "$(cat "$T/$q.names")" ''
	holds 0 1 0 0
	equal "$(field stat listed)" ''
	dq-put -q "$q" y
	is_listed
	says_listed
}

@test "a queue that is forgotten between the steps of a put, and made again" {
	dq-put -q "$q.other" x
	start_between dq-rm -af "$q"
	put_between -q
	equal "$(rcli EXISTS "$q:{$q}:stat")" 0
	is_listed # a name too many, until dq-gc comes by
	run -1 dq-gc --check "$q"
	equal "$output" "$q"$'\tlisted, and nothing is there'
	run -1 dq-gc --check
	equal "$output" "$q"$'\tlisted, and nothing is there'
	run -0 dq-gc --repair
	is_unlisted
	run -0 dq-gc --check
	equal "$output" ''
	rm "$T/$q.between"
	start_between sh -c "dq-rm -af $q; dq-put -q $q y"
	put_between -q
	holds 0 1 0 0
	is_listed
	says_listed
}

@test "a connection that is lost while the queue is listed: it is opened again, and if that fails the message is put all the same" {
	dq-put -q "$q.other" x
	start_between close
	run -0 --separate-stderr put_between -i a --timeout 5s
	equal "$output" "$q/a"
	matches "$stderr" "^dq-put: $q: the queue could not be added to the list of queues: .*"
	equal "${#stderr_lines[@]}" 1
	holds 0 1 0 0
	is_unlisted
	equal "$(field stat listed)" ''
	dq-put -q "$q" y
	is_listed
}

@test "a connection that is lost for good while the queue is listed: later input is put or reported, and never lost" {
	dq-put -q "$q.other" x
	start_between close
	mkfifo "$T/$q.in"
	dq-put -l -u "unix://$T/$q.between" --timeout 5s "$q" <"$T/$q.in" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	local putter=$! fd
	exec {fd}>"$T/$q.in"
	echo one >&"$fd"
	wait_until 30 test -s "$T/$q.out"
	echo two >&"$fd"
	exec {fd}>&-
	exits 75 "$putter"
	holds 0 1 0 0
	equal "$(wc -l <"$T/$q.out")" 1
	grep -q "^dq-put: $q: .*: 1 accepted, 0 refused, 0 unknown, 1 not sent\$" "$T/$q.err"
}

@test "a connection that ends behind the answer to the put, for good: the message is put all the same" {
	dq-put -q "$q.other" x # the server knows the script
	run -0 --separate-stderr python3 "$top/test/tool/hangup.py" "$T/$q.last" "$T/main/s" \
		dq-put -u "unix://$T/$q.last" -i a --timeout 5s "$q" x
	equal "$output" "$q/a"
	matches "$stderr" "^dq-put: $q: the queue could not be added to the list of queues: .*"
	equal "${#stderr_lines[@]}" 1
	holds 0 1 0 0
	is_unlisted
	dq-put -q "$q" y
	is_listed
}

@test "a list of another type is refused by its name, and no other call is" {
	rcli SADD "{$q:queues}" x >/dev/null
	run -0 --separate-stderr dq-put -i a "$q" x
	equal "$output" "$q/a"
	matches "$stderr" "^dq-put: $q: the queue could not be added to the list of queues: WRONGTYPE "
	equal "$(field stat listed)" ''
	local tool
	for tool in dq-stat dq-gc dq-promote; do
		fails 70 "^[{]$q:queues}: WRONGTYPE" "$tool"
	done
	dq-take "$q" | dq-ack
	fails 70 "^$q: emptied, but not removed: [{]$q:queues} is a set, not a zset" dq-rm -af "$q"
}

@test "a refused put leaves no name" {
	fails 65 'expiry' dq-put --tsv -x 1s "$q" <<<$'5s\ta\tx'
	run -1 dq-put --existing -e later -i a "$q"
	is_unlisted
	equal "$(rcli KEYS "$q:*")" ''
}

@test "300 emptied queues leave no key when they are no longer in use" {
	local i
	for i in {1..300}; do
		printf -- '-\t%s\tx\n' "$i" >"$T/$q.line"
		dq-put -q --tsv "$q.$i" <"$T/$q.line"
	done
	equal "$(rcli ZCARD "{$q:queues}")" 300
	dq-gc
	equal "$(rcli ZCARD "{$q:queues}")" 300
	mapfile -t all < <(rcli ZRANGE "{$q:queues}" 0 -1)
	dq-take --ack -n 300 "${all[@]}" >/dev/null
	dq-gc
	dq-gc --empty-for 1h
	dq-gc --empty-for 0s --dry-run
	equal "$(rcli ZCARD "{$q:queues}")" 300
	run -0 --separate-stderr dq-gc -v --empty-for 0s
	equal "$stderr" $'dq-gc: 0 removed\ndq-gc: 300 queues removed'
	equal "$(rcli KEYS "$q:*")" ''
}

@test "dq-gc: an empty queue stays while it is paused, keeps ids, has dead ones, or is in use; a day is the default" {
	local day=86400 now
	now=$(server_ms)
	dq-put -q "$q.paused" x
	dq-put -q --unique-for 1h -i a "$q.kept" x
	dq-put -q "$q.used" x
	dq-put -q "$q.old" x
	dq-put -q "$q.dead" x
	dq-take --ack -n 9 "$q".{paused,kept,used,old} >/dev/null
	dq-take "$q.dead" | dq-ack -b
	dq-set "$q.paused" paused=yes
	local each
	for each in paused kept old dead; do
		rcli HSET "$q:{$q.$each}:stat" token "$((now - day * 1000))000" listed "$((now - day * 1000))" >/dev/null
	done
	dq-gc
	equal "$(rcli ZRANGE "{$q:queues}" 0 -1 | sort | paste -sd' ')" "$q.dead $q.kept $q.paused $q.used"
	equal "$(rcli KEYS "$q:{$q.old}:*")" ''
	dq-set "$q.paused" paused=no
	dq-gc --dead-for 0s
	equal "$(rcli ZRANGE "{$q:queues}" 0 -1 | sort | paste -sd' ')" "$q.kept $q.used"
	dq-gc --check --dead-for 0s
	equal "$(rcli ZCARD "{$q:queues}")" 2
	dq-gc --check --empty-for 0s "$q.used"
	equal "$(rcli ZRANGE "{$q:queues}" 0 -1)" "$q.kept"
	fails 64 '^--empty-for: "5" has no unit: 5d \(days\) or 5s \(seconds\)\?$' dq-gc --empty-for 5
}

@test "dq-gc: a queue that has settings stays, even if nothing was ever put" {
	local name value
	while IFS='=' read -r name value; do
		dq-set -q "$q.$name" "$name=$value"
		dq-gc --empty-for 0 "$q.$name"
		is_listed "$q.$name"
		dq-set "$q.$name" | grep -qx "$name=[1-9].*"
		dq-set "$q.$name" "$name=$([ "$name" = paused ] && echo no || echo none)"
		dq-gc --empty-for 0 "$q.$name"
		is_unlisted "$q.$name"
	done <<<$'max-leased=7\nrate=5/1s\nmax-len=9\npaused=9h'
	equal "$(rcli KEYS "$q:*")" ''
}

@test "dq-gc --check: a queue with messages that is not listed; --repair lists it" {
	dq-put -q "$q" x
	rcli DEL "{$q:queues}" >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q"$'\tnot listed'
	run -1 dq-gc --repair --dry-run "$q"
	equal "$output" "$q"$'\tnot listed'
	is_unlisted
	run -0 dq-gc --repair "$q"
	equal "$output" "$q"$'\tnot listed'
	is_listed
	run -0 dq-gc --check "$q"
	equal "$output" ''
	# One that has not been listed yet: a put may be at work.
	rcli DEL "{$q:queues}" >/dev/null
	rcli HDEL "$q:{$q}:stat" listed >/dev/null
	run -0 dq-gc --check "$q"
	rcli HSET "$q:{$q}:stat" generation "$(($(server_ms) - 61000))000" >/dev/null
	run -1 dq-gc --check "$q"
	run -0 dq-gc --repair "$q"
	is_listed
	says_listed
	dq-rm -af "$q"
	is_unlisted
}

@test "the list is read in pages, sorted, each name once" {
	seq 3000 | awk -v q="$q" '{ printf "ZADD {%s:queues} %d n%d\n", q, $1, $1 % 1000 * 3 + $1 / 1000 }' | rcli >/dev/null
	rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-stat --no-header | awk '{ print $1 }')" "$(rcli ZRANGE "{$q:queues}" 0 -1 | LC_ALL=C sort)"
	between 2 "$(rcli INFO commandstats | sed -n 's/^cmdstat_zscan:calls=\([0-9]*\).*/\1/p')" 9
}

@test "all queues are asked some at a time, each once; a broken one, and one that has more than a call takes, are no harm" {
	local i
	for i in {10..49}; do
		printf 'ZADD {%s:queues} 1 %s.%s\nHSET %s:{%s.%s}:msg a x\nZADD %s:{%s.%s}:delayed 1 a\n' "$q" "$q" "$i" "$q" "$q" "$i" \
			"$q" "$q" "$i"
	done | rcli >/dev/null
	seq 600 | dq-put -ql -d 1h "$q.30"
	later 3600001 "$q.30"
	rcli SET "$q:{$q.20}:dead" mine >/dev/null
	run -70 --separate-stderr dq-stat --no-header
	equal "$(awk '{ print $1, $3 }' <<<"$output")" "$(for i in {10..49}; do
		[ "$i" = 20 ] || echo "$q.$i $((i == 30 ? 601 : 1))"
	done)"
	matches "$stderr" "^dq-stat: $q.20: not shown: [^[:cntrl:]]*is a string[^[:cntrl:]]*\$"
	rcli CONFIG RESETSTAT >/dev/null
	run -70 --separate-stderr dq-promote
	matches "$stderr" "^dq-promote: $q.20: not promoted: [^[:cntrl:]]*is a string[^[:cntrl:]]*\$"
	between 42 "$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p')" 44 # 40 and 2, NOSCRIPT
	for i in {10..49}; do
		[ "$i" = 20 ] || equal "$(states "$q.$i")" "0 $((i == 30 ? 601 : 1)) 0 0"
	done
	equal "$(rcli ZCARD "$q:{$q.20}:delayed")" 1
	run -70 --separate-stderr dq-gc -v
	matches "${stderr_lines[0]}" "^dq-gc: $q.20: not collected: "
	equal "${stderr_lines[1]}" 'dq-gc: 0 removed'
}

@test "a connection that is lost among queues that were asked together ends the tool, and it says so once" {
	printf 'ZADD {%s:queues} 1 a 1 b 1 c\n' "$q" | rcli >/dev/null
	local tool
	for tool in dq-stat dq-promote dq-gc; do
		python3 "$top/test/tool/no_script.py" "$T/$q.$tool" "$T/main/s" 3>&- &
		disown
		wait_until 10 test -S "$T/$q.$tool"
		fails 75 '^a: not (shown|promoted|collected): .*' "$tool" -u "unix://$T/$q.$tool"
	done
}
