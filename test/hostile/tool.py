"""Runs a tool under watch: how it ended, what it said, how large it grew."""
import collections
import os
import resource
import select
import signal
import subprocess
import tempfile
import time

CAP = float(os.environ.get("DQ_HOSTILE_CAP", 60)) # seconds after which a tool hangs
STEP = 0.02      # seconds between two looks at what it says
PATIENCE = 0.5   # seconds after which a tool that is to go on for ever has shown that it does
ROOM = 64 << 10  # KiB that a tool may need
RAW = bytes(set(range(256)) - set(range(32, 127)) - set(b"\t\n"))

Outcome = collections.namedtuple("Outcome", "code out err peak")


def room():
    """Between fork and exec a child counts with the size of this process. Sanitizers need more."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + ROOM * (8 if "ASAN_OPTIONS" in os.environ else 1)


def run(command, env, until=None):
    """until(stderr): when to tell it to stop. A tool that hangs has the code None."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        code, peak = watch(child.pid, err, until)
        child.returncode = code
        out.seek(0)
        err.seek(0)
        return Outcome(code, out.read(), err.read(), peak)


def watch(pid, err, until):
    """Its status, or None if it hangs, and its largest size. (Many are watched at once: none is asked whether it has ended.)"""
    descriptor, ended, end, hangs = os.pidfd_open(pid), select.poll(), time.monotonic() + CAP, False
    ended.register(descriptor, select.POLLIN)
    while not ended.poll(1000 * (min(STEP, left(end)) if until else left(end))):
        if not left(end):
            os.kill(pid, signal.SIGKILL)
            hangs = True
            break
        if until and until(os.pread(err.fileno(), 65536, 0)):
            os.kill(pid, signal.SIGTERM)
            until = None
    _, status, usage = os.wait4(pid, 0)
    os.close(descriptor)
    return None if hangs else os.waitstatus_to_exitcode(status), usage.ru_maxrss


def left(end):
    return max(0, end - time.monotonic())


def raw_bytes(text):
    """Those that a terminal might act on."""
    return bytes(sorted(set(text) & set(RAW)))
