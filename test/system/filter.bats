# Goal: Tools and commands work under the filters of system calls of the units; what a filter rejects is an error, and kills nothing.
# systemd need not run.

bats_require_minimum_version 1.5.0

load ../helper

# A command under the filter of a unit.
under() { # UNIT COMMAND...
	python3 "$top/test/tool/filtered.py" "$top/share/systemd/$1" "${@:2}"
}

setup() {
	local status=0
	begin_test
	under dq-run@.service true 2>"$T/why" || status=$?
	[ "$status" -ne 69 ] || [ "${CI:-}" = true ] || skip "$(cat "$T/why")"
	export HOME=$T
}

@test "a command of dq-run does what handlers do every day: gzip, sed -i, chown, keys of memory; what it may not do, it sees" {
	dq-put -q -r 1 "$q" payload
	under dq-run@.service dq-run --once "$q" -- "$top/test/tool/stub/handler" >"$T/out" 2>"$T/err"
	equal "$(cat "$T/out" "$T/err")" 'all done'
	holds 0 0 0 0
	equal "$(cat "$T/file")" 'payload and more'
}

@test "dq-gc and dq-promote do their work" {
	dq-put -q -d 1s "$q" x
	later 2000
	under dq-promote.service dq-promote "$q"
	holds 0 1 0 0
	dq-take "$q" | dq-ack -b
	holds 0 0 0 1
	under dq-gc.service dq-gc --dead-for 0 "$q"
	holds 0 0 0 0
}

@test "no unit kills for a call: without its error number the test sees that" {
	local unit
	for unit in "$top"/share/systemd/*.service; do
		grep -qx 'SystemCallErrorNumber=EPERM' "$unit"
		run -125 under "${unit##*/}" chroot / true
		[[ $output == *'Operation not permitted'* ]]
	done
	grep -v '^SystemCallErrorNumber=' "$unit" >"$T/unit"
	ulimit -c 0
	run -159 python3 "$top/test/tool/filtered.py" "$T/unit" chroot / true
}
