# shellcheck disable=SC2016
# dq-promote: names, the dead, limits, pausing, and for show only.

bats_require_minimum_version 1.5.0

load helper
load cut

# N messages that are dead, with ids 1 to N (of so many digits), the first to die first.
dead() { # N
	seq -w "$1" >"$T/ids"
	local id
	if [ "$1" -le 20 ]; then
		while read -r id; do dq-put -q -i "$id" -r 1 "$q" "body $id"; done <"$T/ids"
	else
		sed 's/.*/-\t&\tbody &/' "$T/ids" | dq-put -q -r 1 --tsv "$q"
	fi
	while dq-take -n 1000 "$q" >/dev/null; do :; done
	later 60001
	dq-promote "$q"
	equal "$(states)" "0 0 0 $1"
}

elapsed() { # COMMAND...: sets ms
	local start=${EPOCHREALTIME/./}
	"$@"
	ms=$(((${EPOCHREALTIME/./} - start) / 1000))
}

ends_with() { # REGEX PID: its exit status
	local ended=0
	wait "$2" || ended=$?
	matches "$ended" "^($1)\$"
}

# --- names ---

@test "a name is made due now, without a word; the others stay" {
	dq-put -q -i x -d 1h "$q" hello
	dq-put -q -i y -d 1h "$q" hello
	run -0 --separate-stderr dq-promote "$q/x"
	equal "$output$stderr" ''
	holds 1 1 0 0
	equal "$(dq-take "$q" | cut -f2)" hello
	equal "$(field stat promoted)" 1
}

@test "made due now: behind what is ready, unless it was due before; its priority stays" {
	dq-put -q -i later -d 1h "$q" x
	dq-put -q -i late -d 1m "$q" x
	later 60001
	dq-put -q -i ready "$q" x
	dq-put -q -i urgent -p 1 -d 1h "$q" x
	dq-promote "$q/later" "$q/late" "$q/urgent"
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'urgent late ready later'
	holds 0 4 0 0
}

@test "ready or leased already: fine, said with -v" {
	dq-put -q -i x "$q" hello
	run -0 --separate-stderr dq-promote "$q/x"
	equal "$output$stderr" ''
	dq-take "$q" >"$T/r"
	run -0 --separate-stderr dq-promote -v "$q/x"
	equal "${stderr_lines[0]}" "dq-promote: $q/x: ready or leased already"
	equal "${stderr_lines[1]}" 'dq-promote: 0 promoted, 0 ready again, 0 dead, 0 expired'
	dq-ack <"$T/r"
	holds 0 0 0 0
}

@test "no such message, or dead: 1 with the reason; the others move" {
	dead 1
	dq-put -q -i x -d 1h "$q" hello
	fails 1 "^$q/none: not promoted: no such message\$" dq-promote "$q/none"
	fails 1 "^$q/1: not promoted: dead: use --dead\$" dq-promote "$q/1" "$q/x"
	holds 0 1 0 1
	run -1 --separate-stderr dq-promote -q "$q/1" "$q/none"
	equal "$output$stderr" ''
}

@test "queues and names mixed; - is standard input; a receipt is a name" {
	dq-put -q -i x -d 1h "$q" x
	dq-put -q -i y -d 1h "$q" y
	dq-put -q -d 1m "$q.b" z
	later 60001 "$q.b"
	run -0 --separate-stderr dq-promote -v "$q/x" "$q.b" - <<<"$q/y@1"$'\tmore'
	equal "$stderr" 'dq-promote: 3 promoted, 0 ready again, 0 dead, 0 expired'
	holds 0 2 0 0
	holds 0 1 0 0 "$q.b"
}

@test "malformed operands: 64 before anything moves; lines: 65, and the others move" {
	dq-put -q -i a -d 1h "$q" x
	dq-put -q -i b -d 1h "$q" x
	local long bad
	printf -v long '%0129d' 0
	for bad in '' "$q/" "/a" "$q/a/b" "$q/a@x" "$q/{a}" "$q/a b" "{$q}" "a b" "@$q" $'q\n' "$q/$long" "$long"; do
		fails 64 '^"' dq-promote "$q/a" "$bad"
		fails 64 '^"' dq-promote --dead "$bad"
		fails 64 '^("|--pause: ")' dq-promote --pause "$bad"
	done
	holds 2 0 0 0
	run -65 --separate-stderr dq-promote - <<<"$q/a"$'\n\n'"$q/a b"$'\n'"$q/b"
	equal "${#stderr_lines[@]}" 2
	equal "${stderr_lines[0]}" "dq-promote: \"\": a queue's name is 1 to 128 of A-Z a-z 0-9 . _ -"
	holds 0 2 0 0
}

@test "-n: so many in all, of queues and of names" {
	seq 2500 | dq-put -ql -d 1m "$q"
	seq 10 | dq-put -ql -d 1m "$q.b"
	later 60001
	later 60001 "$q.b"
	dq-promote -n 1 "$q"
	holds 2499 1 0 0
	run -0 --separate-stderr dq-promote -v --count 1500 "$q" "$q.b"
	equal "$stderr" 'dq-promote: 1500 promoted, 0 ready again, 0 dead, 0 expired'
	holds 999 1501 0 0
	dq-promote -n 1003 "$q" "$q.b"
	holds 0 2500 0 0
	holds 6 4 0 0 "$q.b"
	dq-put -q -i x -d 1h "$q" x
	dq-put -q -i y -d 1h "$q" x
	dq-put -q -i r "$q" x
	dq-promote -n 1 "$q/r" "$q/x" "$q/y"
	holds 1 2502 0 0
	fails 64 '^-n: "0": not a whole number from 1 to ' dq-promote -n 0 "$q"
	fails 64 '^-n: "1.5": ' dq-promote -n 1.5 "$q"
	fails 64 '^-n: "": ' dq-promote -n '' "$q"
}

# --- --dead ---

@test "--dead with a name: ready, with all its tries" {
	dead 2
	equal "$(tries 1)" 1
	run -0 --separate-stderr dq-promote --dead "$q/1"
	equal "$output$stderr" ''
	holds 0 1 0 1
	equal "$(tries 1)" ''
	equal "$(dq-take "$q" | cut -f2)" 'body 1'
	equal "$(tries 1)" 1
	equal "$(field stat redriven)" 1
}

@test "--dead: not dead, no such message: 1 with the reason; -q silences it" {
	dead 1
	dq-put -q -i x -d 1h "$q" x
	fails 1 "^$q/x: not redriven: not dead\$" dq-promote --dead "$q/x"
	fails 1 "^$q/none: not redriven: no such message\$" dq-promote --dead "$q/none" "$q/1"
	holds 1 1 0 0
	run -1 --separate-stderr dq-promote --dead -q "$q/x"
	equal "$output$stderr" ''
}

@test "--dead with a queue: all of it, in more calls than one" {
	dead 2500
	dq-put -q -i x -d 1m "$q" x
	later 60001
	run -0 --separate-stderr dq-promote --dead -v "$q"
	equal "$stderr" 'dq-promote: 2500 redriven'
	holds 1 2500 0 0
	equal "$(rcli EXISTS "dq:{$q}:try")" 0
	run -0 --separate-stderr dq-promote --dead -q "$q" "$q.never"
	equal "$output$stderr" ''
}

@test "--dead with a queue: what dies from now on stays dead" {
	dead 2
	rcli ZADD "dq:{$q}:dead" XX INCR 3600000 2 >/dev/null
	dq-promote --dead "$q"
	holds 0 1 0 1
	dq-promote --dead "$q/2"
	holds 0 2 0 0
}

@test "--dead with a queue ends where nothing can be redriven, and gets what is behind" {
	rcli EVAL 'for i = 1, 2500 do redis.call("ZADD", KEYS[1], i, "ghost" .. i) end' 1 "dq:{$q}:dead" >/dev/null
	dq-put -q -i x -r 1 "$q" x
	dq-take "$q" >/dev/null
	later 60001
	dq-promote "$q"
	run -0 --separate-stderr dq-promote --dead -v "$q"
	equal "$stderr" 'dq-promote: 1 redriven'
	equal "$(states)" '0 1 0 2500'
}

@test "--dead without operands: names and queues from standard input" {
	dead 3
	printf '%s/1\t1\tout of tries\n%s/3' "$q" "$q" | dq-promote --dead
	holds 0 2 0 1
	dq-promote --dead <<<"$q"
	holds 0 3 0 0
	run -0 --separate-stderr dq-promote --dead </dev/null
	equal "$output$stderr" ''
	run -65 --separate-stderr dq-promote --dead <<<'a b'
	matches "$stderr" '^dq-promote: "a b": '
}

@test "--dead: what dq-stat lists is redriven" {
	dead 3
	dq-stat --messages=dead "$q" >"$T/listed" 2>&1 || skip 'dq-stat lists no messages yet'
	dq-promote --dead <"$T/listed"
	holds 0 3 0 0
}

@test "--dead without operands on a terminal: 64" {
	run -64 command script -qec 'dq-promote --dead' /dev/null </dev/null
	matches "$output" 'dq-promote: --dead: no QUEUE or NAME given'
}

@test "--dead -n: so many in all, the first dead first; what is not dead does not count" {
	dead 20
	dq-promote --dead -n 3 "$q"
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | sort | paste -sd' ')" '01 02 03'
	sed "s|^|$q/|" "$T/ids" >"$T/names"
	run -1 --separate-stderr dq-promote --dead -n 2 <"$T/names"
	equal "${#stderr_lines[@]}" 3
	holds 0 5 0 15
	run -0 --separate-stderr dq-promote --dead -v -n 100 "$q"
	equal "$stderr" 'dq-promote: 15 redriven'
}

@test "--dead --rate: evenly, not faster" {
	dead 20
	elapsed dq-promote --dead --rate 50 -n 11 "$q"
	between 200 "$ms" 5000
	holds 0 11 0 9
	seq -w 12 20 | sed "s|^|$q/|" >"$T/names"
	elapsed dq-promote --dead --rate 40 <"$T/names"
	between 200 "$ms" 5000
	holds 0 20 0 0
	fails 64 '^--rate: "0": not a whole number from 1 to 1000000$' dq-promote --dead --rate 0 "$q"
	fails 64 '^--rate: only with --dead$' dq-promote --rate 5 "$q"
}

@test "--dead --rate: each goes when its time has come, and a signal ends the wait" {
	dead 3
	local pid
	dq-promote --dead --rate 1 "$q" 3>&- &
	pid=$!
	wait_until 5 holds 0 1 0 2
	kill -TERM "$pid"
	ends_with 143 "$pid"
	between 1 "$(rcli ZCARD "dq:{$q}:dead")" 2
	audit
}

# --- --pause, --resume ---

@test "--pause: nothing is given, puts and promotion go on; --resume" {
	dq-put -q -d 1m "$q" x
	run -0 --separate-stderr dq-promote --pause "$q"
	equal "$output$stderr" ''
	dq-put -q "$q" y
	later 60001
	dq-promote "$q"
	holds 0 2 0 0
	run -1 dq-take "$q"
	run -0 --separate-stderr dq-promote --resume "$q"
	equal "$output$stderr" ''
	dq-take -n 2 "$q" >/dev/null
	holds 0 0 2 0
	equal "$(rcli EXISTS "dq:{$q}:conf")" 0
}

@test "--pause of a name that nobody put anything under: done, and doubted" {
	run -0 --separate-stderr dq-promote --pause "$q"
	equal "$stderr" "dq-promote: $q: no such queue yet: paused all the same"
	equal "$(field conf paused)" 1
}

@test "--pause -v, --resume -v: what it was before" {
	dq-put -q "$q" x
	dq-put -q "$q.b" x
	run -0 --separate-stderr dq-promote --pause -v "$q" "$q.b"
	equal "$stderr" "dq-promote: $q: paused: it was not paused"$'\n'"dq-promote: $q.b: paused: it was not paused"
	run -0 --separate-stderr dq-promote --pause -v "$q"
	equal "$stderr" "dq-promote: $q: paused: it was paused"
	run -0 --separate-stderr dq-promote --resume -v "$q"
	equal "$stderr" "dq-promote: $q: resumed: it was paused"
	run -0 --separate-stderr dq-promote --resume -v "$q"
	equal "$stderr" "dq-promote: $q: resumed: it was not paused"
}

@test "--pause: a broken queue is 70, the next one is paused" {
	dq-put -q "$q.b" x
	rcli SET "dq:{$q}:conf" text >/dev/null
	fails 70 "^$q: not paused: dq:\{$q\}:conf is a string, not a hash\$" dq-promote --pause "$q" "$q.b"
	equal "$(field conf paused "$q.b")" 1
	fails 70 "^$q: not resumed: " dq-promote --resume "$q" "$q.b"
	equal "$(field conf paused "$q.b")" ''
}

# --- --for ---

@test "-f --for: ends with 0 after that time, and moves what becomes due till then" {
	dq-put -q -d 200ms "$q" x
	elapsed run -0 --separate-stderr dq-promote -f --for 600ms "$q"
	between 600 "$ms" 5000
	equal "$output$stderr" ''
	holds 0 1 0 0
}

@test "-f --for, and the server is away at its end: not 0" {
	local -x SERVER=away DQ_URL=unix://$T/away/s
	start_server away
	dq-promote -f --for 1s >"$T/away.out" 2>&1 3>&- &
	local pid=$!
	wait_until 5 connected
	stop_server away KILL
	ends_with '69|75' "$pid"
}

connected() {
	rcli CLIENT LIST | grep -q name=dq-promote
}

@test "-f -n: ends when so many have moved" {
	seq 5 | dq-put -ql -d 1m "$q"
	later 60001
	dq-promote -f -n 3 "$q"
	holds 2 3 0 0
}

# --- --dry-run ---

@test "--dry-run: the due by name, and nothing changes" {
	dead 1
	dq-put -q -i due -d 1m "$q" x
	later 60001
	dq-put -q -i delayed -d 1h "$q" x
	dq-put -q -i ready "$q" x
	local before
	before=$(digest)
	run -0 --separate-stderr dq-promote --dry-run "$q"
	equal "$output" "$q/due"
	equal "$stderr" ''
	run -1 --separate-stderr dq-promote -v --dry-run "$q/delayed" "$q/due" "$q/ready" "$q/1" "$q/none"
	equal "$output" "$q/delayed"$'\n'"$q/due"
	equal "${stderr_lines[0]}" "dq-promote: $q/ready: ready or leased already"
	equal "${stderr_lines[1]}" "dq-promote: $q/1: not promoted: dead: use --dead"
	equal "${stderr_lines[2]}" "dq-promote: $q/none: not promoted: no such message"
	equal "${stderr_lines[3]}" 'dq-promote: 2 would be promoted'
	run -0 --separate-stderr dq-promote --dead -v --dry-run "$q"
	equal "$output" "$q/1"
	equal "$stderr" 'dq-promote: 1 would be redriven'
	run -1 --separate-stderr dq-promote --dead --dry-run <<<"$q/due"$'\n'"$q/1"
	equal "$output" "$q/1"
	equal "$stderr" "dq-promote: $q/due: not redriven: not dead"
	equal "$(digest)" "$before"
}

@test "--dry-run: all queues, more than a page, each once; -n limits it" {
	local -x DQ_PREFIX=dry
	seq 2500 | dq-put -l -d 1m "$q" | sort >"$T/names"
	dq-put -d 1m "$q.b" x >>"$T/names"
	later 60001
	later 60001 "$q.b"
	dq-promote --dry-run | sort | cmp - <(sort "$T/names")
	equal "$(dq-promote --dry-run -n 1200 | wc -l)" 1200
	holds 2500 0 0 0
}

@test "--dry-run into a full device: 74, once" {
	dq-put -q -i x -d 1m "$q" x
	later 60001
	run -74 --separate-stderr into_full dq-promote --dry-run "$q"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
	seq 5000 | dq-put -ql -d 1m "$q"
	later 60001
	run -74 --separate-stderr into_full dq-promote --dry-run "$q"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
	q=$q.b dead 3
	run -74 --separate-stderr into_full dq-promote --dead --dry-run "$q.b/1"
	equal "$stderr" 'dq-promote: standard output: No space left on device'
}

into_full() {
	"$@" >/dev/full
}

# --- lost answers ---

@test "the answer is lost: a name is ready, and that is all that was asked for" {
	dq-promote -q "$q/none" || true # the server knows the script from now on
	dq-put -q -i x -d 1h "$q" x
	start_cut d
	run -0 --separate-stderr dq-promote -u "unix://$T/cut" "$q/x"
	stop_cut
	equal "$output$stderr" ''
	holds 0 1 0 0
}

@test "the answer is lost: whether a named one was dead is not known, 75; of a queue's, all are back" {
	dq-promote --dead -q "$q/none" || true
	dead 3
	start_cut d
	fails 75 "^$q/1: not known whether it was redriven: the connection was lost\$" dq-promote -u "unix://$T/cut" --dead "$q/1"
	stop_cut
	holds 0 1 0 2
	start_cut dd
	run -0 --separate-stderr dq-promote -u "unix://$T/cut" --dead -v "$q"
	stop_cut
	equal "$stderr" 'dq-promote: 2 redriven'
	holds 0 3 0 0
}

# --- what does not go together ---

@test "options that contradict each other, or lack what they need" {
	local with='not with --dead, --release, --dry-run, --pause or --resume'
	fails 64 "^-f: $with\$" dq-promote -f --dead "$q"
	fails 64 "^-f: $with\$" dq-promote -f --dry-run "$q"
	fails 64 "^-f: $with\$" dq-promote -f --pause "$q"
	fails 64 '^--pause: only one of --pause and --resume$' dq-promote --pause --resume "$q"
	fails 64 '^--pause: only one of --pause and --resume$' dq-promote --resume --pause "$q"
	fails 64 '^--pause: not with --dead, --release, --dry-run or -n$' dq-promote --pause --dry-run "$q"
	fails 64 '^--resume: not with --dead, --release, --dry-run or -n$' dq-promote --resume -n 1 "$q"
	fails 64 '^--pause: not with' dq-promote --dead --pause "$q"
	fails 64 '^--pause: no queue given$' dq-promote --pause
	fails 64 '^--resume: no queue given$' dq-promote --resume
	fails 64 "^--pause: \"$q/x\": takes queues only\$" dq-promote --pause "$q/x"
	fails 64 "^-f: \"$q/x\": takes queues only\$" dq-promote -f "$q/x"
	fails 64 '^-f: "-": takes queues only$' dq-promote -f -
	fails 64 '^--for: only with -f$' dq-promote --for 1s "$q"
	fails 64 '^--for: "x": not a duration' dq-promote -f --for x
	fails 64 '^--for: needs an argument$' dq-promote -f --for
	equal "$(digest)" ''
}

@test "Redis is not there: 69, in each mode" {
	local mode
	for mode in "$q" "$q/x" "--dead $q" "--pause $q" "--resume $q" "--dry-run" "-f --for 1s"; do
		# shellcheck disable=SC2086
		fails 69 '^unix:///nowhere/s: ' dq-promote -u unix:///nowhere/s $mode
	done
}

@test "a key of another type: 70 once, the others go on" {
	dq-put -q -i x -d 1h "$q.b" x
	rcli SET "dq:{$q}:ready" text >/dev/null
	local why="dq:\{$q\}:ready is a string, not a zset\$"
	fails 70 "^$q: 1 message not promoted: $why" dq-promote "$q/x" "$q.b/x"
	holds 0 1 0 0 "$q.b"
	fails 70 "^$q: not promoted: $why" dq-promote "$q" "$q.b"
	fails 70 "^$q: not promoted: $why" dq-promote --dry-run "$q" "$q.b"
	fails 70 "^$q: not redriven: $why" dq-promote --dead "$q" "$q.b"
	fails 70 "^$q: 1 message not redriven: $why" dq-promote --dead "$q/x"
}

@test "memory full: what is there can be moved" {
	local -x SERVER=full DQ_URL=unix://$T/full/s
	start_server full
	dead 3
	dq-put -q -i x -d 1h "$q" x
	rcli CONFIG SET maxmemory 1 >/dev/null
	dq-promote "$q/x"
	dq-promote --dead "$q"
	dq-promote --pause "$q"
	dq-promote --resume "$q"
	holds 0 4 0 0
	stop_server full
}

@test "-f: a queue whose key became foreign while its time was held: said once, no storm" {
	dq-put -q -d 300ms "$q" x
	dq-promote -f "$q" 2>"$T/$q.err" 3>&- &
	local promoter=$!
	wait_until 10 eval '[ "$(rcli ZCARD "dq:{$q}:timer")" = 0 ]'
	rcli LPUSH "dq:{$q}:conf" x >/dev/null
	wait_until 10 grep -q 'not promoted' "$T/$q.err"
	rcli CONFIG RESETSTAT >/dev/null
	wait_until 10 eval '[ "$(server_ms)" -gt $(($(score delayed "$(rcli HKEYS "dq:{$q}:msg")") + 1500)) ]'
	equal "$(wc -l <"$T/$q.err")" 1
	between 0 "$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p')" 8
	rcli DEL "dq:{$q}:conf" >/dev/null
	kill "$promoter"
	exits 143 "$promoter"
}

@test "-f: more queues than one write of a wait holds" {
	local args
	mapfile -t args < <(printf "1\nqueue-%0110d\n" {1..2200})
	start_server many
	SERVER=many rcli ZADD dq:queues "${args[@]}" >/dev/null
	DQ_URL=unix://$T/many/s dq-promote -f 3>&- &
	local promoter=$!
	wait_until 200 eval 'SERVER=many rcli CLIENT LIST | grep -q "name=dq-promote-wait .*flags=b"'
	kill "$promoter"
	exits 143 "$promoter"
	stop_server many
}
