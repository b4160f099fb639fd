# Goal: Each figure of speed or memory in README.md and the manuals is that of BENCHMARKS.md.

bats_require_minimum_version 1.5.0

load ../helper

# A cell of the table: of the row of that name, and with TO, of the one that is compared to that. A | in a name is "@" here.
cell() { # COLUMN ROW [TO]
	sed 's/\\|/@/g' "$top/BENCHMARKS.md" | awk -F ' *[|] *' -v column="$1" -v row="$2" -v to="${3:-}" '
		$2 == row && (to == "" || $5 == to) { gsub(",", "", $column); print $column + 0; n = 1; exit }
		END { if (!n) print "no row \"" row "\"" }'
}

figure() { cell 3 "$@"; }
ratio() { cell 4 "$@"; }

# Fails unless the file has the text; each # in it is the next of the values, rounded: at most 5 % more or less.
shows() { # FILE TEXT VALUE...
	local file=$1 text=$2 pattern found value
	shift 2
	pattern=$(sed 's/[].*+?(){}|^$\\[]/\\&/g; s/#/([0-9][0-9,.]*)/g' <<<"$text")
	[[ "$(tr '\n' ' ' <"$top/$file")" =~ $pattern ]] || {
		echo "$file: no \"$text\""
		return 1
	}
	found=("${BASH_REMATCH[@]:1}")
	equal "${#found[@]}" $#
	for value; do
		awk -v found="${found[0]//,/}" -v value="$value" \
			'BEGIN { exit !(value + 0 > 0 && found >= 0.95 * value && found <= 1.05 * value) }' || {
			echo "$file: \"$text\": ${found[0]}, and BENCHMARKS.md has $value"
			return 1
		}
		found=("${found[@]:1}")
	done
}

@test "README.md: the figures of 'How fast'" {
	local put='put delayed, 100 bytes (dq-put -l)' take='take + ack (dq-take -f -n 1000 @ dq-ack)'
	shows README.md '| put, delayed | # /s | # x beanstalkd, # x BullMQ |' \
		"$(figure "$put")" "$(ratio "$put" 'beanstalkd, put pipelined')" "$(ratio "$put" 'BullMQ, addBulk')"
	shows README.md '| take + ack | # /s | # x beanstalkd, # x BullMQ |' \
		"$(figure "$take")" "$(ratio "$take" 'beanstalkd, reserve + delete pipelined')" \
		"$(ratio "$take" 'BullMQ, a worker, concurrency 100')"
	shows README.md '| p50 # ms, p99 # ms, none early | Redisson: # ms, # ms; BullMQ: # ms, # ms |' \
		"$(figure 'due to stdout, 1 waiting: p50')" "$(figure 'due to stdout, 1 waiting: p99')" \
		"$(figure 'Redisson: due to handler: p50')" "$(figure 'Redisson: due to handler: p99')" \
		"$(figure 'BullMQ: due to handler: p50')" "$(figure 'BullMQ: due to handler: p99')"
	equal "$(figure 'due to stdout, 1 waiting: early')" 0
	shows README.md '| one dq-put, one process | # ms | # x a bare hiredis PING |' \
		"$(awk -v us="$(figure 'dq-put, one process')" 'BEGIN { print us / 1000 }')" "$(ratio 'dq-put, one process')"
	shows README.md '| # bytes (# of a million) | # x BullMQ |' "$(figure 'a delayed message, of 50000')" \
		"$(figure 'a delayed message, of 1000000')" "$(ratio 'a delayed message, of 50000' BullMQ)"
	shows README.md '| # commands/s for all; # for each due message |' "$(figure 'idle, 500 waiting')" \
		"$(figure 'one due message, 500 waiting')"
}

@test "dq-recipes(7), GROWING: memory and CPU time of a message" {
	local page=man/dq-recipes.7 one batch bytes
	bytes=$(figure 'a delayed message, of 1000000')
	one=$(awk -v put="$(figure 'put, one at a time')" -v take="$(figure 'take + ack, one at a time')" 'BEGIN { print put + take }')
	batch=$(figure 'put, take, ack in batches: the server')
	shows "$page" 'that waits costs it # bytes of memory' "$bytes"
	shows "$page" 'their number times # bytes' "$bytes"
	shows "$page" 'costs it # us of CPU time if it is put, taken and acked one at a time, and # us in batches' "$one" "$batch"
}

# The number in the text of GROWING before the given words.
number() { # WORDS
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$top/man/dq-recipes.7" | sed 1q
}

# The rows of a table of GROWING, from its heading on: numbers without commas, cells separated by spaces.
growing() { # HEADING
	sed -n "/^\.It Em $1 Ta/,/^\.El/{/^\.It [^E]/{s/^\.It //; s/,//g; s/ Ta / /g; p;}}" "$top/man/dq-recipes.7"
}

@test "dq-recipes(7), GROWING: the tables follow from these figures" {
	growing 'messages a day' >"$T/nodes"
	equal "$(wc -l <"$T/nodes")" 3
	# At most half of a core at three times the average.
	awk -v one="$(number 'us of CPU time')" -v batch="$(number 'us in batches')" '
		function nodes(us) { n = $2 * us / 500000; return n > int(n) ? int(n) + 1 : int(n) }
		one > 0 && batch > 0 && $2 >= $1 * 3 / 86400 && $2 < $1 * 3.1 / 86400 &&
			$3 == nodes(one) && $4 == nodes(batch) { right++; next }
		{ print "wrong: " $0 }
		END { exit right != 3 }' "$T/nodes"
	growing 'each waits' >"$T/memory"
	equal "$(wc -l <"$T/memory")" 3
	# Messages, GiB, nodes of 16 GiB.
	awk -v bytes="$(number 'bytes of memory')" '
		{ gib = $3 * bytes / 1024 ^ 3; n = $4 / 16 }
		$5 == "GiB" && gib > 0.95 * $4 && gib < 1.05 * $4 && $6 == (n > int(n) ? int(n) + 1 : int(n)) { right++; next }
		{ print "wrong: " $0 }
		END { exit right != 3 }' "$T/memory"
}

@test "dq-take(1), CAVEATS: how much readers read ahead" {
	local page=man/dq-take.1
	shows "$page" '.It Ql while read #: it reads a line' "$(figure 'while read')"
	shows "$page" '.It Ql xargs -n 1 # .It' "$(figure 'xargs -n 1')"
	shows "$page" '.It Ql awk #, if it is' "$(figure awk)"
	shows "$page" 'before it begins; # with .Ql -W interactive' "$(figure 'awk -W interactive')"
	shows "$page" '.It Ql cat | while read #, and more with time' "$(figure 'cat @ while read')"
}
