# Goal: The tools report what is known, and no more, when replies are lost, another server replaces the first, or input cannot be read.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

@test "dq-ack: the answer is lost: not known whether it was settled, 75" {
	dq-put -q -i x "$q" hello
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	start_cut d
	fails 75 "^$receipt: not known whether it was settled: the connection was lost\$" dq-ack -u "unix://$T/cut" "$receipt"
	stop_cut
	holds 0 0 0 0
}

@test "dq-take --ack: the answer to the ack is lost: written, perhaps not settled, 75" {
	dq-put -q -i x "$q" hello
	start_cut d
	run -75 --separate-stderr dq-take --ack -u "unix://$T/cut" "$q"
	stop_cut
	matches "$output" $'\thello$'
	equal "$stderr" "dq-take: $q: 1 messages were written but perhaps not settled: connection closed by the server"
}

@test "dq-take -f --ack: the same: settled over a new connection, and it continues" {
	dq-put -q -i x "$q" hello
	start_cut d
	dq-take -f --ack -u "unix://$T/cut" "$q" >"$T/taken" 2>"$T/said" 3>&- &
	local taker=$!
	wait_until 10 grep -q ': connected again' "$T/said"
	dq-put -q -i y "$q" there
	wait_until 10 grep -q there "$T/taken"
	wait_until 10 holds 0 0 0 0
	kill "$taker"
	exits 143 "$taker"
	stop_cut
	equal "$(cut -f2 "$T/taken" | paste -sd' ')" 'hello there'
	equal "$(grep -c settled "$T/said" || true)" 0
}

@test "dq-take -f --ack: asked to end while Redis is unreachable, it reports what is not settled" {
	dq-put -q -i x "$q" hello
	rm -f "$T/said" # of the test before
	start_cut d rm "$T/cut"
	dq-take -f --ack -u "unix://$T/cut" "$q" >"$T/taken" 2>"$T/said" 3>&- &
	local taker=$!
	wait_until 10 test -s "$T/said"
	kill "$taker"
	exits 143 "$taker"
	kill "$cut"
	equal "$(tail -1 "$T/said")" "dq-take: $q: 1 messages were written but perhaps not settled: connection closed by the server"
}

@test "dq-take -w: the reply to a take is lost: 75, and its messages are redelivered" {
	dq-put -q -i x "$q" hello
	start_cut x
	run -75 --separate-stderr dq-take -w 1s -u "unix://$T/cut" "$q"
	stop_cut
	equal "$output" ''
	matches "$stderr" "dq-take: $q: a reply was lost: messages that it leased are redelivered when their leases end\$"
	holds 0 0 1 0
	later 60001
	equal "$(dq-take --ack "$q" | cut -f2)" hello
}

@test "lost replies count as tries: the message is dead, unseen, with the reason; a redrive restores all tries" {
	local _
	dq-put -q -r 2 -i x "$q" hello
	for _ in 1 2; do
		start_cut x
		run -75 --separate-stderr dq-take -u "unix://$T/cut" "$q"
		stop_cut
		equal "$output" ''
		later 60001
		dq-promote "$q"
	done
	holds 0 0 0 1
	equal "$(dq-stat --messages=dead --json "$q" | jq -r '"\(.reason) \(.tries)"')" 'lease ran out 2'
	dq-promote --dead "$q"
	for _ in 1 2 3; do dq-take "$q" | dq-ack -g; done
	run -0 dq-take --json "$q"
	equal "$(jq -r '"\(.payload) \(.try) \(.max_tries)"' <<<"$output")" 'hello 1 2'
}

@test "pages of a list are asked for again when the connection is lost" {
	dq-put -q -i x "$q" hello
	start_cut x
	run -0 dq-rm -f -a --state ready -u "unix://$T/cut" "$q"
	stop_cut
	holds 0 0 0 0
}

# A way to the server whose first connection ends at the first script. Later ones: the first N commands that use keys find that
# the server is loading.
start_loading() { # N
	python3 "$top/test/tool/loading.py" "$T/cut" "$T/main/s" "$1" 3>&- &
	# shellcheck disable=SC2034  # stop_cut reads it
	cut=$!
	disown
	wait_until 10 test -S "$T/cut"
}

@test "dq-put: the server restarts and is still loading: it is put once Redis has loaded" {
	start_loading 6
	equal "$(dq-put -u "unix://$T/cut" -i x "$q" hello)" "$q/x"
	stop_cut
	holds 0 1 0 0
	is_listed "$q"
}

@test "dq-put: the server restarts and is loading for longer than --timeout: 75, unknown" {
	start_loading 1000000
	fails 75 "^$q: 1 message perhaps not put: LOADING " dq-put -u "unix://$T/cut" --timeout 2s -i x "$q" hello
	stop_cut
	holds 0 0 0 0
}

waiting() {
	SERVER=$q rcli CLIENT LIST | grep -q 'cmd=bzpopmin'
}

begin_waiting() { # TOOL AND OPTIONS, one word: on a server of this test's own; its pid is $pid
	local -a command
	start_server "$q"
	read -ra command <<<"$1 -u unix://$T/$q/s $q"
	[ "$1" != dq-run ] || command+=(-- true)
	"${command[@]}" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	pid=$!
	wait_until 10 waiting
}

@test "a server returns with another password: a waiting tool ends with 77, and reports it once" {
	local tool pid
	for tool in 'dq-take -f' dq-run 'dq-promote -f'; do
		begin_waiting "$tool"
		stop_server "$q" KILL
		start_server "$q" --requirepass canary
		exits 77 "$pid"
		equal "$(grep -c NOAUTH "$T/$q.err")" 1
		equal "$(cat "$T/$q.out")" ''
		stop_server "$q" KILL
	done
}

@test "while Redis is unreachable each new reason is reported, once, and then the reconnect" {
	local tool pid at="unix://$T/$q/s"
	said() { grep -qxF "${tool%% *}: $at: $1" "$T/$q.err"; }
	for tool in 'dq-take -f' dq-run 'dq-promote -f'; do
		begin_waiting "$tool"
		stop_server "$q" KILL
		wait_until 10 said 'connection refused: connecting again'
		rm "$T/$q/s"
		wait_until 10 said "no such socket: $T/$q/s: connecting again"
		start_server "$q"
		wait_until 10 said 'connected again'
		each_once 'connecting again$' "$T/$q.err"
		equal "$(grep -c 'connected again$' "$T/$q.err")" 1
		kill "$pid"
		exits 143 "$pid"
		stop_server "$q" KILL
	done
}

@test "while Redis is unreachable alternating reasons are reported once each" {
	local tool pid n=0
	for tool in 'dq-take -f' dq-run 'dq-promote -f'; do
		begin_waiting "$tool"
		stop_server "$q" KILL
		rm "$T/$q/s"
		python3 "$top/test/tool/closing_server.py" "$T/$q/s" "$T/$q.turns" 3>&- &
		echo $! >"$T/$q/pid"
		wait_until 20 has_lines "$T/$q.turns" 8
		each_once 'connecting again$' "$T/$q.err"
		kill "$pid"
		exits 143 "$pid"
		kill "$(cat "$T/$q/pid")"
		rm "$T/$q/s" "$T/$q.turns"
		n=$((n + 1))
	done
	equal "$n" 3
}

@test "asked to end while Redis is unreachable: at once, by that signal" {
	local tool pid
	for tool in 'dq-take -f' 'dq-take -w 1h' dq-run 'dq-promote -f'; do
		begin_waiting "$tool"
		stop_server "$q" KILL
		wait_until 10 grep -q 'connecting again$' "$T/$q.err"
		kill "$pid"
		exits 143 "$pid"
	done
}

@test "dq-put -l, asked to end while Redis is unreachable: at once, with counts" {
	start_server "$q"
	mkfifo "$T/$q.in"
	dq-put -l -u "unix://$T/$q/s" --timeout 1h "$q" <"$T/$q.in" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	local pid=$! fd
	exec {fd}>"$T/$q.in"
	echo one >&"$fd"
	wait_until 10 test -s "$T/$q.out"
	stop_server "$q" KILL
	echo two >&"$fd"
	drained() {
		python3 "$top/test/failure/drained.py" "$fd"
	}
	wait_until 10 drained
	kill "$pid"
	exits 143 "$pid"
	exec {fd}>&-
	equal "$(wc -l <"$T/$q.out")" 1
	matches "$(cat "$T/$q.err")" "^dq-put: $q: stopped: 1 accepted, 0 refused, (1 unknown, 0|0 unknown, 1) not sent\$"
}

@test "dq-take names a paused queue, unless -q" {
	dq-put -q -d 1h "$q" x
	dq-set "$q" paused=yes
	run -1 --separate-stderr dq-take -v "$q"
	equal "$stderr" "dq-take: $q: paused: nothing is taken until it is resumed (dq-set $q paused=no)"$'\n'"dq-take: 0 taken"
	run -1 --separate-stderr dq-take -q "$q"
	equal "$stderr" ''
}

@test "standard input is a directory: 74, and nothing is settled" {
	local tool
	for tool in dq-ack dq-rm dq-promote; do
		fails 74 '^standard input: cannot read: Is a directory$' bash -c "$tool - </"
	done
	fails 74 '^standard input: cannot read: Is a directory$' bash -c "dq-put $q </"
	holds 0 0 0 0
}

@test "passwords that cannot be read, or are longer than any: 78" {
	fails 78 ': password file: Is a directory$' dq-stat --password-file /
	fails 78 '^REDISCLI_AUTH: too long$' env REDISCLI_AUTH="$(printf '%05000d' 1)" dq-stat
}

@test "dq-put: nothing to put, and standard input is a terminal: 64" {
	run -64 command script -qec "dq-put $q" /dev/null </dev/null
	matches "$output" 'dq-put: no payload given, and standard input is a terminal'
	holds 0 0 0 0
}

@test "dq-put --tsv: a delay too long for Redis names its line; in -d it is usage" {
	printf '36500d\tlate\tx\n-\tgood\tx\n' >"$T/$q.tsv"
	run -65 --separate-stderr bash -c "dq-put --tsv $q <$T/$q.tsv"
	equal "$output" "$q/good"
	equal "$stderr" "dq-put: standard input: line 1: not put: the due time is out of range (before May 2109)"
	fails 64 "^$q/late: not put: the due time is out of range" dq-put -d 36500d -i late "$q" x
	fails 64 'not a duration' dq-put -b "$(printf '%050d' 1)" "$q" x
	holds 0 1 0 0
}

bytes_read() { # PID
	sed -n 's/^rchar: //p' "/proc/$1/io"
}

has_read_more() { # PID BYTES
	[ "$(bytes_read "$1")" -gt "$2" ]
}

# The tool has sent one line, which Redis has answered; the next ones stand before a server that is frozen, or gone. TERM ends it.
ends_soon() { # SIGNAL REGEX COMMAND...  reads $T/lines; of two lines the first is answered: `answered` says when
	local signal=$1 regex=$2 pid began dir=$T/still read
	shift 2
	[ -p "$T/fifo" ] || mkfifo "$T/fifo"
	exec 9<>"$T/fifo"
	"$@" <"$T/fifo" >"$T/out" 2>"$T/said" 9>&- 3>&- &
	pid=$!
	sed -n 1p "$T/lines" >&9
	wait_until 10 answered || return
	rcli PING # the server sends what it has done before it hears this: the answer is on its way
	kill "-$signal" "$(<"$dir/pid")"
	[ "$signal" != KILL ] || wait_until 10 ended "$(<"$dir/pid")" || return
	read=$(bytes_read "$pid")
	sed -n 2p "$T/lines" >&9
	wait_until 10 has_read_more "$pid" "$read" || return
	began=${EPOCHREALTIME/./}
	kill -TERM "$pid"
	exits 143 "$pid" || return
	between 0 "$(((${EPOCHREALTIME/./} - began) / 1000))" 10000 || return # of --timeout=60s; a busy machine takes its time
	exec 9>&-
	matches "$(cat "$T/said")" "$regex"
}

each_ends_soon() { # SIGNAL UNKNOWN
	local -x SERVER=still DQ_URL=unix://$T/still/s
	local what
	for what in 'put -l' ack rm 'promote --dead'; do
		start_server still
		printf -- '-\t%s\tx\n' a b | dq-put -q --tsv "$q"
		dq-take -n 2 "$q" >"$T/lines"
		case $what in
		put*) printf '%s\n' one two >"$T/lines" && answered() { [ "$(rcli HLEN "dq:{$q}:msg")" = 3 ]; } ;;
		promote*) dq-ack -b <"$T/lines" && answered() { holds 0 1 0 1; } ;;
		*) answered() { [ "$(rcli HLEN "dq:{$q}:msg")" = 1 ]; } ;;
		esac
		# shellcheck disable=SC2086
		case $what in
		put*) ends_soon "$1" "$q: .*: 1 accepted, 0 refused, $2" dq-$what --timeout 60s "$q" ;;
		*) ends_soon "$1" "$q/b: .*: 1 [a-z ]+, $2" dq-$what --timeout 60s ;;
		esac || {
			echo "dq-$what: $(cat "$T/said")"
			return 1
		}
		kill -KILL "$(<"$T/still/pid")" 2>/dev/null || true
		wait_until 10 ended "$(<"$T/still/pid")"
		rm -rf "$T/still"
	done
}

@test "a signal ends tools that put, settle, remove and promote within a second while Redis is frozen" {
	each_ends_soon STOP '1 unknown, 0 not sent'
}

@test "a signal ends tools that put, settle, remove and promote within a second while Redis is unreachable" {
	each_ends_soon KILL '(0 unknown, 1|1 unknown, 0) not sent'
}
