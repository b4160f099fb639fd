# Goal: With several hosts in the URL the tools use the master, report the error of each host if none is a master, and follow the master
# when it moves.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load failover

# The ports: $a of a master, $b of its replica.
start_pair() {
	start_tcp a
	a=$port
	start_tcp b --replicaof 127.0.0.1 "$a"
	b=$port
	wait_until 20 in_step b
	url=redis://127.0.0.1:$b,127.0.0.1:$a
}

# The master and the replica change their roles.
swap() {
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
	replicates a "$b"
}

@test "the first host that says in HELLO that it is a master is used; one host is not asked" {
	start_pair
	run -0 dq-put -u "redis://127.0.0.1:1,127.0.0.1:$b,127.0.0.1:$a/3" -i x "$q" hello
	equal "$(SERVER=a rcli -n 3 HEXISTS "dq:{$q}:msg" x)" 1
	matches "$(SERVER=a rcli INFO commandstats)" 'cmdstat_hello:calls=1,'
	SERVER=a rcli CONFIG RESETSTAT
	run -0 dq-put -u "redis://127.0.0.1:$a" -i x "$q" hello
	equal "$(SERVER=a rcli INFO commandstats | grep -c cmdstat_hello || true)" 0
	stop_server b
	stop_server a
}

@test "no host is a master: the error of each, 75; no host is reachable: 69" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_pair
	fails 75 "^no master among 127\.0\.0\.1:1 \(connection refused\), 127\.0\.0\.1:$b \(a replica\): failover\?$" \
		dq-put -u "redis://127.0.0.1:1,127.0.0.1:$b" "$q" x
	fails 69 '^no host can be reached: 127\.0\.0\.1:1 \(connection refused\), \[::1\]:2 \(.*\)$' \
		dq-put -u 'redis://127.0.0.1:1,[::1]:2' "$q" x
	stop_server b
	stop_server a
}

@test "a host that does not reply leaves time for the next one" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_scripted silent ROLE=NOTHING
	local silent=$port
	start_tcp a
	run -0 dq-put -u "redis://127.0.0.1:$silent,127.0.0.1:$silent,127.0.0.1:$port" --connect-timeout 9s "$q" x
	# what the one that is refused leaves of the time is for the other one
	local began=${EPOCHREALTIME/./}
	fails 69 "^no host can be reached: 127\.0\.0\.1:1 \(connection refused\), 127\.0\.0\.1:$silent \(timed out after 1[0-9.]*s\)$" \
		dq-put -u "redis://127.0.0.1:$silent,127.0.0.1:1" --connect-timeout 3s "$q" x
	between 2990 $(((${EPOCHREALTIME/./} - began) / 1000)) 12000
	stop_server a
}

@test "ROLE, where HELLO is unknown, that is refused or nonsense: 77, 70, 78; for a Sentinel the error shows the right URL" {
	local answer
	for answer in '*0\r\n' ':1\r\n' '$-1\r\n' '+master\r\n' '*1\r\n:1\r\n' '*1\r\n*1\r\n$6\r\nmaster\r\n' '*1\r\n$5\r\nqueen\r\n' \
		'*-1\r\n'; do
		start_scripted scripted 'HELLO=-ERR unknown command\r\n' "ROLE=$answer"
		fails 70 "^no master among 127\.0\.0\.1:$port \(unexpected reply to ROLE\), 127\.0\.0\.1:1 \(connection refused\)$" \
			dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" "$q" x
		stop_server scripted KILL
		rm "$T/scripted/port"
	done
	start_scripted sentinel 'ROLE=*2\r\n$8\r\nsentinel\r\n*1\r\n$1\r\nm\r\n'
	fails 78 '\(this is a Sentinel: use redis\+sentinel://HOST/MASTER\), ' dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" "$q" x
	start_scripted http 'CLIENT=HTTP/1.1 400\r\n'
	fails 78 '\(the answer is not the Redis protocol\), ' dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" "$q" x
	start_scripted lame 'HELLO=-ERR unknown command\r\n' 'ROLE=-NOPERM no\r\n'
	fails 77 '\(this user lacks a right for ROLE: \+role\), ' dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" "$q" x
	start_tcp a
	SERVER=a rcli ACL SETUSER lame on '>pw' '~*' +@all -role
	DQ_URL=redis://lame:pw@127.0.0.1:$port,127.0.0.1:1 dq-put -q "$q" x
	DQ_URL=redis://lame:no@127.0.0.1:$port,127.0.0.1:1 fails 77 '\(WRONGPASS ' dq-put "$q" x
	DQ_URL=redis://lame:@127.0.0.1:$port fails 77 \
		': the server wants a password of this user \(REDISCLI_AUTH, --password-file\): WRONGPASS ' dq-put "$q" x
	stop_server a
}

@test "dq-take -f, dq-run and dq-promote -f follow the master, both of their connections; each reports it once" {
	start_pair
	dq-take -f -u "$url" "$q" >"$T/taken" 2>"$T/take.err" 3>&- &
	local take=$! run promote
	dq-run -u "$url" "run$q" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/ran" 2>"$T/run.err" 3>&- &
	run=$!
	dq-promote -f -u "$url" "due$q" 2>"$T/promote.err" 3>&- &
	promote=$!
	wait_until 10 waiting a
	swap
	wait_until 20 waiting b
	run -0 dq-put -q -u "$url" "$q" here
	run -0 dq-put -q -u "$url" "run$q" there
	wait_until 10 grep -q here "$T/taken"
	wait_until 10 grep -q there "$T/ran"
	wait_until 10 none_is_on a
	end_three "$take" "$run" "$promote" "redis://127.0.0.1:$b/0"
	stop_server b
	stop_server a
}

none_is_on() { # NAME
	! SERVER=$1 rcli CLIENT LIST | grep -q ' name=dq-'
}

# All three tools block in BZPOPMIN there.
waiting() { # NAME
	[ "$(SERVER=$1 rcli CLIENT LIST | grep -c ' name=dq-.*-wait .*cmd=bzpopmin')" = 3 ]
}

@test "dq-run's job: its lease is renewed at the new master, and it is settled there" {
	start_pair
	dq-put -q -u "$url" -t 9s -i x "$q" hello # while it lasts the masters change
	dq-run -u "$url" "$q" -- sh -c 'touch "$0/begun"; until [ -e "$0/end" ]; do sleep 0.05; done' "$T" 2>"$T/run.err" 3>&- &
	local run=$!
	wait_until 10 test -e "$T/begun"
	wait_until 10 has_all_of a b
	local before
	before=$(SERVER=b rcli ZSCORE "dq:{$q}:leased" x)
	swap
	wait_until 10 renewed "$before"
	touch "$T/end"
	wait_until 10 emptied
	kill "$run"
	exits 143 "$run"
	stop_server b
	stop_server a
}

renewed() { # SCORE
	[ "$(SERVER=b rcli ZSCORE "dq:{$q}:leased" x)" -gt "$1" ]
}

emptied() {
	[ "$(SERVER=b states)" = '0 0 0 0' ]
}

@test "dq-run: its commands get all hosts" {
	start_pair
	dq-put -q -u "$url" "$q" x
	run -0 --separate-stderr dq-run -u "$url/0" --once "$q" -- sh -c 'echo "$DQ_URL"; dq-put -q -i y other there'
	equal "$output" "$url/0"
	equal "$(SERVER=a rcli HEXISTS 'dq:{other}:msg' y)" 1
	stop_server b
	stop_server a
}

@test "dq-stat --watch: its first line names the present master" {
	start_tcp a
	local a=$port b
	start_tcp b --replicaof 127.0.0.1 "$a"
	b=$port
	wait_until 20 in_step b
	TERM=xterm run -0 python3 "$top/test/tool/screen.py" 120x24 dq-stat --watch -u "redis://127.0.0.1:$a,127.0.0.1:$b" <<-EOF
		wait ^dq  redis://127[.]0[.]0[.]1:$a/0  .*master
		run $DQ_BIN/rcli -s $T/b/s REPLICAOF NO ONE
		run kill -9 $(<"$T/a/pid")
		wait ^dq  redis://127[.]0[.]0[.]1:$b/0  .*master
		keys q
		end
	EOF
	rm "$T/a/pid"
	stop_server b
}

@test "secrets: no error shows the password of several hosts, and a running tool has none in its environment" {
	start_tcp a --requirepass cAnary
	local url=redis://:cAnary@127.0.0.1:1,127.0.0.1:$port
	DQ_URL=$url DQ_SENTINEL_PASSWORD=cAnary dq-take -f "$q" 2>"$T/said" 3>&- &
	local take=$!
	wait_until 10 grep -q 'no such queue yet' "$T/said"
	equal "$(tr '\0' '\n' <"/proc/$take/environ" | grep -c cAnary || true)" 0
	stop_server a
	wait_until 10 grep -q 'no host can be reached' "$T/said"
	kill "$take"
	exits 143 "$take"
	equal "$(grep -c cAnary "$T/said" || true)" 0
	fails 64 'a password in the arguments' dq-put -u "$url" "$q" x
}

@test "?db=N is the database of every kind of URL" {
	start_tcp db
	dq-put -u "unix://$T/db/s?db=3" -q "$q" x
	dq-put -u "redis://127.0.0.1:$port?db=3" -q "$q" x
	dq-put -u "redis://127.0.0.1:$port/3?database=3" -q "$q" x
	dq-put -u "redis://127.0.0.1:1,127.0.0.1:$port?db=3" -q "$q" x
	equal "$(SERVER=db rcli -n 3 HGET "dq:{$q}:stat" put)" 4
	equal "$(SERVER=db rcli DBSIZE)" 0
	stop_server db
}
