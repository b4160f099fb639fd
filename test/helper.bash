# shellcheck shell=bash
# Functions that all tests share. Each file has a server of its own, on a unix socket, and each test a folder ($T) and a queue ($q)
# of its own, so that files and tests can run side by side, and no test sees what another left. What setup_file makes in $T is in
# each test's $T, too. Nothing here waits for time to pass: wait_until waits for a condition, later makes a queue older.

bats_require_minimum_version 1.5.0

# The folder of the whole project.
top=${BASH_SOURCE[0]%/test/*}

setup_file() {
	begin_file
}

setup() {
	begin_test
}

teardown() {
	end_test
}

teardown_file() {
	end_file
}

begin_file() {
	local name
	for name in $(compgen -e); do
		case $name in
		DQ_BIN | DQ_TEST_SERVER | DQ_TEST_TLS) ;;
		DQ_* | REDIS* | TRACEPARENT | TRACESTATE) unset "$name" ;;
		esac
	done
	DQ_BIN=$(cd "${DQ_BIN:-$top/build}" && pwd) || return
	base=$(mktemp -d /tmp/dq.XXXXXX)
	F=$base/file T=$base/file
	mkdir "$F"
	PATH=$DQ_BIN:$PATH
	export DQ_BIN PATH base F T LC_ALL=C PYTHONDONTWRITEBYTECODE=1
	if [ -n "${DQ_TEST_TLS-}" ]; then
		make_certs
		start_tls main server
		export DQ_URL=rediss://localhost:$port/0 DQ_CACERT=$F/certs/ca.crt
	else
		start_server main
		export DQ_URL=unix://$T/main/s
	fi
}

begin_test() {
	note_failures_only
	q=q$BATS_TEST_NUMBER
	T=$base/$BATS_TEST_NUMBER
	mkdir "$T"
	ln -s "$F"/* "$T"
	jobs -p >"$BATS_TEST_TMPDIR/jobs"
	not_ours=$(<"$BATS_TEST_TMPDIR/jobs")
}

# Where a test failed bats knows from a trap before each command, which takes a quarter of the time of most tests. One at the
# failure knows it, too. A test that takes too long, that exits or returns by itself or that the shell ends names no line, nor does
# a teardown. (bats --trace needs the trap; a bats without that function keeps it.)
# shellcheck disable=SC2034  # for bats
note_failures_only() {
	[ "${BATS_TRACE_LEVEL:-0}" -eq 0 ] && declare -F bats_capture_stack_trace >/dev/null || return 0
	trap - DEBUG
	trap failed_here ERR
	BATS_DEBUG_LAST_STACK_TRACE=() BATS_DEBUG_LASTLAST_STACK_TRACE=()
}

# shellcheck disable=SC2034  # for bats
failed_here() {
	local status=$?
	bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	return "$status"
}

# A test that failed leaves no tool behind, and no test a server. (bats has jobs of its own here.)
end_test() {
	local job file
	for job in $(jobs -p); do
		[[ $'\n'$not_ours$'\n' == *$'\n'$job$'\n'* ]] || kill -9 "$job" 2>/dev/null || true
	done
	for file in "$T"/*/pid; do
		[ -L "${file%/*}" ] || [ ! -e "$file" ] || kill_ours "$(<"$file")"
	done
}

# Only what this file has started: process ids come round within a minute here, and may be a stranger's by now. (A server's
# environment is overwritten by its title, which names its socket.)
kill_ours() { # PID...
	local pid words settings
	for pid; do
		words=() settings=()
		{ mapfile -d '' words <"/proc/$pid/cmdline" && mapfile -d '' settings <"/proc/$pid/environ"; } 2>/dev/null || true
		if [[ ${words[*]} == *"$base/"* || " ${settings[*]} " == *" base=$base "* ]]; then
			kill -9 "$pid" 2>/dev/null || true
		fi
	done
}

end_file() {
	local file
	for file in "$F"/*/pid; do
		[ ! -e "$file" ] || kill_ours "$(<"$file")"
	done
	rm -rf "$base"
}

# --- waiting ---

# A pause without a process: nothing ever comes out of this pipe. (A process substitution would replace $!, which callers may need.)
pause() {
	local silent=$BATS_FILE_TMPDIR/silent
	[ -p "$silent" ] || mkfifo "$silent" 2>/dev/null || true
	read -rt 0.02 _ <>"$silent" || true
}

# From 5 s on these are 30 at least: nothing is asserted by them, and a busy machine takes its time.
wait_until() { # SECONDS COMMAND...
	local seconds=$(($1 < 5 || $1 > 30 ? $1 : 30))
	local end=$((${EPOCHREALTIME/./} + seconds * 1000000))
	shift
	until "$@" >/dev/null 2>&1; do
		if [ "${EPOCHREALTIME/./}" -ge "$end" ]; then
			echo "not within $seconds s: $*"
			"$@" || true
			return 1
		fi
		pause
	done
}

# CPU time of a process, in ticks; how often it went to sleep; and whether it did so N times more.
ticks() { # PID
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

sleeps() { # PID
	sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"
}

has_slept() { # PID BEFORE N
	[ "$(sleeps "$1")" -ge $(($2 + $3)) ]
}

# Calls of scripts.
scripts_run() {
	rcli INFO commandstats | awk -F'[:=,]' '/^cmdstat_eval(sha)?:/ { n += $3 } END { print n + 0 }'
}

# What is waited for most is looked at without a process.
ended() { # PID
	local stat
	! kill -0 "$1" 2>/dev/null || ! IFS= read -r stat 2>/dev/null <"/proc/$1/stat" || [[ ${stat##*) } == Z* ]]
}

# At least so many lines, as wc counts them.
has_lines() { # FILE N
	local lines
	[ -e "$1" ] || return
	mapfile lines <"$1"
	[[ ${#lines[@]} -eq 0 || ${lines[-1]} == *$'\n' ]] || unset 'lines[-1]'
	[ "${#lines[@]}" -ge "$2" ]
}

exits() { # STATUS PID
	local code=0
	wait_until 60 ended "$2" || return
	wait "$2" || code=$?
	equal "$code" "$1"
}

# --- servers ---

# A redis-cli for the main server, or for $SERVER; it takes a fifth of the time.
rcli() {
	"$DQ_BIN/rcli" -s "$T/${SERVER:-main}/s" "$@"
}

# What the server replies, in $answer. (Without exec the shell would start another one in between, for the sake of its traps.)
ask() {
	answer=$(exec "$DQ_BIN/rcli" -s "$T/${SERVER:-main}/s" "$@")
}

answers() {
	[ -S "$1" ] && [[ $(exec "$DQ_BIN/rcli" -s "$1" PING 2>&1) == @(PONG|NOAUTH*) ]]
}

start_server() { # NAME [OPTION...]
	local dir=$T/$1
	shift
	mkdir -p "$dir"
	"${DQ_TEST_SERVER:-redis-server}" --port 0 --unixsocket "$dir/s" --unixsocketperm 700 --save '' --appendonly no \
		--enable-debug-command local --daemonize yes --pidfile "$dir/pid" --logfile "$dir/log" --dir "$dir" \
		--proc-title-template '{title} {unixsocket}' "$@" \
		>/dev/null 3>&- || return
	wait_until 10 answers "$dir/s"
}

# Certificates for a file, in $F/certs (test/tls/certs).
make_certs() {
	[ ! -e "$F/certs" ] || return 0
	mkdir "$F/certs"
	"$top/test/tls/certs" "$F/certs"
}

# A server that speaks TLS on $port, beside its unix socket, with that certificate of test/tls/certs, which $F/certs has.
start_tls() { # NAME CERTIFICATE [OPTION...]
	local certs=$F/certs _
	for _ in {1..20}; do # another test may take the port first
		port=$(free_port)
		! start_server "$1" --tls-port "$port" --tls-cert-file "$certs/$2.crt" --tls-key-file "$certs/$2.key" --bind 127.0.0.1 \
			--tls-ca-cert-file "$certs/ca.crt" --tls-auth-clients no "${@:3}" || return 0
	done
	return 1
}

stop_server() { # NAME [SIGNAL]
	local pid
	pid=$(cat "$T/$1/pid")
	kill "-${2:-TERM}" "$pid"
	wait_until 10 ended "$pid"
	rm -f "$T/$1/pid" # another process may get that number, and must not be killed at the end
}

free_port() {
	python3 "$top/test/tool/free_port.py"
}

# A server that answers each request with the same bytes (printf %b), or, given "", with none; or those of at most 20 words (a script
# with no argument but the time, and plain commands) with others.
start_fake() { # NAME ANSWER [ANSWER-TO-FEW-WORDS]
	local dir=$T/$1
	mkdir -p "$dir"
	python3 "$top/test/tool/fake.py" "$dir/s" "$(printf '%b.' "$2")" "$(printf '%b.' "${3-$2}")" 3>&- &
	echo $! >"$dir/pid"
	disown
	wait_until 10 test -S "$dir/s"
}

# --- queues ---

parts=(msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn)

script() { # NAME ARG...  on queue $q, with the scripts as they are installed; put and load without the generation that it ends with
	local text=$F/lua/$1.lua new=$F/lua/$1.$BASHPID keys=("${parts[@]/#/dq:{$q\}:}") name=$1 answer
	[ "$name" != unlist ] || keys=("{${DQ_PREFIX:-dq}:queues}" "{${DQ_PREFIX:-dq}:queues}:new")
	if [ ! -e "$text" ]; then
		mkdir -p "$F/lua"
		"$DQ_BIN/embed" -x "$top/lua/$1.lua" | sed '/^ *--/d' >"$new" || return # an argument has at most 128 KiB
		mv "$new" "$text" || return
	fi
	shift
	IFS= read -rd '' new <"$text" || true # without a process, as it is called thousands of times
	if [[ $name == @(put|load) && -z ${UNLISTED:-} ]]; then
		ask -e EVAL "$new" "${#keys[@]}" "${keys[@]}" "$@" || {
			local status=$?
			echo "$answer"
			return "$status"
		}
		[[ ! $answer =~ ^[a-z?]+\ [0-9]+$ ]] || answer=${answer% *}
		printf '%s\n' "$answer"
	else
		rcli -e EVAL "$new" "${#keys[@]}" "${keys[@]}" "$@"
	fi
}

# Takes message x, just put: its receipt is $receipt, and in $T/receipt.
leased() { # PUT-OPTION...
	dq-put -q -i x "$@" "$q" hello
	dq-take "$q" >"$T/taken"
	# shellcheck disable=SC2034  # for the test
	IFS=$'\t' read -r receipt _ <"$T/taken"
	printf '%s\n' "$receipt" >"$T/receipt"
}

is_listed() { # [QUEUE]
	[ -n "$(rcli ZSCORE "{${DQ_PREFIX:-dq}:queues}" "${1:-$q}")" ]
}

is_unlisted() { # [QUEUE]
	! is_listed "$@"
}

# As a queue that is in use: in the list, and it knows.
list_it() { # [QUEUE]
	rcli EVAL 'redis.call("ZADD", "{dq:queues}", 1, ARGV[1])
		redis.call("HSET", "dq:{" .. ARGV[1] .. "}:stat", "generation", 1, "listed", redis.call("TIME")[1] .. "000")
	' 0 "${1:-$q}" >/dev/null
}

# As a queue that was used before: its name is in the list, the server knows the scripts, and nothing is in it.
warm_up() { # QUEUE...
	local queue
	for queue; do
		dq-put -q "$queue" x
		dq-take --ack "$queue" >/dev/null
	done
}

# "DELAYED READY LEASED DEAD" of a queue.
states() { # [QUEUE]
	local key="${DQ_PREFIX:-dq}:{${1:-$q}}"
	rcli EVAL 'local r = {}
		for i, k in ipairs(KEYS) do r[i] = redis.call("ZCARD", k) end
		return table.concat(r, " ")' 4 "$key:delayed" "$key:ready" "$key:leased" "$key:dead"
}

# What is in the queue, as `states` says it, in $counts; what is wrong with it, in $problems: every body is in exactly one state, every
# index entry has a body, every leased one a try.
look_into() { # QUEUE
	local answer
	ask -e EVAL '
		local function key(part) return ARGV[1] .. part end
		local counts, bad, state, bodies = {}, {}, {}, {}
		local function wrong(...) bad[#bad + 1] = table.concat({...}, " ") end
		for _, id in ipairs(redis.call("HKEYS", key("msg"))) do bodies[id] = true end
		for i, part in ipairs({"delayed", "ready", "leased", "dead"}) do
			local ids = redis.call("ZRANGE", key(part), 0, -1)
			counts[i] = #ids
			for _, id in ipairs(ids) do
				if state[id] then wrong(id, "is both", state[id], "and", part) end
				if not bodies[id] then wrong(id, "is", part, "without a body") end
				state[id] = part
			end
		end
		for id in pairs(bodies) do
			if not state[id] then wrong(id, "is in no state") end
		end
		local tries = redis.call("HGETALL", key("try"))
		local tried = {}
		for i = 1, #tries, 2 do
			tried[tries[i]] = true
			if not bodies[tries[i]] then wrong(tries[i], "has tries without a body") end
			local sound = string.match(tries[i + 1], "^%d+%+?%d* %d+ %d+<?%d*>?%d*@?%S* [^\n]*\n")
			if not sound then wrong(tries[i], "has odd tries") end
		end
		for _, id in ipairs(redis.call("ZRANGE", key("expiry"), 0, -1)) do
			if state[id] ~= "delayed" and state[id] ~= "ready" then
				wrong(id, "is in the index of expiries, and does not wait")
			end
		end
		for id, part in pairs(state) do
			if part == "leased" and not tried[id] then wrong(id, "is leased without a try") end
		end
		return table.concat(counts, " ") .. "|" .. table.concat(bad, "\n")' 0 "${DQ_PREFIX:-dq}:{$1}:" || return
	counts=${answer%%|*} problems=${answer#*|}
}

# Prints what is wrong.
audit() { # [QUEUE]
	local counts problems
	look_into "${1:-$q}" && equal "$problems" ''
}

# The states are these, and the queue is sound.
holds() { # DELAYED READY LEASED DEAD [QUEUE]
	local counts problems
	look_into "${5:-$q}" && equal "$counts" "$1 $2 $3 $4" && equal "$problems" ''
}

# A text that changes with anything in any key of the queue.
digest() { # [QUEUE]
	local answer keys
	ask -e EVAL 'local keys = redis.call("KEYS", ARGV[1]) table.sort(keys) return keys' 0 "*{${1:-$q}}*" || return
	if [ -n "$answer" ]; then
		mapfile -t keys <<<"$answer"
		printf '%s\n' "$answer"
		rcli DEBUG DIGEST-VALUE "${keys[@]}"
	fi
}

# Makes the queue older: all that waits for its time waits so much less.
later() { # MS [QUEUE]
	rcli EVAL 'for _, part in ipairs({"delayed", "leased", "dead"}) do
			local key = ARGV[1] .. part
			local all = redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
			for i = 1, #all, 2 do redis.call("ZADD", key, all[i + 1] - ARGV[2], all[i]) end
		end' 0 "${DQ_PREFIX:-dq}:{${2:-$q}}:" "$1" >/dev/null
}

field() { # PART ID [QUEUE]  of a hash
	rcli HGET "${DQ_PREFIX:-dq}:{${3:-$q}}:$1" "$2"
}

score() { # PART ID [QUEUE]  of a sorted set, without a fraction of zero
	rcli ZSCORE "${DQ_PREFIX:-dq}:{${3:-$q}}:$1" "$2"
}

tries() { # ID [QUEUE]  without those that were given back
	local answer
	ask HGET "${DQ_PREFIX:-dq}:{${2:-$q}}:try" "$1"
	answer=${answer%%$'\n'*}
	[[ $answer != *' '* ]] || echo "${answer%%[ +]*}"
}

due_of() { # ID [QUEUE]  when its last delivery was due
	local answer
	ask HGET "${DQ_PREFIX:-dq}:{${2:-$q}}:try" "$1"
	answer=${answer#* * }
	echo "${answer%%[!0-9]*}"
}

reason() { # ID [QUEUE]  why its last try failed
	local answer
	ask HGET "${DQ_PREFIX:-dq}:{${2:-$q}}:try" "$1"
	[[ $answer == *$'\n'* ]] || answer+=${answer:+$'\n'} # one that is empty is there, too
	[ -z "$answer" ] || printf '%s\n' "${answer#*$'\n'}"
}

server_ms() {
	rcli EVAL 'local t = redis.call("TIME") return t[1] .. string.format("%03d", math.floor(t[2] / 1000))' 0
}

# --- assertions that say what they saw ---

equal() { # GOT WANTED
	[ "$1" = "$2" ] || {
		printf 'got:    %q\nwanted: %q\n' "$1" "$2"
		return 1
	}
}

matches() { # GOT REGEX
	[[ $1 =~ $2 ]] || {
		printf 'got:             %q\nwanted to match: %s\n' "$1" "$2"
		return 1
	}
}

each_once() { # PATTERN FILE: there are such lines, and none of them twice
	grep -q -e "$1" "$2"
	equal "$(grep -e "$1" "$2" | sort | uniq -d)" ''
}

between() { # LOW N HIGH
	if [ "$2" -lt "$1" ] || [ "$2" -gt "$3" ]; then
		echo "$2 is not from $1 to $3"
		return 1
	fi
}

# shellcheck disable=SC2154  # bats sets them
# The command ends with that status, prints nothing, and says one line, "tool: " and what matches; with 64 a hint may follow, and a line
# that matches $also does not count.
# A tool that hangs shows as 124, one that ignores TERM as 137. (Every check here returns by itself: errexit is off where
# the caller has an || of its own.)
fails() { # STATUS REGEX COMMAND...
	local wanted=$1 regex=$2 IFS=$'\n'
	shift 2
	status=0
	output=$(exec timeout -k 1 30 "$@" 2>"$BATS_TEST_TMPDIR/said") || status=$?
	mapfile -t stderr_lines < <(grep -av -- "${also:-$'\001'}" "$BATS_TEST_TMPDIR/said")
	stderr=${stderr_lines[*]}
	if [ "$wanted" -eq 64 ] && [ ${#stderr_lines[@]} -eq 2 ]; then
		matches "${stderr_lines[1]}" "^(dq-[a-z]+): try 'dq-[a-z]+ --help'$" || return
		unset 'stderr_lines[1]'
	fi
	if [ "$status" -ne "$wanted" ] || [ -n "$output" ] || [ ${#stderr_lines[@]} -ne 1 ]; then
		printf 'status %s, wanted %s\nstdout: %s\nstderr: %s\n' "$status" "$wanted" "$output" "$stderr"
		return 1
	fi
	matches "${stderr_lines[0]}" '^dq-[a-z]+: ' || return
	matches "${stderr_lines[0]#dq-*: }" "$regex"
}
