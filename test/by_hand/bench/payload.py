"""Large payloads: bytes a second through dq-put and dq-take, compared with redis-cli, which reads and writes the same as one value."""

import os
import subprocess
from shutil import which

from bench import Redis, alternate, dq, folder, median, ratio, row, run, size

MIB = 1 << 20


def file_of(where, bytes_):
    path = os.path.join(where, str(bytes_))
    with open(path, "wb") as f:
        f.write(b"x" * bytes_)
    return path


def each(n, argv, source=None):
    """Seconds for n processes, one after the other."""
    took = 0.0
    for _ in range(n):
        took += run(argv, stdin=open(source, "rb") if source else subprocess.DEVNULL)
    return took


def measure():
    where = folder("payloads")
    with Redis(options=("--proto-max-bulk-len", "512mb")) as server:
        cli = [which("redis-cli"), "-s", server.path]
        for mib, n in ((1, 40), (16, 6)):
            source = file_of(where, mib * MIB)
            key = f"payload{mib}"
            limit = ["--max-bytes", "16M"] if mib > 1 else []

            def put_ours():
                server.clear()
                return n * mib / each(n, [dq("put"), "-u", server.url, "-q", *limit, "q"], source)

            def take_ours():
                return n * mib / each(n, [dq("take"), "-u", server.url, "q"])

            def set_theirs():
                return n * mib / each(n, [*cli, "-x", "SET", key], source)

            def get_theirs():
                return n * mib / each(n, [*cli, "GET", key])

            f, _ = alternate(size(5, 2), put=put_ours, take=take_ours, set=set_theirs, get=get_theirs)
            row(f"dq-put of {mib} MiB", median(f["put"]), "MiB/s", ratio(f, "put", "set"), "redis-cli -x SET")
            row(f"dq-take of {mib} MiB", median(f["take"]), "MiB/s", ratio(f, "take", "get"), "redis-cli GET")
