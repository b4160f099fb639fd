"""Bulk put of delayed messages, compared with the limit of Redis itself and with peers."""

from bench import CPU, PAYLOAD, PEERS, Beanstalkd, Redis, alternate, median, output, peer, put, ratio, row, size

AT_ONCE = 1000


def limit(server, n, *command):
    """Commands a second by redis-benchmark, pipelined on one connection."""
    server.clear()
    out = output(["redis-benchmark", "-s", server.path, "-n", str(n), "-c", "1", "-P", str(AT_ONCE), "-r", "2000000000",
                  "--csv", *command])
    return float(out.splitlines()[-1].split('","')[1])


def ours(server, n, cpu=None):
    server.clear()
    begun = server.worked()
    rate = n / put(server, "q", n, "-d", "1h")
    if cpu is not None:
        cpu.append((server.worked() - begun) / n)
    return rate


def beanstalkd(n):
    with Beanstalkd() as other:
        return n / other("put", n, 3600)


def of_peer(name, n):
    return lambda: n / float(peer(name)("put", n))


def measure():
    n, cpu = size(300_000, 100_000), []
    with Redis() as server:
        f, skipped = alternate(
            size(5, 3), dq=lambda: ours(server, n, cpu), beanstalkd=lambda: beanstalkd(n),
            hset=lambda: limit(server, n, "HSET", "h", "__rand_int__", PAYLOAD),
            eval=lambda: limit(server, n, "EVAL", "return 1", "0"))
        few, without = alternate(
            size(3, 1), dq=lambda: ours(server, n), **{name: of_peer(name, size(30_000, 10_000)) for name in PEERS})
    mine = median(f["dq"])
    row("put delayed, 100 bytes (dq-put -l)", mine, "/s", target=("value", ">=", 150_000))
    row("put delayed, 100 bytes (dq-put -l)", mine, "/s", ratio(f, "dq", "hset"), "HSET, redis-benchmark -P 1000")
    row("put delayed, 100 bytes (dq-put -l)", mine, "/s", ratio(f, "dq", "eval"), "EVAL 'return 1', redis-benchmark -P 1000")
    row("put delayed, 100 bytes: the server", median(cpu), CPU)
    row("HSET, redis-benchmark -P 1000", median(f["hset"]), "/s")
    row("EVAL 'return 1', redis-benchmark -P 1000", median(f["eval"]), "/s")
    against("beanstalkd", "put pipelined", f, skipped, 1.2)
    against("BullMQ", "addBulk", few, without, 10)
    against("delayqueue (Go)", "16 senders", few, without)
    against("asynq", "16 senders", few, without)
    against("Redisson", "offer, 1000 in flight", few, without)


def against(name, how, figures, skipped, least=None):
    """Rows for a peer: ours as a ratio of its rate."""
    if name in skipped:
        row("put delayed", None, "/s", against=f"{name}, {how}", skipped=skipped[name])
        return
    theirs = f"{name}, {how}"
    row(f"{theirs}: put delayed", median(figures[name]), "/s")
    row("put delayed, 100 bytes (dq-put -l)", median(figures["dq"]), "/s", ratio(figures, "dq", name), theirs,
        least and ("ratio", ">=", least))
