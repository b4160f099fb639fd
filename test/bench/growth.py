"""put, take, ack and rm while ever more messages wait, against the same with 10,000 waiting, in alternation."""

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
    n, rounds = size(50_000, 10_000), size(5, 3)
    points = [100_000, 1_000_000, 5_000_000] if not bench.SMALL else [50_000, 250_000]
    table, most = [], None
    with Redis() as few, Redis() as many:
        fill(few, FEW)
        for waiting in points:
            fill(many, waiting)
            pairs = [(costs(few, n), costs(many, n)) for _ in range(rounds)]
            if not table:
                table.append([FEW, *(median(a[op] for a, _ in pairs) for op in OPS)])
            table.append([waiting, *(median(b[op] for _, b in pairs) for op in OPS)])
            most = {op: (median(b[op] for _, b in pairs), median(b[op] / a[op] for a, b in pairs)) for op in OPS}
    for op in OPS:
        row(f"{op} with {points[-1]} waiting", most[op][0], "us a message", most[op][1], f"{op} with {FEW} waiting",
            ("ratio", "<=", 1.5))
    write_data("growth", [["waiting", *OPS], *table])
