# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# One message in each state, and a terminal.

# One message in each state, named as the state.
one_of_each() {
	dq-put -q -i dead -r 1 "$q" x
	dq-take "$q" >"$T/dead"
	later 60001
	dq-promote "$q"
	dq-put -q -i due -d 1h "$q" x
	later 3600001
	dq-put -q -i delayed -d 1h "$q" x
	dq-put -q -i leased -p 1 "$q" x
	dq-take --no-promote "$q" >"$T/leased"
	dq-put -q -i ready "$q" x
	holds 2 1 1 1
}

# A terminal: its keyboard input is stdin here, its screen is stdout.
terminal() { # COMMAND
	local ended=0
	command script -qec "$1" /dev/null >"$T/screen" || ended=$?
	tr -d '\r' <"$T/screen"
	return "$ended"
}
