"""Messages that were put with a delay, from when all are due until all are acked: dq-take leases them from delayed, most peers move them
first. The server's CPU time for a message includes put."""

import random
import time

from bench import CPU, PAYLOAD, Beanstalkd, Redis, alternate, median, put_tsv, ratio, row, size
from settle import drain, of_peer

NAME, SPAN = "delayed to acked (dq-take -f -n 1000 | dq-ack)", 250  # ms
# How each takes, its messages in a full and in a small run, and words for its program: where it polls, it does so every 10 ms.
PEERS = {"BullMQ": ("a worker, concurrency 100", 20_000, 5_000, ()),
         "delayqueue (Go)": ("100 handlers, every 10 ms", 10_000, 2_000, (10,)),
         "asynq": ("concurrency 100, every 10 ms", 10_000, 2_000, (10,)),
         "Redisson": ("poll 1000: no ack", 20_000, 5_000, ())}


def ours(server, lines, cpu):
    server.clear()
    begun, n = server.worked(), len(lines)
    put_tsv(server, "q", "".join(lines))
    time.sleep((2 * SPAN + 50) / 1000)
    if server.cards("q")["delayed"] != n:
        raise RuntimeError("some were moved too soon")
    rate = n / drain(server, "q")
    cpu.append((server.worked() - begun) / n)
    return rate


def beanstalkd(n, cpu):
    """Its delays are whole seconds, and it moves what is due by itself, before the clock starts."""
    with Beanstalkd() as other:
        other("put", n, 1)
        time.sleep(1.05)
        rate = n / other("take", n)
        cpu.append(other.worked() / n)
    return rate


def measure():
    n = size(150_000, 30_000)
    lines = [f"{SPAN + random.randrange(SPAN)}ms\t-\t{PAYLOAD}\n" for _ in range(n)]
    how = {"beanstalkd": "which moves them by itself", **{name: words for name, (words, *_) in PEERS.items()}}
    cpu = {name: [] for name in ("dq", *how)}
    with Redis() as server:
        f, skipped = alternate(
            size(3, 1), dq=lambda: ours(server, lines, cpu["dq"]), beanstalkd=lambda: beanstalkd(n, cpu["beanstalkd"]),
            **{name: of_peer(name, size(full, small) // 16 * 16, cpu, SPAN, *every, mode="due")
               for name, (_, full, small, every) in PEERS.items()})
    for name, words in how.items():
        tell(name, f"{name}, {words}", f, skipped, cpu)


def tell(name, theirs, figures, skipped, cpu):
    if name in skipped:
        row(NAME, None, "/s", against=theirs, skipped=skipped[name])
        return
    row(f"{theirs}: delayed to acked", median(figures[name]), "/s")
    row(NAME, median(figures["dq"]), "/s", ratio(figures, "dq", name), theirs)
    row("put, delayed to acked: the server", median(cpu["dq"]), CPU, ratio(cpu, "dq", name), f"{name}, the same")
