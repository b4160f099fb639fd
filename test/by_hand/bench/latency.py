"""The time from due to written on stdout, and to the start of a command: how late each message is; none may be early."""

import random
import subprocess
import tempfile
import time

from bench import Redis, Skip, dq, end, wait_until, peer, percentile, program, put_tsv, row, size, start, write_data

LEAD = 1.0
JOBS = "8"


def schedule(n, span):
    """Due times, ms since 1970."""
    first = time.time() + LEAD
    return sorted(int(first * 1000) + random.randrange(int(span * 1000)) for _ in range(n))


def put_due(server, n, span):
    """Puts a message for each of n due times, and waits until none is left to take."""
    dues = schedule(n, span)
    put_tsv(server, "q", "".join(f"@{due / 1000:.3f}\t-\t{due}\n" for due in dues))
    if time.time() * 1000 > dues[0] - 500:
        raise RuntimeError("putting took too long")
    wait_until(span + 30, lambda: sum(server.cards("q").values()) == server.cards("q")["leased"], every=0.25)
    time.sleep(0.2)


def whole(late, n):
    if len(late) != n:
        raise RuntimeError(f"{len(late)} of {n} were delivered")
    return late


def ours(waiters, n, span):
    """Lateness of each message in us. All takers write into one pipe; a reader stamps each line as it arrives."""
    with Redis() as server, tempfile.TemporaryFile("w+") as stamped:  # a pipe that nobody reads would fill and stop them all
        stamp = start([program("stamp")], stdin=subprocess.PIPE, stdout=stamped)
        takers = [start([dq("take"), "-qu", server.url, "-f", "q"], stdout=stamp.stdin) for _ in range(waiters)]
        stamp.stdin.close()
        put_due(server, n, span)
        for taker in takers:
            end(taker)
        stamp.wait(30)
        stamped.seek(0)
        lines = stamped.read()
    late = []
    for line in lines.splitlines():
        at, _, due = line.split("\t")
        late.append(int(at) - int(due) * 1000)
    return whole(late, n)


def to_exec(n, span):
    """Lateness of each message in us when dq-run has started its command."""
    with Redis() as server, tempfile.TemporaryFile("a+") as started:
        worker = start([dq("run"), "-qu", server.url, "-j", JOBS, "q", "--", program("started")], stdout=started)
        put_due(server, n, span)
        end(worker)
        started.seek(0)
        return whole([int(line) for line in started], n)


def tell(name, late, targets=False, beside=None):
    """How many messages of a peer were early is behind the unit: a row of its own would not be in the table of BENCHMARKS.md."""
    ours, early = name.startswith("due to"), sum(us < 0 for us in late)
    unit = "ms late" if ours or not early else f"ms late, {early} of {len(late)} early"
    for what, p, most in (("p50", 50, 1.5), ("p99", 99, 5), ("max", 100, None)):
        value = percentile(late, p) / 1000
        other, theirs = (beside[0], percentile(beside[1], p) / 1000) if beside else ("-", None)
        row(f"{name}: {what}", value, unit, value / theirs if theirs and value > 0 else None, other,
            ("value", "<=", most) if targets and most else None)
    if ours:
        row(f"{name}: early", early, f"of {len(late)}", target=("value", "<=", 0))


def cdf(name, late):
    late = sorted(late)
    write_data("latency-" + name, [(max(us, 1) / 1000, (i + 1) / len(late)) for i, us in enumerate(late)])


# Those that look for due messages at times: as often as they do by default, and every 10 ms.
PEERS = {"BullMQ": (), "delayqueue (Go)": (), "delayqueue (Go), every 10 ms": (10,),
         "asynq": (), "asynq, every 10 ms": (10,), "Redisson": ()}


def of_peers(n, span):
    """Lateness by peer."""
    theirs = {}
    for name, every in PEERS.items():
        try:
            lines = peer(name.partition(",")[0])("latency", n // 16 * 16, int(span * 1000), *every)
            theirs[name] = [int(us) for us in lines.split()]
        except Skip as e:
            row(f"{name}: due to handler", None, "ms late", skipped=str(e))
    return theirs


def measure():
    n, span = size(1000, 200), size(10, 4)
    half = n // 2, span / 2  # for those whose p99 has no target
    late = ours(1, n, span)
    theirs = of_peers(*half)
    punctual = {name: us for name, us in theirs.items() if min(us) >= 0}
    best = min(punctual, key=lambda name: percentile(punctual[name], 50), default=None)
    tell("due to stdout, 1 waiting", late, True, best and (f"{best}, the best that is never early", punctual[best]))
    one = "due to stdout, 1 waiting", late
    for name, values in theirs.items():
        tell(f"{name}: due to handler", values, beside=one)
        if not PEERS[name]:
            cdf(name.split()[0], values)
    cdf("dq", late)
    tell(f"due to exec, dq-run -j {JOBS}", to_exec(*half), beside=one)
    waiters = size(200, 20)
    late = ours(waiters, *half)
    tell(f"due to stdout, {waiters} waiting", late)
    cdf("dq-many", late)
