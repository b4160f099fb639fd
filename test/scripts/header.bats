# Goal: The scripts and the tools read the header of a record alike, also one that a foreign client wrote.

bats_require_minimum_version 1.5.0

load ../helper

# A script that prints what the fragments read: t, r, p, x, u, and the numbers of the schedule.
setup_file() {
	begin_file
	cp -r "$top/lua/lib" "$T/lib"
	cp "$top/test/scripts/read_header.lua" "$T"
	"$DQ_BIN/embed" -x "$T/read_header.lua" >"$T/expanded.lua"
	cat >"$T/headers" <<-'HEADERS'

		t=5
		t=5 r=7 p=3 x=4000000000000 u=9 b=0,1,2
		r=7x
		r=x7
		r=7.0
		r=7.5
		r=+7
		r=-7
		r=0x7
		r=7e1
		r=0
		r=1
		r=4294967295
		r=4294967296
		r=99999999999999999999999999999999999999999
		r=000000000000000000000000000000000000000007
		r= 7
		r=
		r
		r=7 r=8
		r=7x r=8
		r= r=8
		rr=8
		xr=8 r=7
		,r=8
		R=8
		 r=7
		  r=7  t=5
		r==7
		r=7;t=5
		r=7,t=5
		t=0
		t=1
		t=4398046511103
		t=4398046511104
		t=inf
		t=nan
		t=1e3
		p=0
		p=255
		p=256
		p=-1
		p=3x
		x=0
		x=4000000000000
		x=4398046511103
		x=4398046511104
		x=4000000000000x
		x=1x x=2
		t=5 x=4000000000000
		u=0
		u=1x
		u=4398046511103
		u=4398046511104
		b=1
		b=007,8
		b=1,2,3,4,5,6
		b=1,
		b=,1
		b=1,,2
		b=,
		b=1x
		b=1x2
		b=1 2
		b=1,2x
		b=1;2
		b=4398046511103
		b=4398046511104
		b=1,99999999999999999999999999999999999999999
		b=exp:
		b=exp:1
		b=exp:1..
		b=exp:..2
		b=exp:1..2
		b=exp:1.2
		b=exp:1...2
		b=exp:1..2..3
		b=exp:1,2
		b=exp:0..2
		b=exp:2..1
		b=exp:2..2
		b=exp:1..4398046511103
		b=exp:1..4398046511104
		b=EXP:1..2
		b=xexp:1..2
		b=1 b=2
		b=x b=2
		nonsense
		r=7 nonsense t=5
	HEADERS
	sed 's/T/4bf92f3577b34da6a3ce929d0e0e4736/; s/S/00f067aa0ba902b7/' >"$T/traced" <<-'HEADERS'
		c=00-T-S-01
		c=00-T-S-00
		c=00-T-S-ff
		t=5 c=00-T-S-01 u=9
		c=x c=00-T-S-01
		c=00-T-S-01 c=x
		c=
		c=00-T-S
		c=00-T-S-1
		c=00-T-S-001
		c=00-T-S-0A
		c=00-T-S-0g
		c=00-T-S-01-
		c=00-T-S-01-x
		c=0-T-S-01
		c=000-T-S-01
		c=0x-T-S-01
		c=ff-T-S-01
		c=FE-T-S-01
		c=fe-T-S-01
		c=fe-T-S-01-
		c=01-T-S-01-what,ever=~!
		c=01-T-S-01x
		c=01-T-S-01-\x7f
		c=01-T-S-01-\t
		c=01-T-S-01-\0
		c=00-T0-0f067aa0ba902b7-01
		c=00-4bf92f3577b34da6a3ce929d0e0e473-0S-01
		c=00-4BF92F3577B34DA6A3CE929D0E0E4736-S-01
		c=00-T-00F067AA0BA902B7-01
		c=00-00000000000000000000000000000000-S-01
		c=00-T-0000000000000000-01
		c=00--T-S-01
		c=00-T--S-01
	HEADERS
	printf 'c=01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-%0199d\n' 0 >>"$T/traced"
	printf 'c=01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-%0200d\n' 0 >>"$T/traced"
	# what no line of text can hold
	printf '%s\n' 'r=7\t t=5' 'r=7\tt=5' '\tr=7' 'r=7\r' 't=5\0 r=7' 'r=7\0' '\0 r=7' 'r=\xff7' 'b=1\t,2' 'b=1,2\v' >"$T/odd"
}

# The headers of messages as dq-stat prints them, in the form of read.lua.
tools_read() {
	jq -r '[.ttr_ms, .max_tries, .priority, .expires_ms // "null", .unique_ms // 0,
		if .backoff_ms then "[" + (.backoff_ms | map(tostring) | join(",")) + "]"
		else "exp[" + (.backoff_exp_ms | map(tostring) | join(",")) + "]" end] | map(tostring) | join(" ")'
}

# The same of the scripts.
scripts_read() {
	local keys=("${parts[@]/#/dq:{$q\}:}")
	rcli -e EVAL "$(cat "$T/expanded.lua")" "${#keys[@]}" "${keys[@]}" x "$@"
}

# The header is given as printf %b has it.
set_header() { # HEADER
	rcli -x HSET "dq:{$q}:msg" x < <(printf '%b\npay' "$1") >/dev/null
}

# jq takes long to start: it reads what dq-stat says of all of them.
@test "scripts and tools read every header alike" {
	local header
	dq-put -q -d 1h -i x "$q" pay
	while IFS= read -r header; do
		set_header "$header"
		scripts_read >>"$T/scripts"
		dq-stat --json "$q/x" >>"$T/json"
	done < <(cat "$T/headers" "$T/odd")
	[ "$(wc -l <"$T/scripts")" -gt 90 ]
	diff <(cat "$T/headers" "$T/odd" | paste - "$T/scripts") <(cat "$T/headers" "$T/odd" | paste - <(tools_read <"$T/json"))
}

@test "scripts, tools and put agree on which traceparent is valid" {
	local header scripts want bad=0 good=0 n=0
	dq-put -q -d 1h -i x "$q" pay
	while IFS= read -r header; do
		set_header "$header"
		scripts=$(scripts_read c)
		printf '%s\n' "$scripts" >>"$T/scripts"
		dq-stat --json "$q/x" >>"$T/json"
		case $header,$scripts in
		*'\0'* | *' c=x,'*) continue ;; # an argument holds no NUL; put refuses a second c that is none
		*,null) want='^DQRANGE record' ;;
		*) want='^n$' good=$((good + 1)) ;;
		esac
		n=$((n + 1))
		matches "$(script put '' fail 100 '' 7200000 "y$n" "$(printf '%b' "$header")"$'\npay' 2>&1)" "$want" || bad=1
	done <"$T/traced"
	equal "$bad $good" '0 8'
	diff <(paste "$T/traced" "$T/scripts") <(paste "$T/traced" <(jq -r .traceparent "$T/json"))
}

# WANT: ttr tries priority expiry unique schedule, X for an expiry that is set.
meant() { # WANT OPTION...
	local want=$1
	shift
	dq-put -q -d 1h -i x -e replace "$@" "$q" pay
	equal "$* $(scripts_read | sed -E 's/^(([^ ]+ ){3})[0-9]+/\1X/')" "$* $want"
	equal "$* $(dq-stat --json "$q/x" | tools_read)" "$* $(scripts_read)"
	equal "$(dq-stat --payload "$q/x")" pay
}

@test "what dq-put writes, scripts and tools read as it was meant" {
	local waits='[1000,10000,60000,600000]'
	meant "60000 5 100 null 0 $waits"
	meant "1 5 100 null 0 $waits" -t 1ms
	meant "60000 1 100 null 0 $waits" -r 1
	meant "60000 5 0 null 0 $waits" -p 0
	meant "60000 5 100 X 0 $waits" -x 2h
	meant "60000 5 100 null 3600000 $waits" --unique-for 1h
	meant '60000 4 100 null 0 [0,1500,60000]' -b 0,1.5s,1m
	meant '60000 5 100 null 0 exp[1000,3600000]' -b exp:1s..1h
	meant '5000 7 3 X 9000 [0]' -t 5s -r 7 -p 3 -x 2h --unique-for 9s -b 0
	meant "60000 7 100 X 0 $waits" -r 7 -x 2h
}

# Checked by the moves of the scripts, and by the output of dq-take and dq-run.
@test "an invalid number of tries counts as absent: five deliveries, and every tool says so" {
	local i
	for header in r=7x r=0 r=1e1 r=+2; do
		rm -f "$T/shown" "$T/taken"
		rcli HSET "dq:{$q}:msg" x "$header b=0"$'\npay' >/dev/null
		rcli ZADD "dq:{$q}:ready" 1 x >/dev/null
		for ((i = 1; i <= 5; i++)); do
			dq-stat --json "$q/x" >>"$T/shown"
			dq-take -w 10s --json "$q" | tee -a "$T/taken" | grep -o "$q/x@[0-9]*" | dq-ack -r -d 0
		done
		equal "$(jq -c '[.tries, .max_tries]' "$T/shown" | paste -sd' ')" '[0,5] [1,5] [2,5] [3,5] [4,5]'
		equal "$(jq -c '[.try, .tries, .max_tries]' "$T/taken" | paste -sd' ')" '[1,1,5] [2,2,5] [3,3,5] [4,4,5] [5,5,5]'
		equal "$(dq-stat --json "$q/x" | jq -r .state)" dead
		dq-rm "$q/x"
	done
}

@test "an invalid lease, expiry and reservation count as absent" {
	rcli HSET "dq:{$q}:msg" x $'x=1x t=5x u=9x\npay' >/dev/null
	rcli ZADD "dq:{$q}:ready" 1 x >/dev/null
	script take 1000000 1 '' 1 9 '' >/dev/null
	equal "$(score leased x)" 1060000
	dq-stat --json "$q/x" | jq -r '"\(.lease_until_ms) \(.ttr_ms) \(.expires_ms) \(.unique_ms)"' >"$T/shown"
	equal "$(cat "$T/shown")" '1060000 60000 null null'
	script ack 1000001 x "$(field stat token)" >/dev/null
	equal "$(rcli EXISTS "dq:{$q}:msg" "dq:{$q}:settled")" 0
}

@test "put takes no header that would count as absent" {
	local header c=c=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 many
	many=$(printf '%01536d' 0)
	dq-put -q -d 1h "$q" pay # lists the queue: now a put is a usual one
	equal "$(script put '' fail 100 '' 7200000 most "$c s=$many"$'\n')" n
	for header in "s=${many}0" "$c s=${many}0" "$c s=a=1  t=5" "$c s=" "$c " "$c s=a=1"$'\t' "$c "$'s=\xc3\xa9' r=7x r=0 t=0 t=1e3 \
		p=0x3 x=1.0 u=+1 b=1x b=1,,2 b=exp:2..1; do
		matches "$(script put '' fail 100 '' 7200001 x "$header"$'\n' 2>&1)" '^DQRANGE record' || {
			echo "$header"
			return 1
		}
	done
}
