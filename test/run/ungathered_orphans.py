"""ungathered_orphans.py ARG...: dq-run ARG... with a parent that takes orphans and gathers none. Its pid is in $D/pid; ends as it ends."""
import ctypes
import os
import subprocess
import sys

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
child = subprocess.Popen(["dq-run"] + sys.argv[1:], stdin=subprocess.DEVNULL)
with open(os.environ["D"] + "/pid", "w") as file:
    file.write("%d\n" % child.pid)
os._exit(128 - child.wait() if child.wait() < 0 else child.wait())
