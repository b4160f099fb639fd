"""One queue of 1, 2 and 3 shards on as many nodes of a cluster, compared with a standalone server with the same clients. If all nodes and
clients share a few cores, the rate cannot grow. But on any machine the figures show that more nodes need no more commands and CPU time
for a message, and that each node gets its share."""

import os
import time

import bench
from bench import Redis, alternate, dq, end, free_port, lines_file, median, wait_until, ratio, row, run, size, start

MOST, SLOTS = 3, 16384
ALONE = "one server, no cluster"


class Nodes:
    """A cluster of that many masters on ports of the loopback, with equal ranges of slots; 0: one standalone server."""

    def __init__(self, count):
        options = ("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-require-full-coverage", "no")
        self.nodes = [Redis(free_port(10000), options) for _ in range(count)] or [Redis(free_port())]
        self.shards, self.clustered = max(count, 1), count > 0
        self.url = f"redis://127.0.0.1:{self.nodes[0].port}"
        for i, node in enumerate(self.nodes if count else []):
            node("CLUSTER", "ADDSLOTSRANGE", i * SLOTS // count, (i + 1) * SLOTS // count - 1)
            node("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
            node("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port)

    def wait(self):
        """Nodes need some seconds to know each other."""
        wait_until(30, lambda: not self.clustered or all(self.is_whole(node) for node in self.nodes), every=0.1)

    def is_whole(self, node):
        info = node("CLUSTER", "INFO").split(b"\r\n")
        return {b"cluster_state:ok", b"cluster_size:%d" % len(self.nodes), b"cluster_known_nodes:%d" % len(self.nodes)} <= set(info)

    def clear(self):
        for node in self.nodes:
            node.clear()
        if self.shards > 1:
            run([dq("set"), "-u", self.url, "q", f"shards={self.shards}"])

    def end(self):
        for node in self.nodes:
            node.__exit__()

    def commands(self):
        """Those that each node has carried out, in scripts, too."""
        for node in self.nodes:
            lines = node("INFO", "stats").split(b"\r\n")
            yield next(int(line[25:]) for line in lines if line.startswith(b"total_commands_processed:"))

    def cost(self, n, work):
        """What n messages cost: messages a second, us of CPU of all servers a message, commands a message, the busiest node's part."""
        commands, cpu = list(self.commands()), [node.worked() for node in self.nodes]
        took = work()
        commands = [after - before for before, after in zip(commands, self.commands())]
        cpu = [node.worked() - before for before, node in zip(cpu, self.nodes)]
        return {"rate": n / took, "cpu": sum(cpu) / n, "commands": sum(commands) / n, "part": max(commands) / sum(commands)}


def together(clients):
    """Seconds until each of these processes has ended well."""
    begun = time.monotonic()
    for client in list(clients):
        if client.wait(600):
            raise RuntimeError(f"{client.args[0]}: exit status {client.returncode}")
        end(client)
    return time.monotonic() - begun


def putters(url, count, n):
    for _ in range(count):
        with open(lines_file(n)) as f:
            yield start([dq("put"), "-u", url, "-q", "-l", "q"], stdin=f)


def takers(url, count):
    for i in range(count):
        with open(records(i), "w") as f:
            yield start([dq("take"), "-u", url, "--until-empty", "-n", "1000", "q"], stdout=f)


def ackers(url, count):
    for i in range(count):
        with open(records(i)) as f:
            yield start([dq("ack"), "-u", url], stdin=f)


def records(i):
    """What the i-th of the takers took. In a pipe, how many receipts dq-ack sends at once would hang on what else the machine does."""
    return os.path.join(bench.temp, f"taken.{i}")


def costs(servers, clients, n):
    """The same work for each: clients that put n messages each; as many that take, then ack them."""
    url = servers.url
    servers.clear()
    return {"put": servers.cost(clients * n, lambda: together(putters(url, clients, n))),
            "take + ack": servers.cost(clients * n, lambda: together(takers(url, clients)) + together(ackers(url, clients)))}


def measure():
    n, rounds = size(100_000, 80_000), size(3, 1)
    pairs = {count: (Nodes(count), Nodes(0)) for count in range(1, MOST + 1)}
    for count, (cluster, alone) in pairs.items():
        cluster.wait()
        found, _ = alternate(rounds, nodes=lambda: costs(cluster, count, n), alone=lambda: costs(alone, count, n))
        cluster.end()
        alone.end()
        for what in ("put", "take + ack"):
            tell(f"{what}, {count} node{'s' * (count > 1)}", found, what, count)


def tell(name, found, what, count):
    def figures(of):
        f = {side: [costs[what][of] for costs in rounds] for side, rounds in found.items()}
        return median(f["nodes"]), ratio(f, "nodes", "alone")

    rate, of_alone = figures("rate")
    row(name, rate, "/s", of_alone, ALONE)
    cpu, of_alone = figures("cpu")
    row(f"{name}: CPU of all", cpu, "us a message", of_alone, ALONE)
    commands, of_alone = figures("commands")
    row(f"{name}: commands of all", commands, "a message", of_alone, ALONE, ("ratio", "<=", 1.05))
    part, _ = figures("part")
    if count > 1:
        row(f"{name}: the busiest", part * 100, "% of commands", part * count, "an equal part", ("ratio", "<=", 1.1))
