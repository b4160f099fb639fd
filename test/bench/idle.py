"""The cost of waiting takers. Commands are those of MONITOR, without those that scripts call (it marks them "lua"): INFO's
total_commands_processed and commandstats count these, too (Redis 7.0: 52 for one EVAL of 50 PINGs)."""

import subprocess
import threading
import time

from bench import Connection, Redis, dq, end, output, wait_until, row, size, start


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


def measure():
    seconds = size(15, 6)
    for count in (1, 100, 500):
        with Redis() as server:
            monitor = Monitor(server)
            takers = waiting(server, count)
            if count == 500:
                one_due(server, monitor)
            time.sleep(1)
            begun = time.time()
            time.sleep(seconds)
            rate = len(monitor.between(begun, begun + seconds)) / seconds
            for taker in takers:
                end(taker)
        row(f"idle, {count} waiting", rate, "commands/s", target=("value", "<=", 250) if count == 500 else None)


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
