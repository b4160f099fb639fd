# Goal: The recipes of dq-recipes(7) for an order that is paid at the last moment, for jobs as of at(1), and for what runs every night,
# stand failing parts, killed workers, and what happens at the same moment.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load broken

page=$top/man/dq-recipes.7

# The script that a recipe makes, as $T/NAME.
script_of() { # NAME
	recipe "$page" "cat >$1 <<'END'" | sed -n "/^cat >$1 <<'END'\$/,/^END\$/p" | sed '1d; $d' >"$T/$1"
	[ -s "$T/$1" ]
}

@test "paid: while workers close orders each order is either closed, or paid and not closed" {
	local id worker
	script_of paid
	seq 40 | sed 's/.*/0\t&\tclose/' | dq-put -q --tsv --keep 1d orders
	dq-run -q -j 2 --until-empty orders -- sh -c 'echo "$DQ_ID"' >"$T/closed" 3>&- &
	worker=$!
	for id in {40..1}; do
		sh "$T/paid" "$id" 2>/dev/null
	done >"$T/answers"
	exits 0 "$worker"
	sed -n 's/ is paid, and stays open$//p' "$T/answers" >"$T/open"
	equal "$(wc -l <"$T/answers")" 40
	equal "$(sort -n "$T/open" "$T/closed")" "$(seq 40)"
}

@test "paid: leased, waiting for its next try, done, dead; a second call gives the same answer" {
	local id
	script_of paid
	for id in leased again acked dead open; do
		dq-put -q --keep 1d -r 2 -i "$id" orders close
	done
	dq-take -n 4 orders >"$T/taken"
	grep again "$T/taken" | dq-ack -r -d 1h
	grep acked "$T/taken" | dq-ack -m 'is "state":"removed"'
	grep dead "$T/taken" | dq-ack -b -m '"state":"removed"'
	for id in leased acked dead; do
		equal "$(sh "$T/paid" "$id" 2>/dev/null)" "$id is closed, or is being closed: pay back"
	done
	for id in again open again open; do
		equal "$(sh "$T/paid" "$id" 2>/dev/null)" "$id is paid, and stays open"
	done
}

@test "paid: an order that is unknown is no failure that passes; a Redis that is unreachable is one" {
	local shell
	script_of paid
	for shell in dash bash zsh; do
		command -v "$shell" >/dev/null || continue
		run -1 --separate-stderr "$shell" "$T/paid" never
		equal "$output|$stderr" '|dq-stat: orders/never: no such message'
		run -69 --separate-stderr env "DQ_URL=unix://$T/none" "$shell" "$T/paid" never
		equal "$output" ''
	done
}

@test "paid: whichever part fails or is killed, nobody hears that an order stays open that will be closed; and the next call knows" {
	script_of paid
	printf 'sh "%s" 1\n' "$T/paid" >"$T/script"
	prepare() { dq-put -q --keep 1d -d 30m -i 1 orders close; }
	check() {
		! grep -q 'stays open' printed || holds 0 0 0 0 orders
		equal "$(sh "$T/paid" 1 2>/dev/null)" '1 is paid, and stays open'
		holds 0 0 0 0 orders
	}
	break_each "$T/script" dq-rm dq-stat
}

nightly() {
	recipe "$page" "cat >nightly <<'END'" | grep '^echo .*dq-put' | sh
}

runs() { # STATUS, of the worker
	run "-$1" --separate-stderr dq-run --until-empty daily -- sh "$T/nightly"
}

waits_for_tomorrow() {
	equal "$(dq-stat --json daily/backup | jq -c '[.state, .tries]')" '["delayed",0]'
	between 1 "$(dq-stat --next daily)" $((49 * 3600 * 1000))
}

@test "every night: a run that fails, and one that is killed, are followed by the next one; dq-rm ends it" {
	script_of nightly
	nightly
	runs 0
	equal "$output" 'all of /srv'
	waits_for_tomorrow
	nightly # again: it is there already
	sed -i 's/^cat.*/exit 7/' "$T/nightly"
	dq-promote -q daily/backup
	runs 123
	waits_for_tomorrow
	sed -i 's/^exit 7/kill -9 $PPID/' "$T/nightly"
	dq-promote -q daily/backup
	runs 137
	dq-promote -q --release daily/backup
	waits_for_tomorrow
	sed -i 's|^kill.*|dq-rm "$DQ_NAME"|' "$T/nightly"
	dq-promote -q daily/backup
	runs 0
	holds 0 0 0 0 daily
}

# A zone in which it is half past this hour now.
half_past() { # HOUR
	local east
	east=$((($1 * 60 + 30 - $(date -u +'%-H * 60 - %-M') + 1440) % 1440))
	printf 'HERE-%d:%02d' $((east / 60)) $((east % 60))
}

@test "every night: the next run is the next 3:00, but a run that begins before 3:00 is that of the new night" {
	local hour minutes
	script_of nightly
	for hour in 23=210 0=1590 2=1470 3=1410; do
		nightly
		TZ=$(half_past "${hour%=*}") runs 0
		minutes=$(($(dq-stat --next daily) / 60000))
		between $((${hour#*=} - 30)) "$minutes" "${hour#*=}"
		dq-rm daily/backup
	done
}

@test "every night: if the put fails or is killed, the run is tried again, and no second message is made" {
	script_of nightly
	printf 'dq-run --once daily -- sh "%s"\n' "$T/nightly" >"$T/script"
	prepare() { nightly; }
	check() {
		[ "$(rcli HLEN 'dq:{daily}:msg')" = 1 ]
		[ -z "$(dq-stat --messages dead daily)" ]
	}
	break_each "$T/script" dq-put
}

@test "ledger: the accounts with a dead booking are shown, and none of which that is not known yet" {
	recipe "$page" 'touch covered' | sed -n 1p >"$T/stopped"
	dq-put -q -k acct1 ledger 1 2
	dq-put -q -k acct2 ledger 1 2
	dq-take ledger | dq-ack -b
	dq-set -q ledger keys=serial,stop
	equal "$(dq-stat --keys --json ledger | jq -c '[.key, .dead, .blocked]' | sort)" '["acct1",null,"unknown"]
["acct2",null,"unknown"]'
	equal "$(sh "$T/stopped")" ''
	dq-promote ledger
	equal "$(sh "$T/stopped")" acct1
	dq-set ledger paused:acct1=yes
	equal "$(sh "$T/stopped")" acct1
}

@test "as at: a job that is there is listed, removed, or run by a shell, once" {
	recipe "$page" 'dq-put -r 1 -a' >"$T/at"
	cd "$T"
	head -n 1 at | sh
	equal "$(sed -n 2p at | sh)" "$(<job)"$'\t''echo tea is ready\n'
	sed -n 3p at | sh
	holds 0 0 0 0 at
	head -n 1 at | sh
	dq-promote -q - <job
	equal "$(dq-run -q --until-empty at -- sh)" 'tea is ready'
	sed 's/tomorrow/never was a day/' at | head -n 1 >wrong
	run -64 sh wrong
	holds 0 0 0 0 at
}
