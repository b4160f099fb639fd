"""A master with a replica that takes its place when it fails, and a new replica after that. Clients, and the replication, go through
ways of ours, so that nobody has to find the new master, and the master can be cut off from its replica."""

import os
import signal
import socket
import sys
import threading
import time

import limits
import server

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

import way
from free_port import free_port

HOW = ("kill", "stop", "cut")


class Way:
    """From a listening socket to the target, a function that connects; None: nobody gets through."""

    def __init__(self, listener):
        self.listener, self.target, self.lock, self.ends = listener, None, threading.Lock(), []
        way.start(self.serve)

    def serve(self):
        while True:
            near = self.listener.accept()[0]
            with self.lock:
                try:
                    far = self.target()
                except (OSError, TypeError):
                    near.close()
                    continue
                self.ends = [s for s in self.ends if s.fileno() >= 0] + [near, far]
            way.start(self.carry, near, far)

    @staticmethod
    def carry(near, far):
        back = way.start(way.pump, far, near)
        way.pump(near, far)
        back.join()
        near.close()
        far.close()

    def lead(self, target):
        """To another target, or nowhere; who was on the way is lost."""
        with self.lock:
            self.target = target
            for end in self.ends:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.ends = []


def on_loopback(port=0):
    s = socket.socket()
    s.bind(("127.0.0.1", port))
    return s


class Node(server.Server):
    """A server with a port, too."""

    def __init__(self, folder, *options):
        super().__init__(folder)
        self.port = free_port()
        self.options += ["--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "no", "--repl-diskless-sync-delay", "0",
                         *limits.options("no"), *options]

    def tcp(self):
        return socket.create_connection(("127.0.0.1", self.port))


def started(make):
    """A node that make makes, started. Another program may take its port first."""
    for _ in range(20):
        node = make()
        try:
            node.start()
            return node
        except RuntimeError:
            continue
    raise RuntimeError("no server comes up")


class Pair:
    """As server.Server: connect, wait and kill are those of whoever is the master."""

    def __init__(self, folder):
        self.folder, self.path, self.count = folder, os.path.join(folder, "way"), 0
        os.makedirs(folder, exist_ok=True)
        self.clients, listener = Way(way.listen(self.path)), on_loopback()
        listener.listen(20)
        self.link, self.link_port = Way(listener), listener.getsockname()[1]
        self.master = self.replica = None

    @property
    def url(self):
        return "unix://" + self.path

    @property
    def process(self):
        return self.master and self.master.process

    def node(self, *options):
        def make():
            self.count += 1
            return Node(os.path.join(self.folder, str(self.count)), *options)
        return started(make)

    def lead_to_master(self):
        self.clients.lead(lambda: way.connect(self.master.path))
        self.link.lead(self.master.tcp)

    def add_replica(self):
        self.replica = self.node("--replicaof", f"127.0.0.1 {self.link_port}")

    def start(self):
        self.master = self.node()
        self.lead_to_master()
        self.add_replica()
        self.wait()

    def wait(self, seconds=60):
        """Until the replica is in step. One that is not has no right to take over."""
        end = time.monotonic() + seconds
        while True:
            redis = self.replica.connect()
            try:
                if "master_link_status:up" in redis.call("INFO", "replication"):
                    return
            finally:
                redis.close()
            if time.monotonic() > end:
                raise RuntimeError("the replica does not come up: see " + self.folder)
            time.sleep(0.005)

    def fail_over(self, how, seconds):
        """The master is killed, or hangs, or is cut off from its replica and takes writes on for a while."""
        self.wait()
        old = self.master
        if how == "kill":
            old.kill()
        elif how == "stop":
            old.process.send_signal(signal.SIGSTOP)
        else:
            self.link.lead(None)
        time.sleep(seconds)
        redis = self.replica.connect()
        redis.call("REPLICAOF", "NO", "ONE")
        redis.close()
        self.master = self.replica
        self.lead_to_master()
        if how != "kill":
            old.kill()
        self.add_replica()

    def connect(self):
        return self.master.connect()

    def kill(self):
        for node in (self.replica, self.master):
            if node and node.process:
                node.kill()
