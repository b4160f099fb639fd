"""flow_peak.py FILE COMMAND...: how a command that reads that file ends, and the most memory it had, in KiB: at least what python itself
has."""
import os
import subprocess
import sys

with open(sys.argv[1]) as file:
    child = subprocess.Popen(sys.argv[2:], stdin=file, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
