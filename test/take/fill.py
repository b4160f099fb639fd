"""fill.py PIPE: writes into it until it is full."""
import os
import sys

pipe = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
try:
    while True:
        os.write(pipe, bytes(65536))
except BlockingIOError:
    pass
