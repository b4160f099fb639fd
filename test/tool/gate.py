"""gate.py GATE SERVER FOLDER: a way to a server (both unix sockets) on which tests hold up or lose what passes. A file in FOLDER says what:

    hold.TEXT   a request with TEXT in it waits until the file is gone; held.TEXT says that one came
    late.TEXT   so does the answer to it
    busy.TEXT   a request with TEXT in it is not passed on: its answer is BUSY; the file goes
    eat.TEXT    an answer with TEXT in it is lost, and the connection with it; the file goes
"""
import os
import socket
import sys
import time

from way import connect, listen, start


def rules(kind):
    return [name for name in os.listdir(sys.argv[3]) if name.startswith(kind + ".")]


def wait_for(rule):
    open(os.path.join(sys.argv[3], "held." + rule.split(".", 1)[1]), "w").close()
    while rule in rules(rule.split(".")[0]):
        time.sleep(0.005)


def matching(kind, data):
    return [rule for rule in rules(kind) if rule.split(".", 1)[1].encode() in data]


def requests(client, server, late):
    while data := client.recv(65536):
        for rule in matching("hold", data):
            wait_for(rule)
        for rule in matching("busy", data):
            os.unlink(os.path.join(sys.argv[3], rule))
            client.sendall(b"-BUSY Redis is busy running a script\r\n")
            data = b""
        late += matching("late", data)
        server.sendall(data)
    server.shutdown(socket.SHUT_RDWR)


def answers(client, server, late):
    while data := server.recv(65536):
        while late:
            wait_for(late.pop())
        for rule in matching("eat", data):
            os.unlink(os.path.join(sys.argv[3], rule))
            client.shutdown(socket.SHUT_RDWR)
            server.shutdown(socket.SHUT_RDWR)
            return
        client.sendall(data)
    client.shutdown(socket.SHUT_RDWR)


def safely(copy, *args):
    try:
        copy(*args)
    except OSError:
        pass


def main():
    listener = listen(sys.argv[1])
    while True:
        client, server, late = listener.accept()[0], connect(sys.argv[2]), []
        for copy in (requests, answers):
            start(safely, copy, client, server, late)


main()
