"""Redis's protocol (RESP2) on a unix socket, as a client speaks it.

call() is one request and its reply, and raises Refused for an error. ask() is the same, but an error is a value. By send(),
push() and reply() many requests are on their way before the first reply is read. Words of a request are bytes, or what str()
makes of them; strings in a reply are bytes, which call() decodes where the connection has text=True. ConnectionError: the
server has hung up, be it in the middle of a reply."""
import socket

BULK, NUMBER, LIST, ERROR, STATUS = b"$:*-+"


class Error(bytes):
    """An error reply, as a value."""


class Refused(Exception):
    """An error reply, as call() raises it."""


def words(args):
    """As a request has them, after their count."""
    return b"".join([b"$%d\r\n%s\r\n" % (len(a), a) for a in [
        a if a.__class__ is bytes else str(a).encode() for a in args]])


def decoded(reply):
    if isinstance(reply, list):
        return [decoded(each) for each in reply]
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply


class Connection:
    def __init__(self, path, timeout=None, text=False):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb", 1 << 20)  # few reads for replies to hundreds of requests
        self.text = text
        self.out = []

    def send(self, *args):
        self.out.append(b"*%d\r\n%s" % (len(args), words(args)))

    def push(self):
        out, self.out = self.out, []
        self.socket.sendall(b"".join(out))

    def reply(self):
        line = self.file.readline()
        if line[-1:] != b"\n":
            raise ConnectionError("the server has hung up")
        kind = line[0]
        if kind == BULK:
            size = int(line[1:]) + 2
            if size < 2:
                return None
            body = self.file.read(size)
            if len(body) != size:
                raise ConnectionError("the server has hung up")
            return body[:-2]
        if kind == NUMBER:
            return int(line[1:])
        if kind == LIST:
            return [self.reply() for _ in range(int(line[1:]))]
        if kind == ERROR:
            return Error(line[1:-2])
        if kind == STATUS:
            return line[1:-2]
        raise ConnectionError("no reply: %r" % line)

    def ask(self, *args):
        self.send(*args)
        self.push()
        return self.reply()

    def call(self, *args):
        reply = self.ask(*args)
        if isinstance(reply, Error):
            raise Refused(reply.decode(errors="replace"))
        return decoded(reply) if self.text else reply

    def close(self):
        self.file.close()
        self.socket.close()
