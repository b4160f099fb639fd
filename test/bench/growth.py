"""put, take, ack and rm while ever more messages wait, against the same with 10,000 waiting, in alternation."""

import subprocess

from bench import Redis, dq, median, output, put, row, run, size, write_data

SMALL, OPS = 10_000, ("put", "take", "ack", "rm")


def fill(server, until):
    """Messages that wait for hours, each for its own time."""
    have = server.left("q")
    step = 500_000
    while have < until:
        n = min(step, until - have)
        put(server, "q", n, "-d", f"{1 + have // step}h")
        have += n


def costs(server, n):
    """us a message of each."""
    url = ["-u", server.url]
    took = {"put": put(server, "q", n)}
    records = []

    def take():
        while len(records) < n:
            records.extend(output([dq("take"), *url, "-n", "1000", "q"]).splitlines(keepends=True))
    took["take"] = clocked(take)
    took["ack"] = run([dq("ack"), *url], stdin=text("".join(records)))
    with open_lines(n) as f:
        names = output([dq("put"), *url, "-d", "90m", "-l", "q"], stdin=f)
    took["rm"] = run([dq("rm"), *url], stdin=text(names))
    return {name: seconds / n * 1e6 for name, seconds in took.items()}


def clocked(what):
    import time
    begun = time.monotonic()
    what()
    return time.monotonic() - begun
