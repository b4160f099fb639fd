# Goal: A password stays secret: it is in no output of a tool, in no argument, title or connection name, and no handler gets it.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

# For this run only: the test looks at all processes of the machine, and another run may be among them.
export SECRET="Zq7r$$ secret/canary"

# A server that replies with the request, as an error, as text, or unchanged.
start_echo() { # NAME FORMAT
	mkdir -p "$T/$1"
	python3 "$top/test/tool/echo.py" "$T/$1/s" "$2" 3>&- &
	echo $! >"$T/$1/pid"
	disown
	wait_until 10 test -S "$T/$1/s"
}

@test "all tools, all ways to give it, success and failure" {
	export KEPT=$T/kept
	mkdir "$KEPT"
	# not as arguments, where it would be found
	start_server auth
	SERVER=auth rcli CONFIG SET requirepass "$SECRET"
	start_server other --requirepass other
	start_server renamed --rename-command AUTH ''
	start_echo echo @
	start_echo error '-ERR what is @\r\n'
	start_echo http 'HTTP/1.1 400 Bad Request\r\n\r\n@'
	start_echo status '+@\r\n'
	python3 "$top/test/hostile/secrets.py" "$T/auth/s" "$T/none/s=69" "$T/other/s=77" "$T/main/s=77" "$T/renamed/s=78" \
		"$T/echo/s=70" "$T/error/s=64" "$T/http/s=64" "$T/status/s=64"
}

# The sum of what tools have said before they were found out must not be taken for silence.
@test "the check finds a password" {
	export KEPT=$T/kept2
	mkdir "$KEPT" "$T/loose"
	start_server auth2
	SERVER=auth2 rcli CONFIG SET requirepass "$SECRET"
	printf '#!/bin/bash\necho "$DQ_URL"\n' >"$T/loose/dq-gc"
	cp "$top/test/tool/stub/title_until_read" "$T/loose/dq-take"
	printf '#!/bin/bash\nenv >"$KEPT/env.$$"\n' >"$T/loose/dq-run"
	chmod +x "$T"/loose/*
	PATH=$T/loose:$PATH run -1 python3 "$top/test/hostile/secrets.py" "$T/auth2/s"
	matches "$output" "'dq-gc'.*shows it"
	matches "$output" 'arguments or titles: .*/cmdline'
	matches "$output" 'env\.[0-9]+ of a handler has it'
}

@test "no core, and no name in CLIENT LIST, has it while a tool waits" {
	local tool pid
	start_server auth3
	SERVER=auth3 rcli CONFIG SET requirepass "$SECRET"
	for tool in 'dq-take -f q' 'dq-run q -- true' 'dq-promote -f q'; do
		DQ_URL="unix://:${SECRET%% *}%20secret%2Fcanary@$T/auth3/s" bash -c "exec $tool" 3>&- &
		pid=$!
		REDISCLI_AUTH=$SECRET SERVER=auth3 wait_until 10 eval "rcli CLIENT LIST | grep -q cmd=bzpopmin"
		REDISCLI_AUTH=$SECRET SERVER=auth3 rcli CLIENT LIST >"$T/clients"
		run ! grep -q Zq7 "$T/clients" "/proc/$pid/cmdline" "/proc/$pid/comm"
		grep -qE '^Max core file size +0 ' "/proc/$pid/limits"
		kill "$pid"
		exits 143 "$pid"
		REDISCLI_AUTH=$SECRET SERVER=auth3 wait_until 10 eval "! rcli CLIENT LIST | grep -q cmd=bzpopmin"
	done
}

@test "a wrong URL: the place of a password is not shown" {
	local url
	for url in 'redis://127.0.0.1:1/0?Zq7canary' 'redis://127.0.0.1:1?a=1&Zq7canary==' 'redis://Zq7canary:@127.0.0.1:1' \
		'redis://127.0.0.1:1/0#Zq7canary' 'redis://Zq7canary@127.0.0.1:1' 'redis://127.0.0.1:Zq7canary' \
		'redis://127.0.0.1:1/Zq7canary' 'Zq7canary' 'redis://u:x@Zq7canary@h' "unix://$T/none?Zq7canary"; do
		DQ_URL=$url run --separate-stderr dq-stat q
		[[ $status == @(64|69) && $output$stderr == dq-stat:* && $output$stderr != *Zq7* ]] || {
			echo "$url: $status: $stderr"
			return 1
		}
	done
	DQ_URL='redis://127.0.0.1:1?db=3&Zq7canary' run --separate-stderr dq-stat q
	equal "${stderr_lines[0]}" 'dq-stat: DQ_URL: the URL has an unknown parameter after the ? or an &'
}

@test "a command finds no password in the environment of its worker" {
	local name
	start_server auth4
	SERVER=auth4 rcli CONFIG SET requirepass "${SECRET%% *}"
	for name in DQ_URL REDIS_URL REDISCLI_AUTH unused; do
		(
			case $name in
			REDISCLI_AUTH) export DQ_URL=unix://$T/auth4/s REDISCLI_AUTH=${SECRET%% *} ;;
			DQ_URL) export DQ_URL=unix://:${SECRET%% *}@$T/auth4/s ;;
			REDIS_URL) unset DQ_URL && export REDIS_URL=unix://:${SECRET%% *}@$T/auth4/s ;;
			*) export DQ_URL=unix://:${SECRET%% *}@$T/auth4/s REDIS_URL=redis://:${SECRET%% *}@other \
				REDISCLI_AUTH=${SECRET%% *} ;;
			esac
			dq-put -q "$q" hello
			env -u SECRET dq-run --once "$q" -- sh -c 'grep -az ^HOME= /proc/$PPID/environ; cat /proc/$PPID/environ' \
				>"$T/environ"
		)
		grep -qa HOME "$T/environ"
		run ! grep -qa Zq7 "$T/environ"
	done
}

# --- --askpass ---

asked() { # HOW LINE...
	local how=$1
	shift
	run -0 python3 "$top/test/tool/asked.py" "$how" s3cret dq-put --askpass -e replace -i x "$q" hello
	equal "$output" "$(printf '%s\n' 'asks silent' "$@")"
}

@test "--askpass: the terminal echoes again when the tool ends by a signal, and while it is stopped; then it asks again" {
	start_server asked --requirepass s3cret
	export DQ_URL=unix://$T/asked/s
	local how
	for how in ^Z TSTP; do
		asked "$how" 'stopped echo' 'asks silent' 'exit 0 echo'
	done
	for how in "^\\" QUIT; do
		asked "$how" "signal 3 echo"
	done
	asked ^C 'signal 2 echo'
	asked TERM 'signal 15 echo'
	equal "$(REDISCLI_AUTH=s3cret dq-stat --payload "$q/x")" hello
}
