"""no_bzpopmin_reply.py SOCKET SERVER: a way to a server on which connections that wait in BZPOPMIN get no more replies."""
import sys
import threading

from way import connect, listen


def back(far, client, waits):
    try:
        while data := far.recv(65536):
            if not waits.is_set():
                client.sendall(data)
    except OSError:
        pass


def forth(client, far, waits):
    try:
        while data := client.recv(65536):
            if b"BZPOPMIN" in data:
                waits.set()
            far.sendall(data)
    except OSError:
        pass


path, server = sys.argv[1:]
sock = listen(path)
while True:
    client, far, waits = sock.accept()[0], connect(server), threading.Event()
    threading.Thread(target=back, args=(far, client, waits), daemon=True).start()
    threading.Thread(target=forth, args=(client, far, waits), daemon=True).start()
