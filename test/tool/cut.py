"""cut.py CUT SERVER LETTERS [COMMAND...]: a way to a server (both unix sockets) on which the first answer of these letters, of these and
a generation, or of an error that begins so, is lost, and its connection with it. Before that is seen, the command has ended."""
import re
import socket
import subprocess
import sys

from way import connect, listen, pump, start

path, server, letters, *command = sys.argv[1:]


def first(client):
    far = connect(server)
    start(pump, client, far)
    what = letters.encode()
    answer = re.compile(rb"(\$\d+\r\n%s( \d+)?|-%s [^\r]*)\r\n" % (what, what))
    while not answer.search(data := far.recv(65536)):
        if not data:
            return client.close()
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
