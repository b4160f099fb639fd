#!/usr/bin/env python3
"""scripts.py SOCKET DIR [CALLS] [SEED]: the Lua scripts, as expanded into DIR, with arguments that no caller should send:
other types, nan, inf, NUL, huge numbers, long strings, missing and surplus ones; mixed with sound calls, so that there is
something to break. Whatever comes, a script answers, or refuses with a code of its own and writes nothing; and the queue
holds together: audit.lua finds nothing, ids are ids, scores are in range."""
import collections
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from resp import Connection, Error

PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
SPAN = 1 << 42
LISTS = ["{dq:queues}", "{dq:queues}:new"]
ID = re.compile(rb"(?=.{1,128}\Z)[A-Za-z0-9._:-]+(\+[A-Za-z0-9._:-]+)?\Z")
OWN = re.compile(rb"DQ(TYPE|RANGE|CLOCK|SHARDS|HELD|OVER|GONE) ")
BATCH = 250


def whole(rng):
    return rng.choice([rng.randrange(0, 5), rng.randrange(0, 2000), rng.randrange(0, SPAN)])


ODD = [b"", b"0", b"-1", b"-0", b"1.5", b"nan", b"-nan", b"inf", b"-inf", b"1e300", b"-1e300", b"1e9", b"0x10", b" 7 ", b"7x", b"@",
       b"@nan", b"@inf", b"@-1", b"4398046511103", b"4398046511104", b"9007199254740993", b"18446744073709551616", b"1001", b"\0",
       b"a\0b", b"a b", b"a\nb", b"{}", b"%d%s", b"true", b"nil", b"\xff\xfe", b"*", b"(1", b"+inf", b"msg", b"stat", b"conf", b"wake",
       b"all", b"repeat", b"__index", b"x" * 129, b"1" * 400, b"keys", b"due", b"p=1e300\n", b"5" + b"0" * 40]
HEADERS = [b"", b"p=7", b"r=1", b"t=5", b"k=1 u=9", b"b=0,5", b"b=exp:1..9", b"t=1 r=2 p=0 u=9", b"p=1e300", b"p=nan", b"p=-1", b"p=0.5",
           b"p=256", b"t=nan", b"t=inf", b"t=-5", b"t=1e300", b"t=0", b"r=nan", b"r=-1", b"r=inf", b"u=nan", b"u=inf", b"u=1e300",
           b"b=nan", b"b=9999999999999999", b"b=exp:9..1", b"b=exp:0..99999999999999999999", b"x=nan", b"x=0", b"x=inf", b"b=,",
           b"p=", b"p", b"=", b"p=7 p=8", b"\0"]


class Caller:
    def __init__(self, rng):
        self.rng = rng
        self.now = 1800000000000
        self.told = b""
        self.receipts = collections.deque(maxlen=60)

    def id(self):
        return b"i%d" % self.rng.randrange(40)

    def odd(self):
        return b"y" * (1 << 20) if self.rng.random() < 0.002 else self.rng.choice(ODD)

    def ids(self):
        return [self.id() for _ in range(self.rng.randrange(1, 4))]

    def held(self):
        some = []
        for _ in range(self.rng.randrange(1, 4)):
            some += self.rng.choice(self.receipts) if self.receipts and self.rng.random() < 0.8 else (self.id(), b"1")
        return some

    def record(self):
        return self.rng.choice(HEADERS if self.rng.random() < 0.1 else HEADERS[:8]) + b"\n" + self.rng.choice([b"", b"payload", b"\0\n"])

    def put(self):
        rng, words = self.rng, []
        mode = rng.choice("fail fail fail keep replace earlier later move edit repeat".split())
        times = [b"0", b"%d" % whole(rng), b"@%d" % (self.now + rng.randrange(-999, 999))]
        due = rng.choice([*times, b""])
        for _ in range(rng.randrange(1, 4)):
            words += [self.id(), *([] if due else [rng.choice(times)]), self.record()]
        return [mode, rng.choice([100, 100, 0, 255, 7]), rng.choice(["", "", "", 99999999]), due] + words

    def load(self):
        rng, words = self.rng, [self.rng.choice(["fail", "keep", "replace"]), self.rng.choice([0, 0, 1, 2])]
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            place = rng.choice([b"due %d 0 -1 -1\n", b"due %d 2 5 -1\nwhy", b"leased %d 1 5 7\n", b"dead %d 5 -1 -1\nx", b"reserved %d",
                                b"begin 5 %d", b"begin %d 5", b"end 5 %d 0", b"end %d 5 1", b"free %d 5",
                                b"leased %d 1 -1 -1", b"due %d 1 1 1\n", b"end %d 1 2", b"due -%d 1 1 -1\n",
                                b"begin %d 0", b"dead %d 99999999999 1 -1\n", b"begin 99999999999999999 %d", b"other %d"])
            words += [self.id(), place % (self.now + rng.randrange(-99, 99)), self.record()]
        return words

    def arguments(self, name):
        rng, few = self.rng, self.rng.randrange(1, 9)
        return {
            "put": self.put,
            "load": self.load,
            "keys": lambda: rng.choice([["list", rng.choice(["", "i"]), few], ["find", "i", 0, few]]),
            "walk": lambda: [rng.choice(["msg", "settled"]), 0, few],
            "take": lambda: [few, rng.choice(["", 1, 50]), rng.choice("01"), 1 << 20, rng.choice(["", "?", self.now])] +
            rng.choice([[], ["h:1"], ["\xff"]]),
            "ack": lambda: (["=", rng.choice(["", "well", "x" * 1001])] if rng.random() < 0.2 else []) + self.held(),
            "giveback": lambda: [rng.choice(["", "", 0, 5, "@%d" % (self.now + 9)])] + rng.choice([[], [], ["=", "why"]]) + self.held(),
            "release": lambda: [rng.choice(["", "", "h", "h:1"])] + self.ids(),
            "bury": lambda: [rng.choice(["", "why"])] + self.held(),
            "retry": lambda: [rng.choice(["", 0, 5]), rng.choice(["", "why"])] + self.held(),
            "extend": lambda: [rng.choice([1, 50])] + self.held(),
            "promote": lambda: [few, rng.choice(["", "?", self.now])],
            "stat": lambda: [],
            "gc": lambda: [rng.choice([0, 5, 500]), few, rng.choice("001"), 0],
            "rm": lambda: [rng.choice(["", "", "due", "dead", "leased"])] + self.ids(),
            "forget": lambda: [rng.choice(["", 0, 5, 500])],
            "listed": lambda: [rng.choice([self.now * 1000, 1, 5])],
            "touch": lambda: [],
            "shards": lambda: [rng.choice(["", "", "3", "3+", "3-"]), rng.choice(["", "3", "3+", "3-", "64"])],
            "unlist": lambda: ["q", rng.choice([self.now * 1000, 1, 5])],
            "promote_now": self.ids,
            "redrive": self.ids,
            "set": lambda: rng.choice([["paused", "0", "max-leased", "", "rate", "", "max-len", "", "keys", "", "key-limit", ""]] * 9 + [
                ["paused", rng.choice(["1", "load", str(self.now + 9)])], ["max-leased", rng.choice("39")],
                ["rate", rng.choice(["5/10", "1/86400000"])], ["max-len", rng.choice(["0", "50"])],
                ["keys", rng.choice(["fair", "serial"])], ["key-limit", rng.choice("19")]]),
            "list": lambda: [rng.choice("delayed due ready leased dead expired".split()), 0, few] + rng.choice([[], [""], ["1 i1"]]),
            "show": lambda: [rng.choice("01")] + self.ids(),
            "mark": lambda: [rng.choice(["wake", "timer", "guard"]), rng.choice([0, "?", self.now, self.now + 50])],
            "audit": lambda: [rng.choice("leased ready delayed dead try failing expiry msg all".split()), 0, few, rng.choice("01")] +
            rng.choice([[], [""], [2], [64]]),
        }[name]()

    def spoil(self, words):
        """One fault or several, anywhere."""
        rng = self.rng
        for _ in range(rng.choice([1, 1, 2, 5])):
            how = rng.random()
            if how < 0.6 and words:
                words[rng.randrange(len(words))] = self.odd()
            elif how < 0.75:
                del words[rng.randrange(len(words) + 1):]
            elif how < 0.9:
                words.insert(rng.randrange(len(words) + 1), self.odd())
            elif how < 0.91:
                words += [b"z%d" % (i % 3000) for i in range(rng.choice([1001, 2002, 9000]))]
            elif words:
                words.append(rng.choice(words))
        return words

    def words(self, name):
        self.now += self.rng.randrange(0, 20)
        words = [b"%d" % self.now + (self.told if name != "unlist" else b"")] + self.arguments(name)
        return self.spoil(words) if self.rng.random() < 0.6 else words

    def answered(self, name, reply):
        if name == "take" and isinstance(reply, list):
            self.receipts.extend((reply[i], reply[1]) for i in range(6, len(reply), 6))


def short(words):
    return [w if len(w) < 60 else w[:20] + b"...(%d)" % len(w) for w in (w if isinstance(w, bytes) else str(w).encode() for w in words)]


class Fuzz:
    def __init__(self, redis, directory, seed):
        self.redis = redis
        self.rng = random.Random(seed)
        self.faults = {}
        self.sha = {}
        for file in sorted(os.listdir(directory)):
            with open(os.path.join(directory, file), "rb") as f:
                self.sha[file[:-4]] = redis.call("SCRIPT", "LOAD", f.read())
        self.refused = 0

    def fault(self, script, what, words):
        key = (script, re.sub(rb"user_script:?\d*|:\d+:|[0-9a-f]{40}|script: .*", b"", what))
        seen = self.faults.setdefault(key, [0, what, words])
        seen[0] += 1

    def evalsha(self, name, keys, words):
        keys = LISTS if name == "unlist" else keys
        return ["EVALSHA", self.sha[name], len(keys)] + keys + words

    def told(self, keys):
        """What follows the time: the number of shards that the queue has, as its callers know it."""
        number = self.redis.call("HGET", keys[PARTS.index("stat")], "shards")
        return b"/" + number if number else b""

    def batch(self, caller, keys, count):
        caller.told = self.told(keys)
        names = self.rng.choices(list(self.sha), [6 if n in ("put", "take") else 1 for n in self.sha], k=count)
        calls = [(name, caller.words(name)) for name in names]
        for name, words in calls:
            self.redis.send(*self.evalsha(name, keys, words))
        self.redis.push()
        for name, words in calls:
            reply = self.redis.reply()
            caller.answered(name, reply)
            if isinstance(reply, Error):
                self.refused += 1
                if not OWN.match(reply):
                    self.fault(name, reply, short(words))

    def alone(self, caller, keys):
        """What is refused writes nothing."""
        before = self.redis.call("DEBUG", "DIGEST-VALUE", *keys)
        name = self.rng.choice(list(self.sha))
        caller.told = self.told(keys)
        words = caller.words(name)
        reply = self.redis.ask(*self.evalsha(name, keys, words))
        caller.answered(name, reply)
        if isinstance(reply, Error) and self.redis.call("DEBUG", "DIGEST-VALUE", *keys) != before:
            self.fault(name, b"refused, and wrote: " + reply, short(words))

    def audit(self, keys, last):
        for part in "leased ready delayed dead try failing expiry msg".split():
            cursor = b"0"
            while True:
                reply = self.redis.ask(*self.evalsha("audit", keys, [self.told(keys), part, cursor, 1000, "0"]))
                if isinstance(reply, Error):
                    return self.fault("audit", reply, last)
                for id, fault in zip(reply[3::2], reply[4::2]):
                    self.fault("audit of " + part, fault, [id] + last)
                cursor = reply[0]
                if cursor == b"0":
                    break

    def ranges(self, keys, last):
        for id in self.redis.call("HKEYS", keys[0]):
            if not ID.match(id):
                self.fault("put", b"an id that is none", short([id]))
        for part, low, high in (("delayed", 0, SPAN), ("ready", 0, 2 ** 50 + 256 * SPAN), ("leased", 0, SPAN), ("dead", 0, SPAN),
                                ("settled", 0, 2 * SPAN)):
            both = self.redis.call("ZRANGE", keys[PARTS.index(part)], 0, -1, "WITHSCORES")
            for id, score in zip(both[::2], both[1::2]):
                if not low <= float(score) < high or (part != "delayed" and float(score) % 1):
                    self.fault("score in " + part, score, short([id]) + last)
        for name, value in zip(*[iter(self.redis.call("HGETALL", keys[PARTS.index("stat")]))] * 2):
            form = {b"shards": rb"\d{1,2}[-+]?\Z", b"limits": rb"p?l?r?m?s?n?k?\Z"}.get(name, rb"\d{1,19}\Z")
            if not re.match(form, value):
                self.fault("stat", name + b"=" + value, last)

    def round(self, number):
        keys = ["dq:{fuzz%d}:%s" % (number, part) for part in PARTS]
        caller = Caller(self.rng)
        for i in range(4):
            self.batch(caller, keys, BATCH)
            where = [b"round %d, batch %d" % (number, i)]
            self.audit(keys, where)
            self.ranges(keys, where)
        for _ in range(50):
            self.alone(caller, keys)
        self.redis.call("DEL", *keys)

    def report(self):
        for (script, _), (count, what, words) in sorted(self.faults.items(), key=str):
            print("%s: %s (%d times), as after %r" % (script, what.decode(errors="replace"), count, words))
        return 1 if self.faults else 0


def main():
    path, directory = sys.argv[1:3]
    calls = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    print("seed %d" % seed)
    fuzz = Fuzz(Connection(path), directory, seed)
    rounds = max(1, calls // (4 * BATCH))
    for number in range(rounds):
        fuzz.round(number)
    print("%d calls, %d refused" % (rounds * (4 * BATCH + 50), fuzz.refused))
    return fuzz.report()


try:
    sys.exit(main())
except ConnectionError as e:
    sys.exit("the server is gone: %s" % e)
