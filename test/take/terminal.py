"""terminal.py COMMAND...: what the command writes to a terminal, which is made for it, on standard error. Ends as it ends."""
import os
import pty
import sys

out = []


def read(fd):
    data = os.read(fd, 65536)
    out.append(data)
    return data # nothing would be the end, and a hangup for the command


status = pty.spawn(sys.argv[1:], read, lambda fd: b"")
sys.stderr.buffer.write(b"".join(out).replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(status))
