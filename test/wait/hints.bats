# Goal: The end of a message whose outcome is kept wakes those that wait for it, and nobody else. A hint that is lost or not allowed costs
# time, never an answer, and the end of a message is never refused because of one.

bats_require_minimum_version 1.5.0

load ../helper
load ../acl

put() { # ID [OPTION...]: kept
	dq-put -q --keep 1h -i "$1" "${@:2}" "$q" x
}

# Waits in the background, until it has subscribed to so many messages.
waits() { # N OPTION...
	dq-wait "${@:2}" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
	wait_until 60 has_subscribed "$1"
}

has_subscribed() { # N
	rcli CLIENT LIST | grep -q "name=dq-wait-hints .*ssub=$1 "
}

line_id() {
	rcli CLIENT LIST | sed -n 's/^id=\([0-9]*\) .*name=dq-wait-hints .*/\1/p'
}

hears() { # ID...
	python3 "$top/test/tool/hears.py" "$T/main/s" "${@/#/dq:{$q\}:outcome:}" >"$T/heard" 3>&- &
	wait_until 30 has_lines "$T/heard" 1
}

# The ids of which something was heard, up to now. The last word is published here.
heard() {
	rcli SPUBLISH "dq:{$q}:outcome:end" over >/dev/null
	wait_until 30 grep -q ' over$' "$T/heard"
	sed -n 's/^dq:{[^}]*}:outcome:\([^ ]*\)$/\1/p' "$T/heard" | paste -sd' '
}

# Without hints it asks at most once a second.
asks_often() { # BEFORE BEGAN
	rcli SPUBLISH "dq:{$q}:outcome:a" '' >/dev/null
	[ "$(scripts_run)" -gt $(($1 + SECONDS - $2 + 5)) ]
}

@test "a hint wakes it: it asks more often than it would by itself, and says only what is so" {
	put a
	waits 1 "$q/a"
	wait_until 60 asks_often "$(scripts_run)" "$SECONDS"
	equal "$(<"$T/out")" ''
	dq-take "$q" | dq-ack -m 42
	exits 0 "$waiter"
	equal "$(<"$T/out")" "$q/a"$'\tdone\t42'
	equal "$(<"$T/err")" ''
}

@test "each kind of end gives a hint, to those alone that wait for that message" {
	local id
	hears acked too buried tried removed expired lapsed released other plain end
	for id in acked too buried; do put "$id"; done
	dq-take -n 2 "$q" | dq-ack
	dq-take "$q" | dq-ack -b
	put tried -r 1
	dq-take "$q" | dq-ack -r
	put removed
	dq-rm "$q/removed"
	put released -r 1
	dq-take "$q" >/dev/null
	dq-promote -q --release "$q/released"
	put lapsed -r 1 -t 1ms
	dq-take "$q" >/dev/null
	later 10 "$q"
	dq-promote "$q" >/dev/null
	put expired -x 1h
	rcli HSET "dq:{$q}:msg" expired $'x=1 u=3600000 k=1\nx' >/dev/null
	rcli ZADD "dq:{$q}:expiry" 1 expired >/dev/null
	dq-gc -q "$q" || true
	dq-put -q -i plain "$q" x
	dq-take --ack "$q" >/dev/null
	dq-put -q -i plain -r 1 "$q" x
	dq-take "$q" | dq-ack -b
	equal "$(heard)" 'acked too buried tried removed released lapsed expired'
}

@test "many names: each that ends is printed, and all are subscribed to" {
	local names
	seq 600 | sed 's/.*/-\tn&\tx/' | dq-put --keep 1h --tsv "$q" >"$T/names"
	mapfile -t names <"$T/names"
	waits 600 "${names[@]}"
	dq-take -n 1000 "$q" | dq-ack
	exits 0 "$waiter"
	equal "$(cut -f1 "$T/out" | sort)" "$(sort "$T/names")"
}

@test "more names than can be asked for in a second, far away: -w 0 asks for all of them" {
	seq 6000 | sed 's/.*/-\tn&\tx/' | dq-put --keep 1h --tsv "$q" >"$T/names"
	dq-take -n 6000 --ack "$q" >/dev/null
	python3 "$top/test/tool/far.py" "$T/far" "$T/main/s" 150 3>&- &
	local way=$!
	wait_until 30 test -S "$T/far"
	run -0 --separate-stderr dq-wait -u "unix://$T/far" -w 0 - <"$T/names"
	kill "$way"
	equal "$stderr" ''
	equal "$(cut -f 1 <<<"$output")" "$(<"$T/names")"
}

@test "it never subscribes if nothing is to be waited for" {
	local before
	put a
	put b
	dq-take --ack "$q" >/dev/null
	before=$(rcli INFO commandstats | grep -o 'cmdstat_ssubscribe:calls=[0-9]*' || true)
	dq-wait -q "$q/a"
	dq-wait --any -q "$q/b" "$q/a"
	run -124 dq-wait -q -w 0 "$q/b"
	equal "$(rcli INFO commandstats | grep -o 'cmdstat_ssubscribe:calls=[0-9]*' || true)" "$before"
}

has_another_line() { # ID
	[[ $(line_id) == [1-9]* && $(line_id) != "$1" ]]
}

@test "a lost line is opened again, and an end before that is seen" {
	local id
	put a
	put b
	waits 2 "$q/a" "$q/b"
	id=$(line_id)
	rcli CLIENT KILL ID "$id" >/dev/null
	dq-take --ack "$q" >/dev/null
	wait_until 60 has_lines "$T/out" 1
	wait_until 60 has_another_line "$id"
	dq-take --ack "$q" >/dev/null
	exits 0 "$waiter"
	equal "$(<"$T/err")" ''
}

@test "without the rights nothing is refused: it asks now and then" {
	set_user consumer
	set_user monitor
	hears a b end
	put a
	put b
	as monitor dq-wait "$q/a" "$q/b" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
	wait_until 60 is_refused ssubscribe
	as consumer dq-take "$q" >"$T/taken"
	as consumer dq-ack -m fine <"$T/taken"
	as consumer dq-take "$q" >"$T/taken"
	as consumer dq-ack -b -m bad <"$T/taken"
	exits 1 "$waiter"
	equal "$(sort "$T/out")" "$q/a"$'\tdone\tfine\n'"$q/b"$'\tdead\tbad'
	equal "$(<"$T/err")" ''
	equal "$(heard)" ''
	run -1 is_refused spublish
}

is_refused() { # COMMAND
	rcli ACL LOG | grep -qx "$1"
}

@test "with the rights that dq-scripts(7) names there are hints" {
	set_user consumer +spublish "&dq:{$q}:outcome:*"
	set_user monitor +ssubscribe '&dq:*:outcome:*' '+client|setname'
	put a
	as monitor dq-wait "$q/a" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
	wait_until 60 has_subscribed 1
	hears a end
	as consumer dq-take "$q" >"$T/taken"
	as consumer dq-ack <"$T/taken"
	exits 0 "$waiter"
	equal "$(heard)" a
}

@test "-w limits the attempts of --retry-for" {
	start_server away
	stop_server away
	DQ_URL=unix://$T/away/s run -69 --separate-stderr timeout 60 dq-wait -w 100ms --retry-for 1h "$q/a"
}

@test "servers that hang, or die, do not hold it longer than -w" {
	local name waiters=()
	for name in hangs dies; do
		start_server "$name"
		DQ_URL=unix://$T/$name/s put a
		DQ_URL=unix://$T/$name/s SERVER=$name waits 1 -w 10s --timeout 1h --retry-for 1h "$q/a"
		waiters+=("$waiter")
	done
	kill -STOP "$(<"$T/hangs/pid")"
	stop_server dies KILL
	exits 75 "${waiters[0]}"
	exits 75 "${waiters[1]}"
	equal "$(<"$T/out")" ''
}
