# shellcheck shell=bash
# A way to the server on which the first answer of these letters, or of these and a generation, is lost, and its connection with it.
# Before that is seen, the command has ended.
start_cut() { # LETTERS [COMMAND...]
	python3 - "$T/cut" "$T/main/s" "$@" 3>&- <<-'PYTHON' &
		import os, re, socket, subprocess, sys, threading
		def connect():
		    s = socket.socket(socket.AF_UNIX)
		    s.connect(sys.argv[2])
		    return s
		def copy(a, b):
		    while data := a.recv(65536): b.sendall(data)
		    b.shutdown(socket.SHUT_RDWR)
		def first(c):
		    s = connect()
		    threading.Thread(target=copy, args=(c, s), daemon=True).start()
		    answer = re.compile(rb"\$\d+\r\n%s( \d+)?\r\n" % sys.argv[3].encode())
		    while not answer.search(data := s.recv(65536)): c.sendall(data)
		    if sys.argv[4:]: subprocess.run(sys.argv[4:], stdout=subprocess.DEVNULL)
		    c.shutdown(socket.SHUT_RDWR)
		def other(c):
		    s = connect()
		    threading.Thread(target=copy, args=(c, s), daemon=True).start()
		    copy(s, c)
		listener = socket.socket(socket.AF_UNIX)
		listener.bind(sys.argv[1] + ".new")
		listener.listen(20)
		os.rename(sys.argv[1] + ".new", sys.argv[1]) # whoever sees it can connect
		serve = first
		while True:
		    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
		    serve = other
	PYTHON
	cut=$!
	disown
	wait_until 10 test -S "$T/cut"
}

stop_cut() {
	kill "$cut"
	rm "$T/cut"
}
