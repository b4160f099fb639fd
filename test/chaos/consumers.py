"""Who takes and settles, or forgets to."""

import base64
import json
import re
import subprocess
import tempfile
import time
import zlib

import limits
from history import now


def unescape(text):
    table = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"0": b"\0", b"\\": b"\\"}
    return re.sub(rb"\\(.)", lambda found: table[found[1]], text)


def record(line):
    """-> receipt, and the fields of a take."""
    if not line.startswith(b"{"):
        receipt, payload = line[:-1].split(b"\t", 1)
        receipt, payload, fields = receipt.decode(), unescape(payload), {}
    else:
        r = json.loads(line)
        payload = r["payload"].encode() if r["payload"] is not None else base64.b64decode(r["payload_base64"])
        receipt, fields = r["receipt"], {"try_": r["try"], "tries": r["max_tries"], "due": r["due_ms"], "until": r["lease_until_ms"]}
    id, token = receipt.split("@")
    key = payload.split(b" ", 1)[0].decode(errors="replace")
    return receipt, {"id": id, "token": int(token), "key": key, "sum": zlib.crc32(payload), **fields}


class Consumer:
    """FATES: what becomes of a delivery, and how often. late: acked when the lease may be over, forget: never. Where dead messages stop
    their keys, more are buried."""
    FATES = {"ack": 80, "retry": 6, "giveback": 3, "extend": 3, "bury": 1, "forget": 3, "late": 4}
    OPTIONS = {"ack": [], "retry": ["-r", "-m", "chaos"], "giveback": ["-g"], "bury": ["-b"], "extend": ["-x", "2s"]}

    def __init__(self, stage, name, queues=None):
        self.stage, self.name, self.rng, self.queues = stage, name, stage.rng(name), queues or stage.queues
        self.fates = {**self.FATES, "bury": 3} if limits.stops() else self.FATES
        self.later = []  # (when, receipt, take)

    def see(self, line, **more):
        receipt, take = record(line)
        self.stage.history.note("take", **take, **more)
        return receipt, take

    def settle(self, verb, pairs):
        """By a dq-ack of its own."""
        options, fields = list(self.OPTIONS[verb]), {}
        if verb == "retry":
            fields["delay"] = self.rng.randrange(300)
            options += ["-d", f"{fields['delay']}ms"]
        if verb == "extend":
            fields["delay"] = 2000
        ops = [self.begin(verb, take, **fields) for _, take in pairs]
        code, _, err = self.stage.run("ack", ["dq-ack", "--timeout", "1s", *options, *(receipt for receipt, _ in pairs)])
        self.end(zip(ops, pairs), code, err)

    def begin(self, verb, take, **fields):
        return self.stage.history.begin("settle", id=take["id"], token=take["token"], verb=verb, **fields)

    def end(self, settles, code, err):
        """0 and 1 are certain: what is not named was settled."""
        refused = set(re.findall(r"(\S+/\S+): (?:not settled: (?!.*not confirmed)|settled already)", err))
        for op, (receipt, _) in settles:
            if receipt in refused:
                self.stage.history.end(op, "fail", why="refused")
            elif code == 69:
                self.stage.history.end(op, "fail", why="unreached")
            else:
                self.stage.history.end(op, "ok" if code in (0, 1) else "info")

    def handle(self, receipt, take):
        """-> whether it is to be acked now."""
        fate = self.rng.choices(list(self.fates), self.fates.values())[0]
        if fate == "late":
            self.later.append((time.monotonic() + self.rng.uniform(0.3, 2), receipt, take))
        elif fate not in ("ack", "forget"):
            self.settle(fate, [(receipt, take)])
        return fate in ("ack", "extend")

    def settle_late(self):
        due = [entry for entry in self.later if entry[0] <= time.monotonic()]
        self.later = [entry for entry in self.later if entry not in due]
        if due:
            self.settle("ack", [entry[1:] for entry in due])


class Batches(Consumer):
    """dq-take -w, then one dq-ack."""

    def __call__(self):
        while not self.stage.closing:
            count, ttr, form = self.rng.choice((1, 5, 50)), self.rng.randrange(400, 1500), self.rng.choice(([], ["--json"]))
            since = now()
            code, out, _ = self.stage.run("take", ["dq-take", "-w", "700ms", "-n", str(count), "-t", f"{ttr}ms", *form, *self.queues])
            pairs = [self.see(line, since=since, ttr=ttr, process=since) for line in out.splitlines(True) if line.endswith(b"\n")]
            pairs = [pair for pair in pairs if self.handle(*pair)]
            if pairs:
                self.settle("ack", pairs)
            self.settle_late()
            if code == 69:
                time.sleep(0.05)


class Pipeline(Consumer):
    """dq-take -f | us | dq-ack. If one end dies, the others go, too."""

    def read(self, take, ack, process):
        settles = []
        for line in take.stdout:
            if not line.endswith(b"\n"):
                break
            receipt, fields = self.see(line, process=process)
            if self.handle(receipt, fields):
                settles.append((self.begin("ack", fields), (receipt, fields)))
                ack.stdin.write(receipt.encode() + b"\n")
            self.settle_late()
            if self.rng.random() < 0.002:
                break  # the reader dies
        return settles

    def __call__(self):
        while not self.stage.closing:
            process, settles = now(), []
            with tempfile.TemporaryFile() as errors:
                ack = self.stage.spawn("ack", ["dq-ack"], stdin=subprocess.PIPE, stderr=errors, bufsize=0)
                take = self.stage.spawn("take", ["dq-take", "-f", "-n", str(self.rng.choice((1, 3, 20))), "--json", *self.queues],
                                        stdout=subprocess.PIPE)
                try:
                    settles = self.read(take, ack, process)
                except BrokenPipeError:
                    settles = []  # all without an end: unknown
                take.stdout.close()
                take.terminate()
                ack.stdin.close()
                code = self.stage.gone(ack)
                self.stage.gone(take)
                errors.seek(0)
                self.end(settles, code, errors.read().decode())
            time.sleep(0.02)
