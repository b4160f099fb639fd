# Goal: README.md shows real output, and so does the demo. The recipes are in recipes.bats.

bats_require_minimum_version 1.5.0

load ../helper

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

readme=$top/README.md

# The blocks of README.md in a language, as files 1, 2... in a folder.
blocks() { # LANGUAGE DIR
	mkdir -p "$2"
	awk -v open="\`\`\`$1" -v dir="$2" '
		$0 == "```" && file { close(file); file = "" }
		file { print >file }
		$0 == open { file = dir "/" ++n }' "$readme"
	[ -e "$2/1" ]
}

# A console block -> a script that prints each "$ " line with its "> " lines, and does it.
to_script() {
	awk '
		function flush() {
			if (command != "") printf "cat <<\"PROMPT\"\n%sPROMPT\n%s", shown, command
			shown = command = ""
		}
		/^\$ / || (/^> / && command != "") {
			if (/^\$ /) flush()
			shown = shown $0 "\n"
			command = command substr($0, 3) "\n"
			next
		}
		{ flush() }
		END { flush() }' "$1"
}

# What differs from run to run: ULIDs, tokens, times of day, ages as dq-stat writes them; and with their widths, blanks.
wildcards() {
	sed -E '
		s/\<[0-7][0-9A-HJKMNP-TV-Z]{25}\>/ULID/g
		s/@[0-9]{16}\>/@TOKEN/g
		s/\<[0-9]{2}:[0-9]{2}:[0-9]{2}\>/TIME/g
		s/\<([0-9]+(\.[0-9])?(ms|s|m|h|d))+\>/AGE/g
		s/[[:blank:]]+/ /g' "$1"
}

@test "README.md: each console block prints what it says" {
	need jq
	local dir=$BATS_TEST_TMPDIR/console block bad=0
	blocks console "$dir"
	mkdir "$BATS_TEST_TMPDIR/cwd"
	cd "$BATS_TEST_TMPDIR/cwd"
	for block in "$dir"/?; do
		to_script "$block" >"$block.sh"
		grep -q . "$block.sh"
		sh "$block.sh" >"$block.out" 2>&1 </dev/null 3>&- || true
		diff -u --label "README.md, console block ${block##*/}" --label 'what is printed' \
			<(wildcards "$block") <(wildcards "$block.out") || bad=1
	done
	[ "$bad" -eq 0 ]
	equal "$(find . -mindepth 1)" ''
}

@test "README.md: no wildcard hides a difference that matters" {
	local dir=$BATS_TEST_TMPDIR/console
	blocks console "$dir"
	sed 's/order 1000/order 1009/' "$dir/1" >"$dir/other"
	run ! diff <(wildcards "$dir/1") <(wildcards "$dir/other")
	printf 'q/01M7XZVW0XQT896MNAXWB9QTPX@1795229087729865\t1.9s 12h30m 02:47:57\n' >"$dir/words"
	equal "$(wildcards "$dir/words")" 'q/ULID@TOKEN AGE AGE TIME'
	printf 'q/01M7XZVW0X@17952\t1000 5 16x\n' >"$dir/words"
	equal "$(wildcards "$dir/words")" 'q/01M7XZVW0X@17952 1000 5 16x'
}

@test "README.md: shell blocks parse, and name tools and options that exist" {
	local dir=$BATS_TEST_TMPDIR/sh block tool options option
	blocks sh "$dir"
	for block in "$dir"/?; do
		sh -n "$block"
	done
	grep -oE '\bdq-[a-z]+\b' "$readme" | sort -u | grep -vx dq-tools | while IFS= read -r tool; do
		[ -x "$DQ_BIN/$tool" ] || [ -e "$top/man/$tool.7" ] || {
			echo "there is no $tool, and no manual"
			return 1
		}
	done
	grep -oE '\bdq-[a-z]+( -[a-zA-Z0-9-]+)+' "$readme" | sort -u | while read -r tool options; do
		for option in $options; do
			"$tool" --help | grep -qE -- "(^|[ ,])$option\>" || {
				echo "$tool has no $option"
				return 1
			}
		done
	done
}

@test "README.md has less than 200 lines" {
	[ "$(wc -l <"$readme")" -lt 200 ]
}

# Processes and files that a demo with TMPDIR=$1 has left.
left_by() {
	find "$1" -mindepth 1
	grep -lsaF "$1" /proc/[0-9]*/cmdline /proc/[0-9]*/environ || true
}

@test "demo: does what it shows, in time, without terminal, on a server of its own, and leaves nothing" {
	local before
	before=$(digest orders || true)
	mkdir "$T/demo-tmp"
	TMPDIR=$T/demo-tmp REDIS_URL=bad DQ_PREFIX='{' run -0 --separate-stderr \
		timeout 60 "$top/test/by_hand/demo" </dev/null 3>&-
	equal "$stderr" ''
	matches "$output" 'close order 1003'
	matches "$output" 'exit status 1'
	equal "$(left_by "$T/demo-tmp")" ''
	equal "$(digest orders || true)" "$before"
}

@test "demo: with standard input closed, and ended by a signal or a reader that left" {
	local pid status=0
	mkdir "$T/demo-closed" "$T/demo-term" "$T/demo-pipe"
	TMPDIR=$T/demo-closed timeout 60 "$top/test/by_hand/demo" >/dev/null <&- 3>&-
	equal "$(left_by "$T/demo-closed")" ''
	TMPDIR=$T/demo-term "$top/test/by_hand/demo" >"$T/demo-out" 3>&- &
	pid=$!
	wait_until 10 grep -q 'orders/order-1001' "$T/demo-out"
	kill -TERM "$pid"
	wait "$pid" || status=$?
	equal "$status" 143
	equal "$(left_by "$T/demo-term")" ''
	TMPDIR=$T/demo-pipe timeout 60 "$top/test/by_hand/demo" 2>/dev/null 3>&- | sed 3q >/dev/null
	equal "$(left_by "$T/demo-pipe")" ''
}

@test "demo: reports what it cannot do" {
	mkdir "$T/demo-none"
	TMPDIR=$T/demo-none DQ_TEST_SERVER=no-such-server run -69 --separate-stderr "$top/test/by_hand/demo"
	equal "$output" ''
	matches "$stderr" '^demo: no-such-server not found: make deps'
	TMPDIR=$T/demo-none DQ_TEST_SERVER=false run -1 --separate-stderr "$top/test/by_hand/demo"
	matches "$stderr" 'demo: false does not start'
	TMPDIR=$T/demo-none DQ_BIN=$T/demo-none/missing run -1 --separate-stderr "$top/test/by_hand/demo"
	matches "$stderr" '^demo: nothing is built yet: make'
	equal "$(left_by "$T/demo-none")" ''
}

@test "the picture is of this dq-stat, small, and nothing but text and shapes" {
	local svg=$top/share/watch.svg
	grep -qF '](share/watch.svg)' "$readme"
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$svg"
	[ "$(wc -c <"$svg")" -lt 60000 ]
	run ! grep -qiE '<(script|image|a|style|foreignObject)|href|url\(' "$svg"
	TERM=xterm python3 "$top/test/tool/screen.py" 100x20 dq-stat --watch --every 1h <<-'EOF' >"$T/screen"
		wait ^q quit
		show
		keys q
		end
	EOF
	# the titles and the keys; numbers are others
	sed -n '3p; /^q quit/p' "$T/screen" | xargs -n 1 | while read -r word; do
		grep -qwF -- "$word" "$svg" || {
			echo "not in the picture: $word: make picture"
			return 1
		}
	done
}
