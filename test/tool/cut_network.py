"""cut_network.py FILE PORT: a way to a server on that port of the loopback, from another port, which it writes to FILE. While FILE.closed
exists, it swallows what comes from either side, as a network does that is cut in two: nothing arrives, and nobody hangs up."""
import os
import socket
import sys
import time

from way import listen_tcp, start

path, port = sys.argv[1], int(sys.argv[2])


def carry(source, sink):
    try:
        while data := source.recv(65536):
            while os.path.exists(path + ".closed"):
                time.sleep(0.02)
            sink.sendall(data)
        sink.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def serve(client):
    while os.path.exists(path + ".closed"):
        time.sleep(0.02)
    try:
        server = socket.create_connection(("127.0.0.1", port))
    except OSError:
        client.close()
        return
    start(carry, client, server)
    start(carry, server, client)


listener = listen_tcp(path)
while True:
    start(serve, listener.accept()[0])
