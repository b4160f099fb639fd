# Goal: With --retry-for the one-shot tools, and others at their start, try again whatever is temporary, say so once, and say the end of it
# once; nothing is put twice, and what may have been done is repeated only where that is safe.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

# Runs in the background, as $pid: standard output is $T/NAME.out, standard error $T/NAME.err.
begins() { # NAME COMMAND...
	local name=$1
	shift
	rm -f "$T/$name.err"
	"$@" </dev/null >"$T/$name.out" 2>"$T/$name.err" 3>&- &
	pid=$!
}

tries() { # NAME
	grep -q ': trying again for ' "$T/$1.err"
}

# Two lines on standard error: it tries again, because of that, and Redis answers again.
said_both() { # NAME REGEX
	local lines
	mapfile -t lines <"$T/$1.err"
	equal "${#lines[@]}" 2
	matches "${lines[0]}" ": $2: trying again for 2m$"
	matches "${lines[1]}" ': answers again$'
}

# A server that keeps its messages: $late is its URL.
start_late() {
	start_server late --appendonly yes --appendfsync always
	late=unix://$T/late/s
}

@test "all tools that have the option wait for a Redis that starts later; DQ_RETRY_FOR is for whole scripts" {
	local late receipt tool
	local -A pids
	start_late
	for tool in a r m p t w g; do
		dq-put -u "$late" -q -i x "$tool" hello
	done
	dq-put -u "$late" -q -d 1h -i x later hello
	receipt=$(dq-take -u "$late" a | cut -f1)
	dq-dump -u "$late" r >"$T/dumped"
	dq-take -u "$late" g | dq-ack -u "$late" -b
	stop_server late
	export DQ_URL=$late DQ_RETRY_FOR=2m
	seq 150 >"$T/lines"
	begins put sh -c "dq-put -l p <$T/lines" && pids[put]=$pid
	begins ack dq-ack "$receipt" && pids[ack]=$pid
	begins rm dq-rm m/x && pids[rm]=$pid
	begins promote dq-promote later/x && pids[promote]=$pid
	begins take dq-take t && pids[take]=$pid
	begins stat dq-stat --json r && pids[stat]=$pid
	begins run dq-run --once w -- cat && pids[run]=$pid
	begins gc dq-gc --dead-for 0 g && pids[gc]=$pid
	begins dump dq-dump r && pids[dump]=$pid
	begins load dq-load --prefix new "$T/dumped" && pids[load]=$pid
	for tool in "${!pids[@]}"; do
		wait_until 20 tries "$tool"
	done
	start_late
	for tool in "${!pids[@]}"; do
		exits 0 "${pids[$tool]}"
		said_both "$tool" '(connection refused|no such socket: .*)'
	done
	equal "$(sort -u "$T/put.out" | wc -l)" 150
	equal "$(cut -f2 "$T/take.out")" hello
	equal "$(<"$T/run.out")" hello
	equal "$(jq '.queues[0].messages.ready' "$T/stat.out")" 1
	SERVER=late holds 0 0 0 0 a
	SERVER=late holds 0 0 0 0 m
	SERVER=late holds 0 151 0 0 p
	SERVER=late holds 0 0 0 0 w
	SERVER=late holds 0 1 0 0 later
	SERVER=late holds 0 0 1 0 t
	SERVER=late holds 0 0 0 0 g
	equal "$(jq -c '[.kind, .id, .payload]' "$T/dump.out" | sed -n 2p)" '["message","x","hello"]'
	equal "$(cat "$T/load.out")$(dq-take --prefix new r | cut -f2)" r/xhello
	stop_server late KILL
}

# A way to the main server that refuses (test/tool/refusing.py).
start_refusing() {
	mkdir -p "$T/way"
	python3 "$top/test/tool/refusing.py" "$T/way/s" "$T/main/s" "$T/way" 3>&- &
	echo $! >"$T/way/pid"
	disown
	wait_until 30 test -S "$T/way/s"
}

refuse() { # WORD TEXT
	printf '%s' "$2" >"$T/way/new" && mv "$T/way/new" "$T/way/$1"
}

@test "whatever a server refuses for now is tried again, each message is put once" {
	local reply pid n=0
	start_refusing
	for reply in 'LOADING Redis is loading the dataset in memory' 'BUSY Redis is busy running a script.' \
		"OOM command not allowed when used memory > 'maxmemory'." 'MISCONF Errors writing to the AOF file' \
		'NOREPLICAS Not enough good replicas to write.' "READONLY You can't write against a read only replica." \
		'MASTERDOWN Link with MASTER is down' 'CLUSTERDOWN The cluster is down' 'TRYAGAIN Multiple keys'; do
		n=$((n + 1))
		rm -f "$T/way/refused"
		refuse EVALSHA "$reply"
		begins put dq-put -u "unix://$T/way/s" --retry-for 2m -i "$n" "$q" hello
		wait_until 20 has_lines "$T/way/refused" 3
		rm "$T/way/EVALSHA"
		exits 0 "$pid"
		equal "$(<"$T/put.out")" "$q/$n"
		said_both put "${reply%% *} .*"
		holds 0 "$n" 0 0
	done
}

@test "a server that accepts at last, and is loading then, is one outage for tools that wait, too" {
	local pid
	mkdir "$T/way"
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory'
	begins run dq-run -u "unix://$T/way/s" --retry-for 2m "$q" -- cat
	wait_until 20 tries run
	start_refusing
	wait_until 20 has_lines "$T/way/refused" 3
	dq-put -q "$q" hello
	rm "$T/way/EVALSHA"
	wait_until 20 grep -q hello "$T/run.out"
	said_both run 'no such socket: .*'
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory' # the next outage is said as always
	rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 has_lines "$T/run.err" 3
	rm "$T/way/EVALSHA"
	wait_until 20 grep -q 'connected again$' "$T/run.err"
	kill "$pid"
	exits 143 "$pid"
}

@test "calls that only read, takes and promotions that were refused are tried again, too" {
	local pid tool
	local -A pids
	start_refusing
	dq-put -q "$q" hello
	dq-put -q -d 1h -i x later hello
	refuse EVALSHA 'BUSY Redis is busy running a script.'
	export DQ_URL=unix://$T/way/s DQ_RETRY_FOR=2m
	begins take dq-take "$q" && pids[take]=$pid
	begins stat dq-stat --json later && pids[stat]=$pid
	begins promote dq-promote "$q" && pids[promote]=$pid
	begins pause dq-set later paused=yes && pids[pause]=$pid
	for tool in "${!pids[@]}"; do
		wait_until 20 tries "$tool"
	done
	rm "$T/way/EVALSHA"
	for tool in "${!pids[@]}"; do
		exits 0 "${pids[$tool]}"
		said_both "$tool" 'BUSY .*'
	done
	equal "$(cut -f2 "$T/take.out")" hello
	equal "$(jq '.queues[0].messages.delayed' "$T/stat.out")" 1
}

# A dump that has written a part of a queue, and waits for its reader on descriptor 8.
dump_a_part() { # OPTION...
	seq -f "$(printf %0200d 0) %g" 2000 | dq-put -q -l "$q"
	mkfifo "$T/dump"
	dq-dump "$@" "$q" >"$T/dump" 2>"$T/dump.err" 3>&- &
	pid=$!
	exec 8<"$T/dump"
	wait_until 20 full_pipe
}

full_pipe() {
	python3 -c 'import array, fcntl, termios
n = array.array("i", [0])
fcntl.ioctl(8, termios.FIONREAD, n)
raise SystemExit(n[0] < 50000)'
}

@test "dq-dump goes on in the middle of a queue if a call is refused; not if the connection is lost: 75, at once" {
	local pid reader
	start_refusing
	dump_a_part -u "unix://$T/way/s" --retry-for 2m
	refuse EVALSHA 'BUSY Redis is busy running a script.'
	cat <&8 >"$T/dump.out" 3>&- &
	reader=$!
	exec 8<&-
	wait_until 20 has_lines "$T/way/refused" 3
	rm "$T/way/EVALSHA"
	exits 0 "$pid"
	said_both dump 'BUSY .*'
	wait "$reader"
	equal "$(jq -r .id "$T/dump.out" | sort -u | grep -c '^0')" 2000
	rcli flushall >/dev/null
	rm "$T/dump"
	dump_a_part --retry-for 2m
	rcli CLIENT KILL TYPE normal >/dev/null
	cat <&8 >"$T/dump.out" 3>&- &
	reader=$!
	exec 8<&-
	exits 75 "$pid"
	matches "$(cat "$T/dump.err")" "^dq-dump: $q: not dumped: [^:]*\$"
	wait "$reader"
	equal "$(grep -c '"kind":"done"' "$T/dump.out")" 0
}

@test "dq-load and dq-gc go on where they were refused; a load is repeated if its reply is lost" {
	local pid
	seq 150 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dumped"
	start_refusing
	refuse EVALSHA 'MISCONF Errors writing to the AOF file'
	begins load dq-load -u "unix://$T/way/s" --prefix new --retry-for 2m "$T/dumped"
	wait_until 20 has_lines "$T/way/refused" 3
	rm "$T/way/EVALSHA"
	exits 0 "$pid"
	said_both load 'MISCONF .*'
	equal "$(sort -u "$T/load.out" | wc -l)" 150
	rcli ZREM "dq:{$q}:ready" "$(rcli ZRANGE "dq:{$q}:ready" 0 0)" >/dev/null
	rm "$T/way/refused"
	refuse EVALSHA 'BUSY Redis is busy running a script.'
	begins gc dq-gc -u "unix://$T/way/s" --retry-for 2m --repair "$q"
	wait_until 20 has_lines "$T/way/refused" 3
	rm "$T/way/EVALSHA"
	exits 0 "$pid"
	said_both gc 'BUSY .*'
	matches "$(cat "$T/gc.out")" "^$q/[^ ]*	no state\$"
	holds 0 150 0 0
	start_cut d
	run -0 dq-load -q -u "unix://$T/cut" --prefix cut --retry-for 2m "$T/dumped"
	stop_cut
	equal "$(dq-take --prefix cut -n 200 "$q" | cut -f2 | sort -n)" "$(seq 150)"
}

@test "a server that turns connections away is tried again" {
	local pid
	start_refusing
	refuse CONNECT 'ERR max number of clients reached'
	begins put dq-put -u "unix://$T/way/s" --retry-for 2m "$q" hello
	wait_until 20 tries put
	rm "$T/way/CONNECT"
	exits 0 "$pid"
	said_both put '.*max number of clients.*'
	holds 0 1 0 0
}

@test "dq-take -w: an outage is waited for until --retry-for, even if -w is over" {
	local pid
	start_refusing
	dq-put -q "$q" hello
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory'
	begins take dq-take -u "unix://$T/way/s" -w 1ms --retry-for 2m "$q"
	wait_until 20 has_lines "$T/way/refused" 3
	rm "$T/way/EVALSHA"
	exits 0 "$pid"
	equal "$(cut -f2 "$T/take.out")" hello
	equal "$(grep -c ': connecting again$' "$T/take.err")" 1
}

@test "a full memory: dq-put -l waits until there is room: 150 of 150, none twice" {
	local pid
	start_server full
	SERVER=full rcli CONFIG SET maxmemory 1 >/dev/null
	seq 150 >"$T/lines"
	begins put sh -c "dq-put -u unix://$T/full/s --retry-for 2m -l $q <$T/lines"
	wait_until 20 tries put
	SERVER=full rcli CONFIG SET maxmemory 0 >/dev/null
	exits 0 "$pid"
	said_both put 'OOM .*'
	equal "$(sort -u "$T/put.out" | wc -l)" 150
	SERVER=full holds 0 150 0 0
	equal "$(dq-take -u "unix://$T/full/s" -n 150 "$q" | cut -f2)" "$(seq 150)"
	stop_server full KILL
}

@test "dq-run --until-empty waits for a server that is loading, at its start and later" {
	local pid
	dq-put -q "$q" hello
	start_refusing
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory'
	begins run dq-run -u "unix://$T/way/s" --timeout 3s --retry-for 2m --until-empty "$q" -- cat
	wait_until 20 grep -q ': connecting again$' "$T/run.err"
	wait_until 60 has_lines "$T/way/refused" 10 # the pauses double from 20 ms on: more than --timeout later
	rm "$T/way/EVALSHA"
	exits 0 "$pid"
	equal "$(<"$T/run.out")" hello
	holds 0 0 0 0
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory'
	run -75 --separate-stderr timeout 60 dq-run -u "unix://$T/way/s" --timeout 10m --retry-for 200ms --until-empty "$q" -- cat
	matches "${stderr_lines[-1]}" ': still no connection: ending$'
}

@test "an outage under dq-put -l: 150 of 150, none twice" {
	local late pid
	start_late
	mkfifo "$T/lines"
	begins put sh -c "dq-put -u $late --retry-for 2m -l $q <$T/lines"
	exec 7>"$T/lines"
	seq 50 >&7
	wait_until 20 has_lines "$T/put.out" 50
	stop_server late KILL
	seq 51 150 >&7
	wait_until 20 tries put
	start_late 7>&-
	exec 7>&-
	exits 0 "$pid"
	said_both put '.*'
	equal "$(sort -u "$T/put.out" | wc -l)" 150
	SERVER=late holds 0 150 0 0
	equal "$(dq-take -u "$late" -n 150 "$q" | cut -f2 | sort -n)" "$(seq 150)"
	stop_server late KILL
}

@test "a reply is lost: a put is repeated and exists once; a take is not repeated: 75" {
	start_cut d
	run -0 dq-put -u "unix://$T/cut" --retry-for 2m -i x "$q" hello
	stop_cut
	holds 0 1 0 0
	dq-set -q "$q.s" shards=4
	start_cut DQSHARDS
	run -0 --separate-stderr dq-put -u "unix://$T/cut" --retry-for 2m -i x "$q.s" hello
	stop_cut
	equal "$output ${stderr_lines[*]##*: } $(dq-take --ack "$q.s" | cut -f 2)" "$q.s/x trying again for 2m answers again hello"
	start_cut x
	run -75 --separate-stderr dq-take -u "unix://$T/cut" --retry-for 2m "$q"
	stop_cut
	equal "$output" ''
	matches "$stderr" "^dq-take: $q: connection closed by the server$"
	holds 0 0 1 0
}

@test "when the time is over the status is that of the last failure" {
	run -69 --separate-stderr dq-put -u "unix://$T/nobody" --retry-for 100ms "$q" hello
	equal "${#stderr_lines[@]}" 2
	matches "${stderr_lines[0]}" ': no such socket: .*: trying again for 100ms$'
	matches "${stderr_lines[1]}" ': no such socket: [^:]*$'
	start_refusing
	refuse EVALSHA "OOM command not allowed when used memory > 'maxmemory'."
	run -75 --separate-stderr dq-put -u "unix://$T/way/s" --retry-for 100ms "$q" hello
	equal "${#stderr_lines[@]}" 2
	matches "${stderr_lines[0]}" ': OOM .*: trying again for 100ms$'
	matches "${stderr_lines[1]}" "^dq-put: $q: 1 message not put: OOM "
	holds 0 0 0 0
}

@test "without the option, and with 0, one host is asked once" {
	fails 69 ': no such socket: [^:]*$' dq-put -u "unix://$T/nobody" "$q" hello
	fails 69 ': no such socket: [^:]*$' env DQ_RETRY_FOR=2m dq-put -u "unix://$T/nobody" --retry-for 0 "$q" hello
	fails 64 '^DQ_RETRY_FOR: ' env DQ_RETRY_FOR=x dq-put "$q" hello
	fails 64 '^--retry-for: ' dq-put --retry-for x "$q" hello
}

@test "with several hosts, or Sentinels, the default is --timeout" {
	local hosts=127.0.0.1:1,127.0.0.1:2 url
	for url in "redis://$hosts" "redis+sentinel://$hosts/m"; do
		run -69 --separate-stderr dq-stat -u "$url" --timeout 1200ms
		equal "${#stderr_lines[@]}" 2
		matches "${stderr_lines[0]}" ': trying again for 1s200ms$'
		fails 69 '^no (host|Sentinel) can be reached' dq-stat -u "$url" --retry-for 0
	done
}

@test "what does not pass ends it at once: a wrong password, a missing right" {
	start_server locked --requirepass secret
	fails 77 'NOAUTH|wants a password' dq-put -u "unix://$T/locked/s" --retry-for 2m "$q" hello
	fails 77 'NOAUTH|wants a password' dq-run -u "unix://$T/locked/s" --retry-for 2m "$q" -- cat
	stop_server locked KILL
	start_refusing
	refuse EVALSHA "NOPERM this user has no permissions to run the 'evalsha' command"
	fails 77 'NOPERM' dq-put -u "unix://$T/way/s" --retry-for 2m "$q" hello
}

@test "a signal ends it at once" {
	local pid
	begins put dq-put -u "unix://$T/nobody" --retry-for 2m "$q" hello
	wait_until 20 tries put
	kill "$pid"
	exits 143 "$pid"
	begins run dq-run -u "unix://$T/nobody" --retry-for 2m "$q" -- cat
	wait_until 20 tries run
	kill "$pid"
	exits 143 "$pid"
	start_refusing
	refuse EVALSHA 'LOADING Redis is loading the dataset in memory'
	begins put dq-put -u "unix://$T/way/s" --retry-for 2m "$q" hello
	wait_until 20 tries put
	kill "$pid"
	exits 143 "$pid"
	holds 0 0 0 0
}

@test "dq-promote -q says nothing; dq-stat --check never waits" {
	run -69 --separate-stderr dq-promote -u "unix://$T/nobody" -q --retry-for 100ms
	equal "${#stderr_lines[@]}" 1
	fails 64 '^--retry-for: not with --check' dq-stat --check --retry-for 1s
	run -2 env DQ_RETRY_FOR=2m dq-stat -u "unix://$T/nobody" --check
}
