"""fake.py SOCKET ANSWER. FEW.: a server that answers each request with the same bytes, those before the last dot (CLOSE: it hangs up);
requests of at most 22 words with FEW."""
import os
import socket
import sys

from way import listen, start

path, *answers = sys.argv[1:]
answer, few = (os.fsencode(word)[:-1] for word in answers)


def serve(client):
    requests = client.makefile("rb")
    try:
        while line := requests.readline():
            for _ in range(int(line[1:])):
                requests.read(int(requests.readline()[1:]) + 2)
            if answer == b"CLOSE":
                client.shutdown(socket.SHUT_RDWR)
                return
            client.sendall(answer if int(line[1:]) > 22 else few)
    except OSError:
        pass


listener = listen(path)
while True:
    start(serve, listener.accept()[0])
