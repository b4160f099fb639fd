"""delayed -> ready by dq-promote, all due at once."""

import time

from bench import CPU, Redis, alternate, dq, median, put, ratio, row, run, size
from bulk import limit


def make_due(server, queue, n):
    """n delayed messages, all due: no script but promote and take moves them, so the first may be due before the last is put."""
    put(server, queue, n, "-d", "100ms")
    time.sleep(0.11)
    if server.cards(queue)["delayed"] != n:
        raise RuntimeError("some were moved already")


def ours(server, n, cpu):
    server.clear()
    make_due(server, "q", n)
    begun = server.worked()
    took = run([dq("promote"), "-u", server.url, "q"])
    cpu.append((server.worked() - begun) / n)
    if server.cards("q")["ready"] != n:
        raise RuntimeError("not all were promoted")
    return n / took


def measure():
    n, cpu = size(150_000, 40_000), []
    with Redis() as server:
        f, _ = alternate(size(5, 2), dq=lambda: ours(server, n, cpu), eval=lambda: limit(server, n, "EVAL", "return 1", "0"))
    row("promote (dq-promote)", median(f["dq"]), "/s", ratio(f, "dq", "eval"), "EVAL 'return 1', redis-benchmark -P 1000")
    row("promote (dq-promote): the server", median(cpu), CPU)
