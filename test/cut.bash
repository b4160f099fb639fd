# shellcheck shell=bash disable=SC2154
# A way to the server on which the first answer of these letters, of these and a generation, or of that error, is lost, and its connection
# with it. The command ends before the tool sees the loss.
start_cut() { # LETTERS [COMMAND...]
	python3 "$top/test/tool/cut.py" "$T/cut" "$T/main/s" "$@" 3>&- &
	cut=$!
	disown
	wait_until 10 test -S "$T/cut"
}

stop_cut() {
	kill "$cut"
	rm "$T/cut"
}
