"""stalls.py SOCKET QUEUE LINES COMMAND...: reads at least so many lines of the command's output, which takes from the queue, as fast as
they come, and then none. When the pipe is full, prints how many messages are leased that are neither read nor, whole, in the pipe."""
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from resp import Connection

server, queue, wanted, command = Connection(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
ours, theirs = os.pipe()
tool = subprocess.Popen(command, stdout=theirs)
taken = b""
while taken.count(b"\n") < wanted:
    taken += os.read(ours, 1 << 16)
length = taken.index(b"\n") + 1
look = select.poll()
look.register(theirs, select.POLLOUT)
end = time.monotonic() + 30
while look.poll(0) and time.monotonic() < end:
    time.sleep(0.01)


def state():
    """How many are leased, and how many bytes are in the pipe."""
    return server.call("ZCARD", "dq:{%s}:leased" % queue), struct.unpack("i", fcntl.ioctl(ours, termios.FIONREAD, b"\0\0\0\0"))[0]


# A pipe that is full for poll may have room in its last page: the tool has stopped when nothing changes any more.
before, now = None, state()
while before != now and time.monotonic() < end:
    time.sleep(0.1)
    before, now = now, state()
# What was read may end in the middle of a record.
print(now[0] - (len(taken) + now[1]) // length)
tool.send_signal(signal.SIGTERM)
tool.wait(20)
