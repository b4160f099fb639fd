"""A server that is 0, 1 or 20 ms away: what each tool makes of it, beside the same without delay and beside BullMQ."""

import os
import subprocess
import sys

from bench import (ROOT, Redis, alternate, dq, end, folder, median, output, peer_argv, put, ratio, row, run, size, start,
                   wait_until)

DELAYS = 0, 1, 20  # ms


class Way:
    """A way to a server on which a round trip takes ms longer."""

    def __init__(self, server, ms):
        self.path = os.path.join(folder(f"way{ms}.{os.path.basename(server.folder)}"), "s")
        self.url = "unix://" + self.path
        self.process = start([sys.executable, os.path.join(ROOT, "test", "tool", "far.py"), self.path, server.path, str(ms)])
        wait_until(10, lambda: os.path.exists(self.path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)


def tool(way, name, *words):
    return run([dq(name), "-u", way.url, *words], stderr=subprocess.DEVNULL)


def filled(server, n):
    server.clear()
    put(server, "q", n)


def puts(server, way, n):
    server.clear()
    return n / put(way, "q", n)


def takes(server, way, n, *options):
    filled(server, n)
    return n / tool(way, "take", *options, "q")


def removes(server, way, n):
    filled(server, n)
    return n / tool(way, "rm", "-fa", "q")


def runs(server, way, n):
    filled(server, n)
    return n / tool(way, "run", "-j", "8", "--until-empty", "q", "--", "/bin/true")


def one(server, way):
    """ms of a process of dq-put."""
    put(server, "q", 1)
    return median([tool(way, "put", "q", "x") * 1000 for _ in range(size(21, 7))])


def bullmq(server, way, mode, n):
    server.clear()
    argv, options = peer_argv("BullMQ")
    return n / float(output([*argv, way.path, mode, str(n)], **options))


def figures(ms, rounds):
    n, few = size(100_000, 20_000), size(5_000, 1_000)
    with Redis() as server, Way(server, ms) as way:
        return alternate(
            rounds,
            **{"dq-put -l": lambda: puts(server, way, n),
               "dq-take -n N": lambda: takes(server, way, n, "-n", str(n)),
               "dq-take --until-empty": lambda: takes(server, way, n, "--until-empty"),
               "dq-rm -a": lambda: removes(server, way, n),
               "dq-run -j 8 -- /bin/true": lambda: runs(server, way, few // 5),
               "dq-put, one process": lambda: one(server, way),
               "BullMQ, addBulk": lambda: bullmq(server, way, "put", few),
               "BullMQ, a worker, concurrency 100": lambda: bullmq(server, way, "take", few)})


PEERS = {"dq-put -l": "BullMQ, addBulk", "dq-take --until-empty": "BullMQ, a worker, concurrency 100"}


def measure():
    found = {ms: figures(ms, size(3, 1)) for ms in DELAYS}
    for ms in DELAYS[1:]:
        f, skipped = found[ms]
        for name, values in f.items():
            what, unit = f"{name}, {ms} ms away", "ms (p50)" if name.endswith("process") else "/s"
            near = found[0][0].get(name)
            row(what, median(values), unit, near and ratio({"far": values, "near": near}, "far", "near"), "0 ms away")
            peer = PEERS.get(name)
            if peer in f:
                row(what, median(values), unit, ratio({"dq": values, "peer": f[peer]}, "dq", "peer"), f"{peer}, {ms} ms away")
        for name, why in skipped.items():
            row(f"{name}, {ms} ms away", None, "/s", skipped=why)
