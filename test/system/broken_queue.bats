# Goal: A recipe that copies or moves a queue loses nothing if one of its parts fails or is killed.

bats_require_minimum_version 1.5.0

load ../helper
load broken

prepare() {
	:
}

# As a recipe, but with 30 messages for 1,500, in batches of 20.
smaller() {
	sed 's/seq 1500/seq 30/; s/-n 1000/-n 20/'
}

moved() {
	equal "$(payloads old new)" 30 || return
	later 60001 old # leases end
	tail -n +2 "$T/move" >again
	sh again >/dev/null 2>&1
	holds 0 0 0 0 old && holds 0 30 0 0 new
}

@test "moving a queue: all messages are in one of the two, and a second run moves the rest" {
	recipe "$top/man/dq-recipes.7" 'seq 1500 | dq-put -q -l old' | smaller >"$T/move"
	check() { moved; }
	break_each "$T/move" dq-take jq dq-load dq-ack
}

@test "moving a queue: another message with the same id stays where it is" {
	recipe "$top/man/dq-recipes.7" 'seq 1500 | dq-put -q -l old' | smaller >"$T/move"
	fresh
	dq-put -q -i same new other
	dq-put -q -i same old this
	cd "$T"
	run --separate-stderr sh "$T/move" </dev/null
	matches "$stderr" 'dq-load: new/same: not loaded: another message has the id'
	equal "$(payloads old new)" 32
	dq-rm new/same
	later 60001 old
	tail -n +2 "$T/move" >"$T/again"
	run -0 sh "$T/again"
	holds 0 0 0 0 old
	holds 0 31 0 0 new
}

# A queue that was loaded in part must not be resumed: a second load would then create acked messages again.
copied() {
	equal "$(payloads crawl)" 31 || return
	dq-stat -q --prefix new --json crawl 2>/dev/null >counts || true
	jq -e '.queues[0] | .paused or ([.messages[]] | add | . == 0 or . == 31)' counts >/dev/null
}

@test "a queue to another server: each message is on one of the two, and no part of it is resumed" {
	recipe "$top/man/dq-recipes.7" 'seq 1500 | dq-put -q -l -p 5 crawl' | smaller >"$T/copy"
	check() { copied; }
	break_each "$T/copy" dq-set jq dq-dump dq-load dq-rm
}

# In Redis, or in a dump that has its last line.
kept() {
	local dump=/dev/null
	[ "$(tail -n 1 clicks.jsonl 2>/dev/null | jq -r .kind)" != "done" ] || dump=clicks.jsonl
	{
		dq-stat -q --messages all --payload clicks 2>/dev/null | sed 's/.*\t//'
		jq -r '.payload // empty' "$dump"
	} >payloads
	equal "$(sort -u payloads | wc -l)" 100
}

@test "another number of shards: all messages are in the queue or in the dump, also after a second run" {
	recipe "$top/man/dq-set.1" 'dq-set clicks shards=2' >"$T/shards"
	check() {
		kept || return
		tail -n +3 "$T/shards" >again
		sh again >/dev/null 2>&1 </dev/null || true
		kept
	}
	break_each "$T/shards" dq-set dq-dump dq-rm dq-load
}

# --- a backup each night ---

nightly() {
	page_blocks "$top/man/dq-recipes.7" | sed -n '/date +/s/^17 2 \* \* \* //p' |
		sed "s/\\\\%/%/g; s|/usr/local/bin/||; s|/backup|$T/backup|"
}

# The newest backup, and each other one, is whole.
whole_backups() {
	local file
	for file in "$T"/backup/dq-*.gz; do
		equal "$(gzip -dc "$file" | tail -n 1 | jq -r .kind)" 'done' || return
	done
}

@test "a backup is replaced only by a whole one" {
	nightly >"$T/backup.sh"
	grep -q dq-dump "$T/backup.sh"
	prepare() {
		rm -rf "$T/backup"
		mkdir "$T/backup"
		seq 50 | dq-put -q -l orders
		sh "$T/backup.sh" && whole_backups
	}
	check() { whole_backups; }
	break_each "$T/backup.sh" dq-dump gzip mv date
}

@test "a backup: no line if all is well; if Redis is down, one line, an exit status, and the old backup" {
	local before
	nightly >"$T/backup.sh"
	mkdir "$T/backup"
	dq-put -q orders x
	run -0 sh "$T/backup.sh"
	equal "$output" ''
	equal "$(stat -c %a "$T"/backup/dq-*.gz)" 600
	before=$(sha256sum "$T"/backup/dq-*.gz)
	DQ_URL=unix:///nowhere/s run -69 sh "$T/backup.sh"
	matches "$output" '^dq-dump: '
	equal "$(sha256sum "$T"/backup/dq-*.gz)" "$before"
}

@test "a backup that was cut is noticed, and its queue stays paused" {
	local restore
	fresh
	nightly >"$T/backup.sh"
	mkdir "$T/backup"
	seq 50 | dq-put -q -l books
	sh "$T/backup.sh"
	mv "$T"/backup/dq-*.gz "$T/dq-Mon.gz"
	restore=$(commands 'gzip -dc dq-Mon\.gz')
	truncate -s "$(($(wc -c <"$T/dq-Mon.gz") / 2))" "$T/dq-Mon.gz"
	dq-rm -a -f books
	cd "$T"
	run -65 sh -c "$restore"
	equal "$(dq-stat --json books | jq '.queues[0].paused')" true
}
