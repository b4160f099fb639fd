# Goal: In an interactive bash, zsh and fish TAB completes queues and messages of the server that the line names, and does nothing else.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	begin_file
	cd "$top" || return
	dq-put -q -i a:b:c mail x
	dq-put -q -i order-7 -d 1h mail x
	dq-put -q -i order-8 memo x
	dq-put -q -i order-9 memo x
	dq-take memo | dq-ack -b
	dq-take memo >/dev/null
	dq-put -q --prefix other -i there elsewhere x
	# The arguments that a tool would get: completed lines are run.
	for file in rc.bash rc.zsh rc.fish; do
		sed "s|@TOP@|$top|; s|@DUMP@|$F/compdump|" "$top/test/tool/stub/$file" >"$F/$file"
	done
	! command -v zsh >/dev/null || zsh -f "$F/rc.zsh" # to look for functions takes most of a start
	for tool in dq-put dq-take dq-run dq-ack dq-rm dq-promote dq-set dq-stat dq-gc; do
		echo "$tool() { printf RAN; printf '<%s>' \"\$@\"; echo; }" | tee -a "$F/rc.zsh" >>"$F/rc.bash"
		echo "function $tool; printf RAN; printf '<%s>' \$argv; echo; end" >>"$F/rc.fish"
	done
}

setup() {
	begin_test
	cd "$top" || return
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
	export HOME=$T TERM=xterm
}

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

typed() { # SHELL; steps on standard input
	case $1 in
	bash) set -- bash --rcfile "$T/rc.bash" -i ;;
	zsh) set -- zsh -fi ;;
	fish) set -- fish --no-config -i -C "source $T/rc.fish" ;;
	esac
	{
		echo 'wait [$#%>] ?$'
		[ "$1" != zsh ] || printf '%s\n' "keys PS1= ; source $T/rc.zsh; echo re''ady\\r" 'wait ready\n.*\$ $'
		cat
	} | timeout 300 python3 "$top/test/tool/typed.py" "$@"
}

# LINE, with TABs as \t, becomes what the tool gets; and nothing but the line is written.
becomes() { # SHELL LINE ARGUMENTS
	run typed "$1" <<-STEPS
		keys $2\r
		wait .*RAN[^\n]*>\n
	STEPS
	[[ $status -eq 0 && $output == *"RAN$3" && $output != *dq-stat:* ]] || {
		echo "$1: $2"
		echo "wanted: RAN$3"
		echo "got: $output"
		return 1
	}
}

# LINE is typed and cleared: what do TABs do?
only_tabs() { # SHELL LINE
	run typed "$1" <<-STEPS
		keys $2\x15
		keys echo do''ne\r
		wait .*^done
	STEPS
	[ "$status" -eq 0 ] || {
		echo "$output"
		return 1
	}
}

lacks() { # TEXT...
	local text
	for text; do
		[[ $output != *"$text"* ]] || {
			echo "$text is in: $output"
			return 1
		}
	done
}

lines() { # SHELL
	becomes "$1" 'dq-put mai\t x' '<mail><x>'
	becomes "$1" 'dq-rm mail/a\t' '<mail/a:b:c>'
	becomes "$1" 'dq-rm mail/a:\t' '<mail/a:b:c>'
	becomes "$1" 'dq-rm mail/a:b:\t' '<mail/a:b:c>'
	becomes "$1" 'dq-rm mail/a:b:c mail/o\t' '<mail/a:b:c><mail/order-7>'
	becomes "$1" 'dq-rm mai\to\t' '<mail/order-7>'
	becomes "$1" 'dq-rm -a mai\t' '<-a><mail>'
	becomes "$1" 'dq-rm --state dead memo/\t' '<--state><dead><memo/order-8>'
	becomes "$1" 'dq-rm --state=leased memo/\t' '<--state=leased><memo/order-9>'
	becomes "$1" 'dq-promote mail/\t' '<mail/order-7>'
	becomes "$1" 'dq-promote --dead memo/\t' '<--dead><memo/order-8>'
	becomes "$1" 'dq-promote --release memo/\t' '<--release><memo/order-9>'
	becomes "$1" 'dq-set mai\tpaused=y\t' '<mail><paused=yes>'
	becomes "$1" 'dq-stat mail/or\t' '<mail/order-7>'
	becomes "$1" 'dq-stat --messages dea\tmem\t' '<--messages><dead><memo>'
	becomes "$1" 'dq-stat --prefix other else\t' '<--prefix><other><elsewhere>'
	becomes "$1" 'dq-stat --prefix=other elsewhere/\t' '<--prefix=other><elsewhere/there>'
}

# All ways in which a line names a server; none of them is executed.
servers() { # SHELL
	local url=$DQ_URL
	export DQ_URL=unix://$T/none
	becomes "$1" 'dq-rm mail/a\t' '<mail/a>'
	becomes "$1" 'dq-put mai\t' '<mai>'
	becomes "$1" "dq-rm -u $url mail/a\\t" "<-u><$url><mail/a:b:c>"
	becomes "$1" "dq-rm --url=$url mail/a\\t" "<--url=$url><mail/a:b:c>"
	becomes "$1" "dq-rm -u '$url' mail/a\\t" "<-u><$url><mail/a:b:c>"
	export MINE=$url
	becomes "$1" 'dq-rm -u $MINE mail/a\t' "<-u><$url><mail/a:b:c>"
	becomes "$1" 'dq-rm -u "$MINE" mail/a\t' "<-u><$url><mail/a:b:c>"
	becomes "$1" 'dq-rm -u "$NONE" mail/a\t' '<-u><><mail/a>'
	DQ_URL=$url
	only_tabs "$1" 'dq-rm -u "$(touch $T/executed)" mail/\t\t'
	lacks a:b:c
	only_tabs "$1" 'dq-rm --prefix=`touch $T/executed` mail/\t\t'
	lacks a:b:c
	[ "$1" = zsh ] || only_tabs "$1" 'dq-rm "$(touch $T/executed)/\t\t' # zsh itself expands the word in which TAB is typed
	[ ! -e "$T/executed" ]
	start_server locked --requirepass s3cret
	echo s3cret >"$T/pass word"
	chmod 600 "$T/pass word"
	DQ_URL=unix://$T/locked/s
	dq-put -q --password-file "$T/pass word" -i secret mail x
	becomes "$1" 'dq-rm mail/s\t' '<mail/s>'
	becomes "$1" 'dq-rm --password-file ~/pass\\ word mail/s\t' "<--password-file><$T/pass word><mail/secret>"
	becomes "$1" "dq-rm --password-file '$T/pass word' mail/s\\t" "<--password-file><$T/pass word><mail/secret>"
	becomes "$1" 'dq-rm --askpass mail/s\t' '<--askpass><mail/s>'
}

# A dq-stat that prints what a hostile server might, and never ends.
hostile() { # SHELL
	mkdir "$T/bin"
	cp "$top/test/tool/stub/hostile_stat" "$T/bin/dq-stat"
	export PATH=$T/bin:$PATH T
	becomes "$1" 'dq-rm mail/g\t' '<mail/good:1>'
	only_tabs "$1" 'dq-rm mail/\t\t\t'
	lacks touch title rf
	only_tabs "$1" 'dq-rm \t\t\t'
	[ ! -e "$T/executed" ]
}

# A server that takes connections and does not answer: a reply is awaited for ten seconds, but not here.
hung() { # SHELL
	local before _
	start_server "hung$1"
	DQ_URL=unix://$T/hung$1/s dq-put -q -i a:b mail x
	kill -STOP "$(cat "$T/hung$1/pid")"
	for _ in 1 2 3 4 5; do # on a busy machine the shell itself may need that long: then again
		before=$SECONDS
		DQ_URL=unix://$T/hung$1/s becomes "$1" 'dq-rm mail/a\t' '<mail/a>'
		((SECONDS - before >= 8)) || break
	done
	kill -CONT "$(cat "$T/hung$1/pid")"
	((SECONDS - before < 8))
	DQ_URL=unix://$T/hung$1/s becomes "$1" 'dq-rm mail/a\t' '<mail/a:b>'
}

@test "bash: names of queues and messages, with colons" {
	lines bash
	becomes bash 'dq-rm \"mail/a:\t' '<mail/a:b:c>'
	becomes bash "dq-rm 'mail/a:\t" '<mail/a:b:c>'
	becomes bash 'dq-stat --check --warn late\t' '<--check><--warn><late>>'
}

@test "bash: the server of the line" {
	servers bash
}

@test "bash: nothing of a name is executed" {
	hostile bash
}

@test "bash: a server that hangs costs a second" {
	hung bash
}

@test "zsh: names of queues and messages, with colons" {
	need zsh
	lines zsh
}

@test "zsh: the server of the line" {
	need zsh
	servers zsh
}

@test "zsh: nothing of a name is executed" {
	need zsh
	hostile zsh
}

@test "zsh: a server that hangs costs a second" {
	need zsh
	hung zsh
}

@test "fish: names of queues and messages, with colons" {
	need fish
	lines fish
}

@test "fish: the server of the line" {
	need fish
	servers fish
}

@test "fish: nothing of a name is executed" {
	need fish
	hostile fish
}

@test "fish: a server that hangs costs a second" {
	need fish
	hung fish
}
