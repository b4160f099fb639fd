"""loading.py CUT SERVER N: a way to a server (both unix sockets) whose first connection ends at the first script. Later ones: the
first N commands that use keys find that the server is loading."""
import socket
import sys

from way import connect, listen, start

path, server = sys.argv[1:3]
left = int(sys.argv[3])


def request(stream):
    line = stream.readline()
    if not line:
        return None, b""
    raw, words = line, []
    for _ in range(int(line[1:])):
        head = stream.readline()
        words.append(stream.read(int(head[1:]) + 2))
        raw += head + words[-1]
    return words[0].strip(), raw


def serve(client, cuts):
    global left
    far, stream = connect(server), client.makefile("rb")
    while True:
        name, raw = request(stream)
        if not name or cuts and name == b"EVALSHA":
            client.shutdown(socket.SHUT_RDWR)
            return
        if not cuts and name != b"CLIENT" and left > 0:
            left -= 1
            client.sendall(b"-LOADING Redis is loading the dataset in memory\r\n")
        else:
            far.sendall(raw)
            client.sendall(far.recv(65536))


listener, first = listen(path), True
while True:
    start(serve, listener.accept()[0], first)
    first = False
