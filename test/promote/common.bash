# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# Dead messages, and how long commands take and how they end.

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
