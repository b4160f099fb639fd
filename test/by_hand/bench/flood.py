"""All messages due at once: how long other clients wait for Redis while takers and a promoter drain. The same PING to a second, idle
server shows the share of the machine's two cores in that."""

import subprocess
import time

from bench import Redis, dq, end, wait_until, program, row, size, start
from promote import make_due
from settle import finish, pipeline


class Pinger:
    def __init__(self, server):
        self.process = start([program("pinger"), server.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def stop(self):
        """p50, p99 and worst, ms."""
        out, _ = self.process.communicate()
        end(self.process)
        return [float(us) / 1000 for us in out.split()[1:]]


def measure():
    n = size(1_000_000, 100_000)
    with Redis() as server, Redis() as other:
        make_due(server, "q", n)
        calm = Pinger(server)
        time.sleep(2)
        calm = calm.stop()
        pingers = Pinger(server), Pinger(other)
        begun = time.monotonic()
        promoter = start([dq("promote"), "-u", server.url, "-f", "q"])
        pipelines = [pipeline(server, "q", "-n", "1000") for _ in range(2)]
        wait_until(600, lambda: server.left("q") == 0, every=0.05)
        took = time.monotonic() - begun
        ours, others = (p.stop() for p in pingers)
        for both in pipelines:
            finish(*both)
        end(promoter)
    what = f"PING while {n} due at once drain"
    row(f"{what}: worst", ours[2], "ms", ours[2] / others[2], "the same to an idle server beside", ("value", "<=", 10))
    row(f"{what}: p99", ours[1], "ms", ours[1] / others[1], "the same to an idle server beside", ("value", "<=", 3))
    row(f"{what}: p50", ours[0], "ms", ours[0] / calm[0], "before it")
    row("they drain (2 dq-take | dq-ack, dq-promote -f)", n / took, "/s")
