# Goal: The parts agree with each other: layers with includes, objects with their layer, help with manual and completions.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	DQ_BIN=${DQ_BIN:-$PWD/build}
	# Shells write to their user's home.
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
	export HOME=$BATS_TEST_TMPDIR
}

# includes prints, for each include of the project's own files: FILE:LINE TAB MODULE TAB MODULE that it includes. A module is a path without
# common/ and suffix. An include is relative to common/, or to its file.
includes() {
	find cmd common -name '*.[ch]' -exec awk -v rooms="$(find common -mindepth 1 -maxdepth 1 -type d -printf '%f ')" '
		BEGIN { split(rooms, name, " "); for (i in name) is_room[name[i]] = 1 }
		FNR == 1 { mine = FILENAME; sub(/^common\//, "", mine); sub(/\.[ch]$/, "", mine) }
		/^#include "/ {
			split($0, part, "\"")
			other = part[2]
			sub(/\.h$/, "", other)
			where = mine
			if (!(substr(other, 1, index(other, "/") - 1) in is_room)) {
				sub(/\/[^\/]*$/, "", where)
				while (sub(/^\.\.\//, "", other)) sub(/\/[^\/]*$/, "", where)
				other = where "/" other
			}
			print FILENAME ":" FNR "\t" mine "\t" other
		}' {} +
}

# From the bottom up: a file includes its own layer or lower ones, and of cmd/ only the folder of its tool.
@test "includes run one way, and in no circle" {
	local files
	includes >"$BATS_TEST_TMPDIR/includes"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/includes")" -gt 1000 ]
	awk -F '\t' '
	BEGIN { outside = split("base redis queue message bulk waiting tool", name, " ") + 1
		for (i in name) layer[name[i]] = i + 0
		layer["bulk"] = layer["waiting"] }
	function room(path) { sub(/\/.*/, "", path); return path }
	function level(path) { return room(path) in layer ? layer[room(path)] : outside }
	function tool(path, part) { split(path, part, "/"); return part[2] }
	{
		bad_here = level($3) > level($2)
		if (level($2) == outside && level($3) == outside && tool($2) != tool($3)) bad_here = 1
		if (level($2) == layer["bulk"] && level($3) == level($2) && room($2) != room($3)) bad_here = 1
		if (bad_here) { print $1 ": " $3; bad = 1 }
	}
	END { exit bad }' "$BATS_TEST_TMPDIR/includes"
	# A module is its header and its sources: what includes what must have an order. A source without a header of its own belongs to the
	# header that declares its functions.
	mapfile -t files < <(find cmd common -name '*.h' && find cmd common -name '*.c')
	awk '
	FNR == 1 {
		mine = FILENAME
		sub(/^common\//, "", mine)
		sub(/\.[ch]$/, "", mine)
		if (FILENAME ~ /\.h$/) has_header[mine] = 1
	}
	FILENAME == ARGV[ARGC - 1] {
		split($0, part, "\t")
		from[++n] = part[2]
		to[n] = part[3]
		next
	}
	/^[a-z].*\(/ && !/^static / {
		name = $0
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		if (FILENAME ~ /\.h$/) declared[name] = mine
		else if (!(mine in has_header) && name in declared) part_of[mine] = declared[name]
	}
	END { for (i = 1; i <= n; i++) {
		mine = from[i] in part_of ? part_of[from[i]] : from[i]
		if (mine != to[i]) print mine, to[i]
	} }' "${files[@]}" "$BATS_TEST_TMPDIR/includes" | tsort >/dev/null 2>"$BATS_TEST_TMPDIR/circles" || true
	diff "$BATS_TEST_TMPDIR/circles" - <<-EOF
	EOF
}

@test "hiredis is unknown to base/, tool/ and, but where they ask what no other tool asks, the tools" {
	local file
	run -1 grep -rlE '^#include [<"](hiredis/)?hiredis' common/base common/tool
	grep -rlE '^#include [<"](hiredis/)?hiredis' cmd | while read -r file; do
		grep -qE '(call|request)_[a-z_]+\(|script_' "$file" || { echo "$file"; false; }
	done
	grep -rqE '^#include <hiredis' common/redis
}

# OBJECT SYMBOL for all that objects use and none of them defines
used() {
	find "$DQ_BIN"/common "$DQ_BIN"/cmd -name '*.o' -exec nm -A -g {} + | awk '
		{ sub(/\.o:.*/, "", $1); sub(/.*\//, "", $1) }
		$(NF - 1) == "U" { use[++n] = $1 " " $NF; symbol[n] = $NF; next }
		{ ours[$NF] = 1 }
		END { for (i = 1; i <= n; i++) if (!(symbol[i] in ours)) print use[i] }'
}

@test "only die ends the process, only diag speaks on stderr" {
	local found
	# A child that given has forked ends by itself if it cannot become its command.
	found=$(used | awk '$0 == "given _exit" { next }
		($1 != "die" && $2 ~ /^(exit|_exit|_Exit|quick_exit|abort)$/) ||
		($1 != "diag" && $2 ~ /^(stderr|perror|psignal|err|errx|warn|warnx|verr|vwarn|error)$/)')
	echo "$found"
	[ -z "$found" ]
}

@test "only tool/ and the tools write to stdout" {
	local found
	found=$(used | awk '$1 !~ /^(die|opt|args|out|stop|dq-.*)$/ &&
		$2 ~ /^(stdout|puts|putchar|printf|vprintf|__printf_chk|__vprintf_chk)$/')
	echo "$found"
	[ -z "$found" ]
}

# The head of a script lists its reply letters: single characters, each followed by its meaning.
@test "letters: the scripts and letters.h name the same" {
	local name scripts
	while read -r name scripts; do
		echo "$name"
		diff <(sed -n "/^enum ${name}_letter/,/^}/s/.*= '\\(.\\)'.*/\\1/p" common/message/letters.h | sort) \
			<(for script in $scripts; do
				sed -n '/^-- Reply/,/^-- Errors/p' "lua/$script.lua"
			done | grep -oE '[ ,;:][a-z?] ' | tr -d ' ,;:\n' | fold -w 1 | grep -vx a | sort -u)
	done <<-'EOF'
		put put load
		settle ack retry bury extend giveback
		apply rm promote_now redrive release
	EOF
}

@test "letters: those of load in letters.c are those of its script" {
	local names name
	names=$(sed -n '/^const char load_letters\[\] = {/,/};$/p' common/message/letters.c | grep -oE 'PUT_[A-Z]+')
	diff <(while read -r name; do
		sed -n "s/^\t$name = '\(.\)'.*/\1/p" common/message/letters.h
	done <<<"$names" | sort) <(sed -n '/^-- Reply/,/^-- Errors/p' lua/load.lua | grep -oE '[ ,;:][a-z?] ' |
		tr -d ' ,;:\n' | fold -w 1 | grep -vx a | sort -u)
}

# --- constants: each stands once in C and once in the scripts ---

# Prints what NAME is in the header: that of #define, without INT64_C() and quotes; or, of an enum, its place.
in_header() { # FILE NAME
	awk -v name="$2" '
		$1 == "#define" && $2 == name { sub(/^#define +[^ ]+ +/, ""); sub(/ *\/\*.*/, ""); gsub(/INT64_C|[()"]/, ""); print }
		/^enum / { place = 0; within = 1 }
		/^}/ { within = 0 }
		within && $1 ~ /^[A-Z_]+,?$/ { word = $1; sub(/,/, "", word); if (word == name) print place; place++ }' "$1"
}

# Prints what the local NAME is in the script, also one of several: local A, B = 1, 2.
in_script() { # FILE NAME
	awk -v name="$2" '
		/^local [A-Z_, ]+ = / {
			sub(/^local /, ""); sub(/ *--.*/, "")
			end = index($0, " = "); rest = substr($0, end + 3)
			count = split(substr($0, 1, end - 1), names, ", ")
			if (count > 1) split(rest, values, ", "); else values[1] = rest
			for (i = 1; i <= count; i++) if (names[i] == name) { gsub(/\047/, "", values[i]); print values[i] }
		}' "$1"
}

@test "constants: the scripts and the headers have the same values" {
	local script name header other checked=0
	while read -r script name header other; do
		echo "$script: $name, $header: $other"
		[[ $(in_script "lua/$script" "$name") == ?* ]]
		diff <(in_script "lua/$script" "$name") <(in_header "$header" "$other")
		checked=$((checked + 1))
	done <<-'EOF'
		lib/constants.lua HELD common/base/time.h TIME_MAX
		lib/constants.lua ITEMS common/queue/queue.h QUEUE_CALL_MAX
		lib/constants.lua REASON common/message/settle.h SETTLE_REASON_MAX
		lib/constants.lua MOST_TRIES common/message/header.h HEADER_TRIES_MAX
		lib/constants.lua HOLDER common/base/holder.h HOLDER_MAX
		lib/constants.lua TTR common/queue/queue.h QUEUE_TTR_MS
		lib/constants.lua TRIES common/queue/queue.h QUEUE_TRIES
		lib/constants.lua PRIORITY common/queue/queue.h QUEUE_PRIORITY
		lib/constants.lua BACKOFF common/queue/queue.h QUEUE_BACKOFF
		lib/constants.lua GUARD_MS common/waiting/marks.h MARKS_GUARD
		lib/limits.lua NOT_LIMITED common/queue/limit.h LIMIT_NONE
		lib/limits.lua IS_PAUSED common/queue/limit.h LIMIT_PAUSED
		lib/limits.lua BY_RATE common/queue/limit.h LIMIT_RATE
		lib/limits.lua BY_LEASED common/queue/limit.h LIMIT_LEASED
		lib/limits.lua MOST_LIMIT common/queue/limit.h LIMIT_COUNT_MAX
		lib/limits.lua MOST_RATE common/queue/limit.h LIMIT_RATE_MAX
		lib/limits.lua MOST_SPAN common/queue/limit.h LIMIT_SPAN_MAX
		lib/key_pause.lua KEY_PAUSES common/queue/key_pauses.h KEY_PAUSES_MAX
		lib/foreign.lua FOREIGN common/queue/queue.h QUEUE_FOREIGN
		lib/wrong_shard.lua WRONG_SHARD cmd/dq-gc/wrong_shard.h WRONG_SHARD
		lib/wrong_shard.lua SHARDS_MOST common/queue/shards.h SHARDS_MAX
		shards.lua MOST common/queue/shards.h SHARDS_MAX
	EOF
	[ "$checked" -eq 22 ]
	grep -q "return '$(in_header cmd/dq-gc/audit.h WRONG_LIMITS)'" lua/lib/audit_repair.lua
}

@test "the parts of a queue: the scripts and name.h have the same, in the same order" {
	diff <(awk '/^enum name_part/ { within = 1 } /PART_COUNT/ { within = 0 }
		within && /PART_/ { gsub(/PART_|[\t ,]|\/\*.*/, ""); print $0, ++n }' common/base/name.h) \
		<(sed -n 's/^local \([A-Z_]*\) = \([0-9]*\)$/\1 \2/p' lua/lib/keys.lua)
	diff <(sed -n 's/^local \([A-Z_]*\) = [0-9]*$/\1/p' lua/lib/keys.lua | sort) \
		<(grep -oE 'KEYS\[[A-Z_]+\]' lua/lib/parts.lua | grep -oE '[A-Z_]{2,}' | grep -vx KEYS | sort)
}

# --- options: one "-x" or "--long" a line, sorted ---

tools() {
	find cmd -name 'dq-*.c' -exec basename {} .c \; | sort
}

in_help() {
	"$DQ_BIN/$1" --help | awk '/^ +-/ {
		sub(/^ +/, "")
		sub(/(  |\t).*/, "")
		n = split($0, word, /[ ,=\[|]+/)
		for (i = 1; i <= n; i++) if (word[i] ~ /^-/) print word[i] }' | sort -u
}

# The options common to all may be described in dq(7) alone.
in_manual() {
	local pages=("man/$1.1")
	! grep -q '^\.Xr dq 7' "man/$1.1" || pages+=(man/dq.7)
	awk '/^\.It .*Fl / {
		flag = 0
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl") { dash = $(i - 1) == "Fl" ? "--" : "-"; flag = 1; continue }
			if ($i ~ /^[A-Z][a-z]$/) flag = 0
			if (!flag || $i ~ /^[,|=]$/) continue
			gsub(/\\-/, "-", $i)
			print dash $i
		} }' "${pages[@]}" | sort -u
}

in_bash() {
	bash --norc -c '
		. completions/dq.bash
		COMP_WORDS=("$0" -) COMP_CWORD=1 COMP_LINE="$0 -" COMP_POINT=$((${#0} + 2))
		_dq "$0" - "$0"
		printf "%s\n" "${COMPREPLY[@]}"' "$1" | sort -u
}

in_zsh() {
	zsh -fc '
		functions[_arguments]="print -rl -- \"\$@\""
		service=$1
		source completions/_dq' zsh "$1" |
		sed -n 's/^([^)]*)//; s/^\*//; s/^\(--*[A-Za-z0-9][A-Za-z0-9-]*\).*/\1/p' | grep -vxE -- '-[sSA]' | sort -u
}

in_fish() {
	fish --no-config -c 'source completions/dq.fish; complete --do-complete "'"$1"' -"' | cut -f1 | sed 's|=$||' | sort -u
}

compare() { # WHAT FUNCTION
	local tool bad=0
	for tool in $(tools); do
		in_help "$tool" >"$BATS_TEST_TMPDIR/help"
		[ -s "$BATS_TEST_TMPDIR/help" ] || {
			echo "$tool --help names no options"
			bad=1
		}
		[ "$1" != manual ] || [ -e "man/$tool.1" ] || {
			echo "$tool has no manual"
			bad=1
			continue
		}
		"$2" "$tool" >"$BATS_TEST_TMPDIR/other"
		diff -u --label "$tool --help" --label "$tool: $1" "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/other" || bad=1
	done
	return "$bad"
}

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

@test "help and manuals name the same options" {
	compare manual in_manual
}

@test "help and bash completion name the same options" {
	compare bash in_bash
}

@test "help and zsh completion name the same options" {
	need zsh
	compare zsh in_zsh
}

@test "help and fish completion name the same options" {
	need fish
	compare fish in_fish
}

# An option is known if the tool does not refuse it in the same words as an invented one.
@test "every long option in help is known to the tool" {
	local tool option refusal
	for tool in $(tools); do
		run "$DQ_BIN/$tool" --made-up 1 --help
		[ "$status" -eq 64 ]
		refusal=$output
		for option in $(in_help "$tool" | grep '^--'); do
			run "$DQ_BIN/$tool" "$option" 1 --help
			[ "${output//$option/--made-up}" != "$refusal" ] || {
				echo "$tool does not know $option"
				return 1
			}
		done
	done
}

@test "HACKING.md names files that there are" {
	local name
	# shellcheck disable=SC2016
	grep -oE '`[a-z_]+/[A-Za-z_/.-]+`' HACKING.md | tr -d '`' | sort -u >"$BATS_TEST_TMPDIR/names"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -gt 20 ]
	while read -r name; do
		case $name in
		*TOOL* | *NAME*) ;;
		*) [ -e "$name" ] || [ -e "common/$name" ] || [ -e "common/$name.h" ] || [ -e "$name.h" ] || [ -e "cmd/$name.h" ] || {
			echo "HACKING.md: $name: no such file"
			return 1
		} ;;
		esac
	done <"$BATS_TEST_TMPDIR/names"
}
