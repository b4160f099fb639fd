# shellcheck shell=bash disable=SC2016,SC2154
# Recipes as they stand in README.md and the manuals, and what they do if one of their parts fails.

# The literal blocks and the console blocks of a page, each ended by a line with a form feed, without mdoc's escapes.
page_blocks() { # FILE
	sed -n '/^\.Bd -literal/,/^\.Ed/p; /^```console/,/^```$/p' "$1" |
		sed 's/\\&//g; s/\\(aq/'\''/g; s/\\(dq/"/g; s/\\-/-/g; s/\\e/\\/g; s/^\.Ed$/\f/; s/^```$/\f/; /^\.Bd/d; /^```console/d'
}

# The one block of a page that has this text: its commands, without what they print.
recipe() { # FILE TEXT
	page_blocks "$1" | TEXT=$2 awk '
		/^\f/ { if (index(block, ENVIRON["TEXT"])) { printf "%s", block; n++ } block = ""; next }
		/^[$>] / { block = block substr($0, 3) "\n" }
		END { exit n != 1 }'
}

# The commands of all pages that match, a line each: a vertical tab stands for each of their own newlines.
commands() { # REGEX
	local page
	for page in "$top"/README.md "$top"/man/*.[1-9]; do
		page_blocks "$page" | awk '
			/^\$ / { if (command) print command; command = substr($0, 3); next }
			/^> / { command = command "\v" substr($0, 3); next }
			{ if (command) print command; command = "" }
			END { if (command) print command }'
	done | grep -E -- "$1"
}

# A folder that comes first in PATH, with these programs as parts that break.
install_parts() { # NAME...
	local name
	parts=$T/parts
	rm -rf "$parts"
	mkdir "$parts"
	for name; do
		cp "$top/test/tool/stub/broken" "$parts/$name"
	done
}

# Runs a script once for each way in which one call of one of these parts breaks, in an empty folder, on an empty server: first `prepare`,
# then the script, its output in the file printed, then `check`, all of them in this folder. Each part breaks at least once.
break_each() { # SCRIPT PART...
	local script=$1 part how number
	shift
	install_parts "$@"
	for part; do
		for ((number = 1; ; number++)); do
			for how in fails cut killed; do
				break_one "$script" "$part" "$how" "$number" || {
					[ $? -eq 2 ] && break 2
					echo "call $number of $part $how: $(cat "$T/run/printed")"
					return 1
				}
			done
		done
		[ "$number" -gt 1 ] || {
			echo "$part is not called"
			return 1
		}
	done
}

# An empty server: recipes have names, and these are not those of the test.
fresh() {
	rcli flushall >/dev/null
}

# 2: there are not so many calls of this part.
break_one() { # SCRIPT PART HOW NUMBER
	fresh
	rm -rf "$T/run" "$T"/calls*
	mkdir "$T/run"
	touch "$T/calls"
	(cd "$T/run" && prepare) || return 1
	(
		cd "$T/run" || exit
		PATH=$parts:$PATH PART=$2 HOW=$3 NUMBER=$4 CALLS=$T/calls timeout 60 sh "$1" >"$T/printed" 2>&1 </dev/null 3>&- || true
	)
	mv "$T/printed" "$T/run/printed"
	has_lines "$T/calls" "$4" || return 2
	(cd "$T/run" && check) || return 1
}

# How many different payloads these queues have, in any state, with the prefixes dq and new.
payloads() { # QUEUE...
	local prefix
	for prefix in dq new; do
		dq-stat -q --prefix "$prefix" --messages all --payload "$@" 2>/dev/null || true
	done | sed 's/.*\t//' | sort -u | wc -l
}
