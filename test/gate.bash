# shellcheck shell=bash disable=SC2154
# A way to the main server, or to $SERVER, on which things can be held up or lost (test/tool/gate.py): rules are files in $T/rules.
start_gate() {
	mkdir -p "$T/rules"
	python3 "$top/test/tool/gate.py" "$T/gate" "$T/${SERVER:-main}/s" "$T/rules" 3>&- &
	echo $! >"$T/rules/pid"
	disown
	wait_until 30 test -S "$T/gate"
}

rule() { # NAME
	: >"$T/rules/$1"
}

lift() { # NAME
	rm "$T/rules/$1"
}

came() { # TEXT: a rule about it holds something up
	[ -e "$T/rules/held.$1" ]
}

# For a signal that is to come before an answer: it is delivered once it is pending no longer.
delivered() { # PID
	grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"
}
