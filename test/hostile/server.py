"""A server that answers as a row of the table says. What the row does not speak of it passes on to a real server."""
import contextlib
import socket
import struct
import threading

DRIP = 0.3  # seconds between the bytes of an answer that drips
CALLS = {b"EVALSHA", b"EVAL", b"ZSCAN"}


class Gone(Exception):
    """The other side closed the connection."""


class Stream:
    def __init__(self, sock):
        self.sock = sock
        self.file = sock.makefile("rb")

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Gone
        return line

    def exactly(self, n):
        got = self.file.read(n)
        if len(got) < n:
            raise Gone
        return got

    def request(self):
        """One request, as its words and as it came."""
        raw = line = self.line()
        words = []
        for _ in range(int(line[1:])):
            head = self.line()
            body = self.exactly(int(head[1:]) + 2)
            words.append(body[:-2])
            raw += head + body
        return words, raw

    def reply(self):
        """The bytes of one reply of a real server."""
        line = self.line()
        if line[:1] == b"$" and line != b"$-1\r\n":
            return line + self.exactly(int(line[1:]) + 2)
        if line[:1] == b"*":
            return line + b"".join(self.reply() for _ in range(int(line[1:])))
        return line


class Server:
    """when: the moment at which the answer comes.
         accept  when the connection is made       any   to each request         call  to each call of a script
         first   to the first call of a script     wait  to BZPOPMIN             id    to CLIENT ID
         behind  after each answer of the real server
         long    to each call of a script that has more arguments than the time
       then: what follows it.
         go  the connection goes on    close    reset    hang  nothing more    drip  byte by byte    flood  bytes without end"""

    def __init__(self, path, upstream, when, then, answer):
        self.upstream, self.when, self.then, self.answer = upstream, when, then, answer
        self.asked = False
        self.ended = threading.Event()
        self.open = []
        if then == "reset":  # only TCP knows that
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.url = "redis://127.0.0.1:%d" % self.listener.getsockname()[1]
        else:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(path)
            self.listener.listen(64)
            self.url = "unix://" + path
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.ended.set()
        for sock in [self.listener] + self.open:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while not self.ended.is_set():
                sock = self.listener.accept()[0]
                self.open.append(sock)
                threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        with contextlib.suppress(OSError, ValueError, Gone):
            if self.when == "accept":
                self.say(sock)
            self.talk(Stream(sock), None)

    def talk(self, client, real):
        while True:
            words, raw = client.request()
            if self.is_moment(words):
                self.asked = True
                self.say(client.sock)
                continue
            if real is None:
                real = Stream(socket.socket(socket.AF_UNIX))
                real.sock.connect(self.upstream)
                self.open.append(real.sock)
            real.sock.sendall(raw)
            client.sock.sendall(real.reply())
            if self.when == "behind":
                self.say(client.sock)

    def is_moment(self, words):
        if self.when == "any":
            return True
        if self.when == "wait":
            return words[0] == b"BZPOPMIN"
        if self.when == "id":
            return words[:2] == [b"CLIENT", b"ID"]
        if self.when == "long":
            return words[0] in CALLS and len(words) > 22
        return words[0] in CALLS and (self.when == "call" or (self.when == "first" and not self.asked))

    def say(self, sock):
        if self.then == "drip":
            for byte in self.answer:
                sock.sendall(bytes([byte]))
                if self.ended.wait(DRIP):
                    raise Gone
        else:
            sock.sendall(self.answer)
        if self.then == "flood":
            while not self.ended.is_set():
                sock.sendall(b"0" * 65536)
        if self.then == "hang":
            self.ended.wait()
            raise Gone
        if self.then == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
            raise Gone
        if self.then == "close":
            sock.shutdown(socket.SHUT_RDWR)
            raise Gone
