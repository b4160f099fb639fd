# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# What dq-put prints about a message that exists.

# What dq-put -v prints about the message, without the count at the end.
says() { # TEXT OPTION...
	local text=$1
	shift
	run -0 --separate-stderr dq-put -v "$@"
	equal "$output" "$q/x"
	equal "${stderr_lines[*]}" "${text:+dq-put: $q/x: $text }dq-put: $q: 1 accepted, 0 refused"
}

refused() { # OPTION...
	fails 1 "^$q/x: not put: there is such a message already(, and it is dead .*)?\$" dq-put "$@"
}

# The id is still reserved by --unique-for: its message was acked.
reserved() { # OPTION...
	fails 1 "^$q/x: not put: its message was acked, and the id is still reserved \\(--unique-for\\)\$" dq-put "$@"
}
