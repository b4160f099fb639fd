#!/usr/bin/env python3
"""The checker flags a small history that breaks a promise, by the promise's name alone, and passes one that does not."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import checker
import faults
import history
import limits
from history import Op

within_limits = limits.within_limits

MS = checker.MS
SERVER = 1_700_000_000_000  # ms of the server's clock when the checker's is 0


def op(what, start, end=None, outcome="ok", **fields):
    """Times in ms."""
    return Op(what=what, invoke=start * MS, end=None if outcome == "info" else (end or start + 1) * MS, outcome=outcome, **fields)


def put(start=0, outcome="ok", key="a", **fields):
    return op("put", start, outcome=outcome, **{"key": key, "id": key, "delay": 0, "ttr": 500, "sum": 1, **fields})


def take(seen, at=None, id="a", since=None, **fields):
    """A delivery made at `at` by the server's clock, of 500 ms."""
    at = seen - 1 if at is None else at
    fields["since"] = since and since * MS
    token = (SERVER + at) * 1000
    return op("take", seen, seen, id=id, token=token, **{"key": id, "sum": 1, "until": SERVER + at + 500, **fields})


def settle(start, take, verb="ack", outcome="ok", **fields):
    return op("settle", start, outcome=outcome, id=take.id, token=take.token, verb=verb, **fields)


def rest(*ids, faults=()):
    return op("rest", 9000, ids=list(ids), faults=list(faults))


def counters(put=1, acked=1, taken=1, **more):
    return op("counters", 9000, put=put, acked=acked, taken=taken, **more)


FIRST, SOON, LATE = take(10), take(100), take(600)
KNOWN = take(10, since=8)  # by a dq-take that was started at 8
HOMES = op("homes", 0, 0, homes={"one": 0, "two": 1})


def busy(until):
    """A delivery of the second node's queue each half second, to that time."""
    ids = [f"two/{n}" for n in range(1, until // 500 + 1)]
    return [HOMES, rest(*ids), *(put(key=id) for id in ids), *(take(500 * n, id=id) for n, id in enumerate(ids, 1))]


def away(end, node=0):
    return op("away", end, end, how="kill", node=node, since=0)


def keyed(most=1, serial=True, stop=False):
    return op("keys", 0, most=most, serial=serial, stop=stop)


def tried(seen, n):
    return take(seen, id="q/k+1", key="k+1", try_=n, tries=5)


def in_order(first, second, due, **more):
    """Two messages of a key, put one after the other, and when they were delivered."""
    takes = [take(seen, id=f"q/k+{n}", key=f"k+{n}", due=SERVER + at) for n, seen, at in ((1, first, due[0]), (2, second, due[1]))]
    puts = [put(0, key="k+1", id="q/k+1", priority=100), put(2, key="k+2", id="q/k+2", **{"priority": 100, **more})]
    return [*puts, *takes, *(settle(seen + 1, of) for seen, of in zip((first, second), takes)), rest()]


# A message of key k, and another one, each put and taken.
ONE = [put(key="k+1", id="q/k+1"), take(10, id="q/k+1", key="k+1")]
OTHER = [put(key="k+2", id="q/k+2"), take(100, id="q/k+2", key="k+2")]
TWO_AT_ONCE = OTHER[1]
CALM = op("calm", 1000, 1000, bound=5000)

def stopped(*ops, end="bury", stop=True, since=90, left=("q/k+1",), **died):
    """One of a key dies, and after that the other one is delivered."""
    first, second = tried(10, 5), take(100, id="q/k+2", key="k+2", since=since)
    return [keyed(stop=stop), ONE[0], first, settle(20, first, end, **died), *ops, OTHER[0], second, settle(120, second), rest(*left)]


def hold(start, value, ms=None, outcome="ok", name="q/k"):
    return op("hold", start, outcome=outcome, name=name, value=value, ms=ms)


def held(*holds, since=90):
    """One is delivered about then, of a key with these pauses."""
    seen = take(100, id="q/k+2", key="k+2", since=since)
    return [*holds, OTHER[0], seen, settle(120, seen), rest()]


# For each promise: histories that keep it and histories that break it, each with a reason why it is here.
KEPT = [
    ("put, taken, acked", [put(), FIRST, settle(20, FIRST), rest(), counters()]),
    ("I1: still stored", [put(), rest("a")]),
    ("I1: not known to be put", [put(outcome="info"), rest()]),
    ("I1b: perhaps acked", [put(), FIRST, settle(20, FIRST, outcome="info"), rest()]),
    ("I3: after its delay", [put(delay=9), FIRST, settle(20, FIRST), rest()]),
    ("I3: a retry after its delay", [put(), take(10, try_=1, tries=5), settle(20, FIRST, "retry", delay=79),
                                     take(100, try_=2, tries=5), settle(120, SOON), rest()]),
    ("I3: a retry that made it dead has no delay", [put(), take(10, try_=5, tries=5), settle(20, FIRST, "retry", delay=500),
                                                    SOON, settle(120, SOON), rest()]),
    ("I4: the lease ran out", [put(), FIRST, LATE, settle(620, LATE), rest()]),
    ("I4: given back", [put(), FIRST, settle(20, FIRST, "giveback"), SOON, settle(120, SOON), rest()]),
    ("I4: perhaps given back", [put(), FIRST, settle(20, FIRST, "giveback", "info"), SOON, settle(120, SOON), rest()]),
    ("I5: taken before, seen late", [put(), FIRST, LATE, settle(620, LATE), take(700, 520, until=SERVER + 550), rest()]),
    ("I6: seen in another order by others", [put(), take(700, 9, process=1), take(600, process=2), settle(620, LATE), rest()]),
    ("I7: the later one was seen after the settling began", [put(), FIRST, settle(595, FIRST, "retry", delay=0), LATE,
                                                           settle(620, LATE), rest()]),
    ("I7: refused", [put(), FIRST, LATE, settle(610, FIRST, outcome="fail", why="refused"), settle(620, LATE), rest()]),
    ("I8: nothing found", [put(), FIRST, settle(20, FIRST), op("audit", 500, faults=[]), rest()]),
    ("I13: others went on", [*busy(4000), away(4000)]),
    ("I13: the machine stood still", [*busy(2000), op("late", 3900, 3900, ms=1200), away(4000)]),
    ("I13: producers waited for the limits", [*busy(2000), away(4000), op("limits", 9000, faults=[], deliveries=9, leased=1, begun=1)]),
    ("I14: within the limits, and free at the end", [op("limits", 9000, faults=[], deliveries=9, leased=1, begun=1),
                                                     op("places", 9000, queue="q", got=7, most=7)]),
    ("I15: one after the other", [keyed(), *ONE, settle(20, take(10, id="q/k+1")), *OTHER, settle(120, TWO_AT_ONCE), rest()]),
    ("I15: two keys", [keyed(), *ONE, put(key="l+2", id="q/l+2"), take(100, id="q/l+2", key="l+2"), settle(120, take(100, id="q/l+2")),
                       settle(120, ONE[1]), rest()]),
    ("I15: two may be", [keyed(most=2), *ONE, *OTHER, settle(120, ONE[1]), settle(120, TWO_AT_ONCE), rest()]),
    ("I15: perhaps settled", [keyed(), *ONE, settle(20, ONE[1], outcome="info"), *OTHER, settle(120, TWO_AT_ONCE), rest()]),
    ("I16: in order", [keyed(), *in_order(10, 100, due=(1, 3))]),
    ("I16: one was moved", [keyed(), *in_order(100, 10, due=(90, 3))]),
    ("I16: the other one is more urgent", [keyed(), *in_order(100, 10, due=(1, 3), priority=0)]),
    ("I16: not serial", [keyed(most=2, serial=False), *in_order(100, 10, due=(1, 3))]),
    ("I1: removed, and never seen", [put(), op("remove", 20, id="a"), rest(), counters(acked=0, removed=1)]),
    ("I1b: perhaps removed", [put(), FIRST, op("remove", 20, id="a", outcome="info"), rest()]),
    ("I17: redriven", stopped(op("redrive", 50))),
    ("I17: perhaps redriven", stopped(op("redrive", 15, outcome="info"))),
    ("I17: removed", stopped(op("remove", 50, id="q/k+1"), left=())),
    ("I17: dead ones stop nothing", stopped(stop=False)),
    ("I17: perhaps taken before it died", stopped(since=15)),
    ("I17: perhaps it did not die", stopped(outcome="info")),
    ("I18: resumed", held(hold(30, "yes"), hold(60, "no"))),
    ("I18: perhaps resumed", held(hold(30, "yes"), hold(60, "no", outcome="info"))),
    ("I18: over", held(hold(30, "50ms", ms=50))),
    ("I18: not known to be paused", held(hold(30, "yes", outcome="info"))),
    ("I18: perhaps taken before it was paused", held(hold(30, "yes"), since=20)),
    ("I18: another key", held(hold(30, "yes", name="q/k2"), hold(30, "yes", name="r/k"))),
    ("I18: another server took over", held(hold(30, "yes"), op("failover", 50, how="kill"))),
    ("I18: woken", [op("woken", 9000, name="q/k", late=20)]),
    ("I9: soon empty", [CALM, op("empty", 3000)]),
    ("I10: one unseen", [put(), take(10, try_=1), take(600, try_=3), settle(620, LATE), counters(taken=3), rest()]),
    ("I10: given back", [put(), take(10, try_=1), settle(20, FIRST, "giveback"), take(600, try_=1), settle(620, LATE), rest()]),
    ("I10: redriven", [put(), take(10, try_=5), op("redrive", 510), take(600, try_=1), settle(620, LATE), rest(),
                       counters(taken=6, redriven=1)]),
    ("I10: redriven before it was seen", [put(), take(700, 9, try_=5), op("redrive", 510), take(800, try_=1),
                                          settle(820, take(800)), rest()]),
    ("I11: repeated", [put(outcome="info"), put(5), FIRST, settle(20, FIRST), counters(), rest()]),
    ("I12: not put, then put", [put(outcome="fail"), put(5), FIRST, settle(20, FIRST), rest()]),
    ("I12: refused after the lease", [put(), KNOWN, settle(600, KNOWN, outcome="fail", why="refused"),
                                      LATE, settle(620, LATE), rest()]),
    ("I12: refused after another settling", [put(), KNOWN, settle(20, KNOWN, outcome="info"),
                                             settle(30, KNOWN, outcome="fail", why="refused"), rest()]),
]
BROKEN = [
    ("I1", "lost", [put(), rest()]),
    ("I1b", "gone, and every ack was refused", [put(), FIRST, settle(600, FIRST, outcome="fail", why="refused"), rest()]),
    ("I1b", "more gone than acked", [put(), FIRST, settle(20, FIRST), counters(acked=0), rest()]),
    ("I1b", "gone, and its removal failed", [put(), FIRST, op("remove", 20, id="a", outcome="fail"), rest()]),
    ("I2", "never put", [FIRST, settle(20, FIRST), rest()]),
    ("I2", "another payload", [put(), take(10, sum=2), settle(20, FIRST), rest()]),
    ("I3", "before its delay", [put(delay=20), FIRST, settle(20, FIRST), rest()]),
    ("I3", "before its due time", [put(), take(10, due=SERVER + 10), settle(20, FIRST), rest()]),
    ("I3", "before the delay of a retry", [put(), take(10, try_=1, tries=5), settle(20, FIRST, "retry", delay=300),
                                           take(100, try_=2, tries=5), settle(120, SOON), rest()]),
    ("I4", "within the lease, by the server's clock", [put(), FIRST, SOON, settle(120, SOON), rest()]),
    ("I4", "within the lease, by our clock", [put(), take(10, since=8, until=None), SOON, settle(120, SOON), rest()]),
    ("I4", "within an extended lease", [put(), FIRST, settle(20, FIRST, "extend", delay=2000), LATE, settle(620, LATE), rest()]),
    ("I4", "the giving back was refused", [put(), FIRST, settle(20, FIRST, "giveback", "fail"), SOON, settle(120, SOON), rest()]),
    ("I5", "acked, then delivered anew", [put(), FIRST, settle(20, FIRST), LATE, rest()]),
    ("I6", "one token twice", [put(), take(10, until=None), take(60, 9, until=None), settle(70, FIRST), rest()]),
    ("I6", "a lower token later, in one process", [put(), take(600, process=1), take(700, 9, process=1), settle(720, LATE), rest()]),
    ("I6", "a lower token later, begun later", [put(ttr=None), take(600), take(700, 9, since=650), settle(720, LATE), rest()]),
    ("I6", "settled twice", [put(), FIRST, settle(20, FIRST, "bury"), settle(30, FIRST), rest()]),
    ("I7", "a stale receipt counted", [put(), FIRST, LATE, settle(610, FIRST, "extend", delay=500), settle(620, LATE), rest()]),
    ("I8", "found while it ran", [put(), FIRST, settle(20, FIRST), op("audit", 500, faults=["q/a\tno state"]), rest()]),
    ("I8", "found at rest", [put(), FIRST, settle(20, FIRST), rest(faults=["a is both ready and dead"])]),
    ("I9", "late", [CALM, op("empty", 7000)]),
    ("I9", "never empty", [CALM]),
    ("I9", "a tool hangs", [op("hang", 10, command="dq-ack")]),
    ("I10", "fewer tries", [put(), take(10, try_=2), take(600, try_=1), settle(620, LATE), rest()]),
    ("I10", "the same try, not given back", [put(), take(10, try_=1), take(600, try_=1), settle(620, LATE), rest()]),
    ("I10", "anew, and nothing was redriven", [put(), take(10, try_=5), op("redrive", 510), take(600, try_=1), settle(620, LATE),
                                               rest(), counters(taken=6, redriven=0)]),
    ("I10", "more tries than takes", [put(), take(10, try_=3), settle(20, FIRST), counters(taken=2), rest()]),
    ("I11", "two messages of one put", [put(id=None), FIRST, take(20, id="b", key="a"), settle(30, FIRST),
                                        settle(30, take(20, id="b")), rest()]),
    ("I11", "more put than known", [put(), FIRST, settle(20, FIRST), counters(put=2, acked=2), rest()]),
    ("I13", "another node stood still", [*busy(2000), away(4000)]),
    ("I13", "others while a slot moved", [*busy(2000), away(4000, None)]),
    ("I14", "over a limit", [op("limits", 9000, faults=["q: 8 are leased"], deliveries=9, leased=1, begun=1)]),
    ("I14", "a place that is not free", [op("places", 9000, queue="q", got=6, most=7)]),
    ("I14", "a place too many", [op("places", 9000, queue="q", got=8, most=7)]),
    ("I15", "two of a key", [keyed(), *ONE, *OTHER, settle(120, ONE[1]), settle(120, TWO_AT_ONCE), rest()]),
    ("I15", "two of a key, by our clock", [keyed(), ONE[0], take(10, id="q/k+1", key="k+1", since=8, until=None), *OTHER,
                                           settle(120, ONE[1]), settle(120, TWO_AT_ONCE), rest()]),
    ("I15", "a second one, though the first was to be tried again", [
        keyed(), ONE[0], tried(10, 1), settle(20, ONE[1], "retry", delay=79), *OTHER, settle(120, TWO_AT_ONCE),
        tried(150, 2), settle(160, tried(150, 2)), rest()]),
    ("I16", "the other way round", [keyed(), *in_order(100, 10, due=(1, 3))]),
    ("I17", "behind what was buried", stopped()),
    ("I17", "behind what was out of tries", stopped(end="retry")),
    ("I17", "behind what was redriven before it died", stopped(op("redrive", 5))),
    ("I17", "behind what is dead, though another one was removed", stopped(op("remove", 50, id="q/k+3"))),
    ("I18", "of a paused key", held(hold(30, "yes"))),
    ("I18", "before the end of its pause", held(hold(30, "500ms", ms=500))),
    ("I18", "of a key that was resumed before", held(hold(5, "no"), hold(30, "yes"))),
    ("I18", "of a key that was paused for longer", held(hold(30, "yes"), hold(40, "20ms", ms=20))),
    ("I18", "nobody is woken", [op("woken", 9000, name="q/k", late=None)]),
    ("I18", "woken late", [op("woken", 9000, name="q/k", late=4000)]),
    ("I12", "put by a call that failed", [put(outcome="fail"), FIRST, settle(20, FIRST), rest()]),
    ("I12", "refused within the lease", [put(), KNOWN, settle(20, KNOWN, outcome="fail", why="refused"),
                                         settle(600, KNOWN), rest()]),
]


US, MS_OF_US = 1_700_000_000_000_000, within_limits.MS


def words(*command):
    return b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(w).encode() for w in command))


def leases(at, *ids, queue="q", check=True):
    """A take, as an append-only file has it. Without check: other settings let it through."""
    key = f"dq:{{{queue}}}:"
    scored, tried = [word for id in ids for word in (9, id)], [word for id in ids for word in (id, "1 5 5 ")]
    taken = words("HSET", key + "stat", "token", US + at, "taken", 9) if check else b""
    return (words("MULTI") + taken + words("ZADD", key + "leased", *scored) + words("HSET", key + "try", *tried)
            + words("ZREM", key + "ready", *ids) + words("ZREM", key + "delayed", *ids) + words("EXEC"))


def frees(*ids):
    return words("ZREM", "dq:{q}:leased", *ids)


def ends(*ids):
    return words("MULTI") + frees(*ids) + words("HDEL", "dq:{q}:try", *ids) + words("EXEC")


def ready(due, *ids, priority=100):
    score = KEYED + (priority << 42) + due
    return words("ZADD", "dq:{q}:ready", *(word for id in ids for word in (score, id)))


def delayed(due, *ids):
    return words("ZADD", "dq:{q}:delayed", *(word for id in ids for word in (due, id)))


def dies(*ids):
    return words("MULTI") + words("ZADD", "dq:{q}:dead", *(word for id in ids for word in (9, id))) + frees(*ids) + words("EXEC")


def revived(due, *ids):
    return words("MULTI") + ready(due, *ids) + words("ZREM", "dq:{q}:dead", *ids) + words("EXEC")


def settings(*pairs):
    return words("HSET", "dq:{q}:conf", *pairs)


def resumes(name):
    return words("HDEL", "dq:{q}:conf", name)


MOST, RATE = settings("max-leased", 2), settings("rate", "2/1")
SERIAL, TWO, KEYED = settings("keys", "serial"), settings("key-limit", 2), within_limits.KEYED
# A message of a key is dead, another one is ready; an end of a pause that is 5 ms later than 0.
STOPS = settings("keys", "serial,stop") + ready(1, "a+1", "a+2", "b+1") + leases(0, "a+1") + dies("a+1")
SOON_OVER = US // MS_OF_US + 5
WITHIN = [
    ("two", MOST + leases(0, "a", "b")),
    ("a place that became free", MOST + leases(0, "a", "b") + frees("a") + leases(1, "c")),
    ("the first by rank", MOST + leases(0, "a", "b") + words("ZREMRANGEBYRANK", "dq:{q}:leased", 0, 0) + leases(1, "c")),
    ("all by rank", MOST + leases(0, "a", "b") + words("ZREMRANGEBYRANK", "dq:{q}:leased", 0, 1) + leases(1, "c", "d")),
    ("the last one is gone", MOST + leases(0, "a", "b") + words("DEL", "dq:{q}:leased") + leases(1, "c", "d")),
    ("extended", MOST + leases(0, "a", "b") + words("ZADD", "dq:{q}:leased", "XX", 20, "a", 20, "c") + frees("a") + leases(1, "c")),
    ("lowered", MOST + leases(0, "a", "b") + settings("max-leased", 1) + frees("a", "b") + leases(1, "c")),
    ("it came from another server", MOST + leases(0, "a", "b") + words("RESTORE-ASKING", "dq:{q}:leased", 0, "?") + leases(1, "c")),
    ("another queue", MOST + leases(0, "a", "b") + leases(1, "c", queue="r")),
    ("at once, and when that is over", RATE + leases(0, "a", "b") + leases(1000, "c", "d")),
    ("one by one", RATE + leases(0, "a") + leases(999, "b") + leases(1000, "c") + leases(1999, "d")),
    ("before there was a rate", leases(0, "a", "b") + RATE + leases(1, "c", "d")),
    *((f"keys: {name}", SERIAL + data) for name, data in (
        ("one of each", ready(1, "a+1", "a+2", "b+1") + leases(0, "a+1", "b+1", "-")),
        ("the next, when that is over", ready(1, "a+1", "a+2") + leases(0, "a+1") + ends("a+1") + leases(1, "a+2")),
        ("a retry goes first", ready(1, "a+1", "a+2") + leases(0, "a+1") + frees("a+1") + ready(2, "a+1") + leases(1, "a+1")),
        ("what is delayed waits for nobody", delayed(1, "a+1") + ready(2, "a+2") + leases(0, "a+2")),
        ("the more urgent one", ready(9, "a+1") + ready(1, "a+2", priority=3) + leases(0, "a+2")),
        ("from delayed", delayed(1, "a+1", "a+2") + ready(9, "a+3") + leases(0, "a+1")))),
    ("keys: two were tried before", ready(1, "a+1", "a+2", "a+3") + leases(0, "a+1", "a+2") + frees("a+1", "a+2") + ready(9, "a+1")
     + delayed(9, "a+2") + SERIAL + leases(1, "a+1")),
    ("key-limit: two", TWO + ready(1, "a+1", "a+2", "a+3") + leases(0, "a+2", "a+1")),
    ("stops: another key", STOPS + leases(1, "b+1")),
    ("stops: the dead one, when it was redriven", STOPS + revived(9, "a+1") + leases(1, "a+1")),
    ("stops: the next one, when it was removed", STOPS + words("ZREM", "dq:{q}:dead", "a+1") + words("HDEL", "dq:{q}:try", "a+1")
     + leases(1, "a+2")),
    ("stops: not if keys are merely serial", STOPS + SERIAL + leases(1, "a+2")),
    ("paused: another key", settings("paused:a", 1) + ready(1, "a+1", "ab+1") + leases(1, "ab+1", "a")),
    ("paused: resumed", settings("paused:a", 1) + resumes("paused:a") + ready(1, "a+1") + leases(1, "a+1")),
    ("paused: when that is over", settings("paused:a", SOON_OVER, "paused", SOON_OVER) + leases(5 * MS_OF_US, "a+1", "b")),
    ("a call that was not finished", MOST + leases(0, "a", "b") + leases(1, "c")[:-9]),
]
BEYOND = [
    ("three", MOST + leases(0, "a", "b", "c")),
    ("one by one", MOST + leases(0, "a") + leases(1, "b") + leases(2, "c")),
    ("a place that did not become free", MOST + leases(0, "a", "b") + frees("x") + leases(1, "c")),
    ("one too many by rank", MOST + leases(0, "a", "b") + words("ZREMRANGEBYRANK", "dq:{q}:leased", 0, 0) + leases(1, "c", "d")),
    ("lowered", MOST + leases(0, "a", "b") + settings("max-leased", 1) + frees("a") + leases(1, "c")),
    ("begun at once", RATE + leases(0, "a", "b", "c")),
    ("a us before the time is over", RATE + leases(0, "a", "b") + leases(999, "c")),
    *((f"keys: {name}", SERIAL + data) for name, data in (
        ("two", ready(1, "a+1", "a+2") + leases(0, "a+1", "a+2")),
        ("one by one", ready(1, "a+1", "a+2") + leases(0, "a+1") + leases(1, "a+2")),
        ("not the next", ready(1, "a+1", "a+2") + leases(0, "a+2")),
        ("not the older one", ready(1, "a+2") + ready(2, "a+1") + leases(0, "a+1")),
        ("not the more urgent one", ready(9, "a+1", priority=3) + ready(1, "a+2") + leases(0, "a+2")),
        ("a retry is passed over", ready(1, "a+1", "a+2") + leases(0, "a+2", check=False) + frees("a+2") + ready(2, "a+2")
         + leases(1, "a+1")),
        ("what a retry delays", ready(1, "a+1", "a+2") + leases(0, "a+1") + frees("a+1") + delayed(9, "a+1") + leases(1, "a+2")))),
    ("key-limit: three", TWO + ready(1, "a+1", "a+2", "a+3") + leases(0, "a+1", "a+2", "a+3")),
    ("stops: the next one", STOPS + leases(1, "a+2")),
    ("stops: the dead one died again", STOPS + revived(9, "a+1") + leases(1, "a+1") + dies("a+1") + leases(2, "a+2")),
    ("paused: its key", settings("paused:a", 1) + leases(1, "a+1", "b+1")),
    ("paused: the queue", settings("paused", 1) + leases(1, "b")),
    ("paused: a load of it goes on", settings("paused", "load %d" % SOON_OVER) + leases(6 * MS_OF_US, "b")),
    ("paused: a us before that is over", settings("paused:a", SOON_OVER) + leases(5 * MS_OF_US - 1, "a+1")),
    ("paused: another one was resumed", settings("paused:a", 1, "paused:b", 1) + resumes("paused:b") + leases(1, "b+1", "a+1")),
    ("over the edge", RATE + leases(0, "a") + leases(999, "b") + leases(1000, "c") + leases(1998, "d")),
]


class WithinLimits(unittest.TestCase):
    """What holds chaos against limits sees each kind of too much."""

    def wrong(self, *files):
        with tempfile.TemporaryDirectory() as folder:
            for n, data in enumerate(files):
                with open(os.path.join(folder, f"appendonly.aof.{n // 2 + 1}.{('base', 'incr')[n % 2]}.aof"), "wb") as file:
                    file.write(data)
            held = within_limits.Held()
            held.read(folder)
            return held.wrong

    def test_within(self):
        for name, data in WITHIN:
            with self.subTest(name):
                self.assertEqual(self.wrong(b"", data), [])

    def test_beyond(self):
        for name, data in BEYOND:
            with self.subTest(name):
                self.assertEqual(len(self.wrong(b"", data)), 1)

    def test_a_base_replaces_what_was(self):
        self.assertEqual(self.wrong(b"", MOST + leases(0, "a", "b"), MOST, leases(1, "c", "d")), [])
        self.assertEqual(len(self.wrong(b"", MOST + leases(0, "a", "b"), MOST + words("ZADD", "dq:{q}:leased", 9, "x"),
                                        leases(1, "c", "d"))), 1)


class Checker(unittest.TestCase):
    def test_kept(self):
        for name, ops in KEPT:
            with self.subTest(name):
                self.assertEqual(checker.check(ops)[1], [])

    def test_broken(self):
        for invariant, name, ops in BROKEN:
            with self.subTest(f"{invariant}: {name}"):
                story, violations = checker.check(ops)
                self.assertEqual({v[0] for v in violations}, {invariant})
                with open(os.devnull, "w") as out:
                    checker.tell(story, violations, out)

    def test_each_has_both(self):
        kept = {name.split(":")[0] for name, _ in KEPT} | {"I2"}  # I2: the first one
        self.assertEqual({name for name, _, _ in BROKEN}, set(checker.INVARIANTS))
        self.assertLessEqual(set(checker.INVARIANTS) - kept, set())

    def test_gates(self):
        counts = dict.fromkeys(faults.GATES, 60)
        self.assertEqual(faults.gates(counts, 60, ["kill", "stop", "server"])[0], "puts: 60, less than 180")
        counts.update(puts=180, acks=180, recovered=2)
        self.assertEqual(faults.gates(counts, 60, ["kill", "stop", "server"]), [])
        counts.update({"stops": 0})
        self.assertEqual(faults.gates(counts, 60, ["kill", "server"]), [])
        self.assertEqual(faults.gates(counts, 60, ["stop"]), ["stops: 0, less than 18"])

    def test_written_and_read(self):
        with tempfile.NamedTemporaryFile() as file:
            written = history.History(file.name)
            first = written.begin("put", key="a", id="a", sum=1)
            written.begin("put", key="b", id="b", sum=1)
            written.end(first, "ok", code=0)
            written.note("take", id="a", token=5)
            written.close()
            ops = history.read([file.name])
        self.assertEqual([(o.what, o.key, o.outcome, o.code) for o in ops],
                         [("put", "a", "ok", 0), ("put", "b", "info", None), ("take", None, "ok", None)])
        self.assertTrue(ops[0].end > ops[0].invoke and ops[1].end is None)


if __name__ == "__main__":
    unittest.main()
