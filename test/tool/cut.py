"""cut.py CUT SERVER LETTERS [COMMAND...]: a way to a server (both unix sockets) on which the first answer of these letters, or of these
and a generation, is lost, and its connection with it. Before that is seen, the command has ended."""
import re
import socket
import subprocess
import sys

from way import connect, listen, pump, start

path, server, letters, *command = sys.argv[1:]


def first(client):
    far = connect(server)
    start(pump, client, far)
    answer = re.compile(rb"\$\d+\r\n%s( \d+)?\r\n" % letters.encode())
    while not answer.search(data := far.recv(65536)):
        client.sendall(data)
    if command:
        subprocess.run(command, stdout=subprocess.DEVNULL)
    client.shutdown(socket.SHUT_RDWR)


def other(client):
    far = connect(server)
    start(pump, client, far)
    pump(far, client)


listener = listen(path)
serve = first
while True:
    start(serve, listener.accept()[0])
    serve = other
