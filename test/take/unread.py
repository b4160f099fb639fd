"""unread.py QUEUE pipe|socket BYTES: the standard output of dq-take QUEUE has a reader who reads no more than that. Prints how it is
left, and how the tool ends by TERM."""
import os
import select
import signal
import socket
import subprocess
import sys
import time

q, kind, much = sys.argv[1], sys.argv[2], int(sys.argv[3])
if kind == "socket":
    ours, theirs = (sock.detach() for sock in socket.socketpair())
else:
    ours, theirs = os.pipe()
tool = subprocess.Popen(["dq-take", q], stdout=theirs)
while much > 0:
    much -= len(os.read(ours, much))
look = select.poll()
look.register(theirs, select.POLLOUT)
end = time.monotonic() + 20
while look.poll(0) and time.monotonic() < end: # until it is full again
    time.sleep(0.01)
print("blocking" if os.get_blocking(theirs) else "not blocking", end=" ")
tool.send_signal(signal.SIGTERM)
print(tool.wait(20))
