"""Unix sockets, for what stands in for a server or between it and a tool."""
import os
import socket
import threading


def listen(path):
    """A socket that listens there. Whoever sees it can connect."""
    s = socket.socket(socket.AF_UNIX)
    s.bind(path + ".new")
    s.listen(20)
    os.rename(path + ".new", path)
    return s


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s


def pump(source, sink):
    """What comes from the one goes to the other, to the end."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def start(function, *args):
    thread = threading.Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread
