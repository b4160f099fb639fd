"""LIMITS: the settings of a queue that limit it, and whether it was ever over them. KEY_PAUSES: keys that are paused meanwhile."""

import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

import clients
import within_limits

# The end is as slow as the limits are: producers put no more while so many messages are there, and it may take so much longer, in s.
BACKLOG, LONGER = 150, 120
WAKES = 6  # so many takers wait for the end of a pause at the end
# A server with these writes all that it does, and nothing goes of that.
OPTIONS = ["--appendonly", "yes", "--aof-use-rdb-preamble", "no", "--aof-disable-auto-gc", "yes", "--auto-aof-rewrite-percentage", "0"]


def wanted():
    return (os.environ.get("LIMITS") or "").split()


def pausers():
    """So many clients pause and resume keys."""
    return int(os.environ.get("KEY_PAUSES") or 0)


def are_held():
    """Is anything of the queues held back, and what the servers wrote held against that?"""
    return bool(wanted() or pausers())


def stops():
    return "keys=serial,stop" in wanted()


def keys():
    return [f"k{n + 1}" for n in range(int(os.environ.get("KEYS") or 0))]


def options(fsync):
    return [*OPTIONS, "--appendfsync", fsync] if are_held() else []


def most_of_a_key():
    """0: any number"""
    set_to = dict(word.split("=") for word in wanted())
    return 1 if set_to.get("keys", "").startswith("serial") else int(set_to.get("key-limit") or 0)


def set_all(stage):
    if are_held():
        stage.most = BACKLOG
    if wanted():
        if most_of_a_key():
            stage.history.note("keys", most=most_of_a_key(), serial=stops() or "keys=serial" in wanted(), stop=stops())
        code, _, err = stage.run("set", ["dq-set", "-q", *stage.queues[:1], *wanted()])
        for queue in stage.queues[1:]:
            code, _, err = (code, "", err) if code else stage.run("set", ["dq-set", "-q", queue, *wanted()])
        if code:
            raise RuntimeError(f"dq-set {' '.join(wanted())}: {err}")


def cast(stage):
    """Name, what they do."""
    if stops():
        yield "remover", clients.Remover(stage, "stat", ["dq-stat", "--messages", "dead"], 0.5)
    yield from ((f"pauser{n}", clients.Pauser(stage, f"pauser{n}")) for n in range(pausers()))


def missing(counts):
    """Limits that nothing ever came up to."""
    of = {"max-leased": "full", "rate": "at the rate", "keys": "held by their key", "key-limit": "held by their key"}
    never = [f"{word}: never {of[name]}" for word in wanted() for name in [word.split("=")[0]] if name in of and not counts[of[name]]]
    if stops() and not counts["stopped by a dead one"]:
        never.append("keys=serial,stop: never stopped by a dead one")
    return never + ["KEY_PAUSES: nothing waited for the end of a pause"] * bool(pausers() and not counts.get("paused"))


def lease(stage, queue, wanted):
    """-> the receipts of all that is let through; of fewer than that a while later, as a shard may be full before the others."""
    end, receipts = time.monotonic() + 20, []
    while True:
        enough = len(receipts) >= wanted or time.monotonic() > end
        _, out, _ = stage.run("take", ["dq-take", "-q", "-n", "1000", "-t", "10m", queue])
        receipts += [line.split("\t")[0] for line in out.decode().splitlines()]
        if enough:
            return receipts


def places_of(stage, queue, most):
    """Of a queue."""
    stage.run("put", ["dq-put", "-q", "-l", queue], b"one\n" * 20 * most)
    stage.history.note("places", queue=queue, got=len(lease(stage, queue, most)), most=most)


def places_of_keys(stage, queue, most):
    for key in keys():
        stage.run("put", ["dq-put", "-q", "-l", "-k", key, queue], b"one\n" * 2 * most)
    receipts = lease(stage, queue, most * len(keys()))
    for key in keys():
        got = sum(receipt.startswith(f"{queue}/{key}+") for receipt in receipts)
        stage.history.note("places", queue=f"{queue}, key {key}", got=got, most=most)


def places(stage):
    """Of each queue, or else of each key, at the end: as many as are allowed are free, and no more."""
    most = int(dict(word.split("=") for word in wanted()).get("max-leased") or 0)
    look, most = (places_of, most) if most else (places_of_keys, most_of_a_key())
    if not most:
        return
    time.sleep(1)  # the rate's, too
    for queue in stage.queues:
        look(stage, queue, most)


def resume(stage):
    """After the faults those keys that were perhaps paused for good. The pauses of the others end by themselves."""
    pauser, end = clients.Pauser(stage, "resume"), time.monotonic() + 60
    for name in [f"{queue}/{key}" for queue in stage.queues for key in keys()[::2]] if pausers() else ():
        while not pauser.set(name, "no") and time.monotonic() < end:
            time.sleep(0.05)


def wake(stage, name, for_good):
    """A taker waits for a message of a key that is paused: until that ends by itself, or somebody ends it."""
    queue, key = name.split("/")
    pauser = clients.Pauser(stage, "wake")
    pauser.set(name, "yes" if for_good else "1s", None if for_good else 1000)
    end = time.monotonic() + 1
    stage.run("put", ["dq-put", "-q", "-k", key, queue], b"one")
    taker = stage.spawn("take", ["dq-take", "-q", "-w", "30s", "--ack", queue], stdout=subprocess.PIPE)
    if for_good:
        time.sleep(1)
        pauser.set(name, "no")
        end = time.monotonic()
    came = taker.stdout.read()
    late = int(1000 * (time.monotonic() - end))
    taker.stdout.close()
    stage.gone(taker)
    stage.history.note("woken", name=name, late=late if came else None)


def wakes(stage):
    """At the end, when the queues are empty."""
    rng, names = stage.rng("wakes"), [f"{queue}/{key}" for queue in stage.queues for key in keys()]
    for n, name in enumerate(rng.sample(names, min(len(names), WAKES)) if pausers() else ()):
        wake(stage, name, n % 2)


def judge(stage, folder):
    """What all servers wrote, as lines of the history."""
    shards = []
    for path, folders, _ in os.walk(folder) if are_held() else ():
        if "appendonlydir" not in folders:
            continue
        held = within_limits.Held()
        held.read(os.path.join(path, "appendonlydir"))
        here = [s for s in held.shards.values() if s.deliveries]
        shards += here
        stage.history.note("limits", faults=held.wrong, deliveries=sum(s.deliveries for s in here),
                           leased=sum(s.most >= s.limit() > 0 for s in here), begun=sum(s.fullest >= s.rate()[0] > 0 for s in here),
                           keyed=sum(s.keyed for s in here), behind=sum(s.behind for s in here),
                           stopped=sum(s.stopped for s in here), paused=sum(s.paused for s in here))
    if are_held():
        stage.history.note("limits", faults=list(unlike(stage, shards)), deliveries=0, leased=0, begun=0, keyed=0, behind=0)


def unlike(stage, shards):
    """The limits of the shards of a queue are in sum those that were set."""
    set_to = dict(word.split("=") for word in wanted())
    for queue, tags in stage.tags.items():
        if any(s.came for s in shards if s.tag in tags):
            continue  # its slot was moved
        of = {s.tag: s for s in shards if s.tag in tags and s.conf}
        for name, got in (("max-leased", sum(s.limit() for s in of.values())), ("rate", sum(s.rate()[0] for s in of.values()))):
            if name in set_to and got != int(set_to[name].split("/")[0]):
                yield f"{queue}: {name} of {len(of)} shards is {got} in sum, not {set_to[name]}"
