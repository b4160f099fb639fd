# Goal: dq-stat --watch shows queues as they change, takes keys, survives a restart of its server, and restores the terminal.

bats_require_minimum_version 1.5.0

load ../helper
load queue

# Does what the lines of its input say to a watcher on a terminal of that size.
watches() { # COLUMNSxROWS OPTION...
	TERM=xterm python3 "$top/test/tool/screen.py" "$1" dq-stat --watch "${@:2}"
}

# The same, for what does not change by itself; server and clock are not of interest.
frame() { # COLUMNSxROWS WAIT OPTION...
	printf '%s\n' "wait $2" show 'keys q' end mode | watches "$1" --every 1h "${@:3}" | sed -E '1 { s/  +/  /g
		s,[a-z]+:/[^ ]*,URL,; s/ (Redis|Valkey)( [0-9.]+)?( m[a-z]*)?  / SERVER  /; s/[0-9]{2}:[0-9]{2}:[0-9]{2}$/CLOCK/; }'
}

# One queue in trouble, one in use, two idle ones.
fill() {
	dq-put -q -d 1s orders 1 2
	later 90001000 orders
	seq 3 | dq-put -ql -d 1s orders
	rcli EVAL 'local ids = redis.call("ZRANGE", KEYS[1], -3, -1)
		for i, id in ipairs(ids) do redis.call("ZADD", KEYS[1], 4e12, id) end' 1 \
		"$q:{orders}:delayed" >/dev/null
	seq 2 | dq-put -ql web.hooks
	dq-take web.hooks >/dev/null
	dq-take --ack web.hooks >/dev/null
	dq-put -q -d 30s web.hooks x
	dq-put -q zero-b x
	dq-put -q zero-a x
	dq-take --ack zero-a >/dev/null
	dq-take --ack zero-b >/dev/null
}

@test "a screen of 80 columns: trouble first, idle ones in a line, when messages are due" {
	fill
	run -0 frame 80x24 'space stop'
	equal "$output" "dq  URL  SERVER  4 queues  every 1h  CLOCK
                                                 per second, last 2d12h
QUEUE     DELAYED  DUE READY LEASED DEAD   LATE   put   ack retry            ack
orders          3    2     0      0    0     1d     -     -     -
web.hooks       1    0     0      1    0      -     -     -     -
2 idle: zero-a, zero-b
due in  1m :  5m    15m    1h    6h    1d    7d    later #
late    <1ms    <8ms    <64ms    <1s    <8s    <1m    more
q quit  s sort: trouble  arrows, enter one queue  space stop
0
echo cursor normal"
	run -0 frame 80x24 'space stop' -a orders zero-a orders
	equal "$(sed -n '4,5p' <<<"$output" | awk '{ print $1 }' | paste -sd' ')" 'orders zero-a'
	[[ $output != *idle* && $output != *hooks* ]]
}

@test "queues that a limit holds back have a column, why; without such queues, and on a narrow screen, there is none" {
	dq-put -q -t 3h leased x x
	dq-set leased max-leased=1
	dq-take -q leased >/dev/null
	dq-put -q open x
	dq-put -q stopped x
	dq-set stopped paused=yes
	run -0 frame 80x24 'space stop'
	matches "${lines[2]}" '^QUEUE +DELAYED  DUE READY LEASED DEAD   LATE LIMITED   put   ack retry +ack$'
	equal "$(sed -n 4,6p <<<"$output" | awk '{ print $1, $8 }' | sort | paste -sd,)" 'leased leased,open -,stopped paused'
	run -0 frame 70x24 'space stop'
	[[ ${lines[2]} == QUEUE*LATE*put* && ${lines[2]} != *LIMITED* ]]
	dq-set stopped paused=no
	dq-set leased max-leased=none
	run -0 frame 80x24 'space stop'
	[[ ${lines[2]} == QUEUE*LATE*put* && ${lines[2]} != *LIMITED* ]]
}

@test "messages that fail again and again have columns, how many, since when; a narrow screen has no room for it" {
	dq-put -q -a @1500000000 orders x
	dq-take orders | dq-ack -r -d 1h
	run -0 frame 80x24 'space stop'
	matches "${lines[2]}" '^QUEUE +DELAYED  DUE READY LEASED DEAD   LATE FAILING   put   ack retry +ack$'
	matches "${lines[3]}" '^orders +1 +0 +0 +0 +0 +- +[0-9]+d +- +- +-'
	run -0 frame 90x24 'space stop'
	matches "${lines[2]}" '^QUEUE +DELAYED  DUE READY LEASED DEAD   LATE RETRYING FAILING   put   ack retry +ack$'
	matches "${lines[3]}" '^orders +1 +0 +0 +0 +0 +- +1 +[0-9]+d +- +- +-'
	run -0 frame 60x24 'space stop'
	[[ ${lines[2]} == QUEUE*LATE*put* && ${lines[2]} != *FAILING* ]]
	matches "$(dq-stat --watch --every 100ms 3>&- | head -2 | sed 1d)" ' 1 +0 +0 +0 +0 +- +1 +[0-9]+d[0-9]+h( +-){5}$'
}

@test "a screen of 200 columns: a sparkline for each rate" {
	fill
	run -0 frame 200x24 'space stop'
	matches "${lines[2]}" '^QUEUE +DELAYED  DUE READY LEASED DEAD   LATE   put {20,}take {20,}ack {20,}retry {20,}dead *$'
	matches "${lines[3]}" '^orders +3 +2 +0 +0 +0 +1d( +-){5}$'
	equal "${lines[-1]}" 'echo cursor normal'
}

@test "no queues at first; then some" {
	run -0 frame 80x24 'space stop'
	equal "$output" "dq  URL  SERVER  0 queues  every 1h
                                                per second, last 2d12h
QUEUE    DELAYED  DUE READY LEASED DEAD   LATE   put   ack retry             ack
no queues yet
due in  1m    5m    15m    1h    6h    1d    7d    later
late    <1ms    <8ms    <64ms    <1s    <8s    <1m    more
q quit  s sort: trouble  arrows, enter one queue  space stop
0
echo cursor normal"
	run -0 watches 80x24 --every 100ms <<-EOF
		wait no queues yet
		run dq-put -q new x
		wait ^new +0 +0 +1 +0
		keys q
		end
	EOF
	equal "$output" 0
}

@test "blocks if the locale has UTF-8; the lines fit small and large screens" {
	local size
	fill
	LC_ALL=C.UTF-8 run -0 frame 80x24 'space stop'
	matches "$output" 'later █'
	seq -f 'x%g' 40 | while read -r name; do dq-put -q "$name" x; done
	for size in 1x1 20x5 40x10 80x9 79x24 159x30 160x30 300x60; do
		printf '%s\n' 'wait [a-z0-9]' 'keys \x1b[B' 'keys \r' 'keys q' end mode | watches "$size" --every 1h >"$T/out"
		equal "$(cat "$T/out")" $'0\necho cursor normal' || {
			echo "$size"
			return 1
		}
	done
	run -0 frame 80x12 'space stop'
	equal "$(grep -c ' 1  *0  *0  *-  *-' <<<"$output")" 2
}

@test "a queue in use is not idle, although each poll finds it empty" {
	dq-put -q brief x
	dq-take --ack brief >/dev/null
	run -0 watches 80x24 --every 100ms <<-EOF
		wait ^1 idle: brief
		run dq-put -q brief x; dq-take --ack brief
		wait ^brief +0 +0 +0 +0 +0 +- .* 0 +0 +0
		gone ^1 idle: brief
		wait ^1 idle: brief
		keys q
		end
	EOF
	equal "$output" 0
}

@test "more queues than lines: which of them are shown" {
	seq -f 'x%g' 40 | while read -r name; do dq-put -q "$name" x; done
	run -0 frame 80x24 'space stop'
	matches "${lines[1]}" '^1-16 of 40 +per second'
}

@test "a long name uses the room of the sparklines, so that names stay distinct" {
	dq-put -q shop.orders.close.europe x
	dq-put -q shop.orders.close.africa x
	dq-put -q shop.orders.close.america-and-more x
	run -0 frame 80x24 'space stop'
	equal "$(sed -n '4,6p' <<<"$output" | cut -d' ' -f1 | paste -sd' ')" \
		'shop.orders.close.africa shop.orders.~ca-and-more shop.orders.close.europe'
}

@test "the first line loses whole words" {
	run -0 watches 50x12 --every 1h <<-EOF
		wait queues
		show
		keys q
		end
	EOF
	matches "${lines[0]}" '^dq  [^ ]+ +0 queues  every 1h$'
}

@test "rates of what happens, and how late it was" {
	dq-put -q busy x
	run -0 watches 80x24 --every 100ms <<-EOF
		wait ^busy .* 0 +0 +0
		run seq 500 | dq-put -ql busy; dq-take -n 300 busy | dq-ack
		wait ^busy .*#
		wait ^late .*#
		keys q
		end
	EOF
	equal "$output" 0
}

@test "keys: sort, select, one queue and back, all, stop and go on" {
	fill
	run -0 watches 80x24 --every 100ms <<-'EOF'
		wait ^orders
		keys s
		wait sort: name
		keys a
		wait ^zero-b
		keys a
		gone ^zero-b
		keys j
		wait ^orders *<
		keys \x1b[B
		wait ^web.hooks<
		keys \x1b[A
		wait ^orders *<
		keys \r
		wait ^orders  next [0-9]+d
		wait ^delayed 3  due 2  ready 0  leased 0  dead 0  expired 0  oldest -  late 1d1h
		wait ^later +3 +#{20}
		wait ^put +0/s
		keys \x7f
		gone ^put
		keys \x20
		wait stopped
		run dq-put -q new x
		keys s
		wait sort: delayed
		gone ^new
		keys \x20
		wait ^new
		keys x
		keys q
		end
	EOF
	equal "$output" 0
}

@test "the size changes" {
	fill
	run -0 watches 80x24 --every 1h <<-'EOF'
		wait space stop
		size 200x30
		wait retry +dead
		size 60x12
		wait ^QUEUE
		gone retry +dead
		keys q
		end
		mode
	EOF
	equal "$output" $'0\necho cursor normal'
}

@test "however the tool ends, the terminal is restored" {
	local signal
	dq-put -q "a" x
	run -0 watches 80x24 <<-'EOF'
		wait space stop
		mode
		keys \x03
		end
		mode
	EOF
	equal "$output" $'raw no-cursor alternate\n130\necho cursor normal'
	for signal in INT TERM HUP; do
		run -0 watches 80x24 <<<$'wait space stop\nsignal '"$signal"$'\nend\nmode'
		equal "$output" "$((128 + $(kill -l "$signal")))"$'\necho cursor normal'
	done
}

@test "Ctrl-Z and fg: the terminal is the shell's in between" {
	dq-put -q "a" x
	run -0 env TERM=xterm python3 "$top/test/tool/screen.py" 80x24 bash --norc -mc 'dq-stat --watch; echo here; read x; fg; echo over' \
		<<-'EOF'
		wait space stop
		keys \x1a
		wait here
		mode
		keys \n
		wait space stop
		mode
		keys q
		wait over
		end
		mode
	EOF
	equal "$output" $'echo cursor normal\nraw no-cursor alternate\n0\necho cursor normal'
}

@test "the server ends and returns; while it is unreachable the keys work" {
	start_server own
	export DQ_URL=unix://$T/own/s
	dq-put -q a x
	run -0 watches 80x24 --every 100ms <<-EOF
		wait ^a +0 +0 +1
		run redis-cli -s "$T/own/s" shutdown nosave
		wait connecting again
		wait ^a +0 +0 +1
		show
		keys q
		end
		mode
	EOF
	matches "$output" 'connecting again'
	equal "$(tail -2 <<<"$output")" $'0\necho cursor normal'
	start_server own
	dq-put -q a x
	rcli_own() { redis-cli -s "$T/own/s" "$@"; }
	run -0 watches 80x24 --every 100ms <<-EOF
		wait ^a +0 +0 +1
		run redis-cli -s "$T/own/s" client kill type normal skipme yes
		run dq-put -q a y
		wait ^a +0 +0 +2
		gone connecting
		keys q
		end
	EOF
	equal "$output" 0
	stop_server own
}

@test "a password that is wrong from now on: it ends, and reports that on the restored terminal" {
	start_server own --requirepass one
	export DQ_URL=unix://$T/own/s REDISCLI_AUTH=one
	dq-put -q a x
	run -0 watches 80x24 --every 100ms <<-EOF
		wait ^a
		run redis-cli -s "$T/own/s" config set requirepass two
		run REDISCLI_AUTH=two redis-cli -s "$T/own/s" client kill type normal skipme yes
		end
		show
		mode
	EOF
	matches "$output" $'^77\ndq-stat: .*WRONGPASS.*\necho cursor normal$'
	stop_server own
}

@test "a broken queue: reported, and the others are shown" {
	dq-put -q good x
	dq-put -q bad x
	rcli DEL "$q:{bad}:ready" >/dev/null
	rcli SET "$q:{bad}:ready" mine >/dev/null
	run -0 frame 80x24 'bad: not shown'
	matches "$output" $'\nbad: not shown: .*is a string'
	matches "$output" $'\ngood +0 +0 +1 '
}

@test "no colours with NO_COLOR; dead and late in colour without" {
	seq 2 | dq-put -ql a
	dq-take -n 2 a | dq-ack -b
	dq-put -q -d 1s b x
	later 20000 b
	run -0 watches 80x24 --every 1h <<<$'wait ^b\ncoloured\nkeys q\nend'
	matches "$output" $'^33 (19|2[0-9])s\n31 2\n0$'
	NO_COLOR=1 run -0 watches 80x24 --every 1h <<<$'wait ^b\ncoloured\nkeys q\nend'
	equal "$output" $'\n0'
}

@test "it changes nothing, and needs no more than the rights of a monitor" {
	local before
	make_queue "$q.x"
	before=$(digest "$q.x")
	run -0 frame 80x24 'space stop' "$q.x"
	equal "$(digest "$q.x")" "$before"
}

@test "usage" {
	fails 64 '^--every: only with --watch$' dq-stat --every 1s
	fails 64 '^--every: at least 100ms$' dq-stat --watch --every 99ms
	fails 64 '^--every: ' dq-stat --watch --every x
	fails 64 '^--watch: not with --json$' dq-stat --watch --json
	fails 64 '^--watch: not with --no-header$' dq-stat --watch --no-header
	fails 64 '^--check: not with --watch$' dq-stat --check --watch
	fails 64 '^--payload: not with --watch$' dq-stat --watch --payload
	fails 64 "^\"$q/x\": " dq-stat --watch "$q/x"
	fails 69 'no such socket' dq-stat --watch -u "unix://$T/none"
}
