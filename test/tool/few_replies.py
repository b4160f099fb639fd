"""few_replies.py SOCKET SERVER FEW TIMES: a way to a server (both unix sockets), as a proxy that closes a connection after FEW replies
to scripts or scans: so it is with the first TIMES connections that get so far."""
import contextlib
import socket
import sys

from way import connect, copy, listen, start

path, server, few, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def serve(client):
    global times
    far, left = connect(server), few
    requests, replies = client.makefile("rb"), far.makefile("rb")
    with contextlib.suppress(OSError):
        while request := copy(requests):
            far.sendall(request)
            client.sendall(copy(replies))
            left -= request.split(b"\r\n", 3)[2].upper() in (b"EVAL", b"EVALSHA", b"ZSCAN")
            if left == 0 and times > 0:
                times -= 1
                break
    for end in client, far:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


listener = listen(path)
while True:
    start(serve, listener.accept()[0])
