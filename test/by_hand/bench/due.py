"""The server's cost of a due time of its own for each message, from delayed to acked, directly and by promote: CPU time for each
message, of calls of the scripts, with the clock as their argument."""

import os

from bench import BIN, Redis, alternate, median, ratio, row, size
from single import KEYS, Calls

BATCH, START = 250, 1_800_000_000_000  # ms


class Batches(Calls):
    """One client, and batches of messages."""

    def run(self, cost, step, name, *args):
        """The reply; what the server worked goes to that step."""
        begun = self.server.worked()
        self.clients[0].send("EVALSHA", self.digests[name], *KEYS, *args)
        self.clients[0].push()
        reply = self.clients[0].reply()
        cost[step] = cost.get(step, 0) + self.server.worked() - begun
        return reply

    def put(self, cost, n, own):
        for first in range(0, n, BATCH):
            batch = []
            for i in range(first, first + BATCH):
                batch += [f"{i:026d}"] + ([f"@{START + 1000 + i}"] if own else []) + [b"\n" + b"x" * 100]
            self.run(cost, "put", "put", START, "fail", 100, "", "" if own else f"@{START + 1000}", *batch)

    def settle(self, cost, n, take):
        left = n
        while left:
            reply = self.run(cost, take, "take", START + 1000 + n, BATCH, "", 1, 1 << 20, "")
            batch = [text for id in reply[6::6] for text in (id, reply[1])]
            left -= len(batch) // 2
            if not batch or self.run(cost, "ack", "ack", START + 1000 + n, *batch) != b"d" * (len(batch) // 2):
                raise RuntimeError("not all were taken and acked")


def costs(server, folder, n, own):
    """us a message, by step."""
    batches, cost = Batches(server, folder), {}
    batches.put(cost, n, own)
    batches.settle(cost, n, "due + take")
    cost["delayed to acked"] = cost["due + take"] + cost["ack"]
    batches.put({}, n, own)
    for _ in range(0, n, BATCH):
        batches.run(cost, "promote", "promote", START + 1000 + n, BATCH, "")
    batches.settle({}, n, "take")
    batches.close()
    return {step: us / n for step, us in cost.items()}


def measure():
    n, folder = size(100_000, 5_000), os.path.join(BIN, "lua")
    with Redis() as server:
        f, _ = alternate(size(5, 2), own=lambda: costs(server, folder, n, True), one=lambda: costs(server, folder, n, False))
    for step, most in (("put", 1.4), ("promote", 1.4), ("due + take", 1.4), ("ack", None), ("delayed to acked", 1.2)):
        figures = {whose: [cost[step] for cost in f[whose]] for whose in f}
        row(f"{step}, each its own due time", median(figures["own"]), "us of CPU", ratio(figures, "own", "one"), "one due time for all",
            most and ("ratio", "<=", most))
