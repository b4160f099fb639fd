# Goal: The build excludes some dangers for every input: functions, keys and files that the tools cannot use.

bats_require_minimum_version 1.5.0

load ../helper

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

@test "no shell, no temporary file, no unbounded number or text: by the functions in use" {
	local found functions='system|popen|exec[lv]p?|wordexp|dlopen|tmpnam|mktemp|mkstemp|gets|atoi|atol|atof|v?sprintf|rand|random'
	functions+='|redisv?Command|redisv?AppendCommand'
	found=$(find "$DQ_BIN"/common "$DQ_BIN"/cmd -name '*.o' -exec nm -A -g {} + | awk '$(NF - 1) == "U" { print $1, $NF }' |
		grep -E " ($functions)\$" |
		grep -v 'redis/tls.o: dlopen$' || true)
	equal "$found" ''
	[ "$(nm -g "$DQ_BIN"/common/*/*.o | grep -c ' U redisAppendCommandArgv\| U calloc')" -gt 0 ]
}

# Calls in scripts whose key is none of those in KEYS, by way of lib/keys.lua.
strangers() { # FILE...
	grep -nE "redis\.call\(" "$@" |
		grep -vE "redis\.call\('TIME'\)|redis\.call\('?[A-Za-z]+'?, (KEYS\[[A-Z]+\]|key\[[a-z]+\])[,)]" || true
}

@test "scripts use only the keys in KEYS, and make no names of keys" {
	cd "$top"
	# types.lua, list.lua, forget.lua and shards.lua read the same table by another name; unlist.lua has other keys; a state is the key
	# of its index
	equal "$(strangers lua/*.lua lua/lib/*.lua |
		grep -vE "lib/types\.lua.*'TYPE', name|/list\.lua.*, index[,)]|(forget|shards)\.lua.*'UNLINK', unpack.KEYS" |
		grep -vE "unlist\.lua.*, (list|new|it)[,)]|/walk\.lua.*SCANS\[part\], key\[part\]," |
		grep -vE "lib/survey\.lua:.*'ZRANGE', state," |
		grep -vE "lib/(move|read_scores|state|audit_repair)\.lua:.*redis\.call\('[A-Z]+', (to|from|other|state)[,)]" || true)" ''
	grep -hoE 'KEYS\[[^]]*\]' lua/*.lua lua/lib/*.lua | grep -vE '^KEYS\[[A-Z]+\]$' | sort -u >"$T/places"
	equal "$(<"$T/places")" "KEYS[1]
KEYS[2]
KEYS[m.word == 'leased' and LEASED or DEAD]
KEYS[place]
KEYS[ready and READY or DELAYED]"
	printf "redis.call('DEL', 'x')\n" >"$T/bad.lua"
	[ -n "$(strangers "$T/bad.lua")" ]
}

@test "scripts are constants: whatever is put, Redis keeps no more of them than there are" {
	local id
	rcli SCRIPT FLUSH >/dev/null
	for id in a b c; do
		dq-put -q -i "$id" -p 7 -b 1s,2s -x 1h "$q" "return redis.call('FLUSHALL') -- $id ]]"
		dq-take "$q" | dq-ack -r -d 0 -m "]] $id '\" .. redis.call('FLUSHALL')"
		dq-stat "$q/$id" >/dev/null
	done
	local scripts=("$top"/lua/*.lua)
	between 4 "$(rcli INFO memory | tr -d '\r' | sed -n 's/^number_of_cached_scripts://p')" ${#scripts[@]}
	equal "$(rcli HLEN "dq:{$q}:msg")" 3
	audit
}

# Files that the command opened to write, but for standard ones.
written() { # COMMAND...
	# the leak check cannot be traced
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=open,openat,creat,mkdir,mkdirat,rename,renameat,unlink,unlinkat,symlink,link \
		-o "$T/strace" "$@" >"$T/printed" || true
	grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat\(|mkdir|rename|unlink|link\(' "$T/strace" | grep -vE '"/dev/(null|tty)"|O_PATH' || true
}

@test "names reach no file: no name makes a tool open one for writing" {
	need strace
	local name
	mkdir "$T/cwd"
	cd "$T/cwd"
	for name in .. . ...; do
		equal "$(written dq-put -q -i .. "$name" /etc/passwd)" ''
		equal "$(written dq-take "$name")" ''
		equal "$(written dq-rm -f "$name/..")" ''
	done
	equal "$(written dq-stat --messages all ..)" ''
	equal "$(written dq-gc --repair ..)" ''
	equal "$(find . | wc -l)" 1
	[ -n "$(written touch "$T/file")" ]
}

@test "a receipt is good for its own queue and its own number only" {
	local receipt token wrong
	dq-put -q -i same "$q.a" x
	dq-put -q -i same "$q.b" x
	receipt=$(dq-take "$q.a" | cut -f1)
	dq-take "$q.b" >/dev/null
	token=${receipt##*@}
	for wrong in "$q.b/same@$token" "$q.a/same@$((token + 1))" "$q.a/same@$((token - 1))" "$q.a/same@0"; do
		run dq-ack "$wrong"
		[[ $status = 1 || $status = 64 ]]
	done
	holds 0 0 1 0 "$q.a"
	holds 0 0 1 0 "$q.b"
	dq-ack "$receipt"
	holds 0 0 0 0 "$q.a"
}

@test "SLOWLOG has payloads, as dq-scripts(7) says, and no password" {
	start_server secure --requirepass Zq7-canary --slowlog-log-slower-than 0
	DQ_URL=unix://:Zq7-canary@$T/secure/s dq-put -q "$q" payload-seen
	REDISCLI_AUTH=Zq7-canary SERVER=secure rcli SLOWLOG GET 100 >"$T/slow"
	grep -q payload-seen "$T/slow"
	run ! grep -q canary "$T/slow"
	grep -q 'SLOWLOG and MONITOR show payloads' "$top/man/dq-scripts.7"
	stop_server secure
}
