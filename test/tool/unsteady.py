"""unsteady.py SOCKET SERVER LOG FEW HOW [WORD...]: a way to a server (both unix sockets), as a proxy that is not well: after FEW replies,
those to CLIENT SETNAME not counted, each connection is closed at once (HOW is after), or at the next request (close), says nothing more
(hang), or gets half of the next reply and is closed (half). Given WORDs, only requests that begin with these count. Each connection adds a
line to LOG."""
import contextlib
import socket
import sys
import time

from way import connect, copy, listen, start

path, server, log, few, how, *words = sys.argv[1:]


def end(client, reply):
    if how == "half":
        client.sendall(reply[:max(1, len(reply) // 2)])
    while how == "hang":
        time.sleep(1)


def serve(client):
    with open(log, "a", encoding="ascii") as file:
        file.write("connection\n")
    far, left = connect(server), int(few)
    requests, replies = client.makefile("rb"), far.makefile("rb")
    with contextlib.suppress(OSError):
        while request := copy(requests):
            parts = request.split(b"\r\n")
            named = parts[2].upper() == b"CLIENT" and parts[4].upper() == b"SETNAME"
            counts = parts[2].decode().upper() in words if words else not named
            if counts and left == 0 and how != "half":
                break
            far.sendall(request)
            reply = copy(replies)
            if counts and left == 0:
                end(client, reply)
                break
            client.sendall(reply)
            left -= counts
            if how == "after" and left == 0:
                break
        if how == "hang":
            end(client, b"")
    for side in client, far:
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)


listener = listen(path)
while True:
    start(serve, listener.accept()[0])
