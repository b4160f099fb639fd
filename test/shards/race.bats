# Goal: Any number of commands may create and remove a queue of several shards at once, or be killed: one whole queue is left, or nothing.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate
load shards

# Each line is a command; they run at once. Afterwards status_1, status_2... have their exit statuses, and output_1... what they said.
at_once() { # COMMAND...
	local i=0 command pids=()
	for command; do
		i=$((i + 1))
		bash -c "$command" >"$T/output_$i" 2>&1 3>&- &
		pids+=($!)
	done
	ended=
	for i in "${!pids[@]}"; do
		wait "${pids[i]}" && ended+='0 ' || ended+="$? "
	done
	ended=${ended% }
}

outputs() {
	cat "$T"/output_*
}

keys() {
	rcli KEYS "dq:{$q*"
}

# The fields shards of all N shards, each value once.
says() { # N
	local i
	for ((i = 0; i < $1; i++)); do echo "-$(said "$i" "$1")"; done | sort -u | xargs
}

is_unlisted() {
	equal "$(dq-stat --names | grep -cxF "$q" || true)" 0
}

@test "three dq-rm -a of one queue at once: nothing is left, and all succeed" {
	local round
	for round in {1..15}; do
		spread 6
		seq 300 | dq-put -q -l "$q"
		at_once "dq-rm -q -f -a $q" "dq-rm -q -f -a $q" "dq-rm -q -f -a $q"
		equal "$round: $ended $(outputs)" "$round: 0 0 0 "
		equal "$(keys)" ''
		is_unlisted
	done
}

@test "dq-rm -a completes a removal that died at any step, with messages put meanwhile" {
	local open
	for open in 0 1 2; do
		spread 3
		seq 30 | dq-put -q -l "$q"
		# shard 0 is closed first and goes last
		rcli HSET "dq:{$(tag 0 3)}:stat" shards 3- >/dev/null
		[ "$open" = 2 ] || rcli HSET "dq:{$(tag 1 3)}:stat" shards 3- >/dev/null
		[ "$open" != 0 ] || rcli EVAL 'for _, k in ipairs(redis.call("KEYS", ARGV[1])) do redis.call("DEL", k) end' 0 \
			"dq:{$(tag 2 3)}:*" >/dev/null
		fails 75 "being removed" dq-put "$q" x
		fails 75 "being removed" dq-set "$q" shards=3
		run -0 dq-rm -f -a "$q"
		equal "$output$(keys)" ''
		is_unlisted
	done
}

@test "three dq-set shards=6 at once: one queue, and all succeed" {
	local round
	for round in {1..15}; do
		at_once "dq-set $q shards=6" "dq-set $q shards=6" "dq-set $q shards=6"
		equal "$round: $ended $(outputs)" "$round: 0 0 0 "
		equal "$(says 6)" -6
		seq 60 | dq-put -q -l "$q"
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "dq-set shards=N with three numbers at once: one number wins, the others are refused" {
	local round n
	for round in {1..15}; do
		at_once "dq-set $q shards=3" "dq-set $q shards=4" "dq-set $q shards=6"
		n=$(said 0 3)
		equal "$round: $(xargs -n 1 <<<"$ended" | sort | xargs)" "$round: 0 1 1"
		equal "$(outputs | grep -cE "it has $n shards already|it is being created with $n shards")" 2
		equal "$(says "$n") $(keys | wc -l)" "-$n $n"
		seq 60 | dq-put -q -l "$q"
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "made and removed at once: the queue is whole, or nothing is left" {
	local round left
	for round in {1..20}; do
		[ $((round % 2)) = 0 ] || spread 6
		at_once "dq-set $q shards=6" "dq-rm -q -f -a $q" "dq-set $q shards=6" "dq-rm -q -f -a $q"
		equal "$round: $ended $(outputs)" "$round: 0 0 0 0 "
		left=$(keys | grep -c . || true)
		[ "$left" = 0 ] || equal "$round: $left $(says 6)" "$round: 6 -6"
		dq-rm -q -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "removed before its name is in the list: it was made, and that is no failure" {
	local slow
	start_gate
	rule "hold.queues}"
	dq-set -u "unix://$T/gate" "$q" shards=6 >"$T/set" 2>&1 3>&- &
	slow=$!
	wait_until 10 came "queues}"
	dq-rm -q -f -a "$q"
	lift "hold.queues}"
	exits 0 "$slow"
	equal "$(cat "$T/set")$(keys)" ''
}

@test "a creation that died at any step accepts no message, and the same command completes it" {
	local made i
	for made in 0 1 2; do
		# shard 0 is closed first and opened last
		rcli HSET "dq:{$(tag 0 3)}:stat" shards 3+ >/dev/null
		for ((i = 1; i <= made; i++)); do rcli HSET "dq:{$(tag "$i" 3)}:stat" shards 3 >/dev/null; done
		fails 75 "being created" dq-put "$q" x
		fails 75 "dq-set $q shards=3" dq-take "$q"
		fails 1 "it is being created with 3 shards" dq-set "$q" shards=4
		equal "$(rcli EXISTS "dq:{$q}:msg")" 0
		run -0 dq-set "$q" shards=3
		equal "$output $(says 3)" ' -3'
		seq 30 | dq-put -q -l "$q"
		equal "$(dq-take -n 30 "$q" | cut -f 2 | sort -n)" "$(seq 30)"
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "dq-rm -a removes the rest of a creation that died" {
	rcli HSET "dq:{$(tag 0 3)}:stat" shards 3+ >/dev/null
	rcli HSET "dq:{$(tag 2 3)}:stat" shards 3 >/dev/null
	run -0 dq-rm -f -a "$q"
	equal "$output$(keys)" ''
	dq-put -q "$q" x
	equal "$(states "$q")" '0 1 0 0'
}

@test "puts while the queue is created: each message exists once, in its shard" {
	local round
	for round in {1..10}; do
		at_once "for i in {1..20}; do dq-put -q -i a\$i $q x || echo lost; done" "dq-set -q $q shards=6 || [ \$? = 1 ]"
		equal "$round: $ended $(grep -c lost "$T/output_1")" "$round: 0 0 0"
		equal "$(dq-take -n 20 "$q" | tee "$T/taken" | cut -f 1 | sort -u | wc -l)" 20
		dq-ack <"$T/taken"
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "a queue is removed, or created with another number, while a tool uses a shard of it" {
	local anew slow
	start_gate
	for anew in '' 2 4; do
		spread 3
		seq 30 | sed 's/.*/-\tid&\tx/' | dq-put -q --tsv "$q"
		dq-take -n 99 "$q" | dq-ack -b
		rule hold.id7
		dq-promote -u "unix://$T/gate" --dead "$q" >"$T/redrive" 2>&1 3>&- &
		slow=$!
		wait_until 10 came id7
		dq-rm -f -a "$q"
		[ -z "$anew" ] || { spread "$anew" && seq 30 | dq-put -q -l "$q" && dq-take -n 99 "$q" | dq-ack -b; }
		rm "$T/rules/held.id7"
		lift hold.id7
		exits 0 "$slow"
		equal "$(cat "$T/redrive")" ''
		# The command need not handle shards that died after it began.
		[ -z "$anew" ] || equal "$(dq-stat --no-header "$q" | awk '{ print $4, $6 }')" '0 30'
		dq-rm -q -f -a "$q"
	done
}

@test "made anew with fewer shards while dq-promote --dead --rate is in the middle of a page of the last one" {
	local slow
	start_gate
	spread 3
	seq 30 | sed 's/.*/-\tid&\tx/' | dq-put -q --tsv "$q"
	dq-take -n 99 "$q" | dq-ack -b
	rule hold.id12 # one of the last shard; the rate sends each in a call of its own
	dq-promote -u "unix://$T/gate" --dead --rate 500 "$q" >"$T/redrive" 2>&1 3>&- &
	slow=$!
	wait_until 10 came id12
	dq-rm -f -a "$q"
	spread 2
	seq 30 | dq-put -q -l "$q"
	lift hold.id12
	exits 0 "$slow"
	equal "$(cat "$T/redrive")" ''
	equal "$(shares 2 | awk '{ print $1 + $2 }')" 30
}

@test "made anew with fewer shards while dq-stat --messages --payload lists the first one: each message once" {
	local anew slow
	start_gate
	for anew in 1 2; do
		spread 3
		seq 30 | sed 's/.*/-\tid&\tx/' | dq-put -q --tsv "$q"
		rule hold.id13 # one of the first shard
		dq-stat -u "unix://$T/gate" --messages ready --payload "$q" >"$T/list" 2>"$T/err" 3>&- &
		slow=$!
		wait_until 10 came id13
		dq-rm -f -a "$q"
		spread "$anew"
		seq 30 | sed 's/.*/-\tnew&\tx/' | dq-put -q --tsv "$q"
		rm "$T/rules/held.id13"
		lift hold.id13
		exits 0 "$slow"
		equal "$(cat "$T/err")" ''
		equal "$(grep -o 'new[0-9]*' "$T/list" | sort)" "$(seq 30 | sed 's/^/new/' | sort)"
		dq-rm -q -f -a "$q"
	done
}

# What a call says that knows of three shards.
knows_three=$'/3\r\n$4\r\nfail'
knows_three=${knows_three#/} # as a file name

@test "removed, and made again with the number that dq-put knows, before it asks for that: the put is done" {
	local slow
	start_gate
	spread 3
	rule "hold.$knows_three"
	dq-put -q -u "unix://$T/gate" -i x1 "$q" x >"$T/put" 2>&1 3>&- &
	slow=$!
	wait_until 10 came "$knows_three"
	dq-rm -f -a "$q"
	rule late.x1
	lift "hold.$knows_three"
	wait_until 10 came x1
	spread 3
	lift late.x1
	exits 0 "$slow"
	equal "$(cat "$T/put") $(dq-take "$q" | cut -f 2)" ' x'
}

@test "removed, and not made again, before dq-put asks for the number: the put is done" {
	local slow
	start_gate
	spread 3
	rule late.x1
	dq-put -q -u "unix://$T/gate" -i x1 "$q" x >"$T/put" 2>&1 3>&- &
	slow=$!
	wait_until 10 came x1
	dq-rm -f -a "$q"
	lift late.x1
	exits 0 "$slow"
	equal "$(cat "$T/put") $(dq-take "$q" | cut -f 2)" ' x'
}

# What a request says that opens shard 0, and one that takes away the first shard.
opens=$'3+\r\n$1\r\n3'
takes=$'3-\r\n$0'

@test "a creation that stops before its end: no puts; it continues after others completed, removed and created the queue" {
	local slow round
	start_gate
	for ((round = 1; round <= 3; round++)); do
		rule "hold.$opens"
		dq-set -u "unix://$T/gate" "$q" shards=3 >"$T/slow" 2>&1 3>&- &
		slow=$!
		wait_until 10 came "$opens"
		fails 75 "being created" dq-put "$q" x
		case $round in
		1) dq-set "$q" shards=3 && dq-put -q "$q" x ;;
		2) dq-rm -f -a "$q" ;;
		3) dq-rm -f -a "$q" && dq-set "$q" shards=3 && dq-put -q "$q" x ;;
		esac
		rm "$T/rules/held.$opens"
		lift "hold.$opens"
		exits 0 "$slow"
		equal "$(cat "$T/slow")$(says 3)" -3
		[ "$round" = 2 ] || equal "$(dq-take -n 9 "$q" | cut -f 2)" x
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}

@test "a removal that stops when all shards are closed: no puts; it continues after others removed and created the queue" {
	local slow round
	start_gate
	for ((round = 1; round <= 4; round++)); do
		spread 3
		seq 30 | dq-put -q -l "$q"
		rule "hold.$takes"
		dq-rm -u "unix://$T/gate" -q -f -a "$q" >"$T/slow" 2>&1 3>&- &
		slow=$!
		wait_until 10 came "$takes"
		fails 75 "being removed" dq-put "$q" x
		[ "$round" = 1 ] || dq-rm -f -a "$q"
		case $round in
		2) dq-put -q "$q" x ;;
		3) dq-set "$q" shards=3 && seq 30 | dq-put -q -l "$q" ;;
		4) dq-set "$q" shards=4 && seq 30 | dq-put -q -l "$q" ;;
		esac
		rm "$T/rules/held.$takes"
		lift "hold.$takes"
		exits 0 "$slow"
		equal "$(cat "$T/slow")" ''
		case $round in
		1 | 3) equal "$(keys)" '' ;;
		2) equal "$(states "$q") $(dq-stat --names | grep -cxF "$q")" '0 1 0 0 1' ;;
		4) equal "$(says 4) $(dq-take -n 40 "$q" | wc -l)" '-4 30' ;;
		esac
		dq-rm -f -a "$q"
		equal "$(keys)" ''
	done
}
