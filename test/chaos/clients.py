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
        self.sure = {}  # names of messages, and since when it has been certain that they were put

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


class Remover(Loop):
    """Removes some of the dead. Not those that somebody may put once more: a removal forgets the id."""

    def __call__(self):
        rng = self.stage.rng("remover")
        while not self.stage.closing:
            _, out, _ = self.stage.run(self.role, [*self.command, rng.choice(self.stage.queues)])
            since = time.monotonic() - 3
            for id in [line.split("\t")[0] for line in out.decode().splitlines()][:2]:
                if self.stage.sure.get(id, since) < since:
                    self.remove(id)
            time.sleep(self.pause)

    def remove(self, id):
        op = self.stage.history.begin("remove", id=id)
        code, _, _ = self.stage.run("rm", ["dq-rm", "-q", "--state", "dead", id])
        self.stage.history.end(op, "ok" if code == 0 else "fail" if code == 69 else "info")


class Pauser:
    """Pauses keys, and resumes them: one with an odd number also for good, until it says that it goes on."""
    SHORTEST, LONGEST = 50, 1500  # ms

    def __init__(self, stage, name):
        self.stage, self.rng = stage, stage.rng(name)

    def set(self, name, value, ms=None):
        """-> whether that is certain. name: QUEUE/KEY."""
        queue, key = name.split("/")
        op = self.stage.history.begin("hold", name=name, value=value, ms=ms)
        code, _, _ = self.stage.run("set", ["dq-set", "-q", "--timeout", "1s", queue, f"paused:{key}={value}"])
        self.stage.history.end(op, "ok" if code == 0 else "fail" if code == 69 else "info")
        return code == 0

    def hold(self, name, is_odd):
        ms = self.rng.randrange(self.SHORTEST, self.LONGEST)
        if not is_odd or self.rng.random() < 0.4:
            return self.set(name, f"{ms}ms", ms)
        self.set(name, "yes")
        time.sleep(ms / 1000)
        while not self.set(name, "no") and not self.stage.closing:
            time.sleep(0.05)

    def __call__(self):
        while not self.stage.closing:
            n = self.rng.choice(range(1, 1 + int(os.environ["KEYS"])))
            name = f"{self.rng.choice(self.stage.queues)}/k{n}"
            if self.rng.random() < 0.2:
                self.set(name, "no")
            else:
                self.hold(name, n % 2)
            time.sleep(self.rng.uniform(0, 0.3))


class Auditor(Loop):
    def __call__(self):
        while not self.stage.closing:
            code, out, _ = self.stage.run(self.role, self.command)
            self.stage.history.note("audit", faults=out.decode(errors="replace").splitlines(), code=code)
            time.sleep(self.pause)
