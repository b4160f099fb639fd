"""Runs a tool under watch: how it ended, what it said, how large it grew."""
import collections
import os
import resource
import signal
import subprocess
import tempfile
import time

CAP = float(os.environ.get("DQ_HOSTILE_CAP", 60)) # seconds after which a tool hangs
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
    end = time.monotonic() + CAP
    told = hangs = False
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return None if hangs else os.waitstatus_to_exitcode(status), usage.ru_maxrss
        if not told and until and until(os.pread(err.fileno(), 65536, 0)):
            os.kill(pid, signal.SIGTERM)
            told = True
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            hangs = True
        time.sleep(0.005)


def raw_bytes(text):
    """Those that a terminal might act on."""
    return bytes(sorted(set(text) & set(RAW)))
