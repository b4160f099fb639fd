"""Take and ack of a ready backlog, in one pipeline; and the server's CPU time for a message from put to ack."""

import subprocess
import time

from bench import Beanstalkd, Redis, alternate, dq, end, median, wait_until, peer, put, ratio, row, size, start

NAME = "take + ack (dq-take -f -n 1000 | dq-ack)"


def pipeline(server, queue, *options):
    """dq-take -f OPTION... QUEUE | dq-ack, running."""
    take = start([dq("take"), "-u", server.url, "-f", *options, queue], stdout=subprocess.PIPE)
    ack = start([dq("ack"), "-u", server.url], stdin=take.stdout)
    take.stdout.close()
    return take, ack


def finish(take, ack):
    end(take)
    if ack.wait(20):
        raise RuntimeError("dq-ack failed")
    end(ack)


def drain(server, queue, seconds=600):
    """Seconds until nothing is left."""
    begun = time.monotonic()
    both = pipeline(server, queue, "-n", "1000")
    wait_until(seconds, lambda: server.left(queue) == 0, every=0.005)
    took = time.monotonic() - begun
    finish(*both)
    return took


def ours(server, n, cpu=None):
    server.clear()
    begun = server.worked()
    put(server, "q", n)
    rate = n / drain(server, "q")
    if cpu is not None:
        cpu.append((server.worked() - begun) / n)
    return rate


def beanstalkd(n):
    with Beanstalkd() as other:
        other("put", n, 0)
        return n / other("take", n)


def measure():
    n, cpu = size(150_000, 30_000), {"dq": []}
    with Redis() as server:
        f, skipped = alternate(size(5, 3), dq=lambda: ours(server, n), beanstalkd=lambda: beanstalkd(n))
        few, without = alternate(
            size(3, 1), dq=lambda: ours(server, n, cpu["dq"]), **{name: of_peer(name, count, cpu, *options) for name, count, *options in (
                ("BullMQ", size(20_000, 5_000)), ("delayqueue (Go)", size(10_000, 2_000), 0, 10), ("asynq", size(10_000, 2_000)),
                ("Redisson", size(50_000, 10_000)))})
    row(NAME, median(f["dq"]), "/s", target=("value", ">=", 60_000))
    against("beanstalkd", "reserve + delete pipelined", f, skipped, 0.8)
    against("BullMQ", "a worker, concurrency 100", few, without, 4)
    against("delayqueue (Go)", "100 handlers, every 10 ms", few, without)
    against("asynq", "concurrency 100", few, without)
    against("Redisson", "poll 1000: no ack", few, without)
    what = "put, take, ack in batches: the server"
    row(what, median(cpu["dq"]), "us of CPU")
    for name in list(cpu)[1:]:
        row(what, median(cpu["dq"]), "us of CPU", ratio(cpu, "dq", name), f"{name}, the same")


def of_peer(name, n, cpu, *options, mode="take"):
    def go():
        theirs = peer(name)
        rate = n / float(theirs(mode, n, *options))
        cpu.setdefault(name, []).append(theirs.worked / n)
        return rate
    return go


def against(name, how, figures, skipped, least=None):
    if name in skipped:
        row(NAME, None, "/s", against=f"{name}, {how}", skipped=skipped[name])
        return
    row(f"{name}, {how}", median(figures[name]), "/s")
    row(NAME, median(figures["dq"]), "/s", ratio(figures, "dq", name), f"{name}, {how}", least and ("ratio", ">=", least))
