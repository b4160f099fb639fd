# shellcheck shell=sh
# Tests see nothing of who runs them, and of how the machine is set up, and leave nothing: no setting of language, time zone, terminal or
# of a program that they call, the limits of a usual login, a home of their own, which stays empty, and /tmp, whose name is short enough
# for sockets. test/suite and test/by_hand/steady read this file. They make $scratch, an empty folder, and remove it at the end.
unset CDPATH TMOUT POSIXLY_CORRECT BASH_ENV ENV # in an environment, these change what cd, read, bash and sh do
unset LANG LANGUAGE XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
unset COLUMNS LINES CLICOLOR_FORCE GREP_OPTIONS GREP_COLOR GREP_COLORS LS_COLORS TAR_OPTIONS GZIP XZ_OPT JQ_COLORS
unset PAGER MANPAGER MANOPT MANPATH MANSECT MANWIDTH GROFF_NO_SGR PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS
unset http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY TRACEPARENT TRACESTATE
for name in $(env | sed -En 's/^((GIT|DQ|REDIS[A-Z]*)_[A-Z0-9_]*)=.*/\1/p'); do
	case $name in
	DQ_BIN | DQ_FULL | DQ_MANY | DQ_SIM_SEEDS | DQ_FUZZ_SEED | DQ_RUN_PTS | DQ_TEST_*) ;; # settings of tests
	*) unset "$name" ;;
	esac
done
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin # an ordinary user may lack chroot there
umask 022
# shellcheck disable=SC3045  # dash and bash have -S
{
	ulimit -S -c 0
	ulimit -S -n 1024 2>/dev/null || : # a lower one stays
}
export TZ=UTC0 TMPDIR=/tmp
mkdir "${scratch:?}/home" "$scratch/parallel" "$scratch/bin"
export LC_ALL=C HOME="$scratch/home" PARALLEL_HOME="$scratch/parallel" PYTHONDONTWRITEBYTECODE=1
# What python3 is on PATH may be a script (of pyenv) that takes a tenth of a second to find the real one, at each of many starts.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && ln -s "$python" "$scratch/bin/python3" && PATH=$scratch/bin:$PATH
export BATS_TEST_TIMEOUT="${BATS_TEST_TIMEOUT:-300}"
# The size of CI: more queues, calls and load. Without it, check/chaos, check/fuzz, check/sim and system/many have sizes of their own.
[ -z "${DQ_FULL:-}" ] || export DQ_MANY="${DQ_MANY:-100000}" DQ_SIM_SEEDS="${DQ_SIM_SEEDS:-500}" DURATION="${DURATION:-20}" \
	REST="${REST:-0.02}" CLUSTER_REST="${CLUSTER_REST:-0.2}" RUNS="${RUNS:-8000}"
