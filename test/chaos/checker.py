#!/usr/bin/env python3
"""checker.py HISTORY...: holds a history (history.py) against what dq promises. Exit status 1 where a promise is broken.

I1   a put that is ok is delivered, or still stored
I1b  a message goes only after an ack that was sent
I2   what is delivered was put, with that payload
I3   nothing is delivered early: not before its delay, not before the delay of a retry, not before its due time
I4   no second delivery before the first one's lease ends, unless that was settled
I5   no delivery after an ack that is ok
I6   tokens of a message increase; a delivery is settled at most once
I7   nothing is settled with a token when a later one was seen before
I8   at rest each message is in one state; dq-gc --check finds nothing at any time
I9   without faults all is delivered within the bound, and no tool hangs
I10  the number of tries never shrinks, and is not less than the deliveries seen
I11  a put that is repeated makes no second message
I12  a put that certainly failed is not there; a valid receipt is not refused
I13  while a node is away, or a slot moves, the queues of other nodes have deliveries at least every STANDSTILL ms, besides the
     time for which the machine did not let the run itself run; not with limits, for which producers wait
I14  never is more leased, and never do more deliveries begin within a time, than the limits of the queue allow; when all is over,
     all of its places are free
I15  never are more of a key leased than its limit allows; with keys=serial nothing of a key is delivered between two tries of another
I16  with keys=serial messages of a key that are equally urgent and not delayed are delivered first in the order of their puts
I17  with keys=serial,stop nothing of a key is delivered after one of its messages died, until that was redriven or removed
I18  nothing of a key is delivered while it is paused; waiting takers get its messages at the end of a pause
"""

import collections
import itertools
import sys

import history

MS = 1_000_000
STANDSTILL = 1000  # ms
WOKEN = 3000  # ms: a taker that nobody wakes looks again only after 5 s
NEVER = float("inf")
TERMINAL = ("ack", "retry", "bury", "giveback")


class Story:
    """The operations of a history, by what they are about."""

    def __init__(self, ops):
        self.by = collections.defaultdict(list)
        self.puts, self.takes, self.settles = (collections.defaultdict(list) for _ in range(3))
        for op in ops:
            self.by[op.what].append(op)
            if op.what == "put":
                self.puts[op.key].append(op)
            elif op.what == "take":
                self.takes[op.id].append(op)
            elif op.what == "settle":
                self.settles[op.id, op.token].append(op)
        for takes in self.takes.values():
            takes.sort(key=lambda take: (take.token, take.end))
        self.stored = set(self.by["rest"][-1].ids) if self.by["rest"] else set()
        self.counters = self.by["counters"][-1] if self.by["counters"] else None
        self.ids = collections.defaultdict(set)  # of a key
        for take in self.by["take"]:
            self.ids[take.key].add(take.id)
        for put in self.by["put"]:
            if put.id:
                self.ids[put.key].add(put.id)
        self.acked, self.removed = (collections.defaultdict(list) for _ in range(2))  # acks and removals that may have counted
        for op in self.by["settle"]:
            if op.verb == "ack" and op.outcome != "fail":
                self.acked[op.id].append(op)
        for op in self.by["remove"]:
            if op.outcome != "fail":
                self.removed[op.id].append(op)

    def pairs(self):
        """Deliveries of one message, of which no other was seen between."""
        for id, takes in self.takes.items():
            for a, b in zip(takes, takes[1:]):
                yield id, a, b

    def there(self, key):
        return any(id in self.takes or id in self.stored or id in self.removed for id in self.ids[key])

    def about(self, subject):
        """The operations on an id or a key."""
        ids = self.ids.get(subject, set()) | {subject}
        keys = {key for key in self.ids if self.ids[key] & ids} | {subject}
        ops = [op for ops in self.by.values() for op in ops if op.id in ids or op.key in keys]
        return sorted(ops, key=lambda op: op.invoke)


def i1(s):
    for key, puts in s.puts.items():
        if any(put.outcome == "ok" for put in puts) and not s.there(key):
            yield key, "was put, and is neither delivered nor stored"


def i1b(s):
    for id in set(s.takes) - s.stored:
        if id not in s.acked and id not in s.removed:
            yield id, "is gone, and nobody acked or removed it"
    if s.counters:
        c = s.counters
        gone = c.acked + (c.removed or 0) + (c.purged or 0) + (c.expired or 0)
        if c.put - gone != len(s.stored):
            yield "counters", f"{c.put} put, {gone} gone, {len(s.stored)} stored"


def i2(s):
    for take in s.by["take"]:
        if take.key not in s.puts:
            yield take.id, f"was delivered and never put (key {take.key})"
        elif take.sum != s.puts[take.key][0].sum:
            yield take.id, "was delivered with another payload"


def i3(s):
    for take in s.by["take"]:
        puts = s.puts.get(take.key)
        if puts and take.end < min(put.invoke for put in puts) + (puts[0].delay or 0) * MS - MS:
            yield take.id, f"was delivered before its delay of {puts[0].delay} ms was over"
        if take.due is not None and take.token < take.due * 1000:
            yield take.id, "was delivered before its due time"
    for id, a, b in s.pairs():
        for op in s.settles.get((id, a.token), ()):
            # Out of tries it is dead instead, and may be brought back at once.
            alive = a.tries is not None and a.tries > a.try_
            if op.verb == "retry" and op.outcome == "ok" and alive and b.end < op.invoke + (op.delay or 0) * MS - MS:
                yield id, f"was delivered before the {op.delay} ms of its retry were over"


def leased_until(take, settles, ttr, before):
    """What was done before that time being all, the lease cannot have ended by itself until then (own clock)."""
    until = 0
    if take.since is not None and ttr:
        until = take.since + ttr * MS
    for op in settles:
        if op.verb == "extend" and op.outcome == "ok" and op.end < before:
            until = max(until, op.invoke + op.delay * MS)
    return until


def ttr_of(s, take):
    return take.ttr or (s.puts[take.key][0].ttr if take.key in s.puts else None)


def i4(s):
    for id, a, b in s.pairs():
        settles = s.settles.get((id, a.token), ())
        if any(op.verb in TERMINAL and op.outcome != "fail" and op.invoke < b.end for op in settles):
            continue
        if b.end < leased_until(a, settles, ttr_of(s, a), b.end) - MS:
            yield id, f"was delivered with {b.token} within the lease of {a.token}"
        elif a.until is not None and b.token < a.until * 1000:
            yield id, f"was delivered with {b.token} within the lease of {a.token} (server's clock)"


def i5(s):
    for id, acks in s.acked.items():
        for ack in acks:
            for take in s.takes.get(id, ()):
                if ack.outcome == "ok" and take.token > ack.token:
                    yield id, f"was acked with {ack.token}, and then delivered with {take.token}"


def i6(s):
    for id, a, b in s.pairs():
        if a.token == b.token:
            yield id, f"was delivered twice with {a.token}"
    for id, takes in s.takes.items():
        for earlier, later in itertools.combinations(takes, 2):
            same = later.process is not None and later.process == earlier.process
            if (same or earlier.since is not None) and later.end < (earlier.end if same else earlier.since):
                yield id, f"was delivered with {later.token}, and after that with {earlier.token}"
    for (id, token), settles in s.settles.items():
        ok = [op.verb for op in settles if op.verb in TERMINAL and op.outcome == "ok"]
        if len(ok) > 1:
            yield id, f"was settled with {token} {len(ok)} times: {' '.join(ok)}"


def i7(s):
    for (id, token), settles in s.settles.items():
        for op in settles:
            if op.outcome != "ok":
                continue
            for take in s.takes.get(id, ()):
                if take.token > token and take.end < op.invoke:
                    yield id, f"{op.verb} with {token} counted, though {take.token} was seen before"


def i8(s):
    for op in s.by["audit"] + s.by["rest"]:
        for fault in op.faults or ():
            yield fault.split("\t")[0].split("/")[-1], f"{op.what}: {fault}"


def i9(s):
    for op in s.by["hang"]:
        yield op.command, "did not come back"
    for calm in s.by["calm"]:
        empty = s.by["empty"]
        if not empty:
            yield "queue", "was never empty after the faults"
        elif empty[-1].end - calm.end > calm.bound * MS:
            yield "queue", f"was empty only {(empty[-1].end - calm.end) // MS} ms after the faults"


def redriven(s, a, b):
    """A delivery may be seen long after it was made: redriven since the put is all that is certain."""
    since = a.since or min((put.invoke for put in s.puts.get(a.key, ())), default=a.invoke)
    return any(op.invoke < b.end and (op.end is None or op.end > since) for op in s.by["redrive"])


def i10(s):
    counted = again = 0
    for id, takes in s.takes.items():
        takes = [take for take in takes if take.try_ is not None]
        counted += max((take.try_ for take in takes), default=0)
        for a, b in zip(takes, takes[1:]):
            back = any(op.verb == "giveback" and op.outcome != "fail" for op in s.settles.get((id, a.token), ()))
            if b.try_ < a.try_ + (not back):
                again += 1
                if not redriven(s, a, b):
                    yield id, f"was delivered as try {a.try_}, and then as try {b.try_}"
    if s.counters and counted > s.counters.taken:
        yield "counters", f"{counted} tries shown, {s.counters.taken} taken"
    if s.counters and again > (s.counters.redriven or 0) + sum(op.verb == "giveback" for op in s.by["settle"]):
        yield "counters", f"tries began anew {again} times, {s.counters.redriven} redriven"


def i11(s):
    for key, ids in s.ids.items():
        if len(ids) > 1:
            yield key, f"became {len(ids)} messages: {' '.join(sorted(ids))}"
    there = set(s.takes) | s.stored | set(s.removed)
    if s.counters and s.counters.put > len(there):
        yield "counters", f"{s.counters.put} put, {len(there)} known"


def i12(s):
    for key, puts in s.puts.items():
        if all(put.outcome == "fail" for put in puts) and s.there(key):
            yield key, "was put by a call that said it was not"
    for id, takes in s.takes.items():
        for take in takes:
            settles = s.settles.get((id, take.token), ())
            for op in (op for op in settles if op.outcome == "fail" and op.why == "refused"):
                others = any(o is not op and o.verb in TERMINAL and o.invoke < op.end for o in settles)
                if not others and op.end < leased_until(take, settles, ttr_of(s, take), op.invoke):
                    yield id, f"{op.verb} with {take.token} was refused within the lease"


def standstills(s):
    """-> (away, node, ms): the longest time without a delivery from the queues of each other node, while one was away."""
    homes = s.by["homes"][-1].homes if s.by["homes"] else {}
    seen = collections.defaultdict(list)
    for take in s.by["take"]:
        seen[homes.get(take.id.rsplit("/", 1)[0])].append(take.end)
    for away in s.by["away"]:
        for node in sorted(set(homes.values()) - {away.node}):
            times = [away.since, *sorted(t for t in seen[node] if away.since < t < away.end), away.end]
            gaps = ((b - a) // MS - sum(late.ms for late in s.by["late"] if a < late.end <= b) for a, b in zip(times, times[1:]))
            yield away, node, max(gaps)


def i13(s):
    if s.by["limits"]:
        return  # the producers wait for a backlog to become less (limits.BACKLOG), and that of a node that is away does not
    for away, node, ms in standstills(s):
        if ms > STANDSTILL:
            yield f"node {node}", f"stood still for {ms} ms while {away.how} of node {away.node} went on"


def i14(s):
    for op in s.by["limits"]:
        for fault in op.faults:
            yield tuple(fault.split(": ", 1))
    for op in s.by["places"]:
        if op.got != op.most:
            yield op.queue, f"{op.got} places of {op.most} were free at the end"


def key_of(id):
    """The key of a message, with its queue."""
    return id.split("+")[0] if "+" in id else None


def by_key(s):
    """The deliveries of each key, by their tokens."""
    of = collections.defaultdict(list)
    for take in s.by["take"]:
        if key_of(take.id):
            of[key_of(take.id)].append(take)
    for takes in of.values():
        takes.sort(key=lambda take: take.token)
    return of


def surely_leased(s, a, b):
    """When b was delivered, of another message."""
    settles = s.settles.get((a.id, a.token), ())
    if any(op.verb in TERMINAL and op.outcome != "fail" and op.invoke < b.end for op in settles):
        return False
    within = a.until is not None and b.token < a.until * 1000
    return within or b.end < leased_until(a, settles, ttr_of(s, a), b.end) - MS


def retries(s, takes):
    """The first delivery, which failed, and the second one. With fewer tries the message may have been dead in between."""
    for id in {take.id for take in takes}:
        for a, b in zip(s.takes[id], s.takes[id][1:]):
            failed = any(op.verb == "retry" and op.outcome == "ok" for op in s.settles.get((id, a.token), ()))
            if failed and (a.tries or 0) >= 5 and a.try_ == 1 and b.try_ == 2:
                yield a, b


def i15(s):
    for key, takes in by_key(s).items() if s.by["keys"] else ():
        limit, last = s.by["keys"][-1], {}
        for b in takes:
            others = [id for id, a in last.items() if id != b.id and surely_leased(s, a, b)]
            last[b.id] = b
            if len(others) >= limit.most:
                yield b.id, f"was delivered while {' '.join(others)} was leased: at most {limit.most} of {key}"
        for a, again in retries(s, takes) if limit.serial else ():
            for b in (b for b in takes if a.token < b.token < again.token):
                yield b.id, f"was delivered between two tries of {a.id}"


def i16(s):
    if not s.by["keys"] or not s.by["keys"][-1].serial:
        return
    first = {}
    for takes in by_key(s).values():
        for take in takes:
            first.setdefault(take.id, take)
    puts = collections.defaultdict(list)  # of each key: when it began and was over, priority, due time, first delivery
    for key, ops in s.puts.items():
        for id in s.ids[key]:
            take = first.get(id)
            if take and take.due is not None and not ops[0].delay and all(op.outcome != "info" and op.end for op in ops):
                puts[key_of(id), ops[0].priority].append((ops[0].invoke, ops[-1].end, take))
    for of in puts.values():
        for (_, over, a), (begun, _, b) in itertools.permutations(of, 2):
            # A delivery that nobody saw may have moved the first one: then its due time is a later one.
            if over < begun and a.due < b.due and a.token > b.token:
                yield b.id, f"was delivered before {a.id}, which was put before it"


def first_undo(op, others):
    """When the first of them may have undone what that operation did."""
    return min((o.invoke for o in others if o.outcome == "info" or o.outcome == "ok" and o.end > op.invoke), default=NEVER)


def within(op, takes, until):
    """Those that began and were seen after that operation was done, and before that time."""
    return [take for take in takes if take.since is not None and op.end < take.since and take.end < until]


def deaths(s, takes):
    """What surely made a message dead."""
    for take in takes:
        is_last = take.try_ is not None and take.try_ >= take.tries
        for op in s.settles.get((take.id, take.token), ()):
            if op.outcome == "ok" and (op.verb == "bury" or op.verb == "retry" and is_last):
                yield op


def i17(s):
    for key, takes in by_key(s).items() if s.by["keys"] and s.by["keys"][-1].stop else ():
        for op in deaths(s, takes):
            for b in within(op, takes, first_undo(op, s.by["redrive"] + s.removed[op.id])):
                if b.id != op.id:
                    yield b.id, f"was delivered, and {op.id}, which is dead, stops {key}"


def paused(s, key, holds):
    """Each pause of the key, and until when it holds, at least."""
    for op in holds:
        if op.outcome == "ok" and op.value != "no":
            until = first_undo(op, [o for o in holds if o.value == "no"])
            yield op, min(until, op.invoke + op.ms * MS - MS if op.ms else NEVER)


def i18(s):
    holds = collections.defaultdict(list)
    for op in s.by["hold"] if not s.by["failover"] + s.by["away"] else ():  # dq-set waits for no replica
        holds[op.name].append(op)
    of = by_key(s)
    for key, ops in holds.items():
        for op, until in paused(s, key, ops):
            for b in within(op, of[key], until):
                yield b.id, f"was delivered, and {key} is paused: {op.value}"
    for op in s.by["woken"]:
        if op.late is None or op.late > WOKEN:
            yield op.name, f"a taker waited for the end of its pause, and got the message {op.late} ms late"


INVARIANTS = {"I1": i1, "I1b": i1b, "I2": i2, "I3": i3, "I4": i4, "I5": i5, "I6": i6, "I7": i7, "I8": i8, "I9": i9, "I10": i10,
              "I11": i11, "I12": i12, "I13": i13, "I14": i14, "I15": i15, "I16": i16, "I17": i17, "I18": i18}


# What most want to know: confirmed puts or acks that are gone; leases of one message at a time; deliveries before their time.
SUMMARY = {"lost": ("I1", "I5"), "doubled": ("I4", "I6"), "early": ("I3",)}


def check(ops):
    """-> the story, and (invariant, subject, text) for each broken promise."""
    story = Story(ops)
    return story, [(name, subject, text) for name, holds in INVARIANTS.items() for subject, text in holds(story)]


def count(s, violations):
    unknown = [op for op in s.by["put"] + s.by["settle"] if op.outcome == "info" and op.by is None]  # dq-run tells nobody
    unsure = [key for key, puts in s.puts.items() if any(put.outcome == "info" for put in puts[:1])]
    return {
        "kills": len(s.by["kill"]), "stops": len(s.by["stop"]), "server kills": len(s.by["server-kill"]),
        "pauses": len(s.by["pause"]),
        "failovers": len(s.by["failover"]),
        **{f"by {how}": sum(op.how == how for op in s.by["failover"]) for how in ("kill", "stop", "cut") if s.by["failover"]},
        "aways": len(s.by["away"]),
        **{f"by {how}": sum(op.how == how for op in s.by["away"]) for how in ("kill", "move", "stop", "pause") if s.by["away"]},
        **({"worst standstill": max((ms for _, _, ms in standstills(s)), default=0)} if s.by["away"] else {}),
        "puts": sum(any(put.outcome == "ok" for put in puts) for puts in s.puts.values()),
        "deliveries": len(s.by["take"]), "redeliveries": len(s.by["take"]) - len(s.takes),
        "recovered": sum(s.there(key) for key in unsure),
        "acks": sum(op.outcome == "ok" for acks in s.acked.values() for op in acks),
        "fenced": sum(op.why == "refused" for op in s.by["settle"]),
        "unknown": len(unknown),
        **{name: sum(v[0] in broken for v in violations) for name, broken in SUMMARY.items()},
        **({"held against limits": sum(op.deliveries for op in s.by["limits"]), "full": sum(op.leased for op in s.by["limits"]),
            "at the rate": sum(op.begun for op in s.by["limits"])} if s.by["limits"] else {}),
        **({"with keys": sum(op.keyed for op in s.by["limits"]), "held by their key": sum(op.behind for op in s.by["limits"])}
           if s.by["keys"] else {}),
        **({"stopped by a dead one": sum(op.stopped or 0 for op in s.by["limits"]), "removed": len(s.removed)}
           if s.by["keys"] and s.by["keys"][-1].stop else {}),
        **({"paused": sum(op.paused or 0 for op in s.by["limits"]), "woken": len(s.by["woken"])} if s.by["hold"] else {}),
        "violations": len(violations),
    }


def tell(story, violations, out, most=5):
    """The first few in full."""
    start = min((op.invoke for ops in story.by.values() for op in ops), default=0)
    for name, subject, text in violations[:most]:
        print(f"{name}: {subject}: {text}", file=out)
        for op in story.about(subject):
            end = f"{(op.end - start) / MS:.1f}" if op.end else "?"
            print(f"    {(op.invoke - start) / MS:.1f}..{end} ms  {op}", file=out)
    totals = collections.Counter(name for name, _, _ in violations)
    if totals:
        print("violated: " + ", ".join(f"{name} {n} times" for name, n in totals.items()), file=out)


def main(paths):
    story, violations = check(history.read(paths))
    tell(story, violations, sys.stderr)
    print(", ".join(f"{name} {n}" for name, n in count(story, violations).items()))
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
