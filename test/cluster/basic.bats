# Goal: On a cluster each tool finds the node of its queue, whichever node the URL names, and the list of queues is complete.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load ../acl

setup_file() {
	begin_file
	local more=''
	! is_valkey_9 || more='--cluster-databases 2'
	OPTIONS_OF_NODES=$more start_cluster
}

setup() {
	begin_test
	begin_cluster
}

@test "the life of a message on each node, from each node" {
	local queue port
	for port in "${ports[@]}"; do
		export DQ_URL=redis://127.0.0.1:$port
		for queue in "$one" "$two" "$three"; do
			equal "$(dq-put -i x "$queue" hello)" "$queue/x"
			equal "$(states_of "$queue")" '0 1 0 0'
			equal "$(dq-take "$queue" | tee "$T/taken" | cut -f 2)" hello
			equal "$(dq-stat --no-header "$queue" | awk '{ print $5 }')" 1
			dq-ack <"$T/taken"
			dq-put -q -d 1h -i later "$queue" x
			dq-promote "$queue/later"
			equal "$(states_of "$queue")" '0 1 0 0'
			equal "$(dq-stat "$queue/later" | grep -c 'ready')" 1
			dq-rm "$queue/later"
			dq-put -q "$queue" job
			equal "$(dq-run --once "$queue" -- cat)" job
			equal "$(states_of "$queue")" '0 0 0 0'
		done
	done
}

@test "each queue is listed, once" {
	dq-put -q "$one" x
	dq-put -q "$two" x
	dq-put -q "$three" x
	equal "$(listed | grep -cxF -e "$one" -e "$two" -e "$three")" 3
	[ -n "$(SERVER=$(node_of "$two") rcli HGET "dq:{$two}:stat" listed)" ]
	equal "$(dq-stat --no-header | awk '{ print $1 }' | grep -cxF -e "$one" -e "$two" -e "$three")" 3
}

@test "thousands to a queue of another node: in order, each once" {
	seq 20000 | dq-put -l -p 1 "$two" >"$T/names"
	equal "$(wc -l <"$T/names")" 20000
	equal "$(states_of "$two")" '0 20000 0 0'
	dq-take --until-empty -n 500 "$two" >"$T/taken"
	equal "$(cut -f 2 "$T/taken" | md5sum)" "$(seq 20000 | md5sum)"
	cut -f 1 "$T/taken" | dq-ack
	equal "$(states_of "$two")" '0 0 0 0'
}

@test "messages on all nodes, named by lines: settled, removed, promoted" {
	local queue
	for queue in "$one" "$two" "$three"; do
		seq 300 | dq-put -q -l "$queue"
		dq-take -n 300 "$queue"
	done | shuf >"$T/taken"
	head -n 450 "$T/taken" | cut -f 1 | dq-ack
	tail -n 450 "$T/taken" | cut -f 1 | dq-rm
	for queue in "$one" "$two" "$three"; do
		equal "$(states_of "$queue")" '0 0 0 0'
		seq 300 | awk '{ print "3600\t" $1 "\tx" }' | dq-put --tsv "$queue"
	done | shuf | dq-promote -
	for queue in "$one" "$two" "$three"; do equal "$(states_of "$queue")" '0 300 0 0'; done
}

@test "a queue is emptied, and forgotten" {
	dq-put -q "$three" x
	dq-rm -q -f -a "$three"
	run ! grep -qxF "$three" <(listed)
	equal "$(SERVER=$(node_of "$three") rcli --raw KEYS "*{$three}*")" ''
}

@test "a database that the cluster does not have is refused, with the reason" {
	fails 78 '(SELECT is not allowed in cluster mode|DB index is out of range)' dq-put -u "$DQ_URL/2" "$one" x
}

@test "a database other than 0 is used on each node, if the cluster has it" {
	local queue
	if ! is_valkey_9; then
		fails 78 'SELECT is not allowed in cluster mode' dq-put -u "$DQ_URL/1" "$one" x
		return
	fi
	for queue in "$one" "$two" "$three"; do
		dq-put -q -i a -u "$DQ_URL/1" "$queue" "$queue"
		equal "$(states_of "$queue")" '0 0 0 0'
		equal "$(in_cluster "$(node_of "$queue")" -n 1 ZCARD "dq:{$queue}:ready")" 1
	done
	run ! grep -qxF "$one" <(listed)
	equal "$(dq-stat --names -u "$DQ_URL/1" | sort | paste -sd' ')" "$(printf '%s\n' "$one" "$two" "$three" | sort | paste -sd' ')"
	dq-take -n 3 -u "$DQ_URL/1" "$one" "$two" "$three" >"$T/taken"
	equal "$(cut -f 2 "$T/taken" | sort | paste -sd' ')" "$(printf '%s\n' "$one" "$two" "$three" | sort | paste -sd' ')"
	dq-ack -u "$DQ_URL/1" <"$T/taken"
}

@test "with --wait-replicas: without replicas nothing is confirmed, and each message is reported" {
	run --separate-stderr dq-put --wait-replicas 1,50ms -i x "$two" y
	equal "$status" 75
	matches "$stderr" "^dq-put: $two/x: accepted, not confirmed: 0 of 1 replicas"
	equal "$(dq-put --wait-replicas 0 -i y "$two" y)" "$two/y"
}

@test "all queues are dumped, and loaded, from another node and back" {
	local queue
	for queue in "$one" "$two" "$three"; do
		seq 30 | dq-put -q -l "$queue"
		dq-put -q -d 1h -i later "$queue" x
	done
	dq-dump "$one" "$two" "$three" >"$T/dump"
	for queue in "$one" "$two" "$three"; do dq-rm -q -f -a "$queue"; done
	DQ_URL=redis://127.0.0.1:${ports[2]} dq-load <"$T/dump"
	for queue in "$one" "$two" "$three"; do equal "$(states_of "$queue")" '1 30 0 0'; done
	equal "$(listed | grep -cxF -e "$one" -e "$two" -e "$three")" 3
	dq-gc --check
}

@test "users with the rights of dq-scripts(7), the same on each node" {
	local i role words
	for role in producer consumer; do
		for i in 0 1 2; do
			read -ra words < <(rights "$role")
			in_cluster "n$i" ACL SETUSER "dq-$role" "${words[@]}" >/dev/null
		done
	done
	export REDISCLI_AUTH=secret
	DQ_URL=redis://dq-producer:@127.0.0.1:${ports[0]} dq-put -q "$two" x
	equal "$(listed | grep -cxF -e "$two")" 1
	DQ_URL=redis://dq-consumer:@127.0.0.1:${ports[0]} dq-take -w 5s "$one" "$two" >"$T/taken"
	DQ_URL=redis://dq-consumer:@127.0.0.1:${ports[0]} dq-ack <"$T/taken"
	equal "$(states_of "$two")" '0 0 0 0'
}
