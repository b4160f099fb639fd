"""The cost of waiting takers. Commands are those of MONITOR, without those that scripts call (it marks them "lua"): INFO's
total_commands_processed and commandstats count these, too (Redis 7.0: 52 for one EVAL of 50 PINGs)."""

import subprocess
import threading
import time

from bench import Connection, Redis, Skip, dq, end, output, peer_argv, peer_server, wait_until, row, size, start
from latency import PEERS

DAY = 86_400_000  # ms


class Monitor:
    """Times of the commands that clients sent, and their names."""

    def __init__(self, server):
        self.client, self.seen = Connection(server.path), []
        self.client.call("MONITOR")
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while line := self.client.file.readline():
            head, _, rest = line.partition(b"] ")
            if not head.endswith(b" lua"):
                self.seen.append((float(head[1:].split(b" ")[0]), rest.split(b" ")[0].strip(b'"\r\n').decode().upper()))

    def between(self, since, until):
        return [name for at, name in self.seen if since <= at < until]


def waiting(server, count):
    takers = [start([dq("take"), "-qu", server.url, "-f", "q"], stdout=subprocess.DEVNULL) for _ in range(count)]
    wait_until(60, lambda: blocked(server) >= count, every=0.05)
    return takers


def blocked(server):
    for line in server("INFO", "clients").split(b"\r\n"):
        if line.startswith(b"blocked_clients:"):
            return int(line[16:])
    return 0


def names(commands):
    return " ".join(f"{name}:{commands.count(name)}" for name in sorted(set(commands)))


def rate_of(monitor, seconds):
    """Commands a second; a second later, because what has just begun is not idle yet."""
    time.sleep(1)
    begun = time.time()
    time.sleep(seconds)
    return len(monitor.between(begun, begun + seconds)) / seconds


def of_peer(name, seconds, every):
    """Its consumer waits, with 16 messages that are due within a day."""
    argv, options = peer_argv(name.partition(",")[0])
    with peer_server(name) as server:
        monitor = Monitor(server)
        consumer = start([*argv, str(server.port or server.path), "latency", "16", str(DAY), *map(str, every)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        wait_until(60, lambda: len(monitor.seen) > 16)
        time.sleep(3)
        rate = rate_of(monitor, seconds)
        end(consumer)
    return rate


def measure():
    seconds, ours = size(15, 6), {}
    for count in (1, 100, 500):
        with Redis() as server:
            monitor = Monitor(server)
            takers = waiting(server, count)
            if count == 500:
                one_due(server, monitor)
            ours[count] = rate_of(monitor, seconds)
            for taker in takers:
                end(taker)
        row(f"idle, {count} waiting", ours[count], "commands/s", target=("value", "<=", 250) if count == 500 else None)
    for name, every in PEERS.items():
        what = f"{name}: idle, a consumer"
        try:
            rate = of_peer(name, size(10, 6), every)
            row(what, rate, "commands/s", rate / ours[1] if ours[1] else None, "idle, 1 waiting")
        except Skip as e:
            row(what, None, "commands/s", skipped=str(e))


def one_due(server, monitor):
    """The least of five: looks that end their 5 s just then only add."""
    seen = min((commands_of_one(server, monitor, n + 1) for n in range(5)), key=len)
    row("one due message, 500 waiting", len(seen), "commands", target=("value", "<=", 12))
    print(f"# they are: {names(seen)}", flush=True)


def commands_of_one(server, monitor, taken):
    begun = time.time()
    output([dq("put"), "-u", server.url, "-d", "300ms", "q", "payload"])
    wait_until(5, lambda: server.cards("q")["leased"] == taken, every=0.05)
    time.sleep(0.2)
    return [n for n in monitor.between(begun, time.time()) if n != "ZCARD"]
