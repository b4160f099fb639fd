# Goal: The shells offer on TAB the words that fit there.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nprintf "mail\\nmemo\\nsms\\n"\n' >"$BATS_TEST_TMPDIR/bin/dq-stat"
	chmod +x "$BATS_TEST_TMPDIR/bin/dq-stat"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	# Shells write to their user's home.
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
	export HOME=$BATS_TEST_TMPDIR
}

in_bash() { # WORD...: complete the last one
	bash --norc -c '
		. completions/dq.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$* part=${!#}
		COMP_LINE=${COMP_LINE// = /=} COMP_LINE=${COMP_LINE/%" ="/=} COMP_POINT=${#COMP_LINE}
		_dq "$1" "${part#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
		echo "${COMPREPLY[*]}"' bash "$@"
}

@test "bash: queues, options, their arguments" {
	[ "$(in_bash dq-put '')" = 'mail memo sms' ]
	[ "$(in_bash dq-put m)" = 'mail memo' ]
	[ "$(in_bash dq-put mail '')" = '' ]
	[ "$(in_bash dq-put -d 5s m)" = 'mail memo' ]
	[ "$(in_bash dq-put -q m)" = 'mail memo' ]
	[ "$(in_bash dq-take mail m)" = 'mail memo' ]
	[ "$(in_bash dq-put --de)" = '--delay' ]
	[ "$(in_bash dq-put --delay 500)" = '500ms' ]
	[ "$(in_bash dq-put --delay = 500)" = '500ms' ]
	[ "$(in_bash dq-put --delay = 5s m)" = 'mail memo' ]
	[ "$(in_bash dq-put --password-file VERS)" = 'VERSION' ]
	[ "$(in_bash dq-stat --messages de)" = 'delayed dead delayed,due,ready' ]
	[ "$(in_bash dq-stat --messages = a)" = 'all' ]
	[ "$(in_bash dq-rm --state de)" = 'delayed dead delayed,due,ready' ]
	[ "$(in_bash dq-stat --messages dead m)" = 'mail memo' ]
	[ "$(in_bash dq-rm -k ann m)" = 'mail memo' ]
	[ "$(in_bash dq-ack '')" = '' ]
	[ "$(in_bash dq-put mail --de)" = '' ]
	[ "$(in_bash dq-dump m)" = 'mail memo' ]
	[ "$(in_bash dq-load -e k)" = 'keep' ]
	[ "$(in_bash dq-load -q VERS)" = 'VERSION' ]
}

@test "bash: messages in one of several states" {
	printf '#!/bin/sh\ncase " $* " in *" --messages=dead,ready -- mail "*) echo mail/7 ;; esac\n' >"$BATS_TEST_TMPDIR/bin/dq-stat"
	[ "$(in_bash dq-rm --state dead,ready mail/)" = mail/7 ]
	[ "$(in_bash dq-rm --state dead mail/)" = '' ]
	printf '#!/bin/sh\necho mail/k+7\n' >"$BATS_TEST_TMPDIR/bin/dq-stat"
	[ "$(in_bash dq-rm mail/k+)" = mail/k+7 ]
}

@test "zsh: queues and options" {
	command -v zsh >/dev/null || [ "${CI:-}" = true ] || skip 'zsh not found: make test-deps'
	zsh -n completions/_dq
	run -0 timeout 20 zsh -f test/tool/complete.zsh "$PWD/completions" 'dq-put m' '*memo*'
	[[ $output == *mail* && $output != *sms* ]]
	run -0 timeout 20 zsh -f test/tool/complete.zsh "$PWD/completions" 'dq-put --de' '*--delay*'
}

@test "fish: queues and options" {
	command -v fish >/dev/null || [ "${CI:-}" = true ] || skip 'fish not found: make test-deps'
	fish --no-execute completions/dq.fish
	run -0 fish --no-config -c 'source completions/dq.fish; complete --do-complete "dq-put m"'
	[ "$(cut -f1 <<<"$output" | paste -sd' ')" = 'mail memo' ]
	run -0 fish --no-config -c 'source completions/dq.fish; complete --do-complete "dq-take --no-p"'
	[[ $output == --no-promote* ]]
}
