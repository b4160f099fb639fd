# Goal: The recipes of dq-recipes(7) that send webhooks do what each answer of the server asks for, and no more than it allows.

bats_require_minimum_version 1.5.0

load ../helper
load broken
load recipes

@test "webhooks: the tries, dead letters and due times of each answer and of none; the password is in DQ_URL of dq-run only" {
	local before after id tries answer date
	start_server hooks --requirepass s3cret
	export DQ_URL=unix://:s3cret@$T/hooks/s
	block webhook >"$T/webhook"
	chmod +x "$T/webhook"
	python3 "$top/test/tool/answers.py" "$T/port" 3>&- &
	echo "$!" >"$T/hooks.pid"
	wait_until 10 test -s "$T/port"
	HOOK_URL=http://127.0.0.1:$(cat "$T/port")/
	export HOOK_URL http_proxy='' no_proxy='*'
	date=$(date -d '3 hours' +%s)
	while IFS='|' read -r id tries answer; do
		dq-put -q -i "$id" -r "$tries" -b 5h hooks "$answer"
	done <<-END
		ok|2|200
		busy|1|429 7200
		closed|1|503 86399
		zero|1|429 0
		date|1|503 $(http_date "$date")
		past|1|429 Fri, 31 Dec 2021 23:59:59 GMT
		far|1|429 Fri, 31 Dec 9999 23:59:59 GMT
		old|1|503 Thursday, 01-Jan-99 00:00:00 GMT
		silent|1|503
		never|1|429 999999
		fails|2|500
		slow|2|408
		last|1|500
		wrong|2|404
	END
	before=$(server_ms)
	HOOK_TIMEOUT=60 run -123 timeout 100 dq-run --until-empty hooks -- "$T/webhook"
	# It is due again after a second.
	equal "$(dq-stat --json hooks/past | jq -c '[.tries, .given_back > 0, .reason]')" '[0,true,"429"]'
	[ "$(dq-stat --json hooks/past | jq .due_ms)" -le $(($(server_ms) + 1000)) ]
	dq-rm -q hooks/past
	dq-put -q -p 1 -i hang -r 2 -b 5h hooks hang # before old, which is due again after a second
	HOOK_TIMEOUT=0.5 run -123 dq-run --once hooks -- "$T/webhook"
	after=$(server_ms)
	kill "$(cat "$T/hooks.pid")"
	equal "$(dq-stat --messages all --json hooks | jq -r '[.id, .state, .tries, .given_back > 0, .reason // "-"] | join(" ")' |
		sed -E 's/curl: \(28\) .*/late/; s/^old (ready|due)/old delayed/' | sort)" "$(sort <<-'END'
			busy delayed 0 true 429
			closed delayed 0 true 503
			zero delayed 0 true 429
			date delayed 0 true 503
			far delayed 0 true 429
			old delayed 0 true 503
			silent delayed 0 true 503
			never delayed 0 true 429
			fails delayed 1 false 500
			slow delayed 1 false 408
			last dead 1 false 500
			wrong dead 1 false 404
			hang delayed 1 false late
		END
	)"
	for id in busy=7200 closed=86399 zero=60 far=60 old=1 silent=60 never=60 fails=18000 slow=18000 hang=18000; do
		between $((before + ${id#*=} * 1000)) "$(dq-stat --json "hooks/${id%=*}" | jq .due_ms)" $((after + ${id#*=} * 1300))
	done
	equal "$(dq-stat --json hooks/busy | jq .given_back)" 1
	equal "$(dq-stat --json hooks/date | jq .due_ms)" "${date}000"
}

@test "webhooks: each shell reads seconds and dates in the same way" {
	local shell after
	mkdir "$T/stub"
	cat >"$T/stub/curl" <<-'END'
		#!/bin/sh
		printf '429 %s' "$AFTER"
	END
	chmod +x "$T/stub/curl"
	block webhook >"$T/webhook"
	for shell in dash bash zsh; do
		command -v "$shell" >/dev/null || continue
		for after in 7=7s 99999=99999s 0=60s 07=60s 100000=60s =60s -1=60s 1.5=60s 'GMT=60s' 'Thu, 01 Jan 2099 00:00 GMT=60s' \
			'Thu, 01 Jan 2099 00:00:00 GMT=@4070908800' 'Sunday, 06-Nov-67 08:49:37 GMT=@3087794977' \
			'Sun Nov  6 08:49:37 2067=@3087794977' 'Sun Nov  6 08:49:37 1994=1s' 'Sun Nov 99 08:49:37 2067=60s' \
			'Fri, 31 Dec 2021 23:59:59 GMT=1s' \
			'Fri, 32 Jan 2030 00:00:00 GMT=60s' 'Fri, 31 Feb 2031 00:00:00 GMT=60s' 'Sat, 01 Foo 2031 00:00:00 GMT=60s' \
			'Sat, 01 Mar 2031 24:01:00 GMT=60s' 'Sat, 01 Mar 2031 00:00:00 PST=60s' '\n, 01 Jan 2099 00:00:00 GMT=60s' \
			'Fri, 31 Dec 9999 23:59:59 GMT=60s' 'Fri, 99 Dec 2030 23:59:59 GMT=60s'; do
			equal "$(AFTER=${after%%=*} HOOK_URL=x PATH=$T/stub:$PATH "$shell" "$T/webhook" 3>&1)" "give-back ${after#*=} 429"
		done
	done
}

http_date() { # SECONDS
	LC_ALL=C date -u -d "@$1" '+%a, %d %b %Y %H:%M:%S GMT'
}

# The handler of the page, with its lines for a pause.
pausing_webhook() { # KIND FILE
	block "$1" >"$T/pause"
	[ "$(block webhook | grep -c '^429 | 503)')" -eq 1 ]
	block webhook | sed -e "/^429 | 503)/{r $T/pause" -e 'd}' >"$2"
	chmod +x "$2"
}

@test "webhooks: a busy server pauses its whole queue; a pause of an operator stays; without a password: given back all the same" {
	local before after worker date
	start_server hooks --requirepass s3cret
	(umask 077 && echo s3cret >"$T/password")
	export DQ_URL=unix://$T/hooks/s DQ_PASSWORD_FILE=$T/password
	pausing_webhook pause "$T/webhook"
	python3 "$top/test/tool/answers.py" "$T/port" 3>&- &
	echo "$!" >"$T/hooks.pid"
	wait_until 10 test -s "$T/port"
	HOOK_URL=http://127.0.0.1:$(cat "$T/port")/
	export HOOK_URL HOOK_TIMEOUT=60 http_proxy='' no_proxy='*'
	worker=(timeout 100 dq-run -q --until-empty hooks --)
	dq-put -q -p 2 hooks 200 200
	dq-put -q -p 1 hooks '429 7200'
	before=$(server_ms)
	run -0 --separate-stderr "${worker[@]}" "$T/webhook"
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[1,2]'
	between $((before + 7200000)) "$(dq-set --json hooks | jq .paused_until_ms)" $(($(server_ms) + 7200000))
	dq-set hooks paused=no
	dq-put -q -p 1 hooks '503 7200'
	printf '#!/bin/sh\ndq-set hooks paused=yes\nexec %q\n' "$T/webhook" >"$T/meanwhile"
	chmod +x "$T/meanwhile"
	run -0 "${worker[@]}" "$T/meanwhile"
	equal "$(dq-set hooks | head -n 1)" paused=yes
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[2,2]'
	dq-set hooks paused=no
	dq-put -q -p 1 hooks '503 7200'
	run -0 env -u DQ_PASSWORD_FILE "DQ_URL=unix://:s3cret@$T/hooks/s" "${worker[@]}" "$T/webhook"
	equal "$(dq-set hooks | head -n 1)" paused=no
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[3,0]'
	date=$(date -d '3 hours' +%s)
	dq-put -q hooks "503 $(http_date "$date")"
	run -0 --separate-stderr "${worker[@]}" "$T/webhook"
	equal "$(dq-set --json hooks | jq .paused_until_ms)" "${date}000"
	dq-set hooks paused=no
	for date in 'Fri, 31 Dec 2021 23:59:59 GMT' 'Fri, 32 Jan 2030 00:00:00 GMT'; do
		dq-put -q -i dated hooks "503 $date"
		before=$(server_ms)
		run -0 --separate-stderr "${worker[@]}" "$T/webhook"
		run ! grep -v ': given back: 503$' <<<"$stderr" # of the first one, which is due again after a second
		after=$(dq-stat --json hooks/dated | jq .due_ms)
		dq-rm -q hooks/dated
		dq-set hooks paused=no
	done
	between $((before + 60000)) "$after" $(($(server_ms) + 60000))
	kill "$(cat "$T/hooks.pid")"
}

@test "webhooks: the busy server of a customer pauses its key, and that only; the rights of a consumer and a setter are enough" {
	local before worker rights date
	start_server hooks
	rights=$(sed -n '/^ACL SETUSER dq-\(consumer\|setter\) /,/^ACL SETUSER dq-[om]/p' "$top/man/dq-scripts.7" | grep -oE '[+][a-z|]+' |
		sort -u | xargs)
	# shellcheck disable=SC2086
	SERVER=hooks rcli ACL SETUSER worker reset on '>s3cret' '~dq:{hooks}:*' '~{dq:queues}*' $rights >/dev/null
	(umask 077 && echo s3cret >"$T/password")
	export DQ_URL=unix://worker:@$T/hooks/s DQ_PASSWORD_FILE=$T/password
	pausing_webhook pause-key "$T/webhook"
	python3 "$top/test/tool/answers.py" "$T/port" 3>&- &
	echo "$!" >"$T/hooks.pid"
	wait_until 10 test -s "$T/port"
	HOOK_URL=http://127.0.0.1:$(cat "$T/port")/
	export HOOK_URL HOOK_TIMEOUT=60 http_proxy='' no_proxy='*'
	worker=(timeout 100 dq-run -q --until-empty hooks --)
	dq-put -q -k ann -p 1 hooks '429 7200'
	dq-put -q -k ann -p 2 hooks 200 200
	dq-put -q -k bob -p 3 hooks 200 200
	before=$(server_ms)
	run -0 --separate-stderr "${worker[@]}" "$T/webhook"
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[1,2]'
	equal "$(dq-set --json hooks | jq -c '.paused_keys | keys')" '["ann"]'
	between $((before + 7200000)) "$(dq-set --json hooks | jq .paused_keys.ann)" $(($(server_ms) + 7200000))
	dq-set hooks paused:ann=no
	run -0 "${worker[@]}" "$T/webhook"
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[1,0]'
	date=$(date -d '3 hours' +%s)
	dq-put -q -k eve hooks "429 $(http_date "$date")"
	dq-put -q hooks '429 7200' 200
	run -0 --separate-stderr timeout 100 dq-run --until-empty hooks -- "$T/webhook"
	run ! grep -v ': given back: 429$' <<<"$stderr"
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[3,0]'
	equal "$(dq-set --json hooks | jq -c .paused_keys)" "{\"eve\":${date}000}"
	kill "$(cat "$T/hooks.pid")"
}

@test "webhooks: once a pause has ended the page's command promotes what was given back, and nothing else, and the order holds" {
	local promote
	recipe "$page" 'paused:ann=2h' | sed -n '/^dq-stat/,/dq-promote/p' >"$T/promote"
	dq-set -q hooks keys=serial
	dq-put -q -k ann hooks 1 2
	dq-put -q -k ann -d 3h hooks 3
	dq-put -q -k bob hooks 1
	dq-set hooks paused:ann=no paused:bob=no
	dq-take -n 2 hooks | dq-ack -g -d 2h
	run -1 --separate-stderr dq-take hooks
	for promote in "$(<"$T/promote")" "$(sed 's/.key == "ann" and //' "$T/promote")"; do
		run -0 sh -c "$promote"
		equal "$output" ''
		dq-take -q --ack -n 5 hooks | cut -f 2
	done >"$T/taken"
	equal "$(paste -sd, "$T/taken")" '1,2,1'
	equal "$(dq-stat --json hooks | jq -c '.queues[].messages | [.delayed, .ready]')" '[1,0]'
	dq-rm -q -a -f hooks
}

# What may have come at any time is at most what has begun by then: one each 250 ms.
within_the_rate() { # START-MS LOG
	sort -n "$2" | awk -v start="$1" '
		$1 < start + (NR - 1) * 250 { print "request " NR " came " $1 - start " ms after the start"; bad = 1 }
		$2 > 2 { print $2 " requests at a time"; bad = 1 }
		END { exit bad }'
}

@test "webhooks: workers of two hosts together ask a server no more than five times a second, and two at a time" {
	local host hosts=() start
	python3 "$top/test/tool/counts.py" "$T/port" "$T/requests" 3>&- &
	echo "$!" >"$T/requests.pid"
	wait_until 10 test -s "$T/port"
	HOOK_URL=http://127.0.0.1:$(cat "$T/port")/
	export HOOK_URL http_proxy='' no_proxy='*'
	[ "$(block limits | wc -l)" -eq 3 ]
	block limits | sed -n '1,2p' | sh -e
	seq 2 16 | dq-put -q -l hooks
	start=$(date +%s%3N)
	for host in one two; do
		DQ_WORKER=$host sh -c "exec $(block limits | sed -n 3p)" 3>&- &
		hosts+=("$!")
	done
	wait_until 60 holds 0 0 0 0 hooks
	for host in "${hosts[@]}"; do
		kill -TERM "$host"
		exits 143 "$host"
	done
	kill "$(cat "$T/requests.pid")"
	equal "$(sort -n "$T/requests" | cut -d' ' -f3- | sort -n)" "$(printf '%s\n' '{"order": 1003, "paid": true}' {2..16})"
	within_the_rate "$start" "$T/requests"
	printf '%s 1\n' 1000 1250 1500 >"$T/made_up"
	within_the_rate 1000 "$T/made_up"
	run ! within_the_rate 1001 "$T/made_up"
}
