"""The cost of one process for each message. The processes run in pairs, because one that follows a large one finds cold caches."""

from shutil import which

from bench import Redis, dq, output, program, row, size

PING, CLI = "bare hiredis PING", "redis-cli PING"


def pair(*argvs):
    words = [word for argv in argvs for word in ["--", *argv]]
    return [float(line.split("\t")[0]) for line in output([program("spawn"), str(size(2000, 300)), *words]).splitlines()]


def measure():
    with Redis() as server:
        ping = [program("ping"), server.path]
        cli = [which("redis-cli"), "-s", server.path, "PING"]
        put = [dq("put"), "-u", server.url, "-d", "1h", "q", "payload"]
        stat = [dq("stat"), "-u", server.url, "q"]
        put_us, ping_us = pair(put, ping)
        put_beside_cli, cli_us = pair(put, cli)
        stat_us, ping_beside_stat = pair(stat, ping)
    row(f"{PING}, one process", ping_us, "us (p50)")
    row(f"{CLI}, one process", cli_us, "us (p50)")
    row("dq-put, one process", put_us, "us (p50)", put_us / ping_us, PING, ("ratio", "<=", 1.4))
    row("dq-put, one process", put_beside_cli, "us (p50)", put_beside_cli / cli_us, CLI, ("ratio", "<=", 0.5))
    row("dq-stat, one process", stat_us, "us (p50)", stat_us / ping_beside_stat, PING)
