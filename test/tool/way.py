"""Sockets, for what stands in for a server or between it and a tool."""
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


def listen_tcp(path, host="127.0.0.1"):
    """A socket that listens on a port of the loopback, or of another host, which it writes to that file."""
    s = socket.create_server((host, 0), backlog=100)
    with open(path + ".new", "w", encoding="ascii") as file:
        print(s.getsockname()[1], file=file)
    os.rename(path + ".new", path)
    return s


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s


def copy(source):
    """The bytes of one request or reply."""
    line = source.readline()
    if line[:1] == b"$" and line[1:2] != b"-":
        return line + source.read(int(line[1:]) + 2)
    if line[:1] == b"*" and line[1:2] != b"-":
        return line + b"".join(copy(source) for _ in range(int(line[1:])))
    return line


def pump(source, sink):
    """What comes from the one goes to the other, to the end: also if that is a reset, which would else leave the other waiting."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def start(function, *args):
    thread = threading.Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread
