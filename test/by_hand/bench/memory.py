"""The memory that Redis needs for a delayed message of 100 bytes with a ULID: used_memory, averaged over many."""

from bench import Redis, Skip, peer, put, row, size


def measure():
    n, few = size(1_000_000, 100_000), size(50_000, 10_000)
    with Redis() as server:
        before = server.memory()
        put(server, "q", n, "-d", "1h")
        ours = (server.memory() - before) / n
    row(f"a delayed message, of {n}", ours, "bytes", target=("value", "<=", 340))
    with Redis() as server:
        before = server.memory()
        put(server, "q", few, "-d", "1h")
        ours = (server.memory() - before) / few
    for name in ("BullMQ", "delayqueue (Go)", "asynq", "Redisson"):
        try:
            run = peer(name)
            run("put", few)
            theirs = (run.memory - before) / few
            row(f"{name}: a delayed message, of {few}", theirs, "bytes")
            row(f"a delayed message, of {few}", ours, "bytes", ours / theirs, name)
        except Skip as e:
            row(f"{name}: a delayed message", None, "bytes", skipped=str(e))
