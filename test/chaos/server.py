"""A redis-server of our own, on a unix socket, that can be killed and started again."""

import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from resp import Connection, Refused

import limits


class Server:
    def __init__(self, folder, fsync="always", preload=None):
        self.folder, self.path, self.process = folder, os.path.join(folder, "s"), None
        self.options = ["--port", "0", "--unixsocket", self.path, "--unixsocketperm", "700", "--save", "", "--dir", folder,
                        "--appendonly", "yes", "--appendfsync", fsync, "--logfile", os.path.join(folder, "server.log"),
                        "--auto-aof-rewrite-min-size", "8mb", *limits.options(fsync)]
        self.env = dict(os.environ, **(preload or {}))
        os.makedirs(folder, exist_ok=True)

    @property
    def url(self):
        return "unix://" + self.path

    def launch(self):
        self.process = subprocess.Popen([os.environ.get("DQ_TEST_SERVER", "redis-server"), *self.options], env=self.env,
                                        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def start(self):
        self.launch()
        self.wait()

    def wait(self, seconds=60):
        """Until it answers."""
        end = time.monotonic() + seconds
        while True:
            try:
                redis = self.connect()
                try:
                    redis.call("PING")
                finally:
                    redis.close()
                return
            except (OSError, Refused):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError("redis-server does not answer: see " + self.folder) from None
                time.sleep(0.005)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def connect(self):
        return Connection(self.path, timeout=5, text=True)


PARTS = ("delayed", "ready", "leased", "dead")


def look(redis, queue):
    """-> the ids that are stored, what is wrong with them, and the counters; for when nobody is at work."""
    key = f"dq:{{{queue}}}:"
    bodies = set(redis.call("HKEYS", key + "msg"))
    states, faults = {}, []
    for part in PARTS:
        for id in redis.call("ZRANGE", key + part, 0, -1):
            if id in states:
                faults.append(f"{id} is both {states[id]} and {part}")
            if id not in bodies:
                faults.append(f"{id} is {part} without a body")
            states[id] = part
    faults += [f"{id} is in no state" for id in bodies - set(states)]
    faults += [f"{id} has tries without a body" for id in set(redis.call("HKEYS", key + "try")) - bodies]
    flat = redis.call("HGETALL", key + "stat")
    counters = {name: int(value) for name, value in zip(flat[::2], flat[1::2]) if value.isdigit()}
    return bodies | set(states), faults, counters
