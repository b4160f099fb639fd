# Goal: Each tool, in each of its modes, with only the rights of a role of dq-scripts(7): it works, or ends with 77, names the missing
# right, and changes nothing.
# shellcheck disable=SC2016,SC2034  # the table is for eval

bats_require_minimum_version 1.5.0

load ../helper
load ../acl

# One message ready, one leased, one delayed and one dead. $r is the receipt.
fill() {
	dq-rm -afq "$q.x" || return
	dq-put -q -t 1h -i l "$q.x" l
	r=$(dq-take "$q.x" | cut -f1)
	dq-put -q -i b "$q.x" b
	dq-take "$q.x" | dq-ack -b
	dq-put -q -i x "$q.x" x
	dq-put -q -d 1h -i d "$q.x" d
	holds 1 1 1 1 "$q.x" && dq-dump "$q.x" >"$T/dump" || return
	before=$(digest "$q.x")
}

# The exit status for a producer, a consumer, an operator and a monitor; and the command.
table() {
	cat <<'END'
  0   0   0  77  dq-put -q $q.x y
  0   0   0  77  dq-put -q -d 1h $q.x y
 77   0   0  77  dq-put -q -e replace -i x $q.x y
 77   0   0  77  dq-put -q -e earlier -i d $q.x y
 77   0   0  77  dq-put -q -e later -i d -d 2h $q.x y
 77   0   0  77  dq-put -q --existing -e replace -i x $q.x y
  0   0   0  77  dq-put -q -x 1h $q.x y
  0   0   0  77  dq-put -q --unique-for 1h $q.x y
 77   0   0  77  dq-take $q.x
 77   0   0  77  dq-take --ack $q.x
 77   0   0  77  dq-take --no-promote $q.x
 77   0   0  77  dq-take --until-empty $q.x
 77   1   1  77  dq-take -w 20ms $q.none
 77   0   0  77  dq-run --once $q.x -- true
 77 123 123  77  dq-run --until-empty $q.x -- false
 77   0   0  77  dq-ack $r
 77   0   0  77  dq-ack -r $r
 77   0   0  77  dq-ack -b $r
 77   0   0  77  dq-ack -g $r
  0   0   0  77  dq-ack -x 5m $r
 77   0   0  77  dq-ack -g -d 1h $r
 77   0   0  77  dq-rm $q.x/d
 77  77   0  77  dq-rm -af $q.x
 77   0   0  77  dq-rm -af --state ready $q.x
 77   0   0   0  dq-rm -a --dry-run $q.x
  0   0   0   0  dq-rm --dry-run $q.x/d
 77  77   0  77  dq-rm -af $q.none
 77   0   0  77  dq-promote $q.x
 77  77   0  77  dq-promote
 77   0   0  77  dq-promote $q.x/d
 77   0   0  77  dq-promote --dead $q.x
 77   0   0  77  dq-promote --dead $q.x/b
 77   0   0   0  dq-promote --dead --dry-run $q.x
 77   0   0  77  dq-promote --release $q.x/l
 77   0   0   0  dq-set $q.x
 77  77   0  77  dq-set $q.x paused=yes
 77  77   0  77  dq-set $q.x paused=no
 77   0   0   0  dq-promote --dry-run $q.x
 77   0   0  77  dq-promote -f --for 20ms $q.x
 77  77   0   0  dq-stat
 77   0   0   0  dq-stat $q.x
  0   0   0   0  dq-stat $q.x/d
  0   0   0   0  dq-stat --payload $q.x/d
 77   0   0   0  dq-stat --messages all $q.x
 77   0   0   0  dq-stat --messages all --payload $q.x
 77   0   0   0  dq-stat --next $q.x
 77  77   0   0  dq-stat --names
 77  77   0   0  dq-stat --prometheus
  3   3   1   1  dq-stat --check $q.x
  0  77   0  77  dq-gc $q.x
 77  77   0  77  dq-gc
 77  77   0  77  dq-gc --check $q.x
 77  77   0  77  dq-gc --repair $q.x
 77   0   0   0  dq-gc --dry-run --dead-for 0s $q.x
 77  77   0  77  dq-gc --dead-for 0s $q.x
 77  77   0   0  dq-dump $q.x
 77  77   0   0  dq-dump
 77   0   0  77  dq-load $T/dump
 77   0   0  77  dq-load -q -e replace $T/dump
END
}

refused_well() {
	grep -q ': emptied, but not removed: ' "$T/err" || equal "$after" "$before" || return
	matches "$(<"$T/err")" 'NOPERM .*([Nn]o right|[Nn]o permissions) to ' || return
	[[ $(<"$T/err") != *perhaps* ]]
}

# What changes nothing leaves the queue to the next.
try_as() { # ROLE STATUS COMMAND
	local status=0 words
	[ "$after" = "$before" ] || fill || return
	eval "words=($3)"
	DQ_URL=unix://dq-$1:secret@$T/main/s timeout -k 1 30 "${words[@]}" >"$T/out" 2>"$T/err" </dev/null || status=$?
	after=$(digest "$q.x")
	if ! equal "$status" "$2" || grep -q 'ERR ' "$T/err" || { [ "$status" -eq 77 ] && ! refused_well; }; then
		echo "$1: $3"
		cat "$T/err"
		return 1
	fi
}

run_as() { # ROLE COLUMN
	local status command before=none after='' bad=0 n=0
	set_user "$1"
	rcli SCRIPT FLUSH >/dev/null
	while read -r status command; do
		try_as "$1" "$status" "$command" || bad=1
		n=$((n + 1))
	done < <(table | awk -v column="$2" '{ status = $column; $1 = $2 = $3 = $4 = ""; print status, $0 }')
	[ "$n" -gt 50 ]
	return "$bad"
}

@test "a producer" {
	run_as producer 1
}

@test "a consumer" {
	run_as consumer 2
}

@test "an operator" {
	run_as operator 3
}

@test "a monitor" {
	run_as monitor 4
}
