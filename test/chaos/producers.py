"""Who puts, and puts again until it is certain."""

import os
import re
import time
import zlib

REFUSED = r"not put: (?:there is such a message already|its message was acked, .*)$"


class Message:
    def __init__(self, rng, key, lines, of=""):
        self.key, self.id = key, f"{of}+{key}" if of else key
        self.delay = rng.choice((0, 0, rng.randrange(300), rng.randrange(3000)))
        size = rng.choice((0, 10, 100, 1000, 20000 if rng.random() < 0.1 else 50))
        filler = rng.randbytes(size)
        if lines:
            filler = filler.replace(b"\n", b"-")
        self.payload = key.encode() + b" " + filler
        self.sum = zlib.crc32(self.payload)

    def tsv(self):
        text = self.payload.replace(b"\\", b"\\\\")
        for raw, escape in ((b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\0", b"\\0")):
            text = text.replace(raw, escape)
        return b"%dms\t%s\t%s\n" % (self.delay, self.id.encode(), text)


def put_outcome(code, err):
    """Of what has no name on standard output."""
    if code in (69, 64, 65):
        return "fail"
    unsure = "perhaps" in err or "not confirmed" in err or "or not put" in err or re.search(r"[1-9]\d* unknown", err)
    if code == 75 and not unsure and ("not put" in err or " 0 unknown" in err):
        return "fail"
    return "info"


class Producer:
    def __init__(self, stage, name, queues=None):
        self.stage, self.name, self.rng, self.n = stage, name, stage.rng(name), 0
        self.queues = queues or stage.queues
        self.queue = self.queues[0]
        self.rest = float(os.environ.get("REST") or 0.02)
        self.priority = 100
        self.keys = ["", *(f"k{n + 1}" for n in range(int(os.environ.get("KEYS") or 0)))]  # "": none

    def message(self, lines=False, of=None):
        self.n += 1
        return Message(self.rng, f"{self.name}-{self.n}", lines, self.rng.choice(self.keys) if of is None else of)

    def command(self, ttr, *more):
        self.priority = self.rng.choice((0, 100, 255))
        # Ids stay taken after the ack, so that a put that is repeated late makes no second message.
        return ["dq-put", "--timeout", "400ms", "--connect-timeout", "400ms", "--unique-for", "1h", "-t", f"{ttr}ms", "-r",
                str(self.rng.choice((2, 5, 20))), "-b", "50ms,200ms", "-p", str(self.priority), *more, self.queue]

    def begin(self, messages, ttr, known=True):
        return [self.stage.history.begin("put", key=m.key, id=f"{self.queue}/{m.id}" if known else None, delay=m.delay, ttr=ttr, sum=m.sum,
                                         priority=self.priority) for m in messages]

    def sure(self, *names):
        self.stage.sure.update(dict.fromkeys(names, time.monotonic()))

    def single(self):
        of, ttr = self.rng.choice(self.keys), self.rng.randrange(400, 1500)
        m = self.message(of=of)
        command = self.command(ttr, *["-k", of] * bool(of), "-i", m.key, "-d", f"{m.delay}ms")
        while True:
            op, = self.begin([m], ttr)
            code, _, err = self.stage.run("put", command, m.payload)
            # 1: the id is taken, and nobody else uses it.
            outcome = "ok" if code in (0, 1) else put_outcome(code, err)
            self.stage.history.end(op, outcome, code=code)
            if outcome == "ok":
                self.sure(f"{self.queue}/{m.id}")
                return
            time.sleep(self.rng.uniform(0, 0.1))

    def bulk(self):
        """With ids of ours; what is not certain is repeated."""
        left, ttr = [self.message() for _ in range(self.rng.randrange(2, 60))], self.rng.randrange(400, 1500)
        command = self.command(ttr, "--tsv")
        while left:
            ops = self.begin(left, ttr)
            code, out, err = self.stage.run("put", command, b"".join(m.tsv() for m in left))
            there = set(re.findall(rf"^{self.queue}/(\S+)$", out.decode(), re.M))
            # Nobody else uses these ids. A line is named by its number or, without a delay, by its id.
            there |= set(re.findall(rf"{self.queue}/(\S+): {REFUSED}", err, re.M))
            lines = re.findall(rf"standard input: line (\d+): {REFUSED}", err, re.M)
            there |= {left[int(n) - 1].id for n in lines}
            for op, m in zip(ops, left):
                self.stage.history.end(op, "ok" if m.id in there else put_outcome(code, err), code=code)
            self.sure(*(f"{self.queue}/{m.id}" for m in left if m.id in there))
            left = [m for m in left if m.id not in there]

    def lines(self):
        """With ids of dq-put's; what is not certain stays so."""
        messages, ttr, delay = [self.message(True) for _ in range(self.rng.randrange(2, 60))], 900, self.rng.randrange(1000)
        of = self.rng.choice(self.keys)
        for m in messages:
            m.delay = delay
        command = self.command(ttr, *["-k", of] * bool(of), "-l", "-d", f"{delay}ms")
        ops = self.begin(messages, ttr, known=False)
        code, out, err = self.stage.run("put", command, b"".join(m.payload + b"\n" for m in messages))
        ids = re.findall(rf"^{self.queue}/(\S+)$", out.decode(), re.M)
        if len(ids) != len(messages):
            ids = [None] * len(messages)
        for op, id in zip(ops, ids):
            fields = {"id": f"{self.queue}/{id}"} if id else {}
            self.stage.history.end(op, "ok" if id else put_outcome(code, err) if not out else "info", code=code, **fields)
            self.sure(*fields.values())

    def __call__(self):
        while self.stage.running:
            if self.stage.backlog > self.stage.most + self.stage.load:
                time.sleep(0.05)
                continue
            self.queue = self.rng.choice(self.queues)
            self.rng.choices((self.single, self.bulk, self.lines), (40, 2, 1))[0]()
            time.sleep(self.rng.uniform(0, self.rest))


class Load(Producer):
    """Messages that are there before anything breaks: due in the next seconds, and then one after the other as consumers find time."""
    CHUNK, SPAN = 2000, 30000  # messages a call; ms

    def fill(self, count):
        for begin in range(0, count, self.CHUNK):
            self.queue = self.queues[begin // self.CHUNK % len(self.queues)]
            messages = [self.loaded() for _ in range(min(self.CHUNK, count - begin))]
            ops = self.begin(messages, 1500)
            command = ["dq-put", "-q", "--tsv", "--timeout", "30s", "--unique-for", "1h", "-t", "1500ms", "-r", "20", "-b", "50ms,200ms"]
            if os.environ.get("DQ_WAIT_REPLICAS"):
                command += ["--wait-replicas", "1,20s"]  # nothing is broken yet, only busy
            code, _, err = self.stage.run("put", [*command, self.queue], b"".join(m.tsv() for m in messages))
            if code:
                raise RuntimeError(f"load: exit status {code}: {err}")
            for op in ops:
                self.stage.history.end(op, "ok", code=0)

    def loaded(self):
        m = self.message()
        m.delay = self.rng.randrange(self.SPAN)
        return m
