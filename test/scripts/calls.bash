# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# Calls the scripts directly, with the time as an argument.

now=1800000000000

# NAME=VALUE... for each message: id, when, record
put() {
	script put "$now" fail 100 '' '' "$@"
}

take() { # MS-AFTER-NOW WANTED [TTR [PROMOTE [BUDGET]]]  -> the reply, a line an element; records have a line of their own first
	script take "$((now + $1))" "$2" "${3-}" "${4-1}" "${5-1048576}"
}

promote() { # MS-AFTER-NOW [LIMIT]
	script promote "$((now + $1))" "${2-1000}"
}

token() { # ID
	field try "$1" | head -1 | cut -d' ' -f2
}

# The script refuses with that reply, and writes nothing.
refuses() { # REGEX SCRIPT ARG...
	local regex=$1 before
	shift
	before=$(digest)
	run script "$@"
	matches "$output" "$regex" || {
		printf '%q ' "$@"
		return 1
	}
	equal "$(digest)" "$before"
}
