# shellcheck shell=sh
# Tests see nothing of who runs them, and leave nothing: no setting of language or Python, a home of their own, which stays empty.
# test/suite and test/by_hand/steady read this file. They make $scratch, an empty folder, and remove it at the end.
unset CDPATH TMOUT POSIXLY_CORRECT # in an environment, these change what cd, read and bash do
unset LANG LANGUAGE XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
mkdir "${scratch:?}/home" "$scratch/parallel" "$scratch/bin"
export LC_ALL=C HOME="$scratch/home" PARALLEL_HOME="$scratch/parallel" PYTHONDONTWRITEBYTECODE=1
# What python3 is on PATH may be a script (of pyenv) that takes a tenth of a second to find the real one, at each of many starts.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && ln -s "$python" "$scratch/bin/python3" && PATH=$scratch/bin:$PATH
export BATS_TEST_TIMEOUT="${BATS_TEST_TIMEOUT:-300}"
# The size of CI: more queues, calls and load. Without it, check/chaos, check/fuzz, check/sim and system/many have sizes of their own.
[ -z "${DQ_FULL:-}" ] || export DQ_MANY="${DQ_MANY:-100000}" DQ_SIM_SEEDS="${DQ_SIM_SEEDS:-500}" DURATION="${DURATION:-20}" \
	REST="${REST:-0.02}" CLUSTER_REST="${CLUSTER_REST:-0.2}" RUNS="${RUNS:-8000}"
