# Goal: What is read in several calls is read whole, or the tool says that it is not: wherever the connection is lost, and behind a proxy
# that closes each connection before all is read.

bats_require_minimum_version 1.5.0

load ../helper

# A way to the main server that closes connections.
start_closing() { # FEW TIMES
	mkdir -p "$T/way"
	python3 "$top/test/tool/few_replies.py" "$T/way/s" "$T/main/s" "$@" 3>&- &
	echo $! >"$T/way/pid"
	disown
	wait_until 30 test -S "$T/way/s"
	export DQ_URL=unix://$T/way/s DQ_RETRY_FOR=2m
}

stop_closing() {
	stop_server way
	rm "$T/way/s"
	unset DQ_RETRY_FOR
	DQ_URL=unix://$T/main/s
}

# It ends with 75, and says that, besides that it tries again.
gives_up() { # REGEX COMMAND...
	also=': trying again for 2m$\|: answers again$' fails 75 "$@"
}

# Several pages of all that is read by a cursor: 3,000 messages of a key, 3,000 entries of an index without a body, and 1,500
# more queues.
fill() {
	seq 3000 | dq-put -q -l -k ann "$q"
	rcli EVAL 'for i = 1, 1500 do
			redis.call("ZADD", KEYS[1], 1, "n" .. i)
			redis.call("HSET", "dq:{n" .. i .. "}:stat", "put", 1)
		end
		for i = 1, 3000 do redis.call("ZADD", KEYS[2], 1, "m" .. i) end' 2 '{dq:queues}' "dq:{$q}:leased" >/dev/null
}

@test "a proxy closes the connection after each reply: 75, and the reason" {
	local again='the connection is lost again and again before all is read'
	fill
	start_closing 1 1000000
	gives_up "^$q: not shown: $again\$" dq-stat -k ann "$q"
	gives_up "^$q: not removed: $again\$" dq-rm -k ann "$q"
	gives_up "^$q: not checked: $again\$" sh -c "dq-gc --check $q >$T/faults"
	gives_up "^[{]dq:queues[}]: $again\$" dq-gc
	gives_up "^[{]dq:queues[}]: $again\$" dq-stat
}

@test "the connection is lost once, anywhere: all is found, and each once" {
	local few
	fill
	for few in 1 2 3 4 5 6 7 8; do
		start_closing "$few" 1
		run -1 --separate-stderr dq-gc --check "$q"
		equal "$few ${#lines[@]} $(printf '%s\n' "${lines[@]}" | sort -u | grep -c "^$q/m.*no body")" "$few 3000 3000"
		stop_closing
	done
	for few in 1 2; do
		start_closing "$few" 1
		run -0 --separate-stderr dq-stat --json
		equal "$few $(jq -r '.queues[].queue' <<<"$output" | sort | uniq -c | grep -c '^ *1 n')" "$few 1500"
		stop_closing
	done
	for few in 1 5 29; do
		start_closing "$few" 1
		dq-stat -k ann "$q" >"$T/shown"
		equal "$few $(wc -l <"$T/shown") $(cut -f1 "$T/shown" | sort -u | wc -l)" "$few 3000 3000"
		stop_closing
	done
}

@test "dq-rm -k: the connection is lost once: all are removed" {
	fill
	start_closing 5 1
	run -0 --separate-stderr dq-rm -v -k ann "$q"
	equal "${stderr_lines[-1]}" 'dq-rm: 3000 removed'
	stop_closing
	equal "$(rcli HLEN "dq:{$q}:msg")" 0
}
