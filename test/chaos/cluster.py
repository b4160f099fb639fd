"""Three masters, each with a replica that the others elect when it is lost; what happens to them; and whose queues stand still."""

import os
import signal
import threading
import time

import failover
import history
import limits
import server
from free_port import free_port

TIMEOUT = 1500  # ms: --cluster-node-timeout
QUEUES = 20
WHOLE = "chaos.shards"
STARTS = (0, 5461, 10923, 16384)
# What happens, in turn. A node that is stopped for less than TIMEOUT stays a master.
HOW = ("kill", "move", "stop", "pause")
SECONDS = {"stop": 10, "pause": 1}
# A tool tries a node that it has lost at most every 2 s, and gives it 500 ms. Until then its queues stand still, for what is over.
RECONNECT = 2.5


class Node(failover.Node):
    """With a bus, on a port 10000 higher."""

    def __init__(self, folder):
        server.Server.__init__(self, folder)
        self.port = free_port(10000)
        self.options += ["--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "no", "--repl-diskless-sync-delay", "0",
                         "--cluster-enabled", "yes", "--cluster-config-file", os.path.join(folder, "nodes.conf"),
                         "--cluster-node-timeout", str(TIMEOUT), "--cluster-require-full-coverage", "no",
                         "--cluster-replica-validity-factor", "0", *limits.options("no")]

    def ask(self, *command):
        redis = self.connect()
        try:
            return redis.call(*command)
        finally:
            redis.close()

    def is_replica(self):
        """And in step."""
        try:
            return "master_link_status:up" in self.ask("INFO", "replication")
        except (OSError, server.Refused):
            return False

    def is_master(self):
        try:
            return self.ask("ROLE")[0] == "master"
        except (OSError, server.Refused):
            return False


def until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def owner(node, slot):
    """-> the id of the master that has the slot, as that node sees it; None if it sees none."""
    return next((master[2] for first, last, master, *_ in node.ask("CLUSTER", "SLOTS") if first <= slot <= last), None)


class Cluster:
    """As server.Server: one that it connects to is a cluster's client, which asks the node of a key."""

    def __init__(self, folder):
        self.folder, self.shards, self.moved = folder, [], {}

    @property
    def url(self):
        return self.url_from(0)

    def url_from(self, n):
        """It names all nodes, those of shard n first: a tool that starts asks the first before it goes on to the next."""
        nodes = self.nodes[2 * n:] + self.nodes[:2 * n]
        return "redis://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes)

    @property
    def nodes(self):
        return [node for pair in self.shards for node in pair]

    @property
    def process(self):
        return any(node.process for node in self.nodes)

    def node(self, name):
        return failover.started(lambda: Node(os.path.join(self.folder, name)))

    def start(self):
        self.shards = [[self.node(f"{n}{letter}") for letter in "ab"] for n in range(3)]
        first = self.nodes[0]
        for n, (master, _) in enumerate(self.shards):
            master.ask("CLUSTER", "ADDSLOTSRANGE", STARTS[n], STARTS[n + 1] - 1)
            master.ask("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
        for node in self.nodes[1:]:
            first.ask("CLUSTER", "MEET", "127.0.0.1", node.port)
        until(lambda: all("cluster_known_nodes:6" in n.ask("CLUSTER", "INFO") and "cluster_size:3" in n.ask("CLUSTER", "INFO")
                          for n in self.nodes), "the nodes know each other")
        for master, replica in self.shards:
            replica.ask("CLUSTER", "REPLICATE", master.ask("CLUSTER", "MYID"))
        self.wait()

    def in_step(self):
        """A loaded machine may make the nodes elect a replica of one that was only slow."""
        for n, (master, _) in enumerate(self.shards):
            if not master.is_master():
                self.turned(n)
        return all(replica.is_replica() and master.is_master() and "cluster_state:ok" in master.ask("CLUSTER", "INFO")
                   for master, replica in self.shards)

    def wait(self):
        until(self.in_step, "each master has a replica in step")

    def home(self, queue):
        """-> the number of the shard that has a queue's slot."""
        slot = self.nodes[0].ask("CLUSTER", "KEYSLOT", f"{{{queue}}}")
        return self.moved.get(slot, next(n for n in range(3) if slot < STARTS[n + 1]))

    def connect(self):
        return Client(self)

    def turned(self, n):
        """Whether the replica has become the master; then they change places. One that comes back still thinks that it is one
        for a moment: in_step() sees no replica in step until it knows better."""
        if self.shards[n][1].is_master():
            self.shards[n].reverse()
            return True
        return False

    def kill(self):
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.kill()


class Client:
    """Of all masters. A key is in the second word, or the command is for any."""

    def __init__(self, cluster):
        self.cluster, self.open = cluster, {}

    def call(self, *command):
        key = str(command[1]) if len(command) > 1 and "{" in str(command[1]) else None
        n = self.cluster.home(key[key.index("{") + 1:key.index("}")]) if key else 0
        path = self.cluster.shards[n][0].path
        if path not in self.open:
            self.open[path] = self.cluster.shards[n][0].connect()
        return self.open[path].call(*command)

    def close(self):
        for redis in self.open.values():
            redis.close()


def spread(cluster, count):
    """-> names of queues, as many on each node."""
    by = {n: [] for n in range(3)}
    i = 0
    while min(len(names) for names in by.values()) < -(-count // 3):
        i += 1
        by[cluster.home(f"chaos{i}")].append(f"chaos{i}")
    return [by[i % 3][i // 3] for i in range(count)]


def make_shards(stage, queue):
    """Makes that queue one of so many shards as SHARDS says, each with a tag of its own."""
    shards = int(os.environ["SHARDS"])
    code, _, err = stage.run("set", ["dq-set", "-q", queue, f"shards={shards}"])
    if code:
        raise RuntimeError(f"dq-set shards={shards}: {err}")
    _, out, _ = stage.run("stat", ["dq-stat", "-v", "--no-header", queue])
    stage.tags[queue] = [line.split()[0] for line in out.decode().splitlines()[1:]]
    if len(stage.tags[queue]) != shards:
        raise RuntimeError(f"{queue} has the tags {stage.tags[queue]}, not those of {shards} shards")


def prepare(stage, cluster):
    """The queues: some on each node, and perhaps one of several shards, which is on all."""
    stage.queues = stage.plain = spread(cluster, int(os.environ.get("QUEUES") or QUEUES))
    stage.tags = {queue: [queue] for queue in stage.plain}
    if int(os.environ.get("SHARDS") or 0):
        make_shards(stage, WHOLE)
        stage.whole = WHOLE
        stage.queues = [*stage.plain, WHOLE]


def watch_the_time(stage):
    """Writes down when this process did not run, though it was to: a loaded machine."""
    while not stage.over:
        before = time.monotonic()
        time.sleep(0.01)
        late = time.monotonic() - before - 0.01
        if late > 0.02:
            stage.history.note("late", ms=int(late * 1000))


class Events:
    """What happens to nodes, as a generator: each step looks, and does what is to be done now."""

    def __init__(self, stage, cluster, rng):
        self.stage, self.cluster, self.rng, self.count, self.moves = stage, cluster, rng, 0, 0
        # The first queue of a node is the one that moves.
        self.moving = stage.plain[:3]
        stage.history.note("homes", homes={q: cluster.home(q) for q in stage.plain[3:]})
        for work in (watch_the_time, self.count_backlog):
            threading.Thread(target=work, args=(stage,), daemon=True).start()
        self.steps = self.all()

    def count_backlog(self, stage):
        while not stage.over:
            redis = self.cluster.connect()
            try:
                stage.backlog = sum(redis.call("HLEN", f"dq:{{{tag}}}:msg") for tags in stage.tags.values() for tag in tags)
            except (OSError, server.Refused):
                if not limits.are_held():  # what waits for its turn would take too long to drain
                    stage.backlog = 0  # unknown; the others go on
            redis.close()
            time.sleep(0.3)

    def step(self):
        next(self.steps)

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield

    def until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            if time.monotonic() > end:
                raise RuntimeError(f"not within 60 s: {what}")
            yield from self.pause(0.05)

    def all(self):
        while True:
            how, n = HOW[self.count % len(HOW)], self.rng.randrange(3)
            yield from self.until(self.cluster.in_step, "each master has a replica in step")
            yield from self.pause(self.rng.uniform(0.5, 1.5))
            start = history.now()
            yield from (self.move(n) if how == "move" else self.lose(n, how))
            # A slot that moves holds up nobody else: node is None.
            self.stage.history.note("away", how=how, node=None if how == "move" else n, since=start)
            self.count += 1
            yield from self.pause(0 if how == "move" else RECONNECT)

    def lose(self, n, how):
        node = self.cluster.shards[n][0]
        if how == "kill":
            node.kill()
            yield from self.until(lambda: self.cluster.turned(n), "the replica is elected")
            yield from self.pause(self.rng.uniform(0, 1))
            node.launch()
            return
        node.process.send_signal(signal.SIGSTOP)
        try:
            yield from self.pause(SECONDS[how])
            if how == "stop":  # one that continues before that stays a master, and a busy machine takes its time
                yield from self.until(lambda: self.cluster.turned(n), "the replica is elected")
        finally:
            node.process.send_signal(signal.SIGCONT)

    def move(self, n):
        """The slot of one queue in use; in one step where the server can do that, every second time."""
        queue, to = self.moving[n], self.cluster.shards[(self.cluster.home(self.moving[n]) + 1) % 3][0]
        source = self.cluster.shards[self.cluster.home(queue)][0]
        slot = source.ask("CLUSTER", "KEYSLOT", f"{{{queue}}}")
        self.moves += 1
        at_once = self.moves % 2 and any(line.startswith("MIGRATESLOTS ") for line in source.ask("CLUSTER", "HELP"))
        yield from (self.move_at_once if at_once else self.move_keys)(slot, source, to)
        self.cluster.moved[slot] = self.cluster.shards.index(next(p for p in self.cluster.shards if p[0] is to))

    def move_at_once(self, slot, source, to):
        target = to.ask("CLUSTER", "MYID")
        source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target)
        yield from self.until(lambda: all(owner(master, slot) == target for master, _ in self.cluster.shards), "the slot has moved")

    def move_keys(self, slot, source, to):
        """A few at a time."""
        to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.ask("CLUSTER", "MYID"))
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", to.ask("CLUSTER", "MYID"))
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 2):
            source.ask("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "KEYS", *keys)
            yield from self.pause(self.rng.uniform(0.05, 0.4))
        target = to.ask("CLUSTER", "MYID")
        for node in [to, source] + [pair[0] for pair in self.cluster.shards]:
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target)

    def end(self):
        """The one that goes on is seen through."""
        count = self.count
        while self.count == count:
            self.step()
            yield
