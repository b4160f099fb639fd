"""One message at a time, as shells take them: `dq-take -f -n 1 | dq-ack`, one and eight at once; and one `dq-take -f` without -n,
which takes as many as its reader keeps up with."""

import time

from bench import Redis, alternate, median, wait_until, put, ratio, row, size
from settle import beanstalkd, finish, of_peer, pipeline

BULLMQ, BEANSTALKD = "BullMQ, a worker, concurrency 100", "beanstalkd, reserve + delete pipelined"


def drain(server, n, pipelines, *options, cpu=None):
    """Messages a second."""
    server.clear()
    put(server, "q", n)
    worked, begun = server.worked(), time.monotonic()
    running = [pipeline(server, "q", *options) for _ in range(pipelines)]
    wait_until(600, lambda: server.left("q") == 0, every=0.002)
    took = time.monotonic() - begun
    if cpu is not None:
        cpu.append((server.worked() - worked) / n)
    for both in running:
        finish(*both)
    return n / took


def beside(name, figures, skipped, key, other, against, least):
    """A row of ours beside that of a peer."""
    if other in skipped:
        row(name, None, "/s", against=against, skipped=skipped[other])
    else:
        row(name, median(figures[key]), "/s", ratio(figures, key, other), against, ("ratio", ">=", least))


def measure():
    cpu = {"one": [], "eight": [], "paced": []}
    with Redis() as server:
        f, skipped = alternate(
            size(5, 2), one=lambda: drain(server, size(10_000, 4_000), 1, "-n", "1", cpu=cpu["one"]),
            eight=lambda: drain(server, size(20_000, 8_000), 8, "-n", "1", cpu=cpu["eight"]),
            paced=lambda: drain(server, size(100_000, 20_000), 1, cpu=cpu["paced"]),
            bullmq=of_peer("BullMQ", size(10_000, 5_000), {}), beanstalkd=lambda: beanstalkd(size(100_000, 20_000)))
    one, eight, paced = "dq-take -f -n 1 | dq-ack", "eight of dq-take -f -n 1 | dq-ack", "dq-take -f | dq-ack"
    row(one, median(f["one"]), "/s")
    beside(eight, f, skipped, "eight", "bullmq", BULLMQ, 1.3)
    beside(paced, f, skipped, "paced", "bullmq", BULLMQ, 5)
    beside(paced, f, skipped, "paced", "beanstalkd", BEANSTALKD, 1)
    for name, key in ((one, "one"), (eight, "eight"), (paced, "paced")):
        row(f"{name}: the server", median(cpu[key]), "us of CPU")
