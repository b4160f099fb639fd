"""Limits of a queue: what they cost where they are never reached, what it costs to wait at one, and how close to a rate deliveries come."""

import os
import subprocess

import settle
from bench import BIN, Redis, alternate, dq, end, median, percentile, put, ratio, row, run, size, start, wait_until
from idle import Idle, rates, waiting
from single import KEYS

NEVER = ("max-leased=1000000", "rate=10000/1ms")
RATE = 50  # a second
WAITING = 200


def script(name):
    with open(os.path.join(BIN, "lua", name + ".lua"), "rb") as file:
        return file.read()


def set_limits(server, *words):
    run([dq("set"), "-u", server.url, "-q", "q", *words])


def in_batches(server, n, cpu, *limits, fill=put):
    """Messages a second from take to ack."""
    server.clear()
    if limits:
        set_limits(server, *limits)
    fill(server, "q", n)
    begun = server.worked()
    rate = n / settle.drain(server, "q")
    cpu.append((server.worked() - begun) / n)
    return rate


def cost():
    n, cpu = size(100_000, 20_000), {"with": [], "without": []}
    with Redis() as server:
        f, _ = alternate(size(5, 3), **{"without": lambda: in_batches(server, n, cpu["without"]),
                                        "with": lambda: in_batches(server, n, cpu["with"], *NEVER)})
    row("take + ack in batches, with limits", median(f["with"]), "/s", ratio(f, "with", "without"), "without", ("ratio", ">=", 0.8))
    row("take + ack in batches, with limits: the server", median(cpu["with"]), "us of CPU", ratio(cpu, "with", "without"), "without",
        ("ratio", "<=", 1.25))


def at_limit(*limits):
    """A server with takers that wait at a limit, and a backlog."""
    it = Idle(Redis())
    if limits:
        set_limits(it.server, *limits)
        put(it.server, "q", 100, "-t", "1h")
    it.processes = waiting(it.server, WAITING)
    return it


def waits():
    """All at the same time."""
    ours = {"nothing is ready": at_limit(), "max-leased": at_limit("max-leased=1"), "rate": at_limit("rate=1/1d")}
    begun = {name: it.server.worked() for name, it in ours.items()}
    found = rates(ours, size(15, 6))
    spent = {name: (it.server.worked() - begun[name]) / size(18, 9) for name, it in ours.items()}
    for name in ours:
        row(f"idle, {WAITING} waiting: {name}", found[name], "commands/s", found[name] / found["nothing is ready"], "nothing is ready",
            None if name == "nothing is ready" else ("ratio", "<=", 1.1))
        row(f"idle, {WAITING} waiting: {name}: the server", spent[name], "us of CPU/s", spent[name] / spent["nothing is ready"],
            "nothing is ready")
    freed = one_is_freed(ours["max-leased"].server)
    row(f"a place becomes free, {WAITING} waiting: delivered", median(freed), "ms, median")
    row(f"a place becomes free, {WAITING} waiting: delivered", percentile(freed, 99), "ms, 99 %", target=("value", "<=", 2))
    for it in ours.values():
        it.end()


def one_is_freed(server):
    """ms by the server's clock from before an ack to the delivery that it makes room for."""
    times, ack = [], server("SCRIPT", "LOAD", script("ack"))
    for _ in range(90):
        id, token = server("ZRANGE", "dq:{q}:leased", 0, 0)[0], int(server("HGET", "dq:{q}:stat", "token"))
        second, us = map(int, server("TIME"))
        server("EVALSHA", ack, *KEYS, "", id, token)
        wait_until(10, lambda: int(server("HGET", "dq:{q}:stat", "token")) > token, every=0.02)
        times.append((int(server("HGET", "dq:{q}:stat", "token")) - second * 1_000_000 - us) / 1000)
    return times


def full_demand():
    seconds = size(60, 10)
    with Redis() as server:
        set_limits(server, f"rate={RATE}/1s")
        put(server, "q", RATE * (seconds + 10))
        take = start([dq("take"), "-u", server.url, "-f", "q"], stdout=subprocess.PIPE)
        ack = start([dq("ack"), "-u", server.url, "-q"], stdin=subprocess.PIPE)
        tokens = []
        while not tokens or tokens[-1] < tokens[0] + seconds * 1_000_000:
            receipt = take.stdout.readline().split(b"\t")[0]
            tokens.append(int(receipt.rpartition(b"@")[2]))
            ack.stdin.write(receipt + b"\n")
            ack.stdin.flush()
        end(take)
        ack.stdin.close()
        ack.wait(20)
        end(ack)
    got = sum(token < tokens[0] + seconds * 1_000_000 for token in tokens) / seconds
    most = max(sum(first <= token < first + 1_000_000 for token in tokens[i:i + 2 * RATE]) for i, first in enumerate(tokens))
    row(f"rate={RATE}/1s at full demand", got, "/s", got / RATE, "the rate", ("ratio", ">=", 0.98))
    row(f"rate={RATE}/1s at full demand: in any second", most, "at most", target=("value", "<=", RATE))


def measure():
    cost()
    waits()
    full_demand()
