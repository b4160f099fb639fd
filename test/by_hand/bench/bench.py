"""Common parts of the measurements: servers, processes, clients, peers, rows."""

import atexit
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tool"))

from free_port import free_port
from resp import Connection

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
OUT = os.path.join(BUILD, "bench")
BIN = os.path.abspath(os.environ.get("DQ_BIN", BUILD))
SMALL = os.environ.get("DQ_BENCH_SCALE", "full") == "small"
SERVER = os.environ.get("DQ_TEST_SERVER") or "redis-server"
PAYLOAD = "x" * 100
CPU = "us of CPU"  # of the server, a message

LINE = "{:<44} {:>11} {:<13} {:<21} {:<38} {:<18} {}"

rows = []
temp = None


def size(full, small):
    return small if SMALL else full


# --- rows ---


def number(value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def ratio_text(ratio):
    spread = getattr(ratio, "spread", None)
    return number(ratio) + (f" ({number(spread[0])} to {number(spread[1])})" if spread else "")


def row(name, value, unit, ratio=None, against="-", target=None, skipped=None):
    """target: (what it is of, "value" or "ratio"; "<=" or ">="; limit)."""
    verdict, wanted = "-", "-"
    if skipped:
        verdict = "skip: " + skipped
    elif target:
        of, sign, limit = target
        wanted = f"{of} {sign} {number(limit)}"
        got = value if of == "value" else ratio
        verdict = "ok" if (got >= limit if sign == ">=" else got <= limit) else "MISS"
    cells = [name, number(value), unit, ratio_text(ratio), against, wanted, verdict]
    rows.append(cells)
    print(LINE.format(*cells), flush=True)


def head():
    print(LINE.format("name", "value", "unit", "ratio, spread", "against", "target", ""))


def machine():
    """What the figures hang on, in a line."""
    models = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    who, _, version = output([SERVER, "--version"]).split()[:3]
    server = f"{who} {version.replace('v=', '')}"
    return (f"{os.cpu_count()} cores ({models[0] if models else os.uname().machine}), Linux {os.uname().release}, {server}; "
            f"load average {os.getloadavg()[0]:.1f}" + ("" if idle() else ": not idle, so trust no figure but ratios"))


def idle():
    return os.getloadavg()[0] <= 0.5


def write_tsv(path, comment):
    with open(path, "w") as f:
        f.write(f"# {comment}\n")
        f.write("name\tvalue\tunit\tratio\tagainst\ttarget\tverdict\n")
        for cells in rows:
            f.write("\t".join(c.replace(",", "") if i in (1, 3, 5) else c for i, c in enumerate(cells)) + "\n")


def write_markdown(path, comment):
    """The table of BENCHMARKS.md: what has a target or is compared, CPU time, and what was skipped."""
    with open(path, "w") as f:
        f.write(f"{comment}\n\n| what | figure | ratio, spread | to | target | |\n|---|---|---|---|---|---|\n")
        for cells in rows:
            name, value, unit, of, against, wanted, verdict = (c.replace("|", "\\|") for c in cells)
            if (against, wanted) != ("-", "-") or unit == CPU or verdict.startswith("skip"):
                f.write(f"| {name} | {value} {unit} | {of} | {against} | {wanted} | {verdict} |\n".replace("| - ", "| "))


def write_data(name, lines):
    """Columns for gnuplot."""
    with open(os.path.join(OUT, name + ".dat"), "w") as f:
        f.writelines("\t".join(str(c) for c in line) + "\n" for line in lines)


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * p / 100))]


median = statistics.median


# --- processes: every one is ended by its pid, however this ends ---

living = []


def start(argv, **options):
    process = subprocess.Popen(argv, **options)
    living.append(process)
    return process


def end(process, sign=signal.SIGTERM, timeout=20):
    if process.poll() is None:
        process.send_signal(sign)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process in living:
        living.remove(process)
    return process.returncode


def run(argv, **options):
    """Seconds that a command took; it must succeed."""
    options.setdefault("stdout", subprocess.DEVNULL)
    begun = time.monotonic()
    process = start(argv, **options)
    status = process.wait()
    took = time.monotonic() - begun
    living.remove(process)
    if status:
        raise RuntimeError(f"{argv[0]} {argv[1]}: exit status {status}")
    return took


def output(argv, timeout=300, **options):
    """What a command printed; it must succeed."""
    process = start(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end(process)
        raise RuntimeError(f"{os.path.basename(argv[0])}: no end in {timeout} s") from None
    living.remove(process)
    if process.returncode:
        raise RuntimeError(f"{os.path.basename(argv[0])}: exit status {process.returncode}: {err.strip()[-400:]}")
    return out


def tidy():
    for process in reversed(living[:]):
        end(process, signal.SIGKILL)
    if temp:
        shutil.rmtree(temp, ignore_errors=True)


def begin():
    global temp
    for name in list(os.environ):
        if name.startswith(("DQ_", "REDIS")):
            del os.environ[name]
    os.environ["LC_ALL"] = "C"
    base = os.environ.get("TMPDIR", "/tmp")
    temp = tempfile.mkdtemp(prefix="dqb.", dir=base if len(base) < 60 else "/tmp")
    atexit.register(tidy)
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, lambda *_: sys.exit(1))
    os.makedirs(OUT, exist_ok=True)


def folder(name):
    """A new folder, gone at the end."""
    path = os.path.join(temp, name)
    os.mkdir(path)
    return path


def dq(tool):
    return os.path.join(BIN, "dq-" + tool)


def lines_file(n):
    """A file of n lines, each a payload."""
    path = os.path.join(temp, f"lines.{n}")
    if not os.path.exists(path):
        with open(path, "w") as f:
            f.writelines(f"{i:08d}{PAYLOAD[8:]}\n" for i in range(n))
    return path


def put(server, queue, n, *options):
    with open(lines_file(n)) as f:
        return run([dq("put"), "-u", server.url, "-q", "-l", *options, queue], stdin=f)


def text_file(text):
    """text, to be read from its beginning."""
    f = tempfile.TemporaryFile("w+", dir=temp)
    f.write(text)
    f.seek(0)
    return f


def put_tsv(server, queue, lines):
    """Lines of DELAY TAB ID TAB PAYLOAD."""
    with text_file(lines) as f:
        run([dq("put"), "-u", server.url, "-q", "--tsv", queue], stdin=f)


# --- our programs ---


def program(name):
    """A C program of this folder, built."""
    source, target = os.path.join(HERE, name + ".c"), os.path.join(OUT, name)
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
        cc = os.environ.get("CC", "cc").split()
        hiredis = output(["pkg-config", "--cflags", "--libs", "hiredis"]).replace("-I", "-isystem ").split()
        output([*cc, "-std=c11", "-O2", "-Wall", "-Wextra", "-D_DEFAULT_SOURCE", "-o", target, source, "-pthread",
                "-Wl,--as-needed", *hiredis])
    return target


# --- servers ---


def worked(process):
    """us of CPU since it began: what the machine does beside it hardly changes that."""
    with open(f"/proc/{process.pid}/schedstat") as f:
        return int(f.read().split()[0]) / 1000


class Redis:
    """A private server on a unix socket; on a loopback port as well, for a peer that needs one."""

    count = 0

    def __init__(self, port=0, options=()):
        Redis.count += 1
        self.folder = os.path.join(temp, f"r{Redis.count}")
        os.mkdir(self.folder)
        self.path, self.port = os.path.join(self.folder, "s"), port
        self.url = "unix://" + self.path
        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = start(
                [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--unixsocket", self.path,
                 "--unixsocketperm", "700", "--dir", self.folder, "--save", "", "--appendonly", "no", *options],
                stdout=log, stderr=log)
        wait_until(10, self.answers)

    def answers(self):
        try:
            self.client = Connection(self.path)
            return self.client.call("PING")
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __call__(self, *words):
        return self.client.call(*words)

    def clear(self):
        self.client.call("FLUSHALL", "SYNC")

    def worked(self):
        return worked(self.process)

    def memory(self):
        for line in self.client.call("INFO", "memory").split(b"\r\n"):
            if line.startswith(b"used_memory:"):
                return int(line[12:])
        return 0

    def cards(self, queue):
        """Messages by state."""
        return {p: self.client.call("ZCARD", f"dq:{{{queue}}}:{p}") for p in ("delayed", "ready", "leased", "dead")}

    def left(self, queue):
        return self.client.call("HLEN", f"dq:{{{queue}}}:msg")


class Beanstalkd:
    def __init__(self):
        if not shutil.which("beanstalkd"):
            raise Skip("beanstalkd not found (apt-get install beanstalkd)")
        self.path = os.path.join(temp, f"beanstalkd{random.randrange(1 << 30)}")
        self.process = start(["beanstalkd", "-l", "unix:" + self.path], stderr=subprocess.DEVNULL)
        wait_until(10, self.answers)

    def answers(self):
        try:
            Connection(self.path).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        if os.path.exists(self.path):
            os.unlink(self.path)

    def worked(self):
        return worked(self.process)

    def __call__(self, *words):
        return float(output([program("beanstalk"), self.path, *map(str, words)]))


def wait_until(seconds, condition, every=0.01):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise RuntimeError(f"waited {seconds} s in vain")
        time.sleep(every)


# --- peers: fetched once, by their ordinary clients, into build/bench ---


class Skip(Exception):
    pass


BULLMQ, IOREDIS, REDISSON = "6.7.0", "6.0.0", "3.52.0"  # those in Go: go/*/go.mod


def caches():
    """The variables that keep what npm and go fetch and note out of the caller's home. Their settings are still read there."""
    home, cache = os.path.expanduser("~"), os.path.join(OUT, "cache")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return {"npm_config_cache": os.path.join(cache, "npm"), "npm_config_update_notifier": "false",
            "GOPATH": os.path.join(cache, "go"), "GOMODCACHE": os.path.join(cache, "go/pkg/mod"),
            "GOCACHE": os.path.join(cache, "go-build"),
            "GOENV": os.environ.get("GOENV") or os.path.join(config, "go/env"), "XDG_CONFIG_HOME": os.path.join(cache, "config"),
            "GOFLAGS": (os.environ.get("GOFLAGS", "") + " -modcacherw").strip()}  # make clean can remove it


def fetch(argv, folder):
    env = {**os.environ, **caches()}
    try:
        output(argv, cwd=folder, env=env)
    except RuntimeError as e:
        print(f"bench: {e}", file=sys.stderr)
        raise Skip(f"{argv[0]} could not get or build it") from None


def fresh(name, content):
    """Whether build/bench/NAME holds what was made of content; else an empty folder for it."""
    folder = os.path.join(OUT, name)
    stamp = os.path.join(folder, "made-of")
    if os.path.exists(stamp) and open(stamp).read() == content:
        return folder, None
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder, lambda: open(stamp, "w").write(content)


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Skip(f"{tool} not found")


def bullmq():
    need("node", "npm")
    wanted = [f"bullmq@{BULLMQ}", f"ioredis@{IOREDIS}"]
    folder, made = fresh("node", " ".join(wanted))
    if made:
        fetch(["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", *wanted], folder)
        made()
    return ["node", os.path.join(HERE, "bullmq.js")], {"cwd": folder}


def in_go(name):
    """That of go/NAME. Its go.sum is kept here: the public database has no checksum of delayqueue."""
    def made_of():
        need("go")
        sources = {file: open(os.path.join(HERE, "go", name, file)).read() for file in ("main.go", "go.mod", "go.sum")}
        folder, made = fresh("go-" + name, "".join(sources.values()))
        if made:
            for file, text in sources.items():
                with open(os.path.join(folder, file), "w") as f:
                    f.write(text)
            fetch(["go", "build", "-o", "bench", "."], folder)
            made()
        return [os.path.join(folder, "bench")], {}
    return made_of


POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>dq</groupId><artifactId>bench</artifactId><version>1</version><dependencies><dependency>
<groupId>org.redisson</groupId><artifactId>redisson</artifactId><version>%s</version>
</dependency></dependencies></project>
"""


def redisson():
    need("mvn", "javac", "java")
    source = os.path.join(HERE, "Redissons.java")
    folder, made = fresh("java", open(source).read() + REDISSON)
    if made:
        with open(os.path.join(folder, "pom.xml"), "w") as f:
            f.write(POM % REDISSON)
        fetch(["mvn", "-B", "-q", f"-Dmaven.repo.local={folder}/repository", "dependency:copy-dependencies",
               f"-DoutputDirectory={folder}/lib"], folder)
        fetch(["javac", "-nowarn", "-cp", f"{folder}/lib/*", "-d", folder, source], folder)
        made()
    return ["java", "-cp", f"{folder}/lib/*:{folder}", "Redissons"], {}


PEERS = {"BullMQ": bullmq, "delayqueue (Go)": in_go("delayqueue"), "asynq": in_go("asynq"), "Redisson": redisson}
cache = {}


def peer_argv(name):
    """The words with which the peer's program starts, and options of the process. Skip where it cannot be had."""
    if name not in cache:
        try:
            cache[name] = PEERS[name]()
        except Skip as e:
            cache[name] = e
    if isinstance(cache[name], Skip):
        raise cache[name]
    return cache[name]


def peer_server(name):
    return Redis(free_port() if name == "Redisson" else 0)


def peer(name):
    """run(MODE, ARG...) -> what the peer's program printed, on a server of its own. Skip as from peer_argv."""
    argv, options = peer_argv(name)

    def go(*words):
        with peer_server(name) as server:
            begun = server.worked()
            out = output([*argv, str(server.port or server.path), *map(str, words)], **options)
            go.worked, go.memory = server.worked() - begun, server.memory()
            return out
    return go


def alternate(rounds, **measures):
    """Each measure in turn, rounds times: figures by name. One that raises Skip is left out, its reason kept in skipped."""
    figures, skipped = {name: [] for name in measures}, {}
    for _ in range(rounds):
        for name, measure in measures.items():
            if name in skipped:
                continue
            try:
                figures[name].append(measure())
            except Skip as e:
                skipped[name] = str(e)
    return {n: f for n, f in figures.items() if f}, skipped


class Ratio(float):
    """The median of the ratios of some rounds; spread: the least and the largest, None after one round."""

    def __new__(cls, ratios):
        self = super().__new__(cls, median(ratios))
        self.spread = (min(ratios), max(ratios)) if len(ratios) > 1 else None
        return self


def ratio(figures, a, b):
    """The median of a/b round by round: what slows the machine for a while slows both."""
    return Ratio([x / y for x, y in zip(figures[a], figures[b])])
