"""A history: what was tried and what came of it, as JSON lines. All times are ns of this host's CLOCK_MONOTONIC, taken by
whoever writes the line: before it does a thing, and after it has seen what came of it.

An operation is a line of type invoke, and one of type ok, fail (certainly not done) or info (unknown) with the same op; one
without a second line is info. A line without op is an operation by itself.

  put      key id delay ttr sum priority   one attempt; times in ms, sum is the payload's, key is what names it there
  take     id token key sum try_ tries due until since ttr process
                                           one delivery, seen at t; since: when its dq-take was started, if that is known;
                                           due and until are ms by the server's clock, which also made the token
  settle   id token verb delay             verb: ack retry extend bury giveback; a fail has why: refused or unreached
  redrive                                  dq-promote --dead
  remove   id                              dq-rm --state dead
  hold     name value ms                   dq-set paused:KEY=; name: QUEUE/KEY; value: yes, no, or a duration, which is then also in ms
  woken    name late                       a taker waited while the key was paused, and got its message so many ms after that; none: never
  kill     role, stop, server-kill, ...    faults
  audit    faults                          what dq-gc --check printed
  rest     ids faults                      nobody at work: what is stored, and what is wrong with it
  counters put acked ...                   those of the queue, at the end
  keys     most serial stop                of a key of messages at most so many may be leased; only the next one; none behind a dead one
  calm, empty                              the faults ended; the queue was empty (within bound ms, or I9 is hurt)
  hang     command                         a tool that did not come back
"""

import json
import threading
import time


def now():
    return time.monotonic_ns()


class Op:
    """Fields that were not written are None."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __repr__(self):
        fields = {k: v for k, v in self.__dict__.items() if k not in ("what", "invoke", "end", "outcome", "op") and v is not None}
        return f"{self.what} {self.outcome} " + " ".join(f"{k}={v}" for k, v in fields.items())


class History:
    """Written by many threads."""

    def __init__(self, path):
        self.path, self.lock, self.ops = path, threading.Lock(), 0
        self.counts = {}
        self.file = open(path, "w", 1 << 16)

    def write(self, event):
        line = json.dumps(event, separators=(",", ":")) + "\n"
        with self.lock:
            if not self.file.closed:  # else it is judged already, and a thread that hung goes on
                self.file.write(line)

    def begin(self, what, **fields):
        with self.lock:
            self.ops += 1
            op = self.ops
        self.write({"op": op, "type": "invoke", "t": now(), "what": what, **fields})
        return op

    def end(self, op, outcome, **fields):
        self.write({"op": op, "type": outcome, "t": now(), **fields})

    def note(self, what, t=None, **fields):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
        self.write({"type": "ok", "t": t or now(), "what": what, **fields})

    def flush(self):
        with self.lock:
            self.file.flush()

    def close(self):
        self.file.close()


def read(paths, growing=False):
    """The operations of some files, by the time they began. growing: a last line may be half written."""
    ops, pending = [], {}
    for path in paths:
        with open(path) as lines:
            for line in lines:
                if growing and not line.endswith("\n"):
                    break
                event = json.loads(line)
                number, kind, t = event.pop("op", None), event.pop("type"), event.pop("t")
                if number in pending:
                    op = pending.pop(number)
                    op.end, op.outcome = t, kind
                    op.__dict__.update(event)
                    continue
                done = kind != "invoke"
                op = Op(invoke=t, end=t if done else None, outcome=kind if done else "info", **event)
                ops.append(op)
                if number is not None:
                    pending[number] = op
    ops.sort(key=lambda op: op.invoke)
    return ops
