# Goal: dq-run handles the processes that its commands leave behind: where no other process gathers orphans, and as PID 1.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

setup() {
	begin_test
	D=$T/$q.d
	mkdir "$D"
	export D
}

# All processes that a test left, also daemons that left their group.
teardown() {
	local files
	mapfile -t files < <(grep -slzx "D=$D" /proc/[0-9]*/environ)
	grep -slz '^DQ_NAME=' "${files[@]}" /dev/null | cut -d/ -f3 | xargs -r kill -9 2>/dev/null || true
	[ -z "${worker:-}" ] || kill -9 "$worker" 2>/dev/null || true
	end_test
}

# A worker whose parent takes orphans and gathers none, as PID 1 of many a container.
work_ungathered() { # ARG...
	rm -f "$D/pid"
	env --default-signal=INT,HUP python3 "$top/test/run/ungathered_orphans.py" "$@" >"$D/out" 2>"$D/err" 3>&- &
	parent=$!
	wait_until 10 grep -q . "$D/pid"
	worker=$(<"$D/pid")
}

# A worker that is PID 1 of a namespace of its own. Where nobody may make one (an ordinary user in a chroot) it only has the parent
# that PID 1 would have.
work_as_init() { # ARG...
	local namespace=(unshare -pf --mount-proc)
	"${namespace[@]}" true 2>/dev/null || namespace+=(--propagation unchanged) # in a chroot
	"${namespace[@]}" true 2>/dev/null || namespace=(unshare -Urpf --mount-proc)
	"${namespace[@]}" true 2>/dev/null || {
		work_ungathered "$@"
		return
	}
	env --default-signal=INT,HUP "${namespace[@]}" dq-run "$@" >"$D/out" 2>"$D/err" 3>&- &
	parent=$!
	wait_until 10 eval 'grep -qzx dq-run "/proc/$(pgrep -P "$parent")/cmdline"'
	worker=$(pgrep -P "$parent")
}

no_zombies() {
	[ "$(pgrep -c -r Z -P "$worker")" = 0 ]
}

ends_the_command_of_a_message_that_is_gone() {
	wait_until 10 test -e "$D/first"
	dq-rm "$q/x"
	wait_until 10 test -e "$D/second"
	wait_until 10 no_zombies # one that has just ended may still be one
	kill "$worker"
	exits 143 "$parent"
	holds 0 0 0 0
}

# sh dies of TERM before sleep does, which nobody gathers then: a zombie is no sign of life.
two_messages() {
	dq-put -q -i x -t 3s "$q" first
	dq-put -q -i y "$q" second
	set -- --kill-after 1h "$q" -- sh -c 'read -r name; : >"$D/$name"; [ "$name" = second ] || { sleep 3600; true; }'
	"$work" "$@"
	ends_the_command_of_a_message_that_is_gone
}

@test "no process gathers orphans: a command whose message is removed ends, and the next one runs" {
	work=work_ungathered two_messages
}

@test "PID 1: a command whose message is gone ends, and the next one runs" {
	work=work_as_init two_messages
}

@test "PID 1: TERM, INT and HUP end it, with their exit statuses" {
	local signal
	for signal in TERM=143 INT=130 HUP=129; do
		work_as_init "$q" -- true
		wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-run-wait'
		kill "-${signal%=*}" "$worker"
		exits "${signal#*=}" "$parent"
		wait_until 10 eval '! rcli CLIENT LIST | grep -q name=dq-run'
	done
}

@test "PID 1: TERM while it starts, and waits for Redis" {
	start_fake "$q" ''
	export DQ_URL=unix://:secret@$T/$q/s
	work_as_init --timeout 1h "$q" -- true
	wait_until 10 eval 'readlink "/proc/$worker/fd/"* | grep -q "^socket:"'
	kill "$worker"
	exits 143 "$parent"
}

@test "PID 1: two TERMs end the commands, and give the messages back" {
	dq-put -q -i x "$q" x
	work_as_init --kill-after 1h "$q" -- sh -c ': >"$D/first"; sleep 3600; true'
	wait_until 10 test -e "$D/first"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$parent"'
	exits 143 "$parent"
	holds 0 1 0 0
	equal "$(tries x)" 0
}

# Each command leaves a process that ends at once, for which it does not wait, and one that ends with $D/gate.
daemons() {
	mkfifo "$D/gate"
	seq 300 | dq-put -q -l "$q"
	"$1" -j 4 "$q" -- sh -c 'setsid sh -c "echo \$\$ >>\"\$D/daemons\"; : <\"\$D/gate\"; echo >>\"\$D/ended\"" & (true &); exit 0'
	wait_until 60 eval '[ "$(states)" = "0 0 0 0" ]'
	wait_until 10 eval '[ "$(wc -l <"$D/daemons")" = 300 ]'
	wait_until 10 no_zombies
	wait_until 10 eval '[ "$(ps -o pid= --ppid "$worker" | wc -l)" = 300 ]' # those that end at once may not have ended yet
	exec 9<>"$D/gate"
	wait_until 30 eval '[ "$(ps -o pid= --ppid "$worker" | wc -l)" = 0 ]'
	exec 9>&-
	equal "$(wc -l <"$D/ended")" 300
	kill "$worker"
	exits 143 "$parent"
	equal "$(cat "$D/err")" ''
}

@test "daemons that commands leave live on, and are gathered when they end" {
	daemons work_ungathered
}

@test "PID 1: daemons that commands leave live on, and are gathered when they end" {
	daemons work_as_init
}

@test "a daemon that left the group outlives its command, even one that must end, and the worker" {
	dq-put -q -i x "$q" x
	work_ungathered --kill-after 1h "$q" -- sh -c \
		'setsid sh -c "trap : TERM; echo \$\$ >\"\$D/daemon\"; sleep 3600; :" & : >"$D/first"; wait'
	wait_until 10 test -s "$D/daemon"
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$worker"'
	exits 143 "$parent"
	kill -0 "$(<"$D/daemon")"
	holds 0 1 0 0
}

# Other processes end at the same time: their statuses must not count as that of the command.
@test "each exit status goes to its own command" {
	seq 200 | sed 's/.*/-\tm&\t&/' | dq-put -q -b 1h --tsv "$q"
	run -123 --separate-stderr dq-run --once -j 200 "$q" -- sh -c 'read -r n; (exit 9) & (exit 7 &); exit $((n % 5 * 10))'
	local n
	holds 160 0 0 0
	for n in {1..4} {96..99} {196..199}; do
		[ $((n % 5)) -eq 0 ] || equal "$(field try "m$n" | sed 1d)" "exit status $((n % 5 * 10))"
	done
}

# KILL fails, as for a process that hangs in the kernel.
@test "a process that even KILL does not end is abandoned, whatever it said: the worker ends, and the message stays leased" {
	dq-put -q -i x "$q" x
	strace -o "$D/trace" -e trace=kill -e inject=kill:error=EPERM dq-run --kill-after 100ms "$q" -- sh -c \
		'echo done >&3; echo $$ >"$D/pid"; sleep 3600; true' 2>"$D/err" 3>&- &
	parent=$!
	wait_until 10 grep -q . "$D/pid"
	worker=$(pgrep -P "$parent")
	kill "$worker"
	wait_until 10 eval 'kill "$worker"; ended "$parent"'
	exits 143 "$parent"
	kill -0 "$(<"$D/pid")"
	equal "$(grep -c "^dq-run: $q/x: its command did not end after KILL: not settled\$" "$D/err")" 1
	holds 0 0 1 0
	grep -q SIGKILL "$D/trace"
}

@test "daemons that hold their outputs do not use up the descriptors of the worker" {
	seq 40 | dq-put -ql "$q"
	local leaves='exec tail -f /dev/null >/dev/null 3>&- & echo $! >>"$D/daemons"'
	run -0 timeout 60 bash -c 'ulimit -n 48; exec dq-run --drain "$0" -- sh -c "$1"' "$q" "$leaves"
	holds 0 0 0 0
	equal "$(wc -l <"$D/daemons")" 40
}
