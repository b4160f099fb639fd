"""What breaks: each fault at times of its own, until the stage's run is over."""

import math
import signal
import time

import cluster
import failover
import server

# Name: the pause before it comes again, in s.
PAUSES = {"kill": (0.1, 0.4), "stop": (0.3, 0.9), "server": (1.5, 3), "flush": (0.05, 0.05), "client": (0.1, 0.1), "memory": (4, 6),
          "pause": (0.4, 0.8), "failover": (1, 2), "cluster": (0, 0)}
USUAL = [name for name in PAUSES if name not in ("failover", "cluster")]  # it needs servers of its own, and loses what is not confirmed
ALONE = ("server", "memory")  # these do not go with it
STOPPABLE = ("take", "ack", "run", "promote", "put", "set", "rm")
# A run that did less, a second of faults, has tested nothing.
GATES = {"kills": 1, "stops": 0.3, "server kills": 0.15, "puts": 3, "redeliveries": 0.8, "recovered": 0.02, "fenced": 0.05,
         "acks": 3, "unknown": 0.05, "pauses": 0.3, "failovers": 0.2, "aways": 0.04}
NEEDS = {"kills": "kill", "stops": "stop", "server kills": "server", "redeliveries": "kill", "recovered": "kill",
         "fenced": "stop", "unknown": "kill", "pauses": "pause", "failovers": "failover", "aways": "cluster"}


def gates(counts, duration, wanted):
    # There clients live longer, since others are measured by them.
    least_of = dict(GATES, kills=0.2, redeliveries=0.3, recovered=0, fenced=0) if "cluster" in wanted else GATES
    return [f"{name}: {counts[name]}, less than {math.ceil(least * duration)}" for name, least in least_of.items()
            if counts[name] < least * duration and NEEDS.get(name, "kill") in wanted]


class Faults:
    def __init__(self, stage, redis_server, wanted):
        self.stage, self.server, self.rng = stage, redis_server, stage.rng("faults")
        self.pauses = dict(PAUSES)
        self.redis, self.timers, self.down_until, self.failovers = None, [], 0, 0
        self.events = cluster.Events(stage, redis_server, self.rng) if "cluster" in wanted else None
        if self.events:
            self.pauses["kill"] = (0.5, 2)  # most of them work for one node, whose queues others are measured by
        self.next = {name: time.monotonic() + self.rng.uniform(*self.pauses[name]) for name in wanted}

    def victim(self, roles=None):
        """Each role is as likely as any other."""
        there = self.stage.roles()
        roles = sorted(role for role in there if role in (roles or there))
        if not roles:
            return None, None
        role = self.rng.choice(roles)
        return self.rng.choice(there[role]), role

    def kill(self):
        process, role = self.victim()
        if process and process.poll() is None:
            process.kill()
            self.stage.history.note("kill", role=role)

    def stop(self):
        process, role = self.victim(STOPPABLE)
        if process and process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            self.stage.history.note("stop", role=role)
            self.timers.append((time.monotonic() + self.rng.uniform(0.3, 2), process))

    def go_on(self, all=False):
        for entry in list(self.timers):
            if all or entry[0] <= time.monotonic():
                self.timers.remove(entry)
                entry[1].send_signal(signal.SIGCONT)

    def kill_server(self):
        """It stays away for a while, longer than some are patient."""
        self.lose()
        self.server.kill()
        self.stage.history.note("server-kill")
        self.down_until = time.monotonic() + self.rng.choice((0, 0.1, 0.6))

    def fail_over(self):
        how = failover.HOW[self.failovers % len(failover.HOW)]
        self.failovers += 1
        self.lose()
        self.server.fail_over(how, self.rng.choice((0.1, 0.5) if how == "cut" else (0, 0.1, 0.5)))
        self.stage.history.note("failover", how=how)

    def go_through(self):
        self.events.step()
        self.failovers = self.events.count

    def lose(self):
        if self.redis:
            self.redis.close()
        self.redis = None

    def call(self, *command):
        """None while the server is away."""
        try:
            self.redis = self.redis or self.server.connect()
            return self.redis.call(*command)
        except (OSError, server.Refused):
            self.lose()

    def flush(self):
        self.call("SCRIPT", "FLUSH")
        self.stage.history.note("flush")

    def cut_client(self):
        lines = (self.call("CLIENT", "LIST") or "").splitlines()
        others = [line.split()[0][3:] for line in lines if "cmd=client" not in line]
        if others and self.call("CLIENT", "KILL", "ID", self.rng.choice(others)):
            self.stage.history.note("client-kill")

    def fill_memory(self):
        if self.call("CONFIG", "SET", "maxmemory", "1"):
            self.stage.history.note("no-memory")
        self.next["enough"] = time.monotonic() + 0.7

    def empty_memory(self):
        self.call("CONFIG", "SET", "maxmemory", "0")
        del self.next["enough"]

    def pause_writes(self):
        """As a planned failover does."""
        if self.call("CLIENT", "PAUSE", "120", "WRITE"):
            self.stage.history.note("pause")

    def look_after(self):
        """A server that others ended would be back before anybody missed it."""
        if not self.events and self.server.process.poll() is not None:
            self.stage.broken.append("the server died by itself: see its log")
            self.server.launch()

    def step(self):
        """What is due."""
        do = {"kill": self.kill, "stop": self.stop, "server": self.kill_server, "flush": self.flush, "client": self.cut_client,
              "memory": self.fill_memory, "enough": self.empty_memory, "pause": self.pause_writes, "failover": self.fail_over,
              "cluster": self.go_through}
        self.go_on()
        if self.down_until:
            if time.monotonic() < self.down_until:
                return
            self.down_until = 0
            self.server.launch()
        self.look_after()
        for name, when in list(self.next.items()):
            if when <= time.monotonic():
                if name in PAUSES:
                    self.next[name] = time.monotonic() + self.rng.uniform(*self.pauses[name])
                do[name]()
        self.count()

    def count(self):
        if self.events:
            return  # events.count_backlog: a node that hangs would hold this up
        counts = [self.call("HLEN", f"dq:{{{tag}}}:msg") for tag in self.stage.tags[self.stage.queues[0]]]
        if None not in counts:
            self.stage.backlog = sum(counts)

    def end(self):
        if self.events:
            for _ in self.events.end():
                self.go_on()
                time.sleep(0.01)
        self.go_on(all=True)
        if self.down_until:
            self.server.launch()
        self.server.wait()
        self.lose()
        if not self.events:
            self.call("CONFIG", "SET", "maxmemory", "0")
        self.lose()
