# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# What dq-put says of a message that is there already.

# What dq-put -v says about the message, without the count at the end.
says() { # TEXT OPTION...
	local text=$1
	shift
	run -0 --separate-stderr dq-put -v "$@"
	equal "$output" "$q/x"
	equal "${stderr_lines[*]}" "${text:+dq-put: $q/x: $text }dq-put: $q: 1 accepted, 0 refused"
}

refused() { # OPTION...
	fails 1 "^$q/x: not put: there is such a message already\$" dq-put "$@"
}

# Of an id that --unique-for still reserves, whose message was acked.
reserved() { # OPTION...
	fails 1 "^$q/x: not put: its message was acked, and the id is still reserved \\(--unique-for\\)\$" dq-put "$@"
}
