# Marks for those who wait: none is lost with who popped it, if it leaves in order.

bats_require_minimum_version 1.5.0

load helper

waits() { # [N]
	[ "$(rcli CLIENT LIST | grep -c 'name=dq-take-wait .*cmd=bzpopmin')" -ge "${1:-1}" ]
}

mark() { # PART MEMBER
	[ -n "$(score "$1" "$2")" ]
}

no_mark() {
	! mark "$@"
}

# A way to the server on which CLIENT UNBLOCK is held up, from the file asked until the file go.
start_gate() {
	rm -f "$T/asked" "$T/go"
	python3 - "$T/gate" "$T/main/s" "$T/asked" "$T/go" 3>&- <<-'PYTHON' &
		import os, socket, sys, threading, time
		def copy(a, b, gate):
		    try:
		        while data := a.recv(65536):
		            if gate and b"UNBLOCK" in data:
		                open(sys.argv[3], "w").close()
		                while not os.path.exists(sys.argv[4]): time.sleep(0.01)
		            b.sendall(data)
		        b.shutdown(socket.SHUT_RDWR)
		    except OSError:
		        pass
		def serve(c):
		    s = socket.socket(socket.AF_UNIX)
		    s.connect(sys.argv[2])
		    threading.Thread(target=copy, args=(c, s, True), daemon=True).start()
		    copy(s, c, False)
		listener = socket.socket(socket.AF_UNIX)
		listener.bind(sys.argv[1] + ".new")
		listener.listen(20)
		os.rename(sys.argv[1] + ".new", sys.argv[1]) # whoever sees it can connect
		while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
	PYTHON
	gate=$!
	disown
	wait_until 10 test -S "$T/gate"
}

@test "a taker that leaves with a message puts back the time that it was to watch" {
	dq-put -q -i later -d 1h "$q" x
	dq-take -w 60s -t 2h "$q" >"$T/taken" 3>&- &
	local taker=$!
	wait_until 10 no_mark timer t
	wait_until 10 waits
	dq-put -q "$q" now
	exits 0 "$taker"
	equal "$(score timer t)" "$(score delayed later)"
}

@test "a taker that is ended by a signal puts back the time that it was to watch" {
	dq-put -q -i later -d 1h "$q" x
	env --default-signal=TERM dq-take -f "$q" >"$T/taken" 3>&- &
	local taker=$!
	wait_until 10 no_mark timer t
	wait_until 10 waits
	kill -TERM "$taker"
	exits 143 "$taker"
	equal "$(score timer t)" "$(score delayed later)"
}

@test "a mark that comes while a wait is taken back is put back for the others" {
	start_gate
	env --default-signal=TERM dq-take -u "unix://$T/gate" -f "$q" >"$T/taken" 3>&- &
	local taker=$!
	wait_until 10 waits
	kill -TERM "$taker"
	wait_until 10 test -e "$T/asked"
	dq-put -q "$q" second
	wait_until 10 no_mark wake r
	touch "$T/go"
	exits 143 "$taker"
	kill "$gate"
	mark wake r
	equal "$(dq-take -w 60s "$q" | cut -f2)" second
}
