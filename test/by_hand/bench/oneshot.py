"""The cost of one process for each message. The processes run in pairs, because one that follows a large one finds cold caches."""

import os
from shutil import which

from bench import OUT, ROOT, Redis, Skip, dq, output, program, row, size

PING, CLI = "bare hiredis PING", "redis-cli PING"


def pair(*argvs):
    words = [word for argv in argvs for word in ["--", *argv]]
    return [float(line.split("\t")[0]) for line in output([program("spawn"), str(size(1000, 300)), *words]).splitlines()]


def static():
    """dq-put of the same tree, built statically."""
    build = os.path.join(OUT, "static")
    try:
        output(["make", "-s", "-j2", "-C", ROOT, f"BUILD={build}", "STATIC=1", os.path.join(build, "dq-put")])
    except RuntimeError:
        raise Skip("no static build here") from None
    return os.path.join(build, "dq-put")


def measure_static(ping, arguments):
    name = "dq-put, one process, a static build"
    try:
        put = [static(), *arguments]
    except Skip as why:
        row(name, None, "us (p50)", skipped=str(why))
        return
    for other, argv in ((PING, ping), ("the default build", [dq("put"), *arguments])):
        ours, theirs = pair(put, argv)
        row(name, ours, "us (p50)", ours / theirs, other)


def measure():
    with Redis() as server:
        ping = [program("ping"), server.path]
        cli = [which("redis-cli"), "-s", server.path, "PING"]
        arguments = ["-u", server.url, "-d", "1h", "q", "payload"]
        put = [dq("put"), *arguments]
        stat = [dq("stat"), "-u", server.url, "q"]
        put_us, ping_us = pair(put, ping)
        put_beside_cli, cli_us = pair(put, cli)
        stat_us, ping_beside_stat = pair(stat, ping)
        row(f"{PING}, one process", ping_us, "us (p50)")
        row(f"{CLI}, one process", cli_us, "us (p50)")
        row("dq-put, one process", put_us, "us (p50)", put_us / ping_us, PING, ("ratio", "<=", 1.1))
        row("dq-put, one process", put_beside_cli, "us (p50)", put_beside_cli / cli_us, CLI, ("ratio", "<=", 0.5))
        measure_static(ping, arguments)
        row("dq-stat, one process", stat_us, "us (p50)", stat_us / ping_beside_stat, PING)
