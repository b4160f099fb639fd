# shellcheck shell=bash disable=SC2154
# Users of Redis with the rights that dq-scripts(7) gives them, and what they do.

# The lines of dq-scripts(7), a role a line: "dq-producer reset on >...". Their queues are here those whose name begins with $q.
rights() { # ROLE
	awk '/^\.S[hs] / { on = $0 == ".Sh PERMISSIONS" }
		/^\.Bd/ { block = on } /^\.Ed/ { block = 0 }
		block && /^(ACL SETUSER| )/ { sub(/^ACL SETUSER /, "\n"); printf "%s", $0 }
		END { print "" }' "$top/man/dq-scripts.7" |
		sed -n "s/{mail}/{$q*}/g; s/>PASSWORD/>secret/; s/^dq-$1 //p"
}

set_user() { # ROLE [RULE...]: the manual's, and then these
	local words
	read -ra words < <(rights "$1")
	equal "$(rcli ACL SETUSER "dq-$1" "${words[@]}" "${@:2}")" OK
}

as() { # ROLE COMMAND...
	DQ_URL=unix://dq-$1:secret@$T/main/s "${@:2}"
}

# What servers say of a right that is missing: to a command, and to one within a script (Redis 7.0; Redis 8 and Valkey).
lacks_right="NOPERM|can't run this command|can't access at least|ACL failure in script"

# A step of a life: the command ends with that status, or is refused with 77 and a word about it, which is noted; once something
# was refused 0 and 1 are both as good. What it prints goes to $T/out.
step() { # STATUS ROLE COMMAND...
	local status=0
	DQ_URL=unix://dq-$2:secret@$T/main/s timeout -k 1 20 "${@:3}" >"$T/out" 2>"$T/err" || status=$?
	if [ "$status" -eq 77 ] && grep -qE "$lacks_right" "$T/err"; then
		refused=77
	elif [ "$status" -ne "$1" ] && [[ -z $refused || $status != [01] ]]; then
		echo "${*:3}: status $status"
		cat "$T/err"
		return 1
	fi
}

# Each of these ids is in at least one of the queue's states (the message that a life strays is in none), and once the operator
# has mended the queue it is sound and has them all.
whole() { # QUEUE ID...
	local queue=$1 id there key="dq:{$1}"
	shift
	there=" stray $(rcli --raw ZUNION 4 "$key:delayed" "$key:ready" "$key:leased" "$key:dead" | paste -sd' ') "
	for id; do
		[[ $there == *" $id "* ]] || {
			echo "$queue/$id is in no state; there are:$there"
			return 1
		}
	done
	dq-gc --repair "$queue" >/dev/null || return
	equal "$(dq-gc --check "$queue")" '' || return
	audit "$queue" || return
	there=" $(rcli --raw HKEYS "$key:msg" | paste -sd' ') "
	for id; do
		[[ $there == *" $id "* ]] || {
			echo "$queue/$id is lost; there are:$there"
			return 1
		}
	done
}

# --- lives: each as $1, on queue $2, which a prepare_ made; sets $refused where it was; sets $kept, the ids that must be there ---

prepare_producer() {
	dq-put -q --unique-for 1h -i own "$1" x
	dq-put -q --keep 1h -i kept "$1" x
	dq-put -q --keep 1ms -i past "$1" x
	dq-take -n 9 "$1" | dq-ack
	rcli ZADD "dq:{$1}:settled" 1 past >/dev/null
	dq-put -q -i p1 "$1" x
	dq-put -q -d 1h -i p2 "$1" x
	dq-set -q "$1.len" max-len=9 key-limit=9
}

live_producer() {
	local name
	refused='' kept=(p1 p2)
	step 0 "$1" dq-put -i new "$2" x || return
	cat "$T/out" >"$T/names"
	step 0 "$1" dq-put -d 1m -i later "$2" x || return
	cat "$T/out" >>"$T/names"
	step 0 "$1" dq-put -l -p 3 -r 2 -t 5s -x 1h "$2" <<<$'one\ntwo' || return
	cat "$T/out" >>"$T/names"
	step 0 "$1" dq-put -e keep -i p1 "$2" y || return
	step 1 "$1" dq-put -i p2 "$2" y || return
	step 1 "$1" dq-put -i own "$2" x || return
	step 1 "$1" dq-put -i kept "$2" x || return
	step 0 "$1" dq-put --keep 1h -i past "$2" x || return
	cat "$T/out" >>"$T/names"
	step 0 "$1" dq-put -q "$2.len" x || return
	step 0 "$1" dq-put -q -k key "$2.len" x || return
	step 0 "$1" dq-put -k key -l "$2" <<<$'three\nfour' || return
	cat "$T/out" >>"$T/names"
	while read -r name; do kept+=("${name#*/}"); done <"$T/names"
}

prepare_changer() {
	prepare_producer "$1"
	dq-put -q --unique-for 1h -i p3 "$1" x
	dq-put -q --unique-for 1ms -i p4 "$1" x
	dq-take -n 9 "$1" | dq-ack
	rcli ZADD "dq:{$1}:settled" 1 p4 >/dev/null
	dq-put -q -i p5 "$1" x
	dq-take -n 9 "$1" | dq-ack -b
	dq-put -q -i p1 "$1" x
	dq-put -q -k key -i p6 "$1" x
}

live_changer() {
	refused='' kept=(p1 p2 p5 key+p6)
	step 1 "$1" dq-put -i p3 "$2" x || return
	step 0 "$1" dq-put -e replace -i p1 "$2" y || return
	step 0 "$1" dq-put -e earlier -i p2 "$2" y || return
	step 0 "$1" dq-put -e later -d 1h -i p5 "$2" y || return
	step 0 "$1" dq-put -e move -d 2h -i p5 "$2" y || return
	step 0 "$1" dq-put -e edit -i p5 "$2" y || return
	step 0 "$1" dq-put -e replace -i p1 "$2" z || return
	step 0 "$1" dq-put -q -e replace -k key -i p6 "$2" y || return
	step 0 "$1" dq-put -q -e later -d 1h -k key -i p6 "$2" y || return
}

prepare_consumer() {
	seq 2 | dq-put -q -l "$1"
	dq-take -n 2 "$1" >/dev/null
	dq-put -q -d 5s -i due "$1" x
	later 70000 "$1"
	printf -- '-\t%s\tx\n' 'done' extend key+retry key+bury back | dq-put -q --tsv -b 1h --unique-for 1h -p 1 "$1"
	dq-take --no-promote -n 5 "$1" >"$T/receipts"
	dq-put -q -i ready "$1" x
	dq-put -q -x 10m -i old "$1" x
	rcli HSET "dq:{$1}:msg" old $'x=1\nx' >/dev/null
	equal "$(states "$1")" '1 2 7 0'
	dq-put -q -k key -i next "$1" x
	dq-put -q "$1.none" x
	dq-take --ack "$1.none" >/dev/null
	dq-set -q "$1.none" key-limit=9
	dq-put -q -k key "$1.none" x
}

receipt() { # ID
	grep -o "^[^/]*/$1@[0-9]*" "$T/receipts"
}

live_consumer() {
	local id
	refused='' kept=(due ready extend key+retry key+bury back key+next)
	step 0 "$1" dq-take -n 20 --linger 1ms "$2" || return
	step 0 "$1" dq-ack -x 5m "$(receipt extend)" || return
	step 0 "$1" dq-ack -r -m why "$(receipt key+retry)" || return
	step 0 "$1" dq-ack -b -m why "$(receipt key+bury)" || return
	step 0 "$1" dq-ack -g "$(receipt back)" || return
	step 0 "$1" dq-ack "$(receipt 'done')" || return
	: >"$T/ran"
	# shellcheck disable=SC2016
	step 0 "$1" dq-run --once "$2" -- sh -c 'echo "$DQ_ID" >>"$0"' "$T/ran" || return
	while read -r id; do mapfile -t kept < <(printf '%s\n' "${kept[@]}" | grep -vx "$id"); done <"$T/ran"
	step 1 "$1" dq-take -w 50ms "$2" || return
	step 0 "$1" dq-run --drain "$2.none" -- true || return
}

prepare_operator() {
	printf -- '-\t%s\tx\n' drop1 drop2 dead dead2 held | dq-put -q --tsv "$1"
	dq-take -n 5 "$1" >"$T/receipts"
	grep dead "$T/receipts" | dq-ack -b
	dq-put -q -i keep1 "$1" x
	dq-put -q -d 5s -i due "$1" x
	dq-put -q -d 1h -i named "$1" x
	dq-put -q -k key -i 1 "$1" x
	later 6000 "$1"
}

live_operator() {
	refused='' kept=(keep1 due named held key+1)
	step 0 "$1" dq-stat || return
	step 0 "$1" dq-stat "$2" "$2/keep1" || return
	step 0 "$1" dq-stat --messages all "$2" || return
	step 0 "$1" dq-stat --keys "$2" || return
	step 0 "$1" dq-stat -k key "$2" || return
	step 0 "$1" dq-promote || return
	step 0 "$1" dq-promote "$2/named" || return
	step 0 "$1" dq-promote --dead "$2/dead" || return
	step 0 "$1" dq-promote --release "$2/held" || return
	step 0 "$1" dq-set "$2" paused=yes || return
	step 0 "$1" dq-set "$2" paused=no || return
	step 0 "$1" dq-promote --for 30ms -f -q "$2" || return
	step 0 "$1" dq-rm -f "$2/drop1" || return
	printf -- '1h\tk+%s\tx\n' 1 2 | dq-put -q --tsv "$2"
	step 0 "$1" dq-rm -k k "$2" || return
	dq-dump "$2" >"$T/dump"
	dq-put -q --unique-for 1h -x 2h -d 1h -i over "$2" x
	printf '{"queue":"%s","id":"over","due_ms":9,"payload":"y"}\n' "$2" >"$T/over"
	step 0 "$1" dq-load -q -e replace "$T/dump" "$T/over" || return
	kept+=(over)
	step 0 "$1" dq-gc --dead-for 0s "$2" || return
	dq-put -q "$2.gone" x
	step 0 "$1" dq-rm -af "$2.gone" || return
	rcli HSET "dq:{$2}:msg" stray $'\nx' >/dev/null
	kept+=(stray)
	step 0 "$1" dq-gc --repair "$2" || return
	dq-set "$2" paused=no
}

prepare_setter() {
	prepare_operator "$1"
}

live_setter() {
	refused='' kept=(keep1 due named held)
	step 0 "$1" dq-set "$2" || return
	step 0 "$1" dq-set "$2" paused=yes || return
	step 0 "$1" dq-set "$2" paused=no paused:x=yes || return
	step 0 "$1" dq-set "$2" paused:x=no || return
	dq-rm -af "$2.shards" || return
	step 0 "$1" dq-set -q "$2.shards" shards=2 paused=yes || return
	step 0 "$1" dq-set "$2.shards" || return
	dq-set "$2" paused=no paused:x=no
}

prepare_monitor() {
	prepare_operator "$1"
}

live_monitor() {
	refused='' kept=(keep1 due named dead dead2 drop1 drop2 key+1)
	step 0 "$1" dq-stat || return
	step 0 "$1" dq-stat --json "$2" || return
	step 0 "$1" dq-stat --next "$2" || return
	step 0 "$1" dq-stat --prometheus "$2" || return
	step 0 "$1" dq-stat "$2/keep1" || return
	step 0 "$1" dq-stat --messages all "$2" || return
	step 0 "$1" dq-stat --payload "$2/dead" || return
	step 0 "$1" dq-stat --keys "$2" || return
	step 0 "$1" dq-stat -k key "$2" || return
	step 0 "$1" dq-dump "$2" || return
}

# Each command of the role's taken away in turn, but for those: the life goes on, something in it is refused, and nothing
# is lost. With sanitizers, which are slow, each fifth: the rights are those of Redis.
without_each() { # ROLE COMMAND-TO-LEAVE...
	local role=$1 word words queue bad=0 n=0
	shift
	read -ra words < <(rights "$role")
	for word in "${words[@]}" ${more:-}; do
		[[ $word == +* && " $* " != *" $word "* ]] || continue
		[ -z "${ASAN_OPTIONS:-}" ] || [ $((++n % 5)) -eq 0 ] || continue
		queue=$q.${word//[^a-z]/_}
		# shellcheck disable=SC2086
		set_user "$role" ${more:-} "-${word#+}" || return
		"prepare_${life:-$role}" "$queue" || return
		rcli SCRIPT FLUSH >/dev/null
		{ "live_${life:-$role}" "$role" "$queue" && whole "$queue" "${kept[@]}"; } || {
			echo "without $word"
			bad=1
		}
		[ -n "$refused" ] || {
			echo "$word is not needed"
			bad=1
		}
	done
	return "$bad"
}
