"""rounds.py WAY SERVER LOG [MS]: a way to a server (both unix sockets) that counts round trips. LOG gets a line for each: its requests.
A round trip takes at least MS.

A tool gets its replies only when it has nothing else to do: all that it has sent is answered, and it sleeps. So the number does not
depend on how fast anything is. What it sends, and does not wait for, costs nothing. A reply to BZPOPMIN comes when there is one."""
import os
import selectors
import socket
import struct
import sys
import time

from way import connect, listen

BLOCKS = b"BZPOPMIN"
SOON = 0.001  # s until a tool that still runs is looked at again


def end_of(data, at):
    """Where the value ends that begins there; -1: it is not complete."""
    line = data.find(b"\r\n", at)
    if line < 0:
        return -1
    kind, end = data[at:at + 1], line + 2
    if kind == b"$":
        size = int(data[at + 1:line])
        end += size + 2 if size >= 0 else 0
        return end if end <= len(data) else -1
    for _ in range(int(data[at + 1:line]) if kind == b"*" else 0):
        end = end_of(data, end)
        if end < 0:
            return -1
    return end


def taken(data):
    """The complete values at the beginning of data, which loses them."""
    values, at = [], 0
    while (end := end_of(data, at)) > 0:
        values.append(bytes(data[at:end]))
        at = end
    del data[:at]
    return values


class Link:
    """One connection of a tool, and the one to the server that goes with it."""

    def __init__(self, client, server):
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        self.pid = struct.unpack("3i", credentials)[0]
        self.client, self.server = client, connect(server)
        self.asked, self.answered = bytearray(), bytearray()
        self.due, self.names, self.replies = [], [], []
        self.since = 0.0  # the last request came

    def forward(self):
        data = self.client.recv(1 << 20)
        self.asked += data
        self.since = time.monotonic()
        for request in taken(self.asked):
            self.due.append(request.split(b"\r\n", 3)[2])
        self.server.sendall(data)
        return data

    def answer(self):
        data = self.server.recv(1 << 20)
        self.answered += data
        for reply in taken(self.answered):
            self.names.append(self.due.pop(0))
            self.replies.append(reply)
        return data

    def release(self):
        """The names of the requests whose replies the tool gets."""
        names, replies, self.names, self.replies = self.names, self.replies, [], []
        try:
            self.client.sendall(b"".join(replies))
        except OSError:
            pass  # it has ended
        return names


def sleeps(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "SZ"
    except OSError:
        return True


class Way:
    def __init__(self, path, server, log, ms="0"):
        self.server, self.log, self.least, self.links = server, log, int(ms) / 1000, []
        self.events = selectors.DefaultSelector()
        self.listener = listen(path)
        self.events.register(self.listener, selectors.EVENT_READ, self.accept)

    def accept(self):
        link = Link(self.listener.accept()[0], self.server)
        self.links.append(link)
        self.events.register(link.client, selectors.EVENT_READ, lambda: self.move(link, link.forward))
        self.events.register(link.server, selectors.EVENT_READ, lambda: self.move(link, link.answer))

    def move(self, link, step):
        try:
            if link not in self.links or step():
                return
        except OSError:
            pass
        self.links.remove(link)
        for end in (link.client, link.server):
            self.events.unregister(end)
            end.close()

    def waiting(self):
        """The tools that have no reply to come but those that they get now."""
        ready = {link.pid for link in self.links if link.replies}
        due = {link.pid for link in self.links if any(name != BLOCKS for name in link.due)}
        return ready - due

    def serve(self, seconds):
        events = self.events.select(seconds)
        for key, _ in events:
            key.data()
        return bool(events)

    def run(self):
        while True:
            self.serve(SOON if self.waiting() else None)
            for pid in self.waiting():
                if self.has_waited(pid):
                    self.release(pid)

    def has_waited(self, pid):
        """In this order: what it had sent before it slept is here when that is looked at."""
        since = max((link.since for link in self.links if link.pid == pid), default=0.0)
        return time.monotonic() >= since + self.least and sleeps(pid) and not self.serve(0)

    def release(self, pid):
        links = [link for link in self.links if link.pid == pid and link.replies]
        if not links:
            return  # it has ended
        with open(self.log, "ab") as file:
            file.write(b" ".join(b" ".join(link.names) for link in links) + b"\n")
        for link in links:
            link.release()


if __name__ == "__main__":
    Way(*sys.argv[1:]).run()
