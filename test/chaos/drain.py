"""The end: without faults the queue drains, and what is there is sound."""

import collections
import time

import consumers
import history
import limits
import server

BOUND = 40  # s, from the end of the faults until the queue is empty; waits and leases are at most 3 s


def rest(stage, redis):
    ids, found, counters = set(), [], collections.Counter()
    for queue, tags in stage.tags.items():
        for tag in tags:
            there, faults, counted = server.look(redis, tag)
            ids |= {f"{queue}/{id}" for id in there}
            found += [f"{queue}/{fault}" for fault in faults]
            counters.update(counted)
    code, out, err = stage.run("gc", ["dq-gc", "--check", *stage.queues])
    found += out.decode().splitlines() + ([f"dq-gc --check: exit status {code}: {err}"] if code else [])
    stage.history.note("rest", ids=sorted(ids), faults=found)
    return ids, counters


def bound(stage):
    return BOUND + stage.load / 1000 + limits.LONGER * limits.are_held()


def empty(stage, redis):
    """Takers alone empty the queue; only what is dead needs a hand."""
    consumer, end = consumers.Consumer(stage, "drain"), time.monotonic() + bound(stage)
    ids, counters = rest(stage, redis)
    while ids and time.monotonic() < end:
        op = stage.history.begin("redrive")
        code, _, _ = stage.run("redrive", ["dq-promote", "--dead", "-q", *stage.queues])
        stage.history.end(op, "ok" if code == 0 else "info")
        since = history.now()
        _, out, _ = stage.run("take", ["dq-take", "-w", "1s", "-n", "1000", "-t", "30s", "--json", *stage.queues])
        pairs = [consumer.see(line, since=since, ttr=30000, process=since) for line in out.splitlines(True)]
        if pairs:
            consumer.settle("ack", pairs)
        if not any(redis.call("HLEN", f"dq:{{{tag}}}:msg") for tags in stage.tags.values() for tag in tags):
            break
    ids, counters = rest(stage, redis)
    if not ids:
        stage.history.note("empty")
    zero = {"put": 0, "acked": 0, "taken": 0}
    stage.history.note("counters", **{**zero, **{name: n for name, n in counters.items() if name.isidentifier()}})
