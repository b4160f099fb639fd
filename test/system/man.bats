# Goal: The manuals are right: examples print what they show, and tables agree with the sources.

bats_require_minimum_version 1.5.0

load ../helper

cd_top() {
	cd "$top" || return
}

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

# The lines of a page's section, as they are written.
section() { # PAGE TITLE
	awk -v title="$2" '/^\.S[hs] / { on = substr($0, 5) == title; next } on' "$1"
}

# The blocks of a page that begin with "$ ", as files 01, 02... in a folder, without mdoc's escapes.
blocks() { # PAGE DIR
	mkdir -p "$2"
	sed -n '/^\.Bd -literal/,/^\.Ed/p; s/^\.Dl \(\$ .*\)/.Bd\n\1\n.Ed/p' "$1" |
		sed 's/\\&//g; s/\\(aq/'\''/g; s/\\-/-/g; s/\\e/\\/g' |
		sed "s|/usr/local/share/dq/lua/|$T/share/|g" |
		awk -v dir="$2" '
			/^\.Bd/ { file = ""; first = 1; next }
			/^\.Ed/ { if (file) close(file); file = ""; next }
			first && /^\$ / { file = sprintf("%s/%02d", dir, ++n) }
			{ first = 0 }
			file { print >file }'
}

# A block -> a script that prints each "$ " line with its "> " lines, does it, and tells of any exit status but 0.
to_script() {
	awk '
		function flush() {
			if (command != "") printf "cat <<\"PROMPT\"\n%sPROMPT\n%ss=$?; [ $s = 0 ] || echo \"STATUS $s\"\n", shown, command
			shown = command = ""
		}
		/^\$ / { flush() }
		/^\$ / || /^> / { shown = shown $0 "\n"; command = command substr($0, 3) "\n" }
		END { flush() }' "$1"
}

# What differs from run to run: ULIDs, tokens, ages as dq-stat writes them; and with their widths, blanks.
wildcards() {
	sed -E '
		s/\<[0-7][0-9A-HJKMNP-TV-Z]{25}\>/ULID/g
		s/@[0-9]{16}\>/@TOKEN/g
		/^\$/!s/\<([0-9]+(\.[0-9])?(ms|s|m|h|d))+\>/AGE/g
		s/[[:blank:]]+/ /g' "$1"
}

# redis-cli for the examples: it finds the test's server; and the scripts as they are installed.
for_examples() {
	local file real
	real=$(command -v redis-cli)
	mkdir -p "$T/bin" "$T/share"
	printf '#!/bin/sh\nexec %s -s %s "$@"\n' "$real" "$T/main/s" >"$T/bin/redis-cli"
	chmod +x "$T/bin/redis-cli"
	for file in lua/*.lua; do
		"$DQ_BIN/embed" -x "$file" >"$T/share/${file##*/}"
	done
}

@test "every example prints what its manual says, and exits 0 unless it says so" {
	need jq
	local page block dir cwd bad=0
	cd_top
	for_examples
	for page in man/*.[1-9]; do
		dir=$BATS_TEST_TMPDIR/${page##*/} cwd=$BATS_TEST_TMPDIR/${page##*/}.cwd
		blocks "$page" "$dir"
		[ -e "$dir/01" ] || {
			echo "$page has no examples"
			bad=1
			continue
		}
		rcli flushall >/dev/null
		mkdir "$cwd"
		for block in "$dir"/??; do
			to_script "$block" >"$block.sh"
			(cd "$cwd" && PATH=$T/bin:$PATH timeout 120 sh "$block.sh") >"$block.out" 2>&1 </dev/null 3>&- ||
				echo "ended with $?" >>"$block.out"
			diff -u --label "$page, example ${block##*/}" --label 'what is printed' \
				<(wildcards "$block") <(wildcards "$block.out") || bad=1
		done
	done
	[ "$bad" -eq 0 ]
}

@test "wildcards hide no difference that matters" {
	printf '%s\n' 'q/01M7XZVW0XQT896MNAXWB9QTPX@1795229087729865 1.9s' 'q/01M7@179 16 1001' '$ dq-put -d 90s q' \
		>"$BATS_TEST_TMPDIR/text"
	equal "$(wildcards "$BATS_TEST_TMPDIR/text")" \
		$'q/ULID@TOKEN AGE\nq/01M7@179 16 1001\n$ dq-put -d 90s q'
}

@test "blocks: a page's examples are found, with their escapes undone" {
	cat >"$BATS_TEST_TMPDIR/page" <<-'PAGE'
		.Sh EXAMPLES
		.Bd -literal
		$ printf 'a\en'
		a
		.Ed
		.Bd -literal -offset indent
		not run
		.Ed
		.Sh BUGS
		.Dl $ false
	PAGE
	blocks "$BATS_TEST_TMPDIR/page" "$BATS_TEST_TMPDIR/found"
	equal "$(cd "$BATS_TEST_TMPDIR/found" && echo ??)" '01 02'
	equal "$(cat "$BATS_TEST_TMPDIR/found/01")" $'$ printf \'a\\n\'\na'
	to_script "$BATS_TEST_TMPDIR/found/02" >"$BATS_TEST_TMPDIR/script"
	equal "$(sh "$BATS_TEST_TMPDIR/script")" $'$ false\nSTATUS 1'
}

@test "dq(7) has at most 310 lines on a screen of 80 columns" {
	need mandoc
	cd_top
	[ "$(mandoc -Tutf8 -O width=80 man/dq.7 | wc -l)" -le 310 ]
	need man
	[ "$(MANWIDTH=80 man -l man/dq.7 | wc -l)" -le 310 ]
}

# PAGE TAB TITLE for each section that a page names: its own, or that of the page after "in"; and PAGE TAB for each page of dq.
references() { # PAGE
	awk -v own="$1" '
		function target() { return "man/" $2 "." $3 }
		title && /^\.Xr/ && last == "in" { print target() "\t" title; title = "" }
		title && $0 != "in" { print own "\t" title; title = "" }
		/^\.Sx/ { title = substr($0, 5); sub(/ [:,.]$/, "", title) }
		/^\.Xr dq/ { print target() "\t" }
		{ last = $0 }' "$1"
}

@test "pages and sections that a manual names exist" {
	local page other title bad=0
	cd_top
	[ "$(cat man/*.[1-9] | grep -c '^\.Sx')" -ge 20 ]
	for page in man/*.[1-9]; do
		while IFS=$'\t' read -r other title; do
			[ -e "$other" ] && { [ "$title" = '' ] || grep -qxE "\.S[hs] $title" "$other"; } && continue
			echo "$page: $other has no \"$title\""
			bad=1
		done < <(references "$page")
	done
	[ "$bad" -eq 0 ]
}

# --- tables ---

# The rows of the column lists in a section of a page, cells separated by TABs, without headings and macros.
rows() { # PAGE TITLE
	section "man/$1" "$2" | sed -n '/^\.Bl -column/,/^\.El/{/^\.It Li /{s/^\.It Li //; s/ Ta /\t/g; p;}}'
}

# NAME NUMBER of enum status, in order.
statuses() {
	sed -n '/^enum status {/,/^};/s/^\t\(DQ_[A-Z]*\) = \([0-9]*\).*/\1 \2/p' common/base/err.h
}

@test "dq(7): exit statuses are those of common/base/err.h" {
	cd_top
	[ "$(statuses | wc -l)" -ge 11 ]
	equal "$(rows dq.7 'EXIT STATUS' | cut -f1)" "$(statuses | sed 's/.* //; s/^128$/128+n/')"
}

@test "each manual names the exit statuses of dq(7) that its tool has, and lists those that differ" {
	local page listed named
	cd_top
	for page in man/dq-*.1; do
		echo "$page"
		listed=$(section "$page" 'EXIT STATUS' | sed -n 's/^\.It \([0-9][0-9+n]*\)$/\1/p')
		named=$(section "$page" 'EXIT STATUS' | sed -n '1,2{s/^explains \(.*\)\.$/\1/; s/, \| and /\n/gp;}')
		equal "$(section "$page" 'EXIT STATUS' | sed 1q)" '.Xr dq 7'
		matches "$listed" $'^0\n1'
		equal "$listed" "$(sort -n <<<"$listed")"
		equal "$named" "$(sort -n <<<"$named")"
		equal "$(grep -xvF "$(rows dq.7 'EXIT STATUS' | cut -f1)" <<<"$named")" ''
		equal "$(grep -xvF "$(printf '%s\n' 0 1 66 123 124 126 127 "$named")" <<<"$listed")" ''
		# What every tool can end with.
		equal "$(grep -xF -e 64 -e 69 -e 70 -e 75 -e 77 -e 78 -e 128+n <<<"$named" | xargs)" '64 69 70 75 77 78 128+n'
	done
}

@test "what is common to all tools is in dq(7) only: variables, and exit statuses without a difference" {
	local page
	cd_top
	for page in man/dq-*.1; do
		echo "$page"
		equal "$(section "$page" 'EXIT STATUS' | grep -xE '\.It (69|77)')" ''
		[ "$page" = man/dq-run.1 ] || equal "$(section "$page" ENVIRONMENT | grep -E 'DQ_|REDIS')" ''
	done
	# All variables of the source: those, and what dq-run sets for its command.
	equal "$( (section man/dq.7 ENVIRONMENT; section man/dq-run.1 ENVIRONMENT | grep '^\.It Ev DQ_') |
		grep -oE '(DQ|REDIS|REDISCLI)_[A-Z_]+' | sort -u | xargs)" \
		"$(grep -rhoE '"(DQ|REDIS|REDISCLI)_[A-Z_]+' cmd common | tr -d '"' | sort -u | xargs)"
}

@test "dq-scripts(7): keys are those of common/base/name.h, with the types of lua/lib/types.lua" {
	local part type rest
	cd_top
	equal "$(rows dq-scripts.7 KEYS | cut -f1 | xargs)" \
		"$(sed -n '/^enum name_part {/,/^};/s/^\tPART_\([A-Z]*\).*/\L\1/p' common/base/name.h | grep -vx count | xargs)"
	# shellcheck disable=SC2154  # helper.bash has it
	equal "$(rows dq-scripts.7 KEYS | cut -f1 | xargs)" "${parts[*]}"
	while IFS=$'\t' read -r part type rest; do
		grep -qE "\<$part = '$type'" lua/lib/types.lua || {
			echo "$part is not a $type: $rest"
			return 1
		}
	done < <(rows dq-scripts.7 KEYS)
}

# BEGINNING TAB STATUS TAB DONE of the table of error replies. A row may have several lines.
meanings() {
	local file
	file=$(grep -l ' error_meaning meanings\[\] = {$' -r common cmd)
	sed -n '/ meanings\[\] = {$/,/^};/p' "$file" | sed ':row; /^\t{[^}]*$/ { N; s/\n[[:blank:]]*/ /; b row; }' |
		sed -n 's/^\t{"\([^"][^"]*\)", \(DQ_[A-Z]*\), FATE_\([A-Z_]*\), ERROR_[A-Z_]*, [A-Z]*, .*/\1\t\2\t\3/p' |
		sed 's/ \t/\t/; s/NOT_DONE$/no/; s/\(SHARDS\|CLAIM\)$/no/; s/UNKNOWN$/unknown/' |
		sed "$(statuses | sed 's|\(.*\) \(.*\)|s/\\t\1\\t/\\t\2\\t/|')"
}

@test "dq-scripts(7): error replies mean what the code makes of them" {
	cd_top
	[ "$(meanings | wc -l)" -ge 20 ]
	diff -u --label 'dq-scripts(7)' --label 'meanings[]' <(rows dq-scripts.7 'Error replies of the server' | sort) <(meanings | sort)
}

number() { # NAME in common/*/*.h
	local value
	value=$(sed -n "s/^#define $1 \([^/]*\).*/\1/p" common/*/*.h)
	[ -n "$value" ] || return
	echo $((value))
}

# The default in the table of header fields.
field_default() { # LETTER
	rows dq-scripts.7 Header | awk -F'\t' -v letter="$1" '$1 == letter { print $2 }'
}

@test "dq(7), dq-scripts(7): defaults and limits are those of the sources" {
	local name limit limits
	cd_top
	equal "$(rows dq-scripts.7 Header | cut -f1 | xargs)" 'x t r p b u k c s'
	equal "$(field_default t)" "$(number QUEUE_TTR_MS)"
	equal "$(field_default r)" "$(number QUEUE_TRIES)"
	equal "$(field_default p)" "$(number QUEUE_PRIORITY)"
	equal "TTR = $(field_default t) TRIES = $(field_default r) PRIORITY = $(field_default p)" \
		"$(sed -nE 's/^local ((TTR|TRIES|PRIORITY) = [0-9]+)$/\1/p' lua/lib/constants.lua | xargs)"
	equal "local BACKOFF = '$(field_default b)'" "$(grep '^local BACKOFF' lua/lib/constants.lua)"
	limits=$(section man/dq.7 LIMITS; section man/dq.7 'COMMAND LINES')
	for name in QUEUE_PAYLOAD_MAX QUEUE_PAYLOAD_HARD_MAX NAME_MAX_BYTES NAME_PREFIX_MAX QUEUE_CALL_MAX QUEUE_BATCH_BYTES; do
		limit=$(number "$name")
		grep -qwF -- "$limit" <<<"$limits" || {
			echo "$name is $limit"
			return 1
		}
	done
	grep -qF 'INT64_C(4398046511103)' common/base/time.h
	[ "$(date -u -d @4398046511 +'%B %-d, %Y, %T')" = 'May 15, 2109, 07:35:11' ]
	grep -qF 'before May 15, 2109, 07:35:11.104 UTC' man/dq.7
}

@test "defaults in --help are in the manual, or in dq(7)" {
	local page tool default bad=0
	cd_top
	for page in man/dq-*.1; do
		tool=$(basename "$page" .1)
		while IFS= read -r default; do
			grep -qF -- "$default" "$page" man/dq.7 || {
				echo "$page has no $default"
				bad=1
			}
		done < <("$tool" --help | grep -oE '\([0-9][A-Za-z0-9,;. ]*\)')
	done
	[ "$bad" -eq 0 ]
}

# --- scripts ---

# What a script's opening comment says: the names of its arguments, and its error codes.
arguments() { # FILE
	sed -nE '/^-- ARGV/,/^-- Reply/s/^--( ARGV   |        ) ([a-z]+)(  .*)?$/\2/p' "$1" | xargs
}

errors() {
	sed -nE '/^-- Errors/p' "$1" | grep -oE 'DQ[A-Z]+' | sort | xargs
}

# The item of a script in dq-scripts(7).
item() { # NAME
	section man/dq-scripts.7 SCRIPTS | awk -v name="$1" '/^\.It Ic/ { on = $3 == name } on'
}

@test "dq-scripts(7): has every script" {
	local file name bad=0
	cd_top
	equal "$(section man/dq-scripts.7 SCRIPTS | sed -n 's/^\.It Ic \([a-z_]*\).*/\1/p' | sort)" \
		"$(basename -a -s .lua lua/*.lua | sort)"
	for file in lua/*.lua; do
		name=$(basename "$file" .lua)
		[ "$name" = set ] || [ -n "$(arguments "$file")" ]
		[ "$name" = set ] ||
			equal "$name $(item "$name" | sed -n '1s/^\.It Ic [a-z_]* Ar //; 1s/ Op .*//; 1p')" \
				"$name $(arguments "$file")" || bad=1
		equal "$name $(item "$name" | sed -n 's/^Errors: //p' | grep -oE 'DQ[A-Z]+' | sort | xargs)" \
			"$name $(errors "$file")" || bad=1
	done
	[ "$bad" -eq 0 ]
}

@test "dq-scripts(7): counters are those that the scripts count" {
	local name
	cd_top
	while IFS= read -r name; do
		section man/dq-scripts.7 Counters | grep -qwF -- "$name" || {
			echo "no $name"
			return 1
		}
	done < <(grep -ohE "\<count\('[a-z_]+" lua/*.lua lua/lib/*.lua | sed "s/.*'//" | sort -u)
}
