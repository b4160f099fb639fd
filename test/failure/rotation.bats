# Goal: Passwords can be changed while tools run: a tool with a password file reads the file again before it gives up.

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover

setup() {
	begin_test
	word one
}

word() { # PASSWORD: the file has it, in one step
	(umask 077 && echo "$1" >"$T/word.new")
	mv "$T/word.new" "$T/word"
}

waiting() {
	REDISCLI_AUTH=$1 SERVER=$q rcli CLIENT LIST | grep -q 'cmd=bzpopmin'
}

begin() { # TOOL AND OPTIONS, one word; its pid is $pid
	local -a command
	read -ra command <<<"$1 --password-file $T/word -u unix://$T/$q/s $q"
	[ "$1" != dq-run ] || command+=(-- cat)
	"${command[@]}" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	pid=$!
	wait_until 10 waiting one
}

# The tool works again: it gets a message that is due at once, or a little later.
works_with() { # PASSWORD
	wait_until 20 waiting "$1"
	REDISCLI_AUTH=$1 dq-put -q -u "unix://$T/$q/s" -d 1ms "$q" hello
	if [[ $tool == dq-promote* ]]; then
		wait_until 20 is_ready "$1"
	else
		wait_until 20 grep -q hello "$T/$q.out"
	fi
	kill "$pid"
	exits 143 "$pid"
	each_once ': connecting again$' "$T/$q.err"
	each_once ': connected again$' "$T/$q.err"
	run ! grep -q WRONGPASS "$T/$q.err"
}

is_ready() {
	[ "$(REDISCLI_AUTH=$1 SERVER=$q rcli ZCARD "dq:{$q}:ready")" = 1 ]
}

@test "another password while Redis was away: the file is read again" {
	local tool pid
	for tool in 'dq-take -f' dq-run 'dq-promote -f'; do
		word one
		start_server "$q" --requirepass one
		begin "$tool"
		stop_server "$q" KILL
		word two
		start_server "$q" --requirepass two
		works_with two
		stop_server "$q" KILL
	done
}

@test "another password while Redis runs, and all connections are closed" {
	local tool pid
	for tool in 'dq-take -f' dq-run 'dq-promote -f'; do
		word one
		start_server "$q" --requirepass one
		begin "$tool"
		REDISCLI_AUTH=one SERVER=$q rcli CONFIG SET requirepass two >/dev/null
		word two
		REDISCLI_AUTH=two SERVER=$q rcli CLIENT KILL TYPE normal >/dev/null
		works_with two
		stop_server "$q" KILL
	done
}

@test "the old password is used as long as the server accepts it, whatever the file has" {
	local tool='dq-take -f' pid
	start_server "$q" --requirepass one
	begin "$tool"
	word two
	REDISCLI_AUTH=one SERVER=$q rcli CLIENT KILL TYPE normal >/dev/null
	works_with one
	stop_server "$q" KILL
}

@test "the file has the old password, an empty line or a wrong one, or is missing: 77, reported once" {
	local file pid
	for file in one '' three gone; do
		word one
		start_server "$q" --requirepass one
		begin 'dq-take -f'
		stop_server "$q" KILL
		word "$file"
		[ "$file" != gone ] || rm "$T/word"
		start_server "$q" --requirepass two
		exits 77 "$pid"
		each_once WRONGPASS "$T/$q.err"
		stop_server "$q" KILL
	done
}

@test "a pipe is read once: a wrong password is 77 at once" {
	start_server "$q" --requirepass one
	mkfifo -m 600 "$T/pipe"
	echo wrong >"$T/pipe" 3>&- &
	fails 77 'WRONGPASS' timeout 20 dq-stat -u "unix://$T/$q/s" --password-file "$T/pipe"
	stop_server "$q" KILL
}

@test "several hosts: the new password is tried although a replica answers to the old one" {
	local tool='dq-take -f' pid
	start_tcp a --requirepass one --masterauth one
	local a=$port
	start_tcp b --requirepass one --masterauth one --replicaof 127.0.0.1 "$a"
	export REDISCLI_AUTH=one
	wait_until 20 in_step b
	dq-take -f --password-file "$T/word" -u "redis://127.0.0.1:$a,127.0.0.1:$port" "$q" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	pid=$!
	on_a() { SERVER=a rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 on_a
	SERVER=a rcli CONFIG SET requirepass two >/dev/null
	word two
	export REDISCLI_AUTH=two
	SERVER=a rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 on_a
	kill "$pid"
	exits 143 "$pid"
	stop_server b
	stop_server a
}

@test "the password of Sentinels: its file is read again, too" {
	start_tcp main2
	local pid at=$port
	on_main() { SERVER=main2 rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	start_sentinel guarded "$at" 'requirepass one'
	dq-take -f -u "redis+sentinel://127.0.0.1:$port/m?sentinel_password_file=$T/word" "$q" >"$T/$q.out" 2>"$T/$q.err" 3>&- &
	pid=$!
	wait_until 10 on_main
	equal "$(REDISCLI_AUTH=one SERVER=guarded rcli ACL SETUSER default resetpass '>two')" OK
	word two
	SERVER=main2 rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 grep -q 'connected again$' "$T/$q.err"
	kill "$pid"
	exits 143 "$pid"
	stop_server guarded
	stop_server main2
}
