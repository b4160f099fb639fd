# Goal: In random calls a queue with keys delivers what it may and only that, by turns (test/sim/keys). DQ_SIM_SEEDS=500000 is for a night.

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	export SIM_SEEDS=$((${DQ_SIM_SEEDS:-125} / 5)) # one takes five times as long as one of check/sim
	begin_file
}

sim() { # OPTION...
	"$top/test/sim/keys" --socket "$T/main/s" --scripts "$DQ_BIN/lua" "$@"
}

# A copy of the scripts with a mistake in some of them, or in all. Each has to change.
broken() { # SED-EXPRESSION [NAME...]
	local file names=("${@:2}")
	[ "${#names[@]}" -gt 0 ] || names=(put take ack retry giveback bury promote promote_now release redrive rm load)
	rm -rf "$T/broken"
	cp -r "$DQ_BIN/lua" "$T/broken"
	for file in "${names[@]}"; do
		sed -E "$1" "$DQ_BIN/lua/$file.lua" >"$T/broken/$file.lua"
		! cmp -s "$DQ_BIN/lua/$file.lua" "$T/broken/$file.lua" || {
			echo "$file does not change"
			return 1
		}
	done
}

# The simulation finds the mistake.
caught() { # REGEX [OPTION...]
	run -1 sim --brief --seeds 1000 --scripts "$T/broken" "${@:2}"
	matches "$output" "$1"
}

@test "no key gets more than it may, none is passed over, and all of it drains" {
	local kind
	sim --seeds "$SIM_SEEDS" --tally | tee "$T/tally"
	for kind in 'put '{n,k,r,e,m,p,x} 'ack '{d,s,u} 'retry '{d,b,s} 'giveback d' 'load n' 'redrive d' 'release d' 'take why '{0,4}; do
		grep -qE "^$kind [1-9][0-9]*$" "$T/tally" || {
			echo "never seen: $kind"
			return 1
		}
	done
	matches "$(tail -1 "$T/tally")" '^[0-9]{4,} calls, [0-9]{3,} deliveries, all right'
}

@test "no key gets more than it may after calls that were cut or refused, and all of it drains" {
	sim --cuts --rights --seeds "$SIM_SEEDS" --first 100001 | tee "$T/tally"
	matches "$(tail -1 "$T/tally")" ' [0-9]{2,} cut or refused'
}

@test "the random test of keys says how to see a failure again, and the least that shows it" {
	local again least
	broken "s/if all or leased\[ids\[i\]\] then/if false then/" take
	run -1 sim --seeds 20 --scripts "$T/broken"
	matches "$output" 'keyed lacks'
	again=$(sed -n 's|^again: test/sim/keys ||p' <<<"$output")
	matches "$again" '^--seed [0-9]+ --steps [0-9]+$'
	least=$(sed '1,/^in short/d' <<<"$output")
	matches "$least" $'^  (put|load) .*\n'
	[ "$(wc -l <<<"$least")" -le 6 ]
	# shellcheck disable=SC2086
	run -1 sim --brief $again --scripts "$T/broken"
	matches "$output" 'keyed lacks'
	# shellcheck disable=SC2086
	sim $again
}

@test "the random test of keys catches a take that trusts the turns after a setting was made tighter" {
	broken 's/^( *)local free, only, ready = room\(key, wanted\)$/\1local free, only, ready = wanted/' take
	caught 'was delivered, and its key is held|was delivered, the next of its key'
}

@test "the random test of keys catches a take of several that gives each pair of a key all of its room" {
	broken 's/^( *if rooms ~= ANY) and not rooms\[key\] then$/\1 then/' take
	caught 'was delivered, and its key is held'
}

@test "the random test of keys catches a key that keeps its turn when it is served" {
	broken "s/'ZADD', KEYS\[18\], unpack\(turns\)/'ZADD', KEYS[18], 'NX', unpack(turns)/" take
	caught 'its key is served twice, while'
}

@test "the random test of keys catches a serial key that goes on while what has begun waits" {
	broken "s/m\.to ~= KEYS\[5\] and has_begun\(m, scores\[i\]\) and ' B '/false/"
	caught 'keyed lacks .* B '
	broken "s/within\(key, stops\(\) and ' A ' or ' B '/within(key, stops() and ' A ' or ' L '/"
	caught 'is held|the next of its key|turn (lacks|has)'
}

@test "the random test of keys catches a dead message that stops nothing, or its key for ever" {
	broken "s/m\.to == KEYS\[5\] and stops\(\) and ' A '/false/" retry bury promote release take load
	caught 'keyed lacks .* A '
	broken "s/if leaves_dead then gone/if false then gone/" redrive put rm
	caught 'keyed lacks nothing|has wrongly .* A |turn lacks|does not drain'
	broken "s/within\(key, stops\(\) and ' A ' or ' B '/within(key, ' B '/"
	caught 'is held|turn has'
}

@test "the random test of keys catches a redriven message that is not the next of its key, and one that a dump forgets" {
	broken "s/^( *)if not \(stops and key_of\(id\)\) then$/\1if true then/" redrive
	caught 'was redriven: its entry is'
	broken "s/try\.reason ~= '' and try\.reason or 'failed or buried'/try.reason or ''/" redrive
	caught 'was redriven: its entry is'
}

@test "the random test of keys catches a setting that stops nothing that is dead already" {
	broken "s/'HSET', KEYS\[7\], 'dead_walk', ''/'HDEL', KEYS[7], 'dead_walk'/" set
	caught 'keyed lacks .* A '
}

@test "the random test of keys catches a setting that is eased and frees nothing" {
	broken "/'HSET', KEYS\[7\], 'key_walk', ''/s/'HSET', KEYS\[7\], 'key_walk', ''/'HDEL', KEYS[7], 'key_walk'/" set
	caught 'turn lacks|keyed lacks .., has wrongly'
}

@test "the random test of keys catches a reply that does not say that keys are what is waited for" {
	broken 's/return 0, BY_KEYS,/return 0, NOT_LIMITED,/' take
	caught 'why: 0, wanted'
}

@test "the random test of keys catches an element that is added after the state for which it stands, once a call is cut between" {
	broken "/^ *if k > 0 then redis\.call\('ZADD', KEYS\[17\], unpack\(add\)\) end$/{
			s/if k/if k > 0 and m.to == KEYS[4] then m.late = add elseif k/
		}
		s/^( *)local function has_moved\(m\)$/&\n\1  if m.late then redis.call('ZADD', KEYS[17], unpack(m.late)) end/" take
	caught 'was delivered, and its key is held' --cuts --first 3001
}

@test "the random test of keys catches promotes that do not find what cut calls left" {
	broken "s/ and not element_agrees\(element\) then/ and false then/" take promote
	caught 'it does not drain|after all was taken' --cuts
}

@test "the random test of keys catches a key that is served while it is paused, and one that is not when that is over" {
	broken 's/^( *)if key ~= .. and key_is_paused\(key\) then wanted = 0 end$//' take
	caught ', and its key is held'
	broken 's/ and not pause_is_over\(pause, clock\(ARGV\[1\]\)\)//' take promote set
	caught 'turn lacks|, .* may go'
	broken 's|left - \(with_keys and with_keys\.place\(over\[i\]\) or 0\)|left - 1|' take promote
	caught 'turn lacks|, .* may go'
}
