# Goal: In every kind of failure a tool ends with the exit status for it and reports it in one line.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover

tools() {
	(cd "$top/cmd" && printf '%s\n' *)
}

# Arguments with which the tool does its work on queue $q, and, said to it, changes or shows something.
arguments() { # TOOL
	case $1 in
	dq-put) echo "$q payload" ;;
	dq-ack | dq-rm) echo "$q/id@1" ;;
	dq-run) echo "--once $q -- true" ;;
	dq-stat) echo "--no-header $q" ;;
	dq-wait) echo "-w 0 $q/id" ;;
	dq-load)
		printf '{"queue":"%s","id":"id","due_ms":1,"payload":"x"}\n' "$q" >"$T/line"
		echo "$T/line"
		;;
	*) echo "$q" ;;
	esac
}

# Each tool (but those in $without) fails like that. Options may come first.
all_fail() { # STATUS REGEX [OPTION...]
	local tool args code=$1 regex=$2 bad=0
	shift 2
	for tool in $(tools); do
		[[ " ${without-} " != *" $tool "* ]] || continue
		read -ra args < <(arguments "$tool")
		fails "$code" "$regex" "$tool" "$@" "${args[@]}" </dev/null || {
			echo "in: $tool $*"
			bad=1
		}
	done
	return "$bad"
}

@test "unknown options, options without their argument, ambiguous ones" {
	all_fail 64 '^--bogus: ' --bogus
	all_fail 64 '^-Z: unknown option$' -Z
	all_fail 64 '^-Z: unknown option$' --verbose -Zv
	all_fail 64 '^--p: ' --p
	all_fail 64 '^--help: takes no argument$' --help=x
	local tool
	for tool in $(tools); do
		fails 64 '^-u: needs an argument$' "$tool" -u
		fails 64 '^--password-file: needs an argument$' "$tool" --password-file
	done
}

@test "the name of an unknown option is shown escaped" {
	all_fail 64 '^--x\\x1b\[31m\\n: ' $'--x\e[31m\n'
	all_fail 64 '^-\\x1b: ' $'-\e'
}

# How few descriptors are too few depends on what the tool opens before. A search for leaks needs more of them.
@test "no descriptor for a connection: 75" {
	local few
	for few in {24..3}; do
		ASAN_OPTIONS=detect_leaks=0 run --separate-stderr bash -c "ulimit -n $few; exec dq-put -q \"\$0\" x" "$q" 3>&-
		[ "$status" = 0 ] || break
	done
	equal "$status" 75
	matches "$stderr" '^dq-put: .*: too many open files$'
}

@test "missing operands" {
	local tool
	fails 64 '^no queue given$' dq-put
	fails 64 '^no queue given$' dq-put -l
	fails 64 '^no queue given$' dq-take
	for tool in dq-put dq-take dq-promote dq-stat dq-gc dq-dump; do
		fails 64 '^"": a queue' "$tool" ''
	done
}

@test "bad URLs" {
	local url
	for url in '' localhost http://h/ redis:/h redis://h:0 redis://h:65536 redis://h:x redis://h/x redis://h/-1 redis://h/01 \
		'redis://[::1' redis://h/0#x 'redis://h h' redis://x@h redis://a@b@h unix://rel/path unix:// 'unix:///x?db=x' \
		redis://h/%00 'redis://:%zz@h' redis://h:1:2; do
		fails 64 '^-u: ' dq-stat -u "$url" "$q"
	done
	all_fail 64 '^-u: ' -u http://h/
	DQ_URL=bogus all_fail 64 '^DQ_URL: '
	env -u DQ_URL REDIS_URL=bogus true
	local saved=$DQ_URL
	unset DQ_URL
	REDIS_URL=bogus all_fail 64 '^REDIS_URL: '
	export DQ_URL=$saved
	fails 64 'user:password@.* :password@' dq-stat -u redis://x@h
}

@test "Sentinels without a master's name are 64, unreachable Sentinels 69" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	all_fail 64 "^-u: after the Sentinels belongs /MASTER" -u redis+sentinel://127.0.0.1:1
	all_fail 69 '^no Sentinel can be reached: 127.0.0.1:1 ' -u redis+sentinel://127.0.0.1:1/m
}

@test "a URL with a password is refused as an argument" {
	run -64 --separate-stderr dq-stat -u redis://:Zq7-secret-canary@127.0.0.1:1
	matches "$stderr" '^dq-stat: -u: other users can see a password in the arguments'
	[[ $output$stderr != *canary* ]]
}

@test "Redis is unreachable: 69" {
	all_fail 69 "^unix://$T/none: no such socket: $T/none\$" -u "unix://$T/none"
	all_fail 69 "^redis://127.0.0.1:1/0: connection refused\$" -u redis://127.0.0.1:1
}

@test "a socket without a server: 69" {
	python3 "$top/test/failure/dead_socket.py" "$T/dead"
	all_fail 69 "^unix://$T/dead: connection refused\$" -u "unix://$T/dead"
	: >"$T/file"
	all_fail 69 "^unix://$T/file: " -u "unix://$T/file"
}

@test "a host that does not exist: 69" {
	all_fail 69 '^redis://no-such-host.invalid:6379/0: ' -u redis://no-such-host.invalid
}

@test "a socket path of 108 bytes and more: 64, and says how long it may be" {
	local path=/tmp/
	while [ ${#path} -lt 108 ]; do path+=x; done
	all_fail 64 'socket path is 108 bytes long, at most 107 are possible$' -u "unix://$path"
	all_fail 69 'no such socket: ' -u "unix://${path%x}"
	while [ ${#path} -lt 150 ]; do path+=x; done
	all_fail 64 'socket path is 150 bytes long, at most 107 are possible$' -u "unix://$path"
}

@test "passwords: wrong, needed, and the ways to give one" {
	local url tool
	start_server auth --requirepass 'Zq7 secret/canary'
	url=unix://$T/auth/s
	all_fail 77 'NOAUTH |unauthenticated' -u "$url"
	export REDISCLI_AUTH=wrong-canary
	all_fail 77 "^$url: (WRONGPASS |ERR invalid password)" -u "$url"
	[[ $stderr != *wrong-canary* ]]
	REDISCLI_AUTH='Zq7 secret/canary'
	run -0 dq-stat -u "$url"
	unset REDISCLI_AUTH
	DQ_URL="unix://:Zq7%20secret%2Fcanary@$T/auth/s" run -0 dq-stat
	DQ_URL="unix://default:Zq7%20secret%2Fcanary@$T/auth/s" run -0 dq-stat
	(umask 077 && printf 'Zq7 secret/canary\nmore\n' >"$T/password")
	run -0 --separate-stderr dq-stat -u "$url" --password-file "$T/password"
	equal "$stderr" ''
	DQ_PASSWORD_FILE=$T/password run -0 dq-stat -u "$url"
	(umask 077 && echo wrong >"$T/other")
	DQ_PASSWORD_FILE=$T/password fails 77 "^$url: " dq-stat -u "$url" --password-file "$T/other"
	stop_server auth
}

@test "password files: absent, empty, or open to others" {
	all_fail 78 "^$T/absent: password file: No such file or directory\$" --password-file "$T/absent"
	: >"$T/empty"
	chmod 600 "$T/empty"
	all_fail 78 "^$T/empty: password file: empty\$" --password-file "$T/empty"
	echo x >"$T/open"
	chmod 644 "$T/open"
	run --separate-stderr dq-stat --password-file "$T/open"
	matches "$stderr" "^dq-stat: $T/open: password file: others may read it"
}

# On a file system of its own, where the user seems to be root: "$1" is what happens to the file before dq-stat reads it.
warned_of_secret() { # COMMANDS
	unshare -rm bash -ec 'mount -t tmpfs none "$0" && cd "$0" && echo x >secret && eval "$1" && exec dq-stat --password-file secret' \
		"$T/secrets" "$1" 2>&1 | sed -n 's/.*: password file: //p'
}

@test "password files: no warning about a secret that a container lets all its users read" {
	local warning='others may read it (chmod 600)'
	# Like such a secret, it belongs to root and has the mode 0444.
	run --separate-stderr dq-stat --password-file /proc/uptime
	[[ $stderr != *"$warning"* ]]
	mkdir "$T/secrets"
	unshare -rm mount -t tmpfs none "$T/secrets" 2>/dev/null || return 0 # an ordinary user in a chroot
	equal "$(warned_of_secret 'chmod 644 secret')" "$warning"
	equal "$(warned_of_secret 'chmod 464 secret')" "$warning"
	equal "$(warned_of_secret 'chmod 444 secret')" ''
	equal "$(warned_of_secret 'chmod 644 secret && mount -o remount,ro "$0"')" ''
}

@test "a password file may end its line in CR LF; a CR elsewhere belongs to the password" {
	local url=unix://$T/lines/s file=$T/lines.password
	start_server lines --requirepass 'Zq7'
	(umask 077 && printf 'Zq7\r\nmore\r\n' >"$file")
	dq-stat -u "$url" --password-file "$file"
	printf 'Zq7\r' >"$file"
	fails 77 'WRONGPASS|invalid password' dq-stat -u "$url" --password-file "$file"
	printf '\r\n' >"$file"
	fails 78 "^$file: password file: its first line is empty" dq-stat -u "$url" --password-file "$file"
	stop_server lines
}

@test "a credential of systemd is the password file, unless another is named; its list of rights is no right of others" {
	local url=unix://$T/trusting/s
	start_server trusting --requirepass 'Zq7 secret/canary'
	mkdir "$T/credentials"
	unset DQ_URL
	export CREDENTIALS_DIRECTORY=$T/credentials
	fails 77 NOAUTH dq-stat -u "$url" # there is none yet
	echo 'Zq7 secret/canary' >"$T/credentials/dq.password"
	chmod 440 "$T/credentials/dq.password"
	run -0 --separate-stderr dq-stat -u "$url"
	equal "$stderr" ''
	run -0 --separate-stderr dq-stat -u "$url" --password-file "$T/credentials/dq.password"
	equal "$stderr" ''
	(umask 077 && echo wrong >"$T/own")
	DQ_PASSWORD_FILE=$T/own fails 77 'WRONGPASS|invalid password' dq-stat -u "$url"
	fails 77 'WRONGPASS|invalid password' dq-stat -u "$url" --password-file "$T/own"
	chmod 640 "$T/credentials/dq.password"
	: >"$T/credentials/dq.password"
	fails 78 "^$T/credentials/dq.password: password file: empty" dq-stat -u "$url"
	CREDENTIALS_DIRECTORY=${T#/} fails 77 NOAUTH dq-stat -u "$url"
	stop_server trusting
}

@test "a password for a server without one: 77" {
	REDISCLI_AUTH=x all_fail 77 "^$DQ_URL: "
}

@test "-u takes precedence over DQ_URL, and DQ_URL over REDIS_URL" {
	dq-put -q "$q" x
	local good=$DQ_URL bad=unix://$T/none
	export REDIS_URL=$bad
	DQ_URL=$good run -0 dq-stat "$q"
	DQ_URL=$bad run -0 dq-stat -u "$good" "$q"
	unset DQ_URL
	fails 69 none dq-stat "$q"
	REDIS_URL=$good run -0 dq-stat --no-header "$q"
	matches "$output" "^$q +0 +0 +1 "
	DQ_URL='' REDIS_URL=$good run -0 dq-stat "$q"
	export DQ_URL=$good
}

@test "a parameter of the URL that is not known: 64, and what it might have meant is not done" {
	all_fail 64 '^-u: the URL has an unknown parameter: x$' -u "$DQ_URL?x=s3cret"
	all_fail 64 '^-u: the URL has the parameter socket_timeout: use --timeout$' -u "$DQ_URL?socket_timeout=s3cret"
	REDIS_URL='redis://h/1?db=2' DQ_URL='' all_fail 64 '^REDIS_URL: two databases in one URL$'
}

@test "all of this over TCP, too" {
	local port
	start_tcp tcp
	DQ_URL=redis://127.0.0.1:$port dq-put -q "$q" x
	DQ_URL=valkey://127.0.0.1:$port/0 run -0 dq-take "$q"
	matches "$output" $'\tx$'
	stop_server tcp
}

@test "temporary answers: 75, once, and nothing else" {
	local without=dq-run # a worker waits until it is better
	local answer seconds also
	for answer in 'LOADING Redis is loading the dataset in memory' 'BUSY Redis is busy running a script' \
		"READONLY You can't write against a read only replica." 'OOM command not allowed' 'MISCONF Redis is configured' \
		'MASTERDOWN Link with MASTER is down' 'CLUSTERDOWN The cluster is down' 'TRYAGAIN x' 'NOREPLICAS x' \
		'ERR max number of clients reached'; do
		start_fake "${answer%% *}" "-$answer\\r\\n"
		seconds=20 also=
		# The cluster may be mended meanwhile: tools wait that long, and say so when a second has passed.
		# shellcheck disable=SC2034  # fails reads it
		[[ $answer != @(CLUSTERDOWN|TRYAGAIN)* ]] || seconds=2 also=': trying again for 2s$'
		all_fail 75 "${answer%% *} " -u "unix://$T/${answer%% *}/s" --timeout "${seconds}s"
	done
}

@test "answers that say no: 77" {
	start_fake noperm "-NOPERM this user has no permissions to run the 'evalsha' command\\r\\n"
	all_fail 77 NOPERM -u "unix://$T/noperm/s"
}

@test "a server without scripts: 78" {
	start_fake nocommand "-ERR unknown command 'EVALSHA'\\r\\n"
	all_fail 78 'unknown command' -u "unix://$T/nocommand/s"
}

@test "no Redis server at all: 78" {
	start_fake http 'HTTP/1.1 400 Bad Request\r\n\r\n'
	all_fail 78 'not the Redis protocol \(unix:///.*/http/s\)' -u "unix://$T/http/s"
}

@test "a password is wanted: 77" {
	start_fake noauth '-NOAUTH Authentication required.\r\n'
	all_fail 77 'the server wants a password .*NOAUTH.* \(unix:///.*/noauth/s\)' -u "unix://$T/noauth/s"
}

@test "a reply of the wrong kind is 70" {
	local answer made=0 without
	for answer in '+OK\r\n' ':1\r\n' '$-1\r\n' '*-1\r\n' '*0\r\n' '*1\r\n*1\r\n:1\r\n' '$3\r\nxyz\r\n' \
		'*9\r\n$1\r\nx\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n'; do
		start_fake "odd$((++made))" "$answer"
		without=
		[ "$answer" != '*0\r\n' ] || without=dq-gc # an empty list is an answer to it
		all_fail 70 'unexpected reply' -u "unix://$T/odd$made/s"
	done
}

@test "a server without EVAL: 78, and no script is quoted" {
	start_server noeval --rename-command EVAL ''
	all_fail 78 "unknown command 'EVAL'\$" -u "unix://$T/noeval/s"
	stop_server noeval
}

@test "an unknown error is 75, and shown escaped" {
	start_fake unknown '-WHAT \033[31mred\033[0m\r\n'
	local without=dq-run # which tries again
	all_fail 75 'WHAT \\x1b\[31mred\\x1b\[0m$' -u "unix://$T/unknown/s"
}

@test "a server that hangs: 75 after --timeout" {
	local without=dq-run # a worker waits until it is better
	start_fake hang ''
	all_fail 75 "^$q(/[^ :]+)?: (not [a-z]+: )?timed out after 50ms \(unix://$T/hang/s\)(:|\$)" -u "unix://$T/hang/s" --timeout 50ms
}

@test "a server that hangs from the start: 69 after --connect-timeout" {
	start_fake hang2 ''
	REDISCLI_AUTH=x all_fail 69 'timed out after [0-9.]+m?s$' -u "unix://$T/hang2/s" --connect-timeout 50ms
}

@test "a time-out of 0 is refused; one of 1ms is not" {
	local option duration
	for option in --timeout --connect-timeout; do
		for duration in 0 0s 0ms 0h0m; do
			all_fail 64 "^$option: at least 1ms\$" "$option" "$duration"
		done
		run dq-stat "$option" 0.0001 "$q"
		[ "$status" -ne 64 ]
	done
}

@test "a server that hangs up: 75" {
	local without='dq-run dq-wait' # a worker waits until it is better
	start_fake closes CLOSE
	all_fail 75 'connection closed|Broken pipe|reset by peer' -u "unix://$T/closes/s" --timeout 2s
	fails 75 "^$q/id: (connection closed|timed out)" dq-wait -u "unix://$T/closes/s" --timeout 2s -w 0 "$q/id" # its time is short
}

@test "keys of another type: 70, named, and nothing is written" {
	local before part
	for part in msg ready stat; do
		q=q$BATS_TEST_NUMBER.$part
		rcli SET "dq:{$q}:$part" mine >/dev/null
		before=$(digest)
		all_fail 70 "dq:\{$q\}:$part is a string, not a "
		equal "$(digest)" "$before"
	done
}

@test "a registry of another type: reported, and the modes that need it fail" {
	export DQ_PREFIX=$q
	rcli SET "{$q:queues}" mine >/dev/null
	run --separate-stderr dq-put "$q" x
	equal "$status" 0
	matches "$stderr" 'WRONGTYPE'
	DQ_PREFIX=$q holds 0 1 0 0
	local tool
	for tool in dq-stat dq-promote dq-gc dq-dump; do
		fails 70 "^[{]$q:queues}: WRONGTYPE" "$tool"
	done
}
