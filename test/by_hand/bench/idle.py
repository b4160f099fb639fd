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


class Idle:
    """A server, and whoever waits on it."""

    def __init__(self, server):
        self.server, self.monitor, self.processes = server, Monitor(server), []

    def end(self):
        for process in self.processes:
            end(process)
        self.server.__exit__()


def takers(count):
    it = Idle(Redis())
    it.processes = waiting(it.server, count)
    return it


def consumer(name, every):
    """A peer's, with 16 messages that are due within a day."""
    argv, options = peer_argv(name.partition(",")[0])
    it = Idle(peer_server(name.partition(",")[0]))
    it.processes = [start([*argv, str(it.server.port or it.server.path), "latency", "16", str(DAY), *map(str, every)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)]
    wait_until(60, lambda: len(it.monitor.seen) > 16)
    return it


def consumers():
    """By peer; and why some are left out."""
    found, skipped = {}, {}
    for name, every in PEERS.items():
        try:
            found[name] = consumer(name, every)
        except Skip as e:
            skipped[name] = str(e)
    return found, skipped


def rates(idle, seconds):
    """Commands a second of each. All wait at the same time: their timers say how many, not how busy the machine is."""
    time.sleep(3)  # what has just begun is not idle yet
    begun = time.time()
    time.sleep(seconds)
    return {name: len(it.monitor.between(begun, begun + seconds)) / seconds for name, it in idle.items()}


def measure():
    ours = {count: takers(count) for count in (1, 100, 500)}
    one_due(ours[500].server, ours[500].monitor)
    theirs, skipped = consumers()
    found = rates({**ours, **theirs}, size(15, 6))
    for it in [*ours.values(), *theirs.values()]:
        it.end()
    for count in ours:
        row(f"idle, {count} waiting", found[count], "commands/s", target=("value", "<=", 250) if count == 500 else None)
    for name in PEERS:
        what = f"{name}: idle, a consumer"
        if name in skipped:
            row(what, None, "commands/s", skipped=skipped[name])
        else:
            row(what, found[name], "commands/s", found[name] / found[1] if found[1] else None, "idle, 1 waiting")


def one_due(server, monitor):
    """The least of five: looks that end their 5 s just then only add."""
    seen = min((commands_of_one(server, monitor, n + 1) for n in range(5)), key=len)
    row("one due message, 500 waiting", len(seen), "commands", target=("value", "<=", 15))
    print(f"# they are: {names(seen)}", flush=True)


def commands_of_one(server, monitor, taken):
    begun = time.time()
    output([dq("put"), "-u", server.url, "-d", "300ms", "q", "payload"])
    wait_until(5, lambda: server.cards("q")["leased"] == taken, every=0.05)
    time.sleep(0.2)
    return [n for n in monitor.between(begun, time.time()) if n != "ZCARD"]
