"""The server's CPU time for calls of one message each, from 16 clients that wait for their replies. The CPU time of a process hardly
depends on the other load of the machine."""

import hashlib
import os
import time

from bench import BIN, Connection, Redis, alternate, median, ratio, row, size

CLIENTS, PARTS = 16, "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
KEYS = [len(PARTS)] + [f"dq:{{q}}:{part}" for part in PARTS]
FLOOR = "EVAL 'return 1'"
TAKE, LEASE = [1, "", 1, 1048576, ""], 300_000
OPTIONS = {"-r": b"r=3", "-t": b"t=300000", "-b": b"b=1000,2000", "-p": b"p=5", "-x": b"x=%d" % ((time.time() + 86_400) * 1000)}


class Calls:
    """Each client sends one request, then each reads its reply; and how long the server worked."""

    def __init__(self, server, folder):
        self.server, self.digests, self.next = server, {}, 0
        self.clients = [Connection(server.path) for _ in range(CLIENTS)]
        server.clear()
        for name in ("put", "take", "ack", "extend", "retry", "bury", "giveback", "listed", "promote"):
            with open(os.path.join(folder, name + ".lua"), "rb") as file:
                text = file.read()
            server("SCRIPT", "LOAD", text)
            self.digests[name] = hashlib.sha1(text).hexdigest()

    def close(self):
        for client in self.clients:
            client.close()

    def each(self, requests):
        for client, request in zip(self.clients, requests):
            client.send(*request)
            client.push()
        replies = [client.reply() for client in self.clients]
        for reply in replies:
            if isinstance(reply, bytes) and not reply.startswith((b"n", b"d", b"r")):
                raise RuntimeError(f"a reply is {reply!r}")
        return replies

    def script(self, name, lists):
        return self.each([["EVALSHA", self.digests[name], *KEYS, "", *args] for args in lists])

    def put(self, header=b"", mode="fail"):
        first, self.next = self.next, self.next + CLIENTS
        head = [mode, 5 if header == OPTIONS["-p"] else 100, "", 0]
        return self.script("put", [[*head, f"{i:026d}", header + b"\n" + b"x" * 100] for i in range(first, first + CLIENTS)])

    def take(self, *then):
        """Takes, and settles by that script with those arguments."""
        taken = self.script("take", [TAKE] * CLIENTS)
        return self.script(then[0], [[*then[1:], reply[6], reply[1]] for reply in taken])


def costs(server, folder, n):
    """us a message, by what is done; the queue has a backlog of n."""
    calls, cost = Calls(server, folder), {}
    rounds = n // CLIENTS

    def timed(what, step):
        begun = server.worked()
        for _ in range(rounds):
            step()
        cost[what] = (server.worked() - begun) / (rounds * CLIENTS)

    def filled(header=b""):
        server.clear()
        server("EVALSHA", calls.digests["listed"], *KEYS, "", calls.put()[0].split()[1].decode())
        for _ in range(rounds):
            calls.put(header)

    filled()
    timed("put", calls.put)
    for what, *then in (("ack", "ack"), ("extend", "extend", LEASE), ("retry", "retry", LEASE, "why"), ("bury", "bury", "why"),
                        ("give back", "giveback", "")):
        filled()
        timed(f"take + {what}", lambda then=then: calls.take(*then))
    for option, header in OPTIONS.items():
        filled(header)
        timed(f"put with {option}", lambda header=header: calls.put(header))
        timed(f"take + ack, put with {option}", lambda: calls.take("ack"))
    filled()
    calls.next -= rounds * CLIENTS
    timed("put -e replace", lambda: calls.put(mode="replace"))
    timed(FLOOR, lambda: calls.each([["EVAL", "return 1", 0]] * CLIENTS))
    calls.close()
    return cost


def measure():
    with Redis() as server:
        rounds, _ = alternate(size(5, 2), all=lambda: costs(server, os.path.join(BIN, "lua"), size(6_000, 1_600)))
    figures = {what: [cost[what] for cost in rounds["all"]] for what in rounds["all"][0]}
    row(f"{FLOOR}, one at a time", median(figures[FLOOR]), "us of CPU")
    # 32 us where a bare EVAL costs 4.5.
    for what, most in (("put", None), ("take + ack", 7.1), ("take + extend", None), ("take + retry", None)):
        row(f"{what}, one at a time", median(figures[what]), "us of CPU", ratio(figures, what, FLOOR), FLOOR,
            most and ("ratio", "<=", most))
    for what, other in [(f"put with {option}", "put") for option in OPTIONS] + [("put -e replace", "put")] + [
            (f"take + ack, put with {option}", "take + ack") for option in OPTIONS] + [
            ("take + bury", "take + ack"), ("take + give back", "take + ack")]:
        row(f"{what}, one at a time", median(figures[what]), "us of CPU", ratio(figures, what, other), other, ("ratio", "<=", 1.4))
