"""Steps on the server and in the model, and whether they agree: the reply, and all that the keys hold."""
import re

import wire
from limits import limits_of
from message import HELD, SPAN, Refusal
from model import Queue
from within import Within

READS = {"show", "list", "stat", "walk"}  # the server holds them to that: flags=no-writes
INDEXES, LEASED = range(1, 5), 3  # of a snapshot: delayed ready leased dead
DENIED = (b"user executing the script", b"ACL failure in script")  # Redis 7.0; Redis 8 and Valkey
AUDITED = "all leased ready delayed dead try failing expiry outcome keyed msg".split()


class Mismatch(Exception):
    pass


def shown(value):
    text = repr(value)
    return text if len(text) < 600 else text[:600] + "..."


def call_text(step):
    return " ".join(repr(a) if a.__class__ is bytes or a == "" else str(a) for a in step)


def is_refused_by_clock(what, args):
    """What writes, unless its arguments are refused before."""
    return (what not in READS and what not in ("mark", "touch") and (what != "audit" or args[-1] == 1) and
            (what != "shards" or args[2] != "65") and
            (what != "put" or 0 <= args[2] <= 255 and (args[3] == "" or args[3] > 0)))


def told(queue, now):
    """The number of shards that a call says at that time: now and then another one."""
    shards = queue.stat.get(b"shards", 0)
    return shards if now % 64 else shards + 6 if shards < 6 else 0


def apply(queue, step):
    """One step in the model: what the server has to reply."""
    what, *args = step
    if what == "!flush":
        return b"OK"
    if what == "!pop":
        if args == ["wake"]:
            had, queue.ready_mark = queue.ready_mark, False
            return [b"r", b"0"] if had else []
        what = args[0] + "_mark"
        had = getattr(queue, what)
        setattr(queue, what, None)
        return [] if had is None else [b"t" if what == "timer_mark" else b"u", b"%d" % had]
    if what != "shards" and told(queue, args[0]) != queue.stat.get(b"shards", 0):
        return Refusal(b"DQSHARDS")
    if args[0] >= SPAN and is_refused_by_clock(what, args):
        return Refusal(b"DQCLOCK")
    reply = getattr(queue, "stat_reply" if what == "stat" else what)(*args)
    queue.ready_mark = queue.ready_mark and any(m.state == "ready" for m in queue.messages.values())
    return reply


def numbers(values):
    return [int(v) if v.isdigit() else v for v in values]


def is_as_wanted(what, wanted, reply):
    if isinstance(wanted, Refusal):
        others = (b"DQRANGE",) if wanted == b"DQSHARDS" else ()  # arguments are looked at before
        return isinstance(reply, wire.Error) and reply.split(b" ")[0] in (wanted, *others)
    if isinstance(reply, wire.Error):
        return False
    if what == "stat":  # the counters have no order
        return reply[:30] == wanted[:30] and dict(zip(reply[30::2], numbers(reply[31::2]))) == wanted[30]
    if what == "take" and wanted[3] == 1:  # while more is ready the next move may be told as earlier than it is
        return wanted[0] // 1000 < reply[2] <= wanted[2] and [*reply[:2], wanted[2], *reply[3:]] == wanted or reply == wanted
    if what == "audit":  # bytes looked at: not modelled
        return [reply[0], *reply[2:]] == wanted
    if what == "walk":  # in the order of a hash; one slice has all
        width = 3 if wanted[1] and len(wanted[1][0]) == 3 else 10
        return reply[:2] == [b"0", wanted[0]] and sorted(zip(*[iter(reply[2:])] * width)) == wanted[1]
    if what == "list" and wanted and isinstance(wanted[-1], tuple):
        score, id = reply[-1].split(b" ", 1)
        return reply[:-1] == wanted[:-1] and (float(score), id) == wanted[-1]
    return reply == wanted


def differences(wanted, got):
    for part, a, b in zip(wire.PARTS, wanted, got):
        for k in sorted(set(a) | set(b)):
            if a.get(k) != b.get(k):
                yield "  %s %s: wanted %s, got %s" % (part, k.decode(), shown(a.get(k)), shown(b.get(k)))


class Dumps:
    """Dumps as snapshots. Most keys are as they were the time before."""

    def __init__(self):
        self.raw = [None] * len(wire.PARTS)
        self.parsed = [None] * len(wire.PARTS)

    def parse(self, dump):
        if dump.__class__ is not bytes:
            raise Mismatch("the keys cannot be read: %s" % shown(dump))
        for i, raw in enumerate(dump.split(b"\2")):
            if raw != self.raw[i]:
                words = raw.split(b"\1") if raw else []
                values = words[1::2]
                if wire.PARTS[i] == "stat":
                    values = numbers(values)
                elif wire.PARTS[i] not in wire.HASHES:
                    values = map(float, values)
                self.raw[i], self.parsed[i] = raw, dict(zip(words[::2], values))
        return tuple(self.parsed)


def first_words(entry):
    return b" ".join(entry.split(b" ")[:3])


def first_due(entry):
    found = re.match(rb"[\d+]+ \d+ \d+<(\d+)", entry)
    return found and int(found[1])


def check_fault(step, before, after, got, mended):
    """A call ended in its middle: all is there that was not to go, nothing that was not to come, and the audit mends it."""
    put = tuple(a for a in step if a.__class__ is bytes and b"\n" in a)  # one id may be there more than once
    if "edit" in step or "only-edit" in step:
        put = tuple(a[a.index(b"\n"):] for a in put)
    for id in sorted(set(before[0]) & set(after[0])):
        record = got[0].get(id, b"")
        if record not in (before[0][id], after[0][id]) and not record.endswith(put):
            raise Mismatch("%s: wanted the record, got %s" % (id.decode(), shown(got[0].get(id))))
        states = [i for i in INDEXES if id in got[i]]
        if not states:
            raise Mismatch("%s is in no state" % id.decode())
        if states == [LEASED] and id not in got[5]:
            raise Mismatch("%s is leased, and nobody can settle it" % id.decode())
    for id in sorted(got[0]):
        if id not in before[0] and id not in after[0]:
            raise Mismatch("%s: nobody put it" % id.decode())
    for id, entry in before[5].items():
        left = mended[5].get(id, b"")
        words = left.split(b" ")
        is_anew = int(re.match(rb"\d*", words[2])[0] or 0) == HELD if len(words) > 2 else False  # it is in its new place
        if b">" in first_words(entry) and words[1:2] == entry.split(b" ")[1:2] and b">" not in first_words(left) and not is_anew:
            raise Mismatch("%s: nobody knows that it was rescheduled: %s" % (id.decode(), shown(left)))
    if mended[0] != got[0]:
        raise Mismatch("a repair changes records")
    states = sorted(id for i in INDEXES for id in mended[i])
    if states != sorted(mended[0]) or not set(mended[3]) <= set(mended[5]) <= set(mended[0]):
        raise Mismatch("after a repair: records %s, states %s, leased %s, tries %s" %
                       (sorted(mended[0]), states, sorted(mended[3]), sorted(mended[5])))
    firsts = {id: first_due(entry) for id, entry in mended[5].items() if first_due(entry)}
    if firsts != {id: int(score) for id, score in mended[13].items()}:
        raise Mismatch("after a repair: first due times %s, failing %s" % (firsts, mended[13]))
    limits = limits_of(mended[8])
    if mended[6].get(b"limits", b"") != limits:
        raise Mismatch("after a repair: settings %s, limits %s" % (mended[8], mended[6].get(b"limits")))


class Play:
    """One episode. send() goes ahead, check() reads what came of it."""

    def __init__(self, w, scripts, dumps):
        self.wire, self.scripts, self.dumps = w, scripts, dumps
        self.queue, self.within = Queue(), Within()
        self.snapshot = self.queue.snapshot()
        w.send(b"FLUSHALL")
        self.to_skip, self.told = 1, 0

    def send_script(self, what, *args):
        if args and self.told and "shards" not in what:
            args = "%d/%d" % (args[0], self.told), *args[1:]
        n = self.scripts.send(self.wire, what, *args)
        self.to_skip += n - 1
        skip, self.to_skip = self.to_skip, 0
        return skip

    def send(self, step):
        """What check() needs."""
        what, args = step[0], step[1:]
        if what == "!fault":
            return self.send_fault(step)
        if what[0] != "!":
            self.told = told(self.queue, args[0])
        wanted = apply(self.queue, step)
        if what in READS:
            return step, self.send_script(what, *args), wanted, None, 0
        self.snapshot = self.queue.snapshot()
        if what[0] != "!":
            return step, self.send_script(what, *args), wanted, self.snapshot, self.send_script("dump")
        skip, self.to_skip = self.to_skip, 0
        if what == "!flush":
            self.scripts.forget(self.wire)
        else:
            self.wire.send(b"ZPOPMIN", wire.KEYS[wire.PARTS.index(args[0])])
        return step, skip, wanted, self.snapshot, self.send_script("dump")

    def send_fault(self, step):
        _, denied, what, now, *args = step
        before = self.snapshot
        self.told = told(self.queue, now)
        wanted = apply(self.queue, step[2:])
        self.wire.send(b"AUTH", b"sim-" + denied.encode(), b"x")
        self.to_skip += 1
        skip = self.send_script("blind " + what, now, *args)
        self.wire.send(b"AUTH", b"default", b"x")
        self.to_skip += 1
        dump = self.send_script("dump")
        audits = [self.send_script("audit", now, part, 0, 1000, repair) for repair in (1, 0) for part in AUDITED]
        return step, skip, wanted, (before, self.queue.snapshot(), dump, audits), self.send_script("dump")

    def reply(self, skip=0):
        for _ in range(skip):
            self.wire.reply()
        return self.wire.reply()

    def check(self, sent):
        """The reply."""
        step, skip, wanted, snapshot, dump_skip = sent
        reply = self.reply(skip)
        if step[0] == "!fault":
            return self.check_fault(step, reply, wanted, snapshot, dump_skip)
        dump = snapshot and self.reply(dump_skip)
        if not is_as_wanted(step[0], wanted, reply):
            raise Mismatch("reply: wanted %s, got %s" % (shown(wanted), shown(reply)))
        if snapshot:
            keys = self.dumps.parse(dump)
            self.compare(snapshot, keys)
            too_much = self.within.see(step, reply, dict(zip(wire.PARTS, keys)))
            if too_much:
                raise Mismatch(too_much)
        return reply

    def compare(self, wanted, got):
        if wanted != got:
            raise Mismatch("keys:\n" + "\n".join(differences(wanted, got)))

    def check_fault(self, step, reply, wanted, snapshot, dump_skip):
        before, after, first_skip, audits = snapshot
        got = self.dumps.parse(self.reply(first_skip))
        found = [self.reply(skip) for skip in audits]
        mended = self.dumps.parse(self.reply(dump_skip))
        if not isinstance(reply, wire.Error) or isinstance(wanted, Refusal):
            if not is_as_wanted(step[2], wanted, reply):
                raise Mismatch("reply: wanted %s, got %s" % (shown(wanted), shown(reply)))
            return self.compare(after, got)
        if not any(words in reply for words in DENIED):
            raise Mismatch("reply: wanted a command denied, got %s" % shown(reply))
        check_fault(step, before, after, got, mended)
        for part, slice in zip(AUDITED, found[len(AUDITED):]):
            if isinstance(slice, wire.Error) or slice[2:] != [1]:
                raise Mismatch("after a repair of %s: %s" % (part, shown(slice)))
        return reply
