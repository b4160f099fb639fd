"""put, take, ack and rm while more and more messages wait, compared with the same while 10,000 wait, in alternation."""

import time

import bench
from bench import Redis, dq, lines_file, median, output, put, row, run, size, text_file, write_data

FEW, OPS = 10_000, ("put", "take", "ack", "rm")


def fill(server, until):
    """Messages that wait for hours, each batch for a time of its own."""
    have = server.left("q")
    while have < until:
        n = min(500_000, until - have)
        put(server, "q", n, "-d", f"{2 + have // 500_000}h")
        have += n


def grown(server, waiting):
    """Redis doubles a hash table a bucket per access to it, and finds cost more meanwhile (5,000,000 is just past a doubling); so
    as many accesses as there are buckets end that."""
    for command in (["HEXISTS", "dq:{q}:msg", "none"], ["ZSCORE", "dq:{q}:delayed", "none"]):
        run(["redis-benchmark", "-s", server.path, "-n", str(waiting), "-c", "1", "-P", "1000", "-q", *command])


def take(url, n):
    """Records of n messages, and the seconds that it took."""
    records, begun = "", time.monotonic()
    while (left := n - records.count("\n")) > 0:
        records += output([dq("take"), *url, "-n", str(min(1000, left)), "q"])
    return records, time.monotonic() - begun


def costs(server, n):
    """us a message of each operation: put and rm into the midst of the delayed ones, take and ack of ready ones."""
    url, took = ["-u", server.url], {}
    with open(lines_file(n)) as f:
        begun = time.monotonic()
        names = output([dq("put"), *url, "-d", "90m", "-l", "q"], stdin=f)
        took["put"] = time.monotonic() - begun
    with text_file(names) as f:
        took["rm"] = run([dq("rm"), *url], stdin=f)
    put(server, "q", n)
    records, took["take"] = take(url, n)
    with text_file(records) as f:
        took["ack"] = run([dq("ack"), *url], stdin=f)
    return {op: took[op] / n * 1e6 for op in OPS}


def measure():
    n, rounds = size(30_000, 10_000), size(5, 3)
    points = size([100_000, 1_000_000, 5_000_000], [50_000, 300_000])
    table = []
    with Redis() as few, Redis() as many:
        fill(few, FEW)

        def compare(rounds):
            return [(costs(few, n), costs(many, n)) for _ in range(rounds)]

        for waiting in points:
            fill(many, waiting)
            if waiting == points[-1]:
                tell(f"{waiting} waiting, tables growing", compare(rounds), None)
            grown(many, waiting)
            pairs = compare(rounds if waiting == points[-1] else 3)
            if not table:
                table.append([FEW, *(median(a[op] for a, _ in pairs) for op in OPS)])
            table.append([waiting, *(median(b[op] for _, b in pairs) for op in OPS)])
        tell(f"{points[-1]} waiting", pairs, ("ratio", "<=", 1.5))
    write_data("growth", [["waiting", *OPS], *table])


def tell(what, pairs, target):
    for op in OPS:
        row(f"{op} with {what}", median(b[op] for _, b in pairs), "us a message", median(b[op] / a[op] for a, b in pairs),
            f"{op} with {FEW} waiting", target)
