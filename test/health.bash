# shellcheck shell=bash disable=SC2154
# Functions for the tests of dq-stat --check.

# It ends with that status, says nothing on stderr, and its lines after the first, which sums up, are these, each a regex; those of
# level ok are only looked at where all is ok.
finds() { # STATUS REGEX...  of the queues in $on
	local wanted=$1 line
	shift
	# shellcheck disable=SC2086
	run --separate-stderr timeout -k 1 30 dq-stat --check ${on:-}
	equal "$stderr" '' || return
	equal "$status" "$wanted" || {
		echo "$output"
		return 1
	}
	local levels=(OK WARNING CRITICAL UNKNOWN)
	matches "${lines[0]}" "^DQ ${levels[wanted]} - [^|"$'\t'"]+( \| '[^|]+)?\$" || return
	for line in "${lines[@]:1}"; do
		matches "$line" '^(ok|warning|critical|unknown)'$'\t''[a-z_-]+'$'\t''[^'$'\t'']+$' || return
		[[ $wanted == 0 || $line != ok* ]] || continue
		[ $# -gt 0 ] || {
			echo "not wanted: $line"
			return 1
		}
		matches "${line//$'\t'/ }" "^$1" || return
		shift
	done
	equal "lines left: $*" 'lines left: '
}

# A server that tells what is in the files of its folder: info, config (NAME VALUE lines; without it CONFIG is not allowed), and
# ahead, the seconds by which its clock is so.
start_info_server() { # NAME
	local dir=$T/$1
	mkdir -p "$dir"
	python3 "$top/test/tool/info_server.py" "$dir" 3>&- &
	echo $! >"$dir/pid"
	disown
	wait_until 10 test -S "$dir/s"
}
