"""echo.py SOCKET FORMAT: a server that says back what it is told: FORMAT, in which that stands for @. FORMAT is @: as it came; else
without ends of lines."""
import sys

from way import listen, start

path, form = sys.argv[1:]
answer = form.encode().decode("unicode_escape").encode()


def serve(client):
    while data := client.recv(65536):
        client.sendall(answer.replace(b"@", data if answer == b"@" else data.replace(b"\r\n", b" ")))


listener = listen(path)
while True:
    start(serve, listener.accept()[0])
