"""check.py [NAME...]: tries every tool against every row of answers.txt (or those rows), and says what is not as it says."""
import concurrent.futures
import functools
import os
import re
import sys
import tempfile
import time

import server
import tool

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = 16 # most of them wait
LINES = 12  # more than that on stderr in a second is a flood
ABSENT = re.compile(rb"dq-[a-z]+: [^ ]+: no such queue yet: .*\n")  # nothing is put where no message is wanted

TOOLS = {
    "put": "dq-put {q} payload",
    "take": "dq-take {q}",
    "wait": "dq-take -w {wait} {q}",
    "ack": "dq-ack {receipt}",
    "promote": "dq-promote {q}",
    "follow": "dq-promote -f --for {wait} {q}",
    "all": "dq-stat",
    "stat": "dq-stat {q}",
    "list": "dq-stat --messages=ready {q}",
    "keys": "dq-stat --keys {q}",
    "key": "dq-stat -k a {q}",
    "show": "dq-stat {q}/id",
    "dump": "dq-dump {q}",
    "gc": "dq-gc --dry-run {q}",
    "check": "dq-gc --check {q}",
    "rm": "dq-rm {q}/id",
    "run": "dq-run --once {q} -- true",
}
GOES_ON = "~"
SAYS_FATE = ("put", "ack", "rm")
REPEATED = re.compile(rb"\{(\d+):([^{}]*)\}") # {TIMES:TEXT} of an answer
UNKNOWN = re.compile(r"perhaps not|[1-9]\d* unknown")


class Row:
    """NAME | WHEN | THEN | EXIT | DONE | STDERR | ANSWER"""

    def __init__(self, line):
        fields = [field.strip() for field in line.rstrip("\n").split(" | ", 6)]
        self.name, self.when, self.then, self.exit, self.done, self.regex, self.text = fields
        self.codes = {}
        for word in self.exit.split():
            names, _, codes = word.rpartition("=")
            for name in names.split(",") if names else TOOLS:
                self.codes[name] = codes.split("/")
        for name in self.codes:
            assert name in TOOLS, "%s: %s" % (self.name, name)
        assert self.done in ("no", "unknown", "-") and self.then in ("go", "close", "reset", "hang", "drip", "flood"), line

    @functools.cached_property
    def answer(self):
        """Some are large, and this process must not be: tools are allowed its size (tool.room)."""
        text = self.text.encode().decode("unicode_escape").encode("latin-1")
        return b"" if self.text == "-" else REPEATED.sub(lambda m: m.group(2) * int(m.group(1)), text)

    def wants(self, name, code):
        codes = self.codes[name]
        return (code == -15 and GOES_ON in codes) or str(code) in codes


def read_table():
    with open(os.path.join(HERE, "answers.txt")) as lines:
        return [Row(line) for line in lines if line.strip() and not line.startswith("#")]


def prepare(row, name, q, env):
    """What is passed on is to find a message."""
    receipt = q + "/id@1"
    if row.when in ("first", "behind"):
        put = tool.run(["dq-put", "-i", "id", q, "payload"], env)
        assert put.code == 0, put
        if name == "ack":
            receipt = tool.run(["dq-take", q], env).out.split(b"\t")[0].decode()
    return receipt


def faults(row, name, url, got):
    """What is wrong with that outcome."""
    if got.code is None:
        yield "hangs"
    elif not row.wants(name, got.code):
        yield "exit status %s, wanted %s" % (got.code, "/".join(row.codes[name]))
    lines = ABSENT.sub(b"", got.err).decode("latin-1").splitlines()
    if row.regex == "-":
        if lines:
            yield "says something"
    elif got.code != 0 and not any(re.search(row.regex.replace("{url}", re.escape(url)), line) for line in lines):
        yield "does not say: " + row.regex
    if got.code not in (0, 1, -15, None) and not lines:
        yield "says nothing"
    if len(lines) > LINES:
        yield "floods: %d lines" % len(lines)
    if any(not line.startswith("dq-") for line in lines):
        yield "a line without the tool's name"
    if tool.raw_bytes(got.err) or tool.raw_bytes(got.out):
        yield "raw bytes: %r" % (tool.raw_bytes(got.err) + tool.raw_bytes(got.out))
    if got.peak > tool.room():
        yield "grew to %d MiB" % (got.peak >> 10)
    if name in SAYS_FATE and row.done != "-" and bool(UNKNOWN.search(got.err.decode("latin-1"))) != (row.done == "unknown"):
        yield "done? wanted: " + row.done


def until(row, name):
    """When to stop a tool that is to go on: when it has said why, or for a while has not ended."""
    if GOES_ON not in row.codes[name]:
        return None
    deadline = time.monotonic() + (tool.PATIENCE if row.regex == "-" else tool.CAP / 2)
    return lambda err: b"\n" in ABSENT.sub(b"", err) or time.monotonic() > deadline


def wait(row, name):
    """How long a tool waits: where an answer to its wait is to end it, long enough for a loaded machine."""
    if row.when == "wait" and row.codes[name] == ["70"]:
        return "1m"
    if name != "follow" or "0" in row.codes[name]:
        return "300ms"
    # --for: a loaded machine needs a while until the answer; dq-promote -f asks for the number of shards several times before it says
    # what is wrong.
    return "5s" if b"DQSHARDS" in row.answer else "3s"


def attempt(job):
    number, row, name = job
    q = "h%d-%d-%s" % (os.getpid(), number, name)
    env = dict(os.environ)
    # What it asks for comes late, or never; where an answer is to end it, it has the time that a loaded machine needs.
    late = row.then in ("hang", "drip", "flood") and row.when not in ("wait", "id") and row.codes[name] not in (["70"], ["78"])
    receipt = prepare(row, name, q, env)
    fake = server.Server("%s/%d" % (folder.name, number), upstream, row.when, row.then, row.answer)
    command = TOOLS[name].format(q=q, receipt=receipt, wait=wait(row, name)).split()
    command[1:1] = ["--timeout", "300ms"] if late else []
    got = tool.run(command, dict(env, DQ_URL=fake.url), until(row, name))
    fake.close()
    return row, name, got, list(faults(row, name, fake.url, got))


def tell(row, name, got, wrong):
    print("%s: %s: %s" % (row.name, TOOLS[name].format(q="Q", receipt="Q/id@1", wait=wait(row, name)), "; ".join(wrong)))
    for stream in got.out, got.err:
        for line in stream[:2000].splitlines()[:4]:
            print("    %r" % line)


def main(names):
    rows = [row for row in read_table() if not names or row.name in names]
    jobs = [(number, row, name) for number, (row, name) in enumerate((row, name) for row in rows for name in row.codes)]
    # Those that wait go first, so that nobody waits for the last of them alone.
    jobs.sort(key=lambda job: job[1].then not in ("hang", "drip", "flood"))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        for row, name, got, wrong in pool.map(attempt, jobs):
            bad += bool(wrong)
            if wrong:
                tell(row, name, got, wrong)
    print("%d rows, %d attempts, %d bad" % (len(rows), len(jobs), bad))
    return 1 if bad or not jobs else 0


if __name__ == "__main__":
    upstream = os.environ["F"] + "/main/s"
    folder = tempfile.TemporaryDirectory()
    sys.exit(main(sys.argv[1:]))
