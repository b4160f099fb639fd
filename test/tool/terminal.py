"""terminal.py [--shown] COMMAND...: what the command writes to a terminal, which is made for it, on standard error. Ends as it ends;
with --shown only as 1 if it has written anything on which the terminal acts, but for colours and the line that is written over."""
import os
import pty
import re
import sys

out = []
shown = sys.argv[1] == "--shown"
OURS = rb"\x1b\[(0|7|31|33)m|\r\x1b\[K"
ACTING = "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\ufffd]"


def read(fd):
    data = os.read(fd, 65536)
    out.append(data)
    return data # nothing would be the end, and a hangup for the command


status = pty.spawn(sys.argv[1 + shown:], read, lambda fd: b"")
written = b"".join(out).replace(b"\r\n", b"\n")
sys.stderr.buffer.write(written)
sys.stderr.flush()
if shown:
    sys.exit(bool(re.search(ACTING, re.sub(OURS, b"", written).decode(errors="replace"))))
sys.exit(os.waitstatus_to_exitcode(status))
