"""takeover.py SOCKET OLD NEW [stay]: a way to a server, OLD, whose first connection ends when it has answered something (stay: ends
when OLD ends it), and to NEW from then on."""
import os
import socket
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from way import connect, listen, pump, start

path, old, new, *stay = sys.argv[1:]


def carry(client, server):
    far = connect(server)
    start(pump, client, far)
    pump(far, client)


def first(client):
    """CLIENT SETNAME is answered, and the script."""
    far = connect(old)
    start(pump, client, far)
    said = b""
    while stay or said.count(b"\r\n") < 3:
        if not (data := far.recv(65536)):
            break
        client.sendall(data)
        said += data
    client.shutdown(socket.SHUT_RDWR)


listener = listen(path)
serve = first
while True:
    start(serve, *((listener.accept()[0],) if serve is first else (listener.accept()[0], new)))
    serve = carry
