# Goal: Each recipe of dq-recipes(7) works. man.bats runs those that begin with "$ ", and compares their output.

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover
load recipes

# A handler of orders, by this name.
handler() { # NAME
	mkdir -p "$T/bin"
	cp "$top/test/tool/stub/close_order" "$T/bin/$1"
}

@test "each block of dq-recipes(7) is of a kind that is run, and recipes name options that there are" {
	local file tool options option
	blocks "$BATS_TEST_TMPDIR/blocks"
	for file in "$BATS_TEST_TMPDIR"/blocks/??; do
		kind "$file"
	done | sort | uniq -c | awk '{ print $2, $1 }' >"$BATS_TEST_TMPDIR/kinds"
	equal "$(grep -v console "$BATS_TEST_TMPDIR/kinds" | paste -sd,)" \
		'backup 1,batches 1,common 1,cron 1,drop-in 4,limits 1,pause 1,pause-key 1,script 1,'\
'secret 1,start 1,tls 1,tunnel 1,webhook 1,worker 1'
	[ "$(sed -n 's/^console //p' "$BATS_TEST_TMPDIR/kinds")" -ge 12 ]
	cat "$BATS_TEST_TMPDIR"/blocks/?? "$page" | grep -oE '\bdq-[a-z]+( -[a-zA-Z0-9-]+)+' | sort -u | while read -r tool options; do
		for option in $options; do
			"$tool" --help | grep -qE -- "(^|[ ,])$option\>" || {
				echo "$tool has no $option"
				return 1
			}
		done
	done
}

@test "cron: each line does its work, and is silent" {
	local command
	handler close-order
	block cron | sed -n 's/^[0-9*]* [0-9*]* \* \* \* //p' >"$T/cron"
	equal "$(wc -l <"$T/cron")" 4
	dq-put -q orders 'close order 1'
	dq-put -q -t 1ms slow x
	dq-take slow >/dev/null
	while IFS= read -r command; do
		run -0 --separate-stderr env -i "HOME=$T" "DQ_URL=$DQ_URL" ${DQ_CACERT:+"DQ_CACERT=$DQ_CACERT"} \
			/bin/sh -c "$command" </dev/null
		equal "$output$stderr" ''
	done <"$T/cron"
	equal "$(cat "$T/closed")" 'close order 1'
	holds 0 1 0 0 slow
}

# The command that systemd would run: that of a unit, with the files of dq-recipes(7) as its environment.
start_unit() { # UNIT
	local command
	command=$(sed -n "s|^ExecStart=||p" "$top/share/systemd/$1" | sed "s|/usr/local/bin|$DQ_BIN|; s|%i|orders|")
	[ -n "$command" ]
	(block common && block worker) | sed -nE 's/^([A-Z_]+)=(.*)/export \1="\2"/p' >"$T/conf"
	# Where a variable stands unquoted, sh splits it as systemd does.
	sh -c ". $T/conf; exec $command" 3>&- &
	unit=$!
}

@test "systemd: the services promote, purge, write metrics, and work; TERM ends them; no restart repairs their permanent errors" {
	local unit
	block common | grep -qxF "DQ_URL=$DQ_URL"
	start_unit dq-promote.service
	dq-put -q -d 10ms other x
	wait_until 10 holds 0 1 0 0 other
	kill -TERM "$unit"
	exits 143 "$unit"
	start_unit dq-gc.service
	exits 0 "$unit"
	start_unit dq-metrics.service
	exits 0 "$unit"
	grep -qxF 'dq_queue_messages{queue="other",state="ready"} 1' "$T/dq.prom"
	equal "$(stat -c %a "$T/dq.prom")" 644
	handler close-order
	start_unit dq-run@.service
	dq-put -q orders 'close order 1'
	wait_until 10 test -s "$T/closed"
	kill -TERM "$unit"
	exits 143 "$unit"
	rm "$T/bin/close-order"
	dq-put -q orders x
	start_unit dq-run@.service
	exits 127 "$unit"
	dq-rm -af orders
	# systemd's word for 64.
	for unit in dq-run@.service dq-promote.service; do
		grep -qxF 'RestartPreventExitStatus=USAGE' "$top/share/systemd/$unit"
	done
}

@test "systemd: the password is written where only its owner reads it" {
	echo secret >"$T/typed"
	block secret | sed "s|/etc/|$T/etc/|g" >"$T/recipe"
	sh -e "$T/recipe" <"$T/typed"
	equal "$(stat -c %a "$T/etc/credstore/dq.password") $(<"$T/etc/credstore/dq.password")" '600 secret'
}

@test "TLS: a managed Redis with a private authority" {
	local port
	make_certs
	[ -e "$T/certs" ] || ln -s "$F/certs" "$T/certs"
	start_tls managed server --requirepass secret --appendonly yes
	echo secret >"$T/certs/password"
	chmod 600 "$T/certs/password"
	unset DQ_URL
	block tls | sed "s|HOST:6380|localhost:$port|; s|/etc/dq|$T/certs|g; s|^dq-stat --check|dq-put -i x $q hello; dq-take $q|" \
		>"$T/recipe"
	equal "$(sh "$T/recipe" | cut -f 2)" "$q/x
hello"
}

@test "TLS: the tools reach a server through the tunnel's socket (a stand-in for socat: no TLS here)" {
	local port tunnel command
	start_tcp far
	ln -s "$top/test/system/socat" "$T/socat"
	command=$(block tunnel | sed "/^DQ_URL=/d; s/HOST/127.0.0.1/g; s/6380/$port/")
	PATH=$T:$PATH sh -c "exec $command" 3>&- &
	tunnel=$!
	wait_until 10 test -S "$T/dq.sock"
	env "$(block tunnel | grep '^DQ_URL=')" dq-put -q -i 1 "$q" x
	DQ_URL=redis://127.0.0.1:$port dq-stat "$q/1" >/dev/null
	kill "$tunnel"
	exits 143 "$tunnel"
}

# The lines of README.md and the manuals with xargs, with send as the command, and the batch in a folder of the test.
xargs_recipes() {
	cat "$top"/README.md "$top"/man/*.[1-9] | sed -n 's/^\(\$ \)\{0,1\}\(dq-take .*xargs .*\)/\2/p' |
		sed "s/'echo /'send /; s|\([<>]\)batch|\1$T/batch|g"
}

@test "recipes with xargs run nothing on an empty queue, and ack what succeeded, and that only" {
	local recipe queue
	mkdir "$T/send"
	cp "$top/test/tool/stub/send" "$T/send/send"
	[ "$(xargs_recipes | grep -c send)" -ge 2 ]
	while IFS= read -r recipe; do
		queue=$(sed 's/ [|>].*//; s/.* //' <<<"$recipe")
		rcli flushall >/dev/null
		rm -f "$T/sent" "$T/down"
		run -1 --separate-stderr env PATH="$T/send:$PATH" sh -c "$recipe" </dev/null
		equal "$output$stderr" "dq-take: $queue: no such queue yet: dq-put creates it"
		[ ! -e "$T/sent" ]
		dq-put -q "$queue" one two
		run -0 --separate-stderr env PATH="$T/send:$PATH" sh -c "$recipe" </dev/null
		holds 0 0 0 0 "$queue"
		touch "$T/down"
		dq-put -q "$queue" three
		run --separate-stderr env PATH="$T/send:$PATH" sh -c "$recipe" </dev/null
		holds 0 0 1 0 "$queue"
	done < <(xargs_recipes)
}

@test "recipes quote receipts" {
	sed 's/\\(dq/"/g' "$top"/README.md "$top"/man/*.[1-9] >"$T/pages"
	# shellcheck disable=SC2016  # that is what is looked for
	grep -qF '"$receipt' "$T/pages"
	run ! grep -nE '(^|[^"])\$\{?(receipt|DQ_RECEIPT)\b' "$T/pages"
}

@test "the shell worker acks successful messages, and no others" {
	local worker
	handler close_order
	block script >"$T/worker.sh"
	dq-put -q -i bad -b 1h orders bad # first: a worker that waits for a queue says so
	PATH=$T/bin:$PATH setsid sh "$T/worker.sh" 2>"$T/worker" 3>&- & # a group of its own
	worker=$!
	wait_until 10 holds 1 0 0 0 orders
	dq-put -q -i good orders $'two\nlines'
	wait_until 10 test -s "$T/closed"
	wait_until 10 holds 1 0 0 0 orders
	equal "$(cat "$T/closed")" $'two\nlines'
	equal "$(dq-stat --messages all orders | cut -f1,2,4,5)" $'orders/bad\tdelayed\t1\tclose_order failed'
	kill -- "-$worker"
	wait "$worker" || true
	equal "$(cat "$T/worker")" ''
}

@test "the day before is that, at the same time of day, when the clocks change, too" {
	local command
	# shellcheck disable=SC2016  # that is what is looked for
	command=$(grep -oE 'date -d "\$appointment [^)]*' "$page")
	[ -n "$command" ]
	export TZ=CET-1CEST,M3.5.0,M10.5.0/3
	equal "$(appointment='2099-05-15 14:00' sh -c "$command")" "@$(date -d '2099-05-14 14:00' +%s)"
	equal "$(appointment='2027-03-28 09:00' sh -c "$command")" "@$(date -d '2027-03-27 09:00' +%s)"
	equal "$(appointment='2027-03-01 09:00' sh -c "$command")" "@$(date -d '2027-02-28 09:00' +%s)"
}

# The worker of the page, with its database in $T, until that has these rows, and the queue these states.
batches_until() { # ROWS STATES
	block batches | sed "s|/var/lib/shop|$T|; s|'orders'|'$q'|" >"$T/batches.py"
	setsid python3 "$T/batches.py" >"$T/said" 2>&1 3>&- &
	local group=$!
	wait_until 30 are "$@" || true
	kill -KILL -- "-$group"
	wait "$group" 2>/dev/null || true
	are "$@"
}

are() { # ROWS STATES
	equal "$(rows) $(states)" "$1 $2"
}

rows() { # how many, and their sum
	python3 -c 'import sqlite3, sys
print(*sqlite3.connect(sys.argv[1]).execute("SELECT count(*), sum(cents) FROM orders").fetchone())' "$T/orders.db"
}

@test "batches: a hundred rows in one transaction; a bad one becomes a dead letter, and a row is inserted once" {
	seq 99 | dq-put -ql "$q"
	dq-put -q -i bad "$q" 'a lot'
	mkdir -p "$T/stub"
	printf '#!/bin/sh\nexit 1\n' >"$T/stub/dq-ack" # as if the worker had been killed before that
	chmod +x "$T/stub/dq-ack"
	PATH=$T/stub:$PATH batches_until '99 4950' '0 0 100 0'
	later 60001
	dq-promote "$q"
	batches_until '99 4950' '0 0 0 1'
	matches "$(dq-stat "$q/bad" | grep reason)" 'CHECK constraint failed'
}
