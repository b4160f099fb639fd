"""far.py WAY SERVER MS: a way to a server (both unix sockets) on which a reply comes MS later, however many are on their way."""
import queue
import socket
import sys
import time

from way import connect, listen, pump, start


def arrive(late, client):
    """Each reply at its time."""
    try:
        while reply := late.get():
            at, data = reply
            time.sleep(max(0, at - time.monotonic()))
            client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def replies(server, late, ms):
    try:
        while data := server.recv(1 << 18):
            late.put((time.monotonic() + ms / 1000, data))
    except OSError:
        pass
    late.put(None)


def main(path, server, ms):
    listener = listen(path)
    while True:
        client, late = listener.accept()[0], queue.SimpleQueue()
        there = connect(server)
        start(pump, client, there)
        start(replies, there, late, float(ms))
        start(arrive, late, client)


if __name__ == "__main__":
    main(*sys.argv[1:])
