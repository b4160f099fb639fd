#!/usr/bin/env python3
"""within_limits.py FOLDER...: holds what servers did against the limits of their queues.

Each FOLDER is that of a server's append-only files (appendonlydir). They have every write in its order, also of calls whose reply
nobody saw: the settings, what was leased and no longer leased, and the time (us) of each take, which is its token. So neither the
scripts' own index of deliveries nor a client is believed. After each take that leased something:

    no more than max-leased are leased
    no more than the N of rate=N/DUR have begun within any DUR, since the rate was set
    no more than key-limit of a key are leased; with keys=serial one, which is the next of its key (Shard.serial)
    with keys=serial,stop none is leased whose key has a dead message
    none is leased while the queue, or its key, is paused

The server needs aof-use-rdb-preamble no, and, if a file is ever rewritten, aof-disable-auto-gc yes. A key that came from another server
(RESTORE) counts as empty. Exit status 1, and a line for each, if there was too much.
"""
import collections
import os
import re
import sys

MS = 1000
KEYED, PRIORITY = 1 << 50, 100  # what is added to a score in ready; the default


def words(data, at):
    """-> the command there, and where the next one begins; None if it is not whole. A line of # is a time."""
    while data[at:at + 1] == b"#":
        at = data.index(b"\n", at) + 1
    end = data.find(b"\r\n", at)
    if end < 0 or data[at:at + 1] != b"*":
        return None, at
    count, at, command = int(data[at + 1:end]), end + 2, []
    for _ in range(count):
        end = data.find(b"\r\n", at)
        if end < 0:
            return None, at
        size = int(data[at + 1:end])
        at = end + 2
        if len(data) < at + size + 2:
            return None, at
        command.append(data[at:at + size])
        at += size + 2
    return command, at


def blocks(data):
    """What was done at once: lists of commands."""
    at, block = 0, None
    while at < len(data):
        command, at = words(data, at)
        if command is None:
            return
        what = command[0].upper()
        if what == b"MULTI":
            block = []
        elif what == b"EXEC":
            yield block or []
            block = None
        elif block is None:
            yield [command]
        else:
            block.append(command)


def key_of(id):
    return id.split(b"+")[0] if b"+" in id else None


def order(part, score):
    """-> priority, due; of a score in delayed or ready."""
    if part == "delayed":
        return int(score % 1 * 256 + PRIORITY) % 256, int(score)
    return divmod(int(score) % KEYED, 1 << 42)


class Index:
    """A sorted set, and what of it has each key."""

    def __init__(self):
        self.scores, self.of = {}, collections.defaultdict(set)

    def __contains__(self, id):
        return id in self.scores

    def __len__(self):
        return len(self.scores)

    def clear(self):
        self.scores.clear()
        self.of.clear()

    def add(self, pairs):
        """SCORE ID ..."""
        for score, id in zip(pairs[::2], pairs[1::2]):
            self.scores[id] = float(score)
            self.of[key_of(id)].add(id)

    def remove(self, ids):
        for id in ids:
            if self.scores.pop(id, None) is not None:
                self.of[key_of(id)].discard(id)

    def do(self, what, args):
        """-> whether that command is known."""
        if what == "ZADD":
            while args and args[0].isalpha():
                only_there, args = args[0].upper() == b"XX", args[1:]
                if only_there:
                    args = [word for pair in zip(args[::2], args[1::2]) if pair[1] in self for word in pair]
            self.add(args)
        elif what == "ZREM":
            self.remove(args)
        elif what == "ZREMRANGEBYRANK":
            first, last = map(int, args)
            self.remove([id for _, id in sorted((score, id) for id, score in self.scores.items())[first:last + 1 or None]])
        elif what in ("DEL", "UNLINK"):
            self.clear()
        else:
            return False
        return True


class Shard:
    """A queue, or a shard of one: what the files say."""

    def __init__(self, tag):
        self.tag, self.conf, self.begun = tag, {}, collections.deque()
        self.index = {part: Index() for part in ("delayed", "ready", "leased", "dead")}
        self.delayed, self.ready, self.leased, self.dead = self.index.values()
        self.tried, self.first = set(), set()  # ids; those of which the call that is looked at was the first to lease them
        self.order = {}  # id: (priority, due) when it was delayed or ready last
        self.deliveries = self.most = self.fullest = self.keyed = self.behind = self.stopped = self.paused = 0
        self.came = False  # from another server: what of it is not known

    def clear(self):
        for index in self.index.values():
            index.clear()
        for of in self.conf, self.tried, self.order, self.begun:
            of.clear()

    def limit(self):
        return int(self.conf.get(b"max-leased", 0))

    def rate(self):
        """-> N, us; 0, 0: none"""
        found = re.fullmatch(rb"(\d+)/(\d+)", self.conf.get(b"rate", b""))
        return (int(found[1]), int(found[2]) * MS) if found else (0, 0)

    def set(self, pairs):
        for name, value in zip(pairs[::2], pairs[1::2]):
            if name == b"rate" and name not in self.conf:
                self.begun.clear()
            self.conf[name] = value

    def do(self, part, what, args):
        if what.startswith("RESTORE"):
            self.came, what = True, "DEL"
        if part == "conf" and what == "HSET":
            self.set(args)
        elif part == "conf" and what == "HDEL":
            for name in args:
                self.conf.pop(name, None)
        elif part == "conf" and what in ("DEL", "UNLINK"):
            self.conf.clear()
        elif part == "try" and what == "HSET":
            self.first.update(set(args[::2]) - self.tried)
            self.tried.update(args[::2])
        elif part == "try" and what == "HDEL":
            self.tried.difference_update(args)
        elif part == "try" and what in ("DEL", "UNLINK"):
            self.tried.clear()
        elif part in self.index:
            if not self.index[part].do(what, args):
                sys.exit(f"{self.tag}: {what} of {part} is not known here")
            if what == "ZADD" and part in ("delayed", "ready"):
                self.order.update((id, order(part, float(score))) for score, id in zip(args[::2], args[1::2]))

    def begin(self, count, at):
        """What is wrong with so many deliveries at that time (us)."""
        self.deliveries += count
        self.most = max(self.most, len(self.leased))
        if self.limit() and len(self.leased) > self.limit():
            yield f"{self.tag}: at {at} us {len(self.leased)} are leased, max-leased is {self.limit()}"
        most, span = self.rate()
        if not most:
            return
        self.begun.extend([at] * count)
        while self.begun[0] <= at - span:
            self.begun.popleft()
        self.fullest = max(self.fullest, len(self.begun))
        if len(self.begun) > most:
            yield f"{self.tag}: {len(self.begun)} began from {self.begun[0]} to {at} us, the rate is {most} in {span} us"

    def key_limit(self):
        """0: none"""
        return 1 if self.conf.get(b"keys", b"").startswith(b"serial") else int(self.conf.get(b"key-limit", 0))

    def keys(self, ids, at):
        """What is wrong with deliveries of these at that time (us)."""
        most = self.key_limit()
        for key in {key_of(id) for id in ids} - {None} if most else ():
            leased = self.leased.of[key]
            self.keyed += len(leased.intersection(ids))
            self.behind += len(leased) == most and bool(self.ready.of[key])
            if len(leased) > most:
                yield f"{self.tag}: at {at} us {len(leased)} of {key.decode()} are leased, at most {most} may be"
            elif self.conf.get(b"keys", b"").startswith(b"serial"):
                yield from self.serial(key, *leased, at)

    def is_paused(self, name, at):
        pause = self.conf.get(name, b"0")
        return pause != b"0" and not (len(pause) > 1 and pause.isdigit() and int(pause) * MS <= at)

    def is_stopped(self, key):
        return self.conf.get(b"keys") == b"serial,stop" and bool(self.dead.of[key])

    def held(self, ids, at):
        """What is wrong with deliveries of these at that time (us), and how often it is seen that others of their shard are held."""
        if self.is_paused(b"paused", at):
            yield f"{self.tag}: at {at} us {ids[0].decode()} was taken, and the queue is paused"
        waiting = {key for key in list(self.ready.of) if key and self.ready.of[key]}
        self.paused += any(self.is_paused(b"paused:" + key, at) for key in waiting)
        self.stopped += any(map(self.is_stopped, waiting))
        for id in ids:
            key = key_of(id)
            if key and self.is_paused(b"paused:" + key, at):
                yield f"{self.tag}: at {at} us {id.decode()} was taken, and its key is paused: {self.conf[b'paused:' + key].decode()}"
            if key and self.is_stopped(key):
                dead = b" ".join(sorted(self.dead.of[key])).decode()
                yield f"{self.tag}: at {at} us {id.decode()} was taken, and {dead}, which is dead, stops its key"

    def serial(self, key, id, at):
        """Of the messages that were delivered before and have not ended the first goes first, and holds the key while it is delayed.
        There are several only if another setting let them through. Without any it is the first that is ready."""
        begun = (self.delayed.of[key] | self.ready.of[key]) & self.tried
        for other in begun:
            if id in self.first or other < id:
                yield f"{self.tag}: at {at} us {id.decode()} was taken before {other.decode()}, which was tried before"
        for other in self.ready.of[key] - self.tried if id in self.first else ():
            if (*self.order[other], other) < (*self.order[id], id):
                yield f"{self.tag}: at {at} us {id.decode()} was taken before {other.decode()}, which comes before it"


class Held:
    """All that one server did."""

    def __init__(self):
        self.shards, self.wrong = {}, []

    def shard(self, tag):
        return self.shards.setdefault(tag, Shard(tag))

    def anew(self):
        """What follows says all that there is; it may be another server's data."""
        for shard in self.shards.values():
            shard.clear()

    def run(self, block):
        taken = {}
        for shard in self.shards.values():
            shard.first.clear()
        for command in block:
            what = command[0].decode().upper().replace("HMSET", "HSET")
            if what in ("FLUSHALL", "FLUSHDB"):
                self.anew()
            for name in command[1:] if what in ("DEL", "UNLINK") else command[1:2]:
                key = re.fullmatch(r"\w+:\{([^}]*)\}:(\w+)", name.decode(errors="replace"))
                if not key:
                    continue
                shard, args = self.shard(key[1]), command[2:]
                shard.do(key[2], what, args)
                if key[2] == "leased" and what == "ZADD":
                    taken.setdefault(key[1], [[], None])[0].extend(args[1::2])
                if key[2] == "stat" and what == "HSET" and b"token" in args[::2] and b"taken" in args[::2]:
                    taken.setdefault(key[1], [[], None])[1] = int(dict(zip(args[::2], args[1::2]))[b"token"])
        for tag, (ids, at) in taken.items():
            if at is not None and ids:
                self.wrong += self.shard(tag).begin(len(ids), at)
                self.wrong += self.shard(tag).keys(ids, at)
                self.wrong += self.shard(tag).held(ids, at)

    def read(self, folder):
        """A base has what the files before it had, unless another server's data took its place."""
        found = [re.fullmatch(r".*\.(\d+)\.(base|incr)\.aof", name) for name in os.listdir(folder)]
        for _, kind, name in sorted((int(f[1]), f[2], f[0]) for f in found if f):
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if kind == "base":
                self.anew()
            for block in blocks(data):
                self.run(block)


def main(folders):
    held = []
    for folder in folders:
        held.append(Held())
        held[-1].read(folder)
    for one in held:
        for tag, shard in sorted(one.shards.items()):
            if shard.deliveries:
                print(f"{tag}: {shard.deliveries} deliveries, most leased {shard.most} of {shard.limit() or 'any'}, "
                      f"most begun {shard.fullest} of {shard.rate()[0] or 'any'}; {shard.keyed} with keys, behind {shard.behind} of "
                      f"them others of their key waited; at {shard.stopped} takes a dead one stopped a key, "
                      f"at {shard.paused} one was paused")
        for text in one.wrong[:5]:
            print(text, file=sys.stderr)
    return any(one.wrong for one in held)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
