# Goal: With several hosts in the URL the one-shot tools wait for a master, when they start and while they work; each message is put once.

bats_require_minimum_version 1.5.0

load ../helper
load failover

tries() { # NAME
	grep -q ': trying again for ' "$T/$1.err"
}

# a, which is killed, and b, its replica that has all: nobody is the master now.
lose_master() {
	start_tcp a
	a=$port
	start_tcp b
	replicates b "$a"
	url=redis://127.0.0.1:$a,127.0.0.1:$port
}

promote() {
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
}

@test "the tools that start without a master wait for the next one" {
	local url a receipt tool
	local -A pids
	lose_master
	for tool in a r t; do
		dq-put -q -u "$url" -i x "$tool" hello
	done
	receipt=$(dq-take -u "$url" a | cut -f1)
	wait_until 20 has_all_of a b
	stop_server a KILL
	export DQ_URL=$url
	dq-put --timeout 2m -i y p hello >"$T/put.out" 2>"$T/put.err" 3>&- &
	pids[put]=$!
	dq-ack --timeout 2m "$receipt" 2>"$T/ack.err" 3>&- &
	pids[ack]=$!
	dq-rm --retry-for 2m r/x 2>"$T/rm.err" 3>&- &
	pids[rm]=$!
	dq-take --retry-for 2m t >"$T/take.out" 2>"$T/take.err" 3>&- &
	pids[take]=$!
	for tool in "${!pids[@]}"; do
		wait_until 20 tries "$tool"
	done
	promote
	for tool in "${!pids[@]}"; do
		exits 0 "${pids[$tool]}"
		equal "$(wc -l <"$T/$tool.err")" 2
		matches "$(tail -1 "$T/$tool.err")" ': answers again$'
	done
	equal "$(<"$T/put.out")" p/y
	equal "$(cut -f2 "$T/take.out")" hello
	SERVER=b holds 0 0 0 0 a
	SERVER=b holds 0 0 0 0 r
	SERVER=b holds 0 1 0 0 p
	stop_server b KILL
}

@test "the master is lost under dq-put -l: 150 of 150, none twice" {
	local url a put
	lose_master
	mkfifo "$T/lines"
	dq-put -u "$url" --retry-for 2m -l "$q" <"$T/lines" >"$T/put.out" 2>"$T/put.err" 3>&- &
	put=$!
	exec 7>"$T/lines"
	seq 50 >&7
	wait_until 20 has_lines "$T/put.out" 50
	wait_until 20 has_all_of a b
	stop_server a KILL
	seq 51 150 >&7
	wait_until 20 tries put
	promote
	exec 7>&-
	exits 0 "$put"
	equal "$(wc -l <"$T/put.err")" 2
	equal "$(sort -u "$T/put.out" | wc -l)" 150
	SERVER=b holds 0 150 0 0
	equal "$(dq-take -u "$url" -n 150 "$q" | cut -f2 | sort -n)" "$(seq 150)"
	stop_server b KILL
}
