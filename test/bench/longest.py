"""The longest call of each tool, with a million messages in one queue: so long others wait. The time is that of SLOWLOG."""

import os
import time

import bench
from bench import Redis, dq, lines_file, row, run, size
from promote import make_due

LEAST = 200  # us; shorter calls are not looked at


def longest(server):
    """ms; SLOWLOG also has what was asked of it."""
    calls = [entry[2] for entry in server("SLOWLOG", "GET", "-1") if entry[3][0] not in (b"SLOWLOG", b"CONFIG")]
    return max(calls, default=LEAST) / 1000


class Steps:
    def __init__(self, server, n):
        self.server, self.n = server, n

    def __call__(self, words, source=os.devnull, target=os.devnull):
        """Runs a tool: its words, without the queue that is last; - is no queue."""
        tool, *options = words.split()
        self.server("SLOWLOG", "RESET")
        with open(source) as f, open(target, "w") as out:
            given = [o for o in options if o != "-"] + ["q"] * ("-" not in options)
            run([dq(tool), "-u", self.server.url, *given], stdin=f, stdout=out)
        what = " ".join([f"dq-{tool}", *(o for o in options if o not in ("-", "-q", "-f") and not o.isdigit())])
        row(f"longest call of {what}, of {self.n}", longest(self.server), "ms", target=("value", "<=", 20))


def measure():
    n = size(1_000_000, 20_000)
    receipts, dumped = (os.path.join(bench.temp, name) for name in ("longest.receipts", "longest.dump"))
    with Redis() as server:
        server("CONFIG", "SET", "slowlog-log-slower-than", str(LEAST))
        server("CONFIG", "SET", "slowlog-max-len", "100000")
        step = Steps(server, n)
        step("put -q -l -d 10h", source=lines_file(n))
        for words in ("stat", "stat --messages delayed", "gc --check", "gc", "promote"):
            step(words)
        step("dump", target=dumped)
        step("rm -a -f")
        step("load -q -", source=dumped)
        step("rm -q -f -a")
        make_due(server, "q", n)
        step("promote")
        step("stat --prometheus")
        step(f"take -n {n} -t 1h", target=receipts)
        step("ack -q -x 2h -", source=receipts)
        step("gc --repair")
        step("ack -q -b -", source=receipts)
        time.sleep(0.01)
        step("gc --dead-for 1ms --dry-run")
        step("promote --dead --dry-run")
        step("promote --dead")
        step(f"take -n {n} -t 1h", target=receipts)
        step("ack -q -r -d 1h -", source=receipts)
        step("promote --dry-run")
        step("rm --dry-run -a")
        step("rm -f -a")
