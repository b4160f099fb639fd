"""What a command of its own costs for one message."""

from shutil import which

from bench import Redis, dq, output, program, row, size


def measure():
    with Redis() as server:
        once = {
            "ping": [program("ping"), server.path],
            "redis-cli": [which("redis-cli"), "-s", server.path, "PING"],
            "put": [dq("put"), "-u", server.url, "-d", "1h", "q", "payload"],
            "stat": [dq("stat"), "-u", server.url, "q"],
        }
        words = [word for argv in once.values() for word in ["--", *argv]]
        lines = output([program("spawn"), str(size(2000, 300)), *words]).splitlines()
        us = {name: float(line.split("\t")[0]) for name, line in zip(once, lines)}
    row("bare hiredis PING, one process", us["ping"], "us (p50)")
    row("redis-cli PING, one process", us["redis-cli"], "us (p50)", us["redis-cli"] / us["ping"], "bare hiredis PING")
    row("dq-put, one process", us["put"], "us (p50)", us["put"] / us["ping"], "bare hiredis PING", ("ratio", "<=", 1.4))
    row("dq-put, one process", us["put"], "us (p50)", us["put"] / us["redis-cli"], "redis-cli PING", ("ratio", "<=", 0.5))
    row("dq-stat, one process", us["stat"], "us (p50)", us["stat"] / us["ping"], "bare hiredis PING")
