"""forgets_scripts.py SOCKET SERVER TIMES: a way to a server that forgets its scripts before each of so many calls of one."""
import sys
import threading

from resp import Connection
from way import connect, listen, pump, start

path, server, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
lock, admin = threading.Lock(), Connection(sys.argv[2])


def request(file):
    """The bytes of one."""
    head = file.readline()
    parts = [head]
    for _ in range(int(head[1:] or 0)):
        size = file.readline()
        parts += [size, file.read(int(size[1:]) + 2)]
    return b"".join(parts)


def serve(client):
    global times
    far, file = connect(server), client.makefile("rb")
    start(pump, far, client)
    while data := request(file):
        with lock:
            if b"EVALSHA" in data and times > 0:
                times -= 1
                admin.call("PING")  # what was sent before is done
                admin.call("SCRIPT", "FLUSH")
            far.sendall(data)


listener = listen(path)
while True:
    start(serve, listener.accept()[0])
