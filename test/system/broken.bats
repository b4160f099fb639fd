# Goal: A recipe acks nothing that was not done, whichever of its parts fails, is cut or is killed.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load broken

# --- shells ---

@test "a record is passed on without decoding its payload: the receipt in a payload settles nothing" {
	local command victim
	commands '"\$record" \| dq-ack' >"$T/commands"
	has_lines "$T/commands" 2
	while IFS= read -r command; do
		fresh
		dq-put -q victims v
		victim=$(dq-take victims | cut -f 1)
		dq-put -q tricks $'x\n'"$victim"
		record=$(dq-take tricks) run -0 sh -c "$command" # dash decodes what it echoes
		holds 0 0 0 0 tricks
		holds 0 0 1 0 victims
	done <"$T/commands"
}

@test "no page passes a record by echo" {
	run ! grep -rnE 'echo (\\\(dq|")\$(record|batch|line)' "$top"/README.md "$top"/man "$top"/completions "$top"/share
}

# --- what reads messages ---

# A message that is gone was printed whole. Messages 1 to 3 have payloads of different lengths.
done_or_kept() { # QUEUE
	local number
	for number in 1 2 3; do
		[ "$(dq-stat -q --messages all "$1" 2>/dev/null | grep -c "^$1/$number	")" -eq 1 ] ||
			grep -qE "(^|[^x])$(payload "$number")>?$" printed || {
			echo "$1/$number is gone, and was not done: $(cat printed)"
			return 1
		}
	done
}

payload() { # NUMBER
	printf "%0$((100 * $1))d" 0 | tr 0 x
}

put_one() { # QUEUE NUMBER COMMAND
	if [[ $3 == *fromjson* ]]; then
		dq-put -q -i "$2" "$1" "{\"to\":\"$(payload "$2")\"}"
	else
		dq-put -q -i "$2" "$1" "$(payload "$2")"
	fi
}

@test "loops that read records ack what they printed whole, and that only" {
	local command queue
	commands 'dq-take.*while.*dq-ack|while.*dq-take.*dq-ack' | grep -v -- -load | sed 's/-w 10s/-w 10ms/' >"$T/commands"
	has_lines "$T/commands" 3
	while IFS= read -r command; do
		queue=$(sed -E 's/.*dq-take( -[a-z0]| --[a-z]+| [0-9]+[a-z]*)* ([a-z]+).*/\2/' <<<"$command")
		tr '\v' '\n' <<<"$command" >"$T/loop"
		prepare() {
			local number
			for number in 1 2 3; do
				put_one "$queue" "$number" "$command"
			done
		}
		check() { done_or_kept "$queue"; }
		if [[ $command == *jq* ]]; then
			break_each "$T/loop" dq-take jq dq-ack
		else
			break_each "$T/loop" dq-take dq-ack
		fi
		# Nor if nothing can be printed.
		fresh
		prepare
		sh "$T/loop" >/dev/full 2>/dev/null </dev/null || true
		equal "$(payloads "$queue")" 3
	done <"$T/commands"
}

@test "xargs: a command gets whole payloads only, and what failed is not acked" {
	local command queue
	commands 'dq-take.*xargs' >"$T/commands"
	has_lines "$T/commands" 2
	while IFS= read -r command; do
		queue=$(sed -E 's/.*dq-take -0 -n 10 ([a-z]+).*/\1/' <<<"$command")
		printf '%s\n' "$command" >"$T/xargs"
		prepare() {
			local number
			for number in 1 2 3; do
				dq-put -q -i "$number" "$queue" "$(payload "$number")"
			done
		}
		check() { done_or_kept "$queue"; }
		break_each "$T/xargs" dq-take dq-ack
		fresh
		prepare
		(cd "$T/run" && sh "$T/xargs" >/dev/full 2>/dev/null </dev/null) || true
		equal "$(payloads "$queue")" 3
	done <"$T/commands"
}

@test "xargs: a payload that is too large for a command line is not acked" {
	local command queue
	commands 'dq-take.*xargs' >"$T/commands"
	cd "$T"
	while IFS= read -r command; do
		fresh
		queue=$(sed -E 's/.*dq-take -0 -n 10 ([a-z]+).*/\1/' <<<"$command")
		head -c 131060 /dev/zero | tr '\0' x | dq-put -q "$queue"
		run sh -c "$command" </dev/null
		matches "$output" 'too (long|large)'
		holds 0 0 1 0 "$queue"
	done <"$T/commands"
}

# --- handlers ---

@test "handlers: a message whose payload could not be read, or whose output could not be written, is not done" {
	local command queue tool
	commands 'dq-run .*\$\((cat|tr) ?' | sed 's/.*\v *dq-run/dq-run/; s/\vdone$//' >"$T/commands"
	has_lines "$T/commands" 6
	install_parts cat tr
	while IFS= read -r command; do
		queue=$(sed 's/ -- .*//; s/.* //' <<<"$command")
		printf '%s\n' "$command" >"$T/handler"
		prepare() { dq-put -q -r 1 "$queue" 77; }
		check() { holds 0 0 0 1 "$queue"; }
		echo "$command"
		tool=$(sed -E 's/.*\$\((cat|tr).*/\1/' <<<"$command")
		break_each "$T/handler" "$tool"
		fresh
		prepare
		sh "$T/handler" >/dev/full 2>/dev/null </dev/null || true
		[[ $command == *'| sort'* || $command == *'>&3'* ]] || holds 0 0 0 1 "$queue" # they do not write to it
	done <"$T/commands"
}

@test "the shell worker does not run its command for a record that is cut" {
	page_blocks "$top/man/dq-recipes.7" | awk -v RS='\f\n' '/^#!\/bin\/sh/ && /close_order/' >"$T/worker"
	mkdir "$T/handlers"
	cp "$top/test/tool/stub/close_order" "$T/handlers"
	install_parts dq-take
	prepare() { dq-put -q orders "$(payload 3)"; }
	check() { holds 0 0 1 0 orders && [ ! -e "$T/closed" ]; }
	PATH=$PATH:$T/handlers break_one "$T/worker" dq-take cut 1
}

# --- time ---

@test "the loop that sleeps needs no fractions of a second, and ends if it cannot sleep" {
	recipe "$top/man/dq-stat.1" 'while ms=$(dq-stat --next' >"$T/loop"
	mkdir "$T/whole"
	cat >"$T/whole/sleep" <<-'SLEEP'
		#!/bin/sh
		# As the sleep of busybox.
		case $1 in '' | *[!0-9]*) echo "sleep: invalid number '$1'" >&2; exit 1 ;; esac
		echo "$1" >>"$SLEPT"
		exec /bin/sleep "$1"
	SLEEP
	chmod +x "$T/whole/sleep"
	SLEPT=$T/slept PATH=$T/whole:$PATH run -0 --separate-stderr sh "$T/loop"
	equal "$output$stderr" 'take the bag out'
	[ -s "$T/slept" ]
	printf '#!/bin/sh\nexit 1\n' >"$T/whole/sleep"
	PATH=$T/whole:$PATH run -0 timeout 60 sh "$T/loop"
	holds 1 0 0 0 tea
}

@test "cron: a worker does not start beside the last one" {
	local command first
	fresh
	command=$(page_blocks "$top/man/dq-recipes.7" | sed -n 's/^\* \* \* \* \* \(.*dq-run .*\)/\1/p' |
		sed "s|/usr/local/bin/||; s|/opt/shop/close-order|$T/slow|")
	printf '#!/bin/sh\necho >>%s\nread -r _ <%s\n' "$T/started" "$T/go" >"$T/slow"
	chmod +x "$T/slow"
	mkfifo "$T/go"
	exec 8<>"$T/go"
	dq-put -q orders a b
	export HOME=$T
	sh -c "$command" >"$T/first" 2>&1 8>&- 3>&- &
	first=$!
	wait_until 10 has_lines "$T/started" 1
	sh -c "$command" >"$T/second" 2>&1 8>&- 3>&- &
	exits 1 $!
	equal "$(cat "$T/second")" ''
	holds 0 1 1 0 orders
	printf 'x\nx\n' >&8
	exits 0 "$first"
	equal "$(cat "$T/first")" ''
	holds 0 0 0 0 orders
	exec 8>&-
}
