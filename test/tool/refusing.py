"""refusing.py SOCKET SERVER FOLDER: a way to a server (both unix sockets) that refuses what the files of FOLDER say, as a proxy does:
while there is FOLDER/WORD, requests that begin with WORD are not passed on, and are answered with the error that is in it. An empty file:
the connection is closed. FOLDER/CONNECT: the first request of a connection, whatever it is, is answered with that error, and nothing that
follows, as a server with too many clients does it. Each request that is refused adds a line to FOLDER/refused."""
import contextlib
import os
import socket
import sys

from way import connect, copy, listen, start

path, server, folder = sys.argv[1:]


def refusal(word):
    """What the file of that word has; None: there is none."""
    with contextlib.suppress(OSError), open(os.path.join(folder, word.decode()), "rb") as file:
        return file.read().strip()
    return None


def note(word):
    with open(os.path.join(folder, "refused"), "ab") as file:
        file.write(word + b"\n")


def turn_away(client, error):
    with contextlib.suppress(OSError):
        client.recv(1)
        note(b"CONNECT")
        client.sendall(b"-" + error + b"\r\n")
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):  # else the client may lose the error
            pass


def serve(client):
    error = refusal(b"CONNECT")
    if error is not None:
        turn_away(client, error)
        client.close()
        return
    far = connect(server)
    requests, replies = client.makefile("rb"), far.makefile("rb")
    with contextlib.suppress(OSError):
        while request := copy(requests):
            word = request.split(b"\r\n", 3)[2].upper()
            error = refusal(word)
            if error is None:
                far.sendall(request)
                answer = copy(replies)
            else:
                note(word)
                answer = error and b"-" + error + b"\r\n"
            if not answer:
                break
            client.sendall(answer)
    for end in client, far:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


sock = listen(path)
while True:
    start(serve, sock.accept()[0])
