# Goal: An operator sees who holds a lease, and ends the leases of a host that is gone, and no others.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load common

holder() { # ID
	dq-stat "$q/$1" | awk -F '\t' '$1 == "holder" { print $2 }'
}

where() { # ID...: their states
	dq-stat --json "${@/#/$q/}" | jq -r .state | paste -sd' '
}

# Three hosts, of which one has a name that begins with that of another.
held() {
	local n=0 worker
	for worker in web:1 web:2 web2:1 mail.a; do
		dq-put -q -i "m$((++n))" "$q" "$n"
		DQ_WORKER=$worker dq-take -t 1h "$q" >>"$T/taken"
	done
}

@test "who has a lease: DQ_WORKER, else the host and the process that called dq-take" {
	dq-put -q -i x "$q" x
	equal "$(holder x)" -
	env -u DQ_WORKER bash -c 'dq-take -t 1h "$1" >/dev/null; echo "$(hostname):$$"' - "$q" >"$T/me"
	equal "$(holder x)" "$(<"$T/me")"
	equal "$(dq-stat --json "$q/x" | jq -r .holder)" "$(<"$T/me")"
	equal "$(dq-stat --messages leased "$q" | cut -f 6)" "$(<"$T/me")"
	equal "$(dq-stat --messages leased --json "$q" | jq -r .holder)" "$(<"$T/me")"
	dq-put -q -i y "$q" y
	DQ_WORKER=mail@1 dq-take --no-promote "$q" >"$T/y"
	equal "$(holder y)" mail@1
	dq-ack -g <"$T/y"
	equal "$(holder y) $(dq-stat --json "$q/y" | jq .holder)" '- null'
	equal "$(dq-stat --messages ready "$q" | cut -f 6)" -
}

@test "who has a lease: of a command, its dq-run; the command inherits DQ_WORKER" {
	local pid
	dq-put -q -i x "$q" x
	mkfifo "$T/go"
	env -u DQ_WORKER dq-run --once "$q" -- sh -c 'echo "$PPID" >"$1/pid"; read -r line <"$1/go"' - "$T" 3>&- &
	pid=$!
	wait_until 20 test -s "$T/pid"
	equal "$(holder x)" "$(hostname):$pid"
	echo >"$T/go"
	wait "$pid"
	dq-put -q -i y "$q" y
	equal "$(DQ_WORKER=me dq-run --once "$q" -- sh -c 'echo "$DQ_WORKER $(dq-stat --json "$DQ_NAME" | jq -r .holder)"')" 'me me'
}

@test "a DQ_WORKER that no tool could show is refused" {
	local long worker
	printf -v long '%101s' ''
	for worker in 'a b' $'a\tb' $'\xc3\xa4' "${long// /x}"; do
		DQ_WORKER=$worker fails 78 '^DQ_WORKER: not 1 to 100 printable characters without blanks$' dq-take "$q"
		DQ_WORKER=$worker fails 78 '^DQ_WORKER: not 1 to 100 printable' dq-run --once "$q" -- true
	done
	dq-put -q -i x "$q" x
	DQ_WORKER=${long:1} dq-take "$q" && return 1
	worker=${long:1}
	DQ_WORKER=${worker// /x} dq-take "$q" >/dev/null
	equal "$(holder x)" "${worker// /x}"
}

@test "a holder that a foreign client wrote is escaped" {
	dq-put -q -i x "$q" x
	DQ_WORKER=me dq-take "$q" >/dev/null
	rcli HSET "dq:{$q}:try" x $'1 5 5@\e[2J\xff" \nwhy' >/dev/null
	equal "$(holder x)" '\x1b[2J\xff"'
	equal "$(dq-stat --messages leased "$q" | cut -f 6)" '\x1b[2J\xff"'
	equal "$(dq-stat --json "$q/x" | jq -r .holder)" '\x1b[2J\xff"'
}

@test "--release --holder: the leases of a host, or of one process, and no others" {
	held
	run -0 --separate-stderr dq-promote --release -v --holder web:2 "$q"
	equal "$stderr" 'dq-promote: 1 released'
	equal "$(where m1 m2 m3 m4)" 'leased ready leased leased'
	run -0 --separate-stderr dq-promote --release -v --holder web "$q"
	equal "$stderr" 'dq-promote: 1 released'
	equal "$(where m1 m2 m3 m4)" 'ready ready leased leased'
	dq-promote --release --holder mail "$q"
	equal "$(where m1 m2 m3 m4)" 'ready ready leased leased'
	dq-promote --release --holder mail.a <<<"$q"
	equal "$(where m1 m2 m3 m4)" 'ready ready leased ready'
	equal "$(dq-stat --json "$q/m1" | jq -c '[.tries, .reason, .holder]')" '[1,"released",null]'
	equal "$(dq-ack <"$T/taken" 2>&1 >/dev/null | grep -c 'no longer valid')" 3
}

@test "--release --holder: of named messages, only those that it has" {
	held
	run -1 --separate-stderr dq-promote --release --holder web "$q/m1" "$q/m3" "$q/none"
	equal "$stderr" "dq-promote: $q/m3: not released: another consumer has it
dq-promote: $q/none: not released: no such message"
	equal "$(where m1 m2 m3 m4)" 'ready leased leased leased'
}

@test "--release --holder: a message that another consumer took since is left to it" {
	held
	dq-promote --release "$q/m1"
	DQ_WORKER=web2:7 dq-take "$q" >/dev/null
	run -1 dq-promote --release -q --holder web "$q/m1"
	equal "$(holder m1) $(where m1)" 'web2:7 leased'
}

@test "--release --holder: --dry-run prints their names; -n" {
	held
	run -0 --separate-stderr dq-promote --release --dry-run --holder web "$q"
	equal "$output" "$q/m1
$q/m2"
	run -1 --separate-stderr dq-promote --release --dry-run --holder web "$q/m2" "$q/m3"
	equal "$output" "$q/m2"
	equal "$stderr" "dq-promote: $q/m3: not released: another consumer has it"
	equal "$(where m1 m2 m3 m4)" 'leased leased leased leased'
	dq-promote --release -n 1 --holder web "$q"
	equal "$(where m1 m2 m3 m4)" 'ready leased leased leased'
}

@test "--release --holder: several pages, with others' leases in between; a last try is reported" {
	seq 2400 | dq-put -q -l "$q"
	dq-put -q -r 1 -p 0 -i last "$q" x
	DQ_WORKER=gone:1 dq-take -t 1h "$q" >/dev/null
	for worker in gone:1 there:1 gone:2; do
		DQ_WORKER=$worker dq-take -t 1h -n 800 "$q" >/dev/null || return
	done
	run -0 --separate-stderr dq-promote --release -v --holder gone "$q"
	equal "$stderr" "dq-promote: $q/last: released, and dead: out of tries
dq-promote: 1600 released
dq-promote: 1 dead: out of tries"
	equal "$(dq-stat --messages leased "$q" | cut -f 6 | sort | uniq -c | tr -s ' ')" ' 800 there:1'
}

@test "--release --holder: several shards" {
	local n
	dq-set "$q" shards=3
	seq 60 | dq-put -q -l "$q"
	for n in 1 2 3 4 5 6; do
		DQ_WORKER=w$((n % 2)) dq-take -n 8 "$q" >/dev/null || return
	done
	n=$(dq-stat --messages leased "$q" | cut -f 6 | grep -c w1)
	run -0 --separate-stderr dq-promote --release -v --holder w1 "$q"
	equal "$stderr" "dq-promote: $n released"
	equal "$(dq-stat --messages leased "$q" | cut -f 6 | sort -u)" w0
}

@test "--release --holder: operands and options that it accepts" {
	fails 64 '^--holder: only with --release$' dq-promote --holder web q
	fails 64 '^--holder: only with --release$' dq-promote --dead --holder web q
	fails 64 '^--holder: not 1 to 100 printable characters without blanks$' dq-promote --release --holder 'a b' q
	fails 64 '^--holder: not 1 to 100' dq-promote --release --holder '' q
	fails 64 '^"q": not the name of a message' dq-promote --release q
}
