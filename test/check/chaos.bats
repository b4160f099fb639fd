# Goal: With all faults at once (processes, connections and the server are killed) every promise holds, and the checker would see a broken
# one.
# shellcheck disable=SC2317

bats_require_minimum_version 1.5.0

setup() {
	chaos=$BATS_TEST_DIRNAME/../chaos
	DQ_BIN=$(cd "${DQ_BIN:-$BATS_TEST_DIRNAME/../../build}" && pwd)
	export DQ_BIN LC_ALL=C PYTHONDONTWRITEBYTECODE=1 REST=${REST:-0.1}
	unset DQ_URL REDIS_URL DQ_PREFIX DQ_PASSWORD_FILE REDISCLI_AUTH
}

matches_summary() { # LOST DOUBLED EARLY VIOLATIONS
	echo "${lines[-1]}"
	local summary=" failovers 6, by kill 2, by stop 2, by cut 2,.* lost $1, doubled $2, early $3, violations $4\$"
	[[ ${lines[-1]} =~ $summary ]]
}

@test "the checker flags small histories that break a promise, each by its name, and passes those that do not" {
	run -0 python3 "$chaos/test_checker.py"
}

@test "a power cut with appendfsync always: everything reported as done survives" {
	run -0 "$chaos/power" always
	[[ ${lines[-1]} == "0 bytes lost, puts "[1-9]*", violations 0" ]]
}

@test "a power cut with appendfsync everysec: the checker sees that puts and acks are lost" {
	run -1 "$chaos/power" everysec
	[[ $output == *"was put, and is neither delivered nor stored"* ]]
	[[ ${lines[-1]} == [1-9]*" bytes lost, puts "[1-9]* ]]
}

# A run with few kills or few redeliveries fails, because it has tested nothing.
@test "kills: nothing is lost, nothing early, no two valid receipts, all is drained" {
	local summary
	DURATION=${DURATION:-10} "$chaos/run" >"$BATS_TEST_TMPDIR/summary" || {
		cat "$BATS_TEST_TMPDIR/summary"
		return 1
	}
	mapfile -t summary <"$BATS_TEST_TMPDIR/summary"
	echo "# ${summary[0]%%:*}: ${summary[-1]}" >&3
}

@test "kills, with limits: besides, never is more leased, nor more begun in a second, and at the end all places are free" {
	LIMITS='max-leased=7 rate=20/1s' DURATION=10 run -0 "$chaos/run"
	[[ ${lines[-1]} =~ \ lost\ 0,\ doubled\ 0,\ early\ 0,\ held\ against\ limits\ [1-9].*\ violations\ 0$ ]]
}

@test "kills, with serial keys: besides, never are two of a key leased, and each key goes in its order" {
	KEYS=3 LIMITS=keys=serial DURATION=10 run -0 "$chaos/run"
	[[ ${lines[-1]} =~ \ lost\ 0,\ doubled\ 0,\ early\ 0,.*\ with\ keys\ [1-9].*\ violations\ 0$ ]]
}

@test "kills, with dead messages that stop their keys, and keys that are paused: besides, nothing of such a key is delivered" {
	KEYS=4 KEY_PAUSES=1 LIMITS=keys=serial,stop DURATION=10 run -0 "$chaos/run"
	[[ ${lines[-1]} =~ \ stopped\ by\ a\ dead\ one\ [1-9].*\ paused\ [1-9].*\ woken\ 4,\ violations\ 0$ ]]
}

# Each kind twice; for a hundred of them HACKING.md has the command.
@test "failovers: with --wait-replicas everything confirmed survives, nothing is early, no two receipts are valid" {
	FAULTS=failover,kill,stop,flush,client DQ_WAIT_REPLICAS=1,300ms FAILOVERS=6 run -0 "$chaos/run"
	matches_summary 0 0 0 0
}

# One of each. For how long others stand still is a matter of the machine's load, too: here only what would be far too long.
@test "a cluster: with --wait-replicas a killed, a hanging and a moving node lose nothing, and hold up no other" {
	FAULTS=cluster,kill,flush,client DQ_WAIT_REPLICAS=1,1s FAILOVERS=4 STANDSTILL=20000 REST=${CLUSTER_REST:-0.5} run -0 "$chaos/run"
	[[ ${lines[-1]} =~ \ by\ kill\ [1-9].*\ by\ move\ [1-9].*\ by\ stop\ [1-9].*\ lost\ 0,\ doubled\ 0,\ early\ 0,\ violations\ 0$ ]]
}

@test "failovers: without --wait-replicas the checker finds the losses" {
	FAULTS=failover,kill FAILOVERS=6 run -0 "$chaos/run"
	matches_summary '[1-9][0-9]*' '[0-9]+' '[0-9]+' '[1-9][0-9]*'
	[[ $output == *"was put, and is neither delivered nor stored"* ]]
}

@test "a run of chosen faults; one that did too little goes on, and in the end fails and says how to do it again" {
	FAULTS=flush,memory DURATION=1 SEED=1 run -0 "$chaos/run"
	FAULTS=stop DURATION=0.01 SEED=1 run -0 "$chaos/run"
	FAULTS=server DURATION=0.000001 PATIENCE=0 SEED=1 run -1 "$chaos/run" # over before anything is done
	[[ $output == *"tested nothing: server kills: 0, "*"failed; again with: make chaos SEED=1 "* ]]
}
