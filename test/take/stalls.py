"""stalls.py SOCKET QUEUE pipe|socket LINES COMMAND...: reads at least so many lines of the command's output, which takes from the queue, as
fast as they come, and then none. When the command has looked at its output 400 times more, prints how many messages are leased that were
not read."""
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from resp import Connection

server, queue, kind, wanted, command = Connection(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:]
if kind == "socket":
    ours, theirs = (sock.detach() for sock in socket.socketpair())
else:
    ours, theirs = os.pipe()


def leased():
    return server.call("ZCARD", "dq:{%s}:leased" % queue)


before = leased()
tool = subprocess.Popen(command, stdout=theirs)
taken = b""
while taken.count(b"\n") < wanted:
    taken += os.read(ours, 1 << 16)


def sleeps():
    with open(f"/proc/{tool.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches:"))


begun, end = sleeps(), time.monotonic() + 60
while sleeps() < begun + 400 and time.monotonic() < end:
    time.sleep(0.02)
print(leased() - before - taken.count(b"\n"))
tool.send_signal(signal.SIGTERM)
tool.wait(20)
