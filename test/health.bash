# shellcheck shell=bash disable=SC2154
# What the tests of dq-stat --check share.

# It ends with that status, says nothing on stderr, and its lines are these, each a regex; those of level ok are only looked at
# where all is ok.
finds() { # STATUS REGEX...  of the queues in $on
	local wanted=$1 line
	shift
	# shellcheck disable=SC2086
	run --separate-stderr timeout -k 1 10 dq-stat --check ${on:-}
	equal "$stderr" '' || return
	equal "$status" "$wanted" || {
		echo "$output"
		return 1
	}
	for line in "${lines[@]}"; do
		matches "$line" '^(ok|warning|critical|unknown)'$'\t''[a-z_-]+'$'\t''[^'$'\t'']+$' || return
		[[ $wanted == 0 || $line != ok* ]] || continue
		[ $# -gt 0 ] || {
			echo "not wanted: $line"
			return 1
		}
		matches "${line//$'\t'/ }" "^$1" || return
		shift
	done
	equal "lines left: $*" 'lines left: '
}

# A server that tells what is in the files of its folder: info, config (NAME VALUE lines; without it CONFIG is not allowed), and
# ahead, the seconds by which its clock is so.
start_teller() { # NAME
	local dir=$T/$1
	mkdir -p "$dir"
	python3 - "$dir" 3>&- <<-'PYTHON' &
		import os, socket, sys, threading, time
		def read(name):
		    try: return open(sys.argv[1] + "/" + name).read()
		    except FileNotFoundError: return None
		def bulks(words):
		    return "*%d\r\n" % len(words) + "".join("$%d\r\n%s\r\n" % (len(w.encode()), w) for w in words)
		def answer(words):
		    if words[0] == "INFO":
		        text = read("info").replace("\n", "\r\n")
		        return "$%d\r\n%s\r\n" % (len(text.encode()), text)
		    if words[0] == "CONFIG":
		        config = read("config")
		        if config is None: return "-NOPERM this user has no permissions to run the 'config|get' command\r\n"
		        return bulks([w for line in config.splitlines() for w in line.split(" ", 1)])
		    if words[0] == "TIME":
		        now = time.time() + float(read("ahead") or 0)
		        return bulks(["%d" % now, "%d" % (now % 1 * 1e6)])
		    return {"ZSCAN": "*2\r\n$1\r\n0\r\n*0\r\n", "HEXISTS": ":0\r\n"}.get(words[0], "+OK\r\n")
		def serve(c):
		    f = c.makefile("rb")
		    while line := f.readline():
		        words = [f.read(int(f.readline()[1:]) + 2)[:-2].decode() for _ in range(int(line[1:]))]
		        c.sendall(answer(words).encode())
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + "/new")
		s.listen(20)
		os.rename(sys.argv[1] + "/new", sys.argv[1] + "/s")
		while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
	PYTHON
	echo $! >"$dir/pid"
	disown
	wait_until 10 test -S "$dir/s"
}
