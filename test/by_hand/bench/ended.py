"""The time from the end of a message (the server's clock, ms) to dq-wait's line, and what 500 waiting tools cost the server, beside 500
idle takers."""

import subprocess
import tempfile
import time

from bench import Redis, dq, end, output, percentile, program, row, size, start, wait_until
from idle import waiting

WAITERS = 500


def put(server, n):
    names = [f"q/m{i}" for i in range(n)]
    with tempfile.TemporaryFile("w+") as f:
        f.writelines(f"-\tm{i}\tx\n" for i in range(n))
        f.seek(0)
        subprocess.run([dq("put"), "-qu", server.url, "--keep", "1h", "--tsv", "q"], stdin=f, check=True)
    return names


def subscribed(server):
    return sum(int(line.split(b" ssub=")[1].split()[0]) for line in server("CLIENT", "LIST").split(b"\n") if b"-hints " in line)


def settle(server):
    record = output([dq("take"), "-qu", server.url, "q"])
    output([dq("ack"), "-u", server.url, record.split("\t")[0]])


def latencies(name, groups):
    """groups: the messages of each waiting tool, by number."""
    n = sum(groups)
    with Redis() as server, tempfile.TemporaryFile("w+") as stamped:
        names = put(server, n)
        stamp = start([program("stamp")], stdin=subprocess.PIPE, stdout=stamped)
        tools = []
        for count in groups:
            tools.append(start([dq("wait"), "-u", server.url, "--json", *names[:count]], stdout=stamp.stdin))
            del names[:count]
        stamp.stdin.close()
        wait_until(120, lambda: subscribed(server) == n, every=0.2)
        for _ in range(n):
            settle(server)
        for tool in tools:
            tool.wait(60)
        stamp.wait(30)
        stamped.seek(0)
        late = [int(line.split("\t")[0]) / 1000 - int(line.partition('"ended_ms":')[2].split(",")[0]) for line in stamped]
    if len(late) != n:
        raise RuntimeError(f"{len(late)} of {n} ended")
    row(f"{name}: an end to its line, p50", percentile(late, 50), "ms")
    row(f"{name}: an end to its line, p99", percentile(late, 99), "ms", target=("value", "<=", 5))


def cpu(idle, ours, seconds):
    """us of CPU a second of both servers, at the same time."""
    time.sleep(60 if seconds > 10 else 15)  # what has waited for long asks less often
    before = idle.worked(), ours.worked()
    time.sleep(seconds)
    return [(server.worked() - was) / seconds for server, was in zip((idle, ours), before)]


def costs():
    seconds = size(30, 10)
    with Redis() as idle, Redis() as ours:
        takers = waiting(idle, WAITERS)
        tools = [start([dq("wait"), "-u", ours.url, name], stdout=subprocess.DEVNULL) for name in put(ours, WAITERS)]
        wait_until(120, lambda: subscribed(ours) == WAITERS, every=0.2)
        base, value = cpu(idle, ours, seconds)
        for each in takers + tools:
            end(each)
    row(f"{WAITERS} idle takers", base, "us of CPU/s")
    row(f"{WAITERS} times dq-wait", value, "us of CPU/s", value / base, f"{WAITERS} idle takers", target=("ratio", "<=", 1.1))


def measure():
    n = size(WAITERS, 100)
    latencies(f"dq-wait, {n} messages", [n])
    latencies(f"{n} times dq-wait", [1] * n)
    costs()
