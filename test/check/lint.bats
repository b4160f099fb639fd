# Goal: Checkers find nothing in the sources. A missing checker is a skip at home and a failure under CI=true.

bats_require_minimum_version 1.5.0

# Checkers need a minute of CPU time, of which a busy machine gives little; none of them waits for anything.
setup_file() {
	export BATS_TEST_TIMEOUT=1200
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	DQ_BIN=${DQ_BIN:-$PWD/build}
	# What is built lies in one of these folders.
	built=$(realpath --relative-to=. "$DQ_BIN")
	built=${built%%/*}
	not_ours=(-path ./.git -o -type d -name 'build*' -o -path "./$built")
}

need() {
	command -v "$1" >/dev/null && return
	[ "${CI:-}" != true ] || {
		echo "$1 not found: make test-deps"
		return 1
	}
	skip "$1 not found: make test-deps"
}

# Files that are read by the shell whose name matches, by suffix or first line.
# shellcheck disable=SC2016  # for awk
shell_files() {
	find . \( "${not_ours[@]}" \) -prune -o -type f ! -name '*.[ch]' ! -name '*.lua' ! -name '*.md' -print0 |
		LC_ALL=C xargs -0 awk -v shell="$1" '
		FNR == 1 {
			if (match(FILENAME, /\.(bats|bash|sh)$/))
				is = substr(FILENAME, RSTART + 1)
			else if (match($0, /^#! *\/(usr\/)?bin\/(env )?[a-z]+/)) {
				is = substr($0, 1, RLENGTH)
				sub(/.*[\/ ]/, "", is)
			} else
				is = ""
			if (is == shell)
				print FILENAME
			nextfile
		}'
}

# SC1090, SC1091: files sourced by a name known at run time only.
@test "shellcheck: sh and bash" {
	need shellcheck
	local files
	mapfile -t files < <(shell_files sh)
	shellcheck -s sh -e SC1090,SC1091 "${files[@]}"
	mapfile -t files < <(shell_files bash)
	shellcheck -s bash -e SC1090,SC1091 "${files[@]}"
}

# SC2030, SC2031, SC2317: bats runs functions in subshells and by name. SC2154: it sets variables of its own.
@test "shellcheck: bats" {
	need shellcheck
	local files
	mapfile -t files < <(shell_files bats)
	printf '%s\0' "${files[@]}" |
		xargs -0 -n 8 -P 2 shellcheck -s bats -e SC1090,SC1091,SC2030,SC2031,SC2154,SC2317
}

# An includer need not use all that a fragment defines; other unused names are mistakes.
@test "luacheck: scripts as embedded, and each fragment with its own includes alone" {
	need luacheck
	local file name dir=$BATS_TEST_TMPDIR/lua defined
	compgen -G 'lua/*.lua' >/dev/null || skip 'no scripts'
	mkdir -p "$dir" "$BATS_TEST_TMPDIR/out"
	cp -r lua/. "$dir"
	for file in lua/lib/*.lua; do
		name=$(basename "$file")
		printf '#!lua\n-- @include lib/%s\n' "$name" >"$dir/lib_$name"
	done
	for file in "$dir"/*.lua; do
		"$DQ_BIN/embed" -x "$file" >"$BATS_TEST_TMPDIR/out/$(basename "$file")"
	done
	mapfile -t defined < <(sed -nE 's/^local function ([A-Za-z0-9_]+).*/\1/p; t; s/^local ([A-Za-z0-9_, ]+).*/\1/p' lua/lib/*.lua |
		tr -s ', ' '\n' | sed 's|.*|211/^&$|')
	# A block may define again what an outer one has; a counter of a fragment may be of no use to a script.
	local -a ignored=('241/^existing$' '241/^EDGES$' '2[23]1/^indexed$' '231/^peek$' '231/^may$' '43[123]'
		'241/^with_keys$' '241/^paired$' '241/^picks$')
	luacheck --no-color --codes -q --config .luacheckrc --ignore "${ignored[@]}" "${defined[@]}" -- "$BATS_TEST_TMPDIR"/out/*.lua
}

@test "mandoc: manuals" {
	need mandoc
	compgen -G 'man/*.[1-9]' >/dev/null || skip 'no manuals'
	mandoc -Tlint -Wwarning man/*.[1-9]
}

@test "groff: manuals give no warning" {
	need groff
	local page
	compgen -G 'man/*.[1-9]' >/dev/null || skip 'no manuals'
	for page in man/*.[1-9]; do
		run -0 groff -mdoc -Tutf8 -ww -z "$page"
		[ "$output" = '' ] || {
			echo "$output"
			return 1
		}
	done
}

# A lone dot, colon or question mark is punctuation to mdoc, and sticks to the word before it.
@test "manuals show sets of characters as they are written" {
	need mandoc
	local set page
	for page in man/*.7; do
		mandoc -Tascii "$page" | sed 's/.\x08//g' | tr -s ' \n' ' '
	done >"$BATS_TEST_TMPDIR/text"
	for set in 'of A-Z a-z 0-9 . _ -; ' '; ids also ' 'of A-Z a-z 0-9 . _ : -. ' 'encode / ? # @ and'; do
		grep -qF -- "$set" "$BATS_TEST_TMPDIR/text"
	done
}

# ctuuninitvar: a struct err is written by the callee. normalCheckLevelMaxBranches: newer ones say so where a function is long.
@test "cppcheck" {
	need cppcheck
	cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingInclude --suppress=missingIncludeSystem --suppress=ctuuninitvar \
		--suppress=normalCheckLevelMaxBranches -D_POSIX_C_SOURCE=200809L '-DDQ_VERSION="x"' \
		-Icommon -Icmd -Itest/unit cmd common embed test/unit
}

c_flags() { # a line each
	printf '%s\n' -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L '-DDQ_VERSION="x"' "-I$PWD/common"
	pkg-config --cflags hiredis | sed 's/-I/-isystem/g' | tr -s ' ' '\n'
}

# analyze runs two of them at a time, each for up to N files.
analyze() { # N COMMAND [ARG...]
	find cmd common embed -name '*.c' -print0 | xargs -0 -n "$1" -P 2 "${@:2}"
}

# -O0: it sees the code as it is written. fd-leak: given_start opens what is closed of 0, 1 and 2, for good.
@test "gcc -fanalyzer" {
	need gcc
	need pkg-config
	local flags
	mapfile -t flags < <(c_flags)
	analyze 1 gcc "${flags[@]}" -O0 -fanalyzer -Wno-analyzer-fd-leak -Werror -S -o /dev/null
}

# .clang-tidy has the checks.
@test "clang-tidy" {
	need clang-tidy
	need pkg-config
	c_flags >"$BATS_TEST_TMPDIR/compile_flags.txt"
	analyze 10 clang-tidy --quiet -p "$BATS_TEST_TMPDIR"
}

@test "functions: at most 60 lines, main in cmd/ at most 45" {
	local files
	mapfile -t files < <(find cmd common embed -name '*.c')
	awk '
	FNR == 1 { open = 0; head = 0 }
	/^[A-Za-z_].*\(/ && !open { head = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{/ { open = 1 }
	/^\}$/ && open {
		open = 0
		lines = FNR - head + 1
		limit = name == "main" && FILENAME ~ /^cmd\// ? 45 : 60
		if (lines > limit) {
			printf "%s:%d: %s has %d lines, more than %d\n", FILENAME, head, name, lines, limit
			bad = 1
		}
	}
	END { exit bad }' "${files[@]}"
}

@test "files: at most 500 lines of C, 150 of Lua, 400 of tests" {
	local long
	long=$(find cmd common embed -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 500')
	long+=$(find lua -name '*.lua' -exec wc -l {} + | awk '$2 != "total" && $1 > 150')
	long+=$(find test -name '*.bats' -exec wc -l {} + | awk '$2 != "total" && $1 > 400')
	echo "$long"
	[ -z "$long" ]
}

# The compiler may read the first argument before the call of the second changes it: clang does, gcc does not. out_failed only prints.
@test "worse: no call beside a status that it may change" {
	local found
	found=$(grep -nE 'worse\([^()]*(->|\.)[^()]*, ([a-z_]+(->|\.))*[a-z_]+\(' -r cmd common --include='*.c' |
		grep -v 'out_failed(' || true)
	echo "$found"
	[ -z "$found" ]
}

# The watchdog of bats is the first job of each test. If a test kills that job, bats waits for the whole time limit.
@test "no test names a job by its number" {
	run ! grep -rnE '(^|[^[:alnum:]_])(kill|wait|fg|bg|disown) ([^|;&]* )?%[0-9+-]' --include='*.bats' --include='*.bash' test
}

files_named() { # GLOB
	find . \( "${not_ours[@]}" \) -prune -o -type f -name "$1" -print
}

# No line of the files on standard input is wider. A TAB moves to the next multiple of 8.
at_most() { # COLUMNS
	local files
	mapfile -t files
	awk -v most="$1" 'length($0) + 7 * gsub(/\t/, "\t") > most {
		columns = 0
		gsub(/[\200-\277]/, "")
		for (rest = $0; (tab = index(rest, "\t")) > 0; rest = substr(rest, tab + 1)) {
			columns += tab - 1
			columns += 8 - columns % 8
		}
		columns += length(rest)
		if (columns > most) {
			printf "%s:%d: %d columns\n", FILENAME, FNR, columns
			bad = 1
		}
	}
	END { exit bad }' "${files[@]}"
}

@test "lines: at most 100 columns of C and Lua, 140 of all others" {
	files_named '*.lua' | at_most 100
	files_named '*.[ch]' | at_most 100
	files_named '*.py' | at_most 140
	files_named '*.bats' | at_most 140
	files_named Makefile | at_most 140
	{ shell_files sh && shell_files bash; } | at_most 140
}

@test "nothing names a path of the machine it was written on" {
	run ! grep -rnIE '/(work|home/[a-z]+|root)/' --exclude-dir=.git --exclude-dir='build*' --exclude-dir="$built" \
		--exclude-dir=__pycache__ --exclude=.git --exclude=lint.bats .
}
