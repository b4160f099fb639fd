"""Who uses the queue while things break: threads that run the tools as processes and write down what they see."""

import collections
import os
import random
import signal
import subprocess
import threading
import time

QUEUE = "chaos"
HANG = 60  # s


class Stage:
    """What all share. running: the faults go on; closing: everybody goes home; over: nobody may live."""

    def __init__(self, history, folder, url, tools, seed):
        self.history, self.folder, self.seed = history, folder, seed
        self.running, self.closing, self.over = True, False, False
        self.env = dict(os.environ, DQ_URL=url, PATH=tools + ":" + os.environ["PATH"])
        self.lock, self.alive, self.broken = threading.Lock(), {}, []
        self.stderr = open(os.path.join(folder, "stderr"), "ab")
        self.backlog, self.queues = 0, [QUEUE]
        # Those of one shard; one of several, or None; the tags of each one's keys; messages that are there before it begins.
        self.plain, self.whole, self.tags, self.load = self.queues, None, {QUEUE: [QUEUE]}, 0
        self.most = 1500  # messages: then producers wait; more would only be a longer drain

    def rng(self, name):
        return random.Random(f"{self.seed}/{name}")

    def spawn(self, role, command, **how):
        process = subprocess.Popen(command, env=self.env, **{"stdin": subprocess.DEVNULL, "stderr": self.stderr, **how})
        with self.lock:
            self.alive[process] = role
        if self.over:
            process.kill()
        return process

    def end(self):
        """Nobody is left, and nobody comes."""
        self.over = True
        for process in self.processes():
            process.send_signal(signal.SIGCONT)
            process.kill()

    def gone(self, process):
        """-> its exit status. Nothing here makes any other than these, or sends other signals."""
        code = process.wait()
        with self.lock:
            self.alive.pop(process, None)
        if code not in (0, 1, 69, 75, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGPIPE):
            self.broken.append(f"{' '.join(process.args)}: exit status {code}")
        return code

    def run(self, role, command, text=b""):
        """-> exit status, output, errors; of a tool that ends by itself."""
        process = self.spawn(role, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(text, HANG)
        except subprocess.TimeoutExpired:
            self.history.note("hang", command=" ".join(command))
            process.kill()
            out, err = process.communicate()
        code = self.gone(process)
        self.stderr.write(err)
        return code, out, err.decode(errors="replace")

    def processes(self):
        with self.lock:
            return list(self.alive)

    def roles(self):
        """-> the processes by role."""
        by = collections.defaultdict(list)
        with self.lock:
            for process, role in self.alive.items():
                by[role].append(process)
        return by


class View(Stage):
    """The same stage for those who begin at another node of a cluster."""

    def __init__(self, stage, url):
        self.of, self.env = stage, dict(stage.env, DQ_URL=url)

    def __getattr__(self, name):
        return getattr(self.of, name)


class Loop:
    """A tool, again and again."""

    def __init__(self, stage, role, command, pause=0.02):
        self.stage, self.role, self.command, self.pause = stage, role, command, pause

    def __call__(self):
        while not self.stage.closing:
            self.stage.gone(self.stage.spawn(self.role, self.command))
            time.sleep(self.pause)


class Redriver(Loop):
    def __call__(self):
        while not self.stage.closing:
            op = self.stage.history.begin("redrive")
            code, _, _ = self.stage.run(self.role, self.command)
            self.stage.history.end(op, "ok" if code == 0 else "info")
            time.sleep(self.pause)


class Auditor(Loop):
    def __call__(self):
        while not self.stage.closing:
            code, out, _ = self.stage.run(self.role, self.command)
            self.stage.history.note("audit", faults=out.decode(errors="replace").splitlines(), code=code)
            time.sleep(self.pause)
