# Goal: dq-rm --state removes a message only in one of the named states, and reports why another message stays.

bats_require_minimum_version 1.5.0

load ../helper
load states

@test "--state: removes only messages in that state, else 1 with the reason" {
	local state other
	for state in delayed due ready leased dead; do
		rcli DEL "dq:{$q}:"{msg,delayed,ready,leased,dead,try} >/dev/null
		one_of_each
		for other in delayed due ready leased dead; do
			[ "$other" != "$state" ] || continue
			fails 1 "^$q/$other: not removed: $other\$" dq-rm --state "$state" "$q/$other"
			fails 1 "^$q/$other: not removed: $other\$" dq-rm --dry-run --state "$state" "$q/$other"
		done
		holds 2 1 1 1
		fails 1 "^$q/none: not removed: no such message\$" dq-rm --state "$state" "$q/none" "$q/$state"
		equal "$(field msg "$state")" ''
		audit
		run -1 --separate-stderr dq-rm -q --state "$state" "$q/leased" "$q/dead"
		equal "$output$stderr" ''
	done
}

@test "--state: several, separated by commas: cancels all but leased messages" {
	one_of_each
	run -1 --separate-stderr dq-rm -v --state delayed,due,ready "$q/delayed" "$q/due" "$q/ready" "$q/leased" "$q/dead"
	equal "$stderr" "dq-rm: $q/leased: not removed: leased
dq-rm: $q/dead: not removed: dead
dq-rm: 3 removed"
	holds 0 0 1 1
	dq-rm --state dead,leased "$q/leased" "$q/dead"
	holds 0 0 0 0
}

@test "--state: some of five" {
	fails 64 '^--state: "gone": not one or more of delayed, due, ready, leased, dead, with commas between$' dq-rm --state gone "$q/x"
	fails 64 '^--state: "": not one or more of' dq-rm --state= "$q/x"
	fails 64 '^--state: "\\x1b": not one or more of' dq-rm --state $'\e' "$q/x"
	local states
	for states in ',' 'due,' ',due' 'due,,ready' 'due, ready' 'due,gone'; do
		fails 64 '^--state: ".*": not one or more of' dq-rm --state "$states" "$q/x"
	done
	fails 64 '^--state: needs an argument$' dq-rm --state
}

@test "--state: a message in no state stays, and the reason names the repair" {
	dq-put -q -i lost "$q" x
	rcli ZREM "dq:{$q}:ready" lost >/dev/null
	fails 1 "^$q/lost: not removed: in no state: dq-gc --repair repairs it\$" dq-rm --state ready "$q/lost"
	fails 1 "^$q/lost: not removed: in no state: dq-gc --repair repairs it\$" dq-rm --dry-run --state ready "$q/lost"
	dq-rm "$q/lost"
}
