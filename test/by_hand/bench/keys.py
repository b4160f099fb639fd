"""Messages with keys: what a take and an ack of them cost beside those of messages without, and the memory of a message."""

from bench import Redis, alternate, median, put, put_tsv, ratio, row, size
from limits import in_batches

PAYLOAD = "x" * 100


def keyed(keys, delay="0"):
    """Puts messages with so many keys in turn; 0: each has its own."""
    def fill(server, queue, n):
        put_tsv(server, queue, "".join(f"{delay}\tk{i % (keys or n)}+-\t{PAYLOAD}\n" for i in range(n)))
    return fill


# Name, settings, and how many keys. Each is held to half the rate of messages without.
CASES = (("3 keys", (), 3), ("100 keys", (), 100), ("1,000 keys", (), 1000), ("key-limit, 100 keys", ("key-limit=1000000",), 100),
         ("keys=serial, each its own key", ("keys=serial",), 0))


def cost(name, limits, keys):
    n, cpu = size(100_000, 10_000), {"with": [], "without": []}
    with Redis() as server:
        f, _ = alternate(size(5, 3), **{
            "without": lambda: in_batches(server, n, cpu["without"]),
            "with": lambda: in_batches(server, n, cpu["with"], *limits, fill=keyed(keys)),
        })
    what = f"take + ack in batches, {name}"
    row(what, median(f["with"]), "/s", ratio(f, "with", "without"), "messages without keys", ("ratio", ">=", 0.5))
    row(f"{what}: the server", median(cpu["with"]), "us of CPU", ratio(cpu, "with", "without"), "messages without keys")


def memory():
    n, used = size(200_000, 50_000), {}
    for name, fill in (("without", lambda server, queue, n: put(server, queue, n, "-d", "0")), ("with", keyed(1000))):
        with Redis() as server:
            before = server.memory()
            fill(server, "q", n)
            used[name] = (server.memory() - before) / n
    row(f"a ready message with a key, of {n}", used["with"], "bytes", used["with"] / used["without"], "one without", ("ratio", "<=", 1.7))


def measure():
    for case in CASES:
        cost(*case)
    memory()
