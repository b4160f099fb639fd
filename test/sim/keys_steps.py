"""What clients do to a queue with keys, at random, from a seed: each step is [what, now, argument...]. Instead of a token CURRENT is
that of the message's last delivery, and STALE another one: so steps can be left out, and the others mean the same."""
import bisect

from message import HELD
from steps import Dice

CURRENT, STALE = "current", "stale"
WEIGHTS = {"put": 24, "take": 26, "ack": 12, "retry": 7, "giveback": 5, "bury": 2, "extend": 3, "rm": 3, "promote": 6, "promote_now": 3,
           "release": 3, "redrive": 3, "load": 3, "gc": 1, "set": 4, "audit": 2, "stat": 2, "list": 1, "show": 1, "keys": 2, "!pop": 1}
WHATS = list(WEIGHTS)
CUT = "put take ack retry giveback bury rm promote promote_now release redrive load gc set".split()
LACKS = ("zadd zrem zrange zscore zmscore zcard zcount zlexcount zremrangebyrank hset hget hgetall hmget hdel hexists hincrby "
         + "producer " * 3).split()
MODES = "fail fail fail fail keep replace replace earlier later move move edit edit only-move only-replace".split()
KEYS = [b"k", b"k2", b"K", b"a.b", b"k:", b"_", b"9"]


class Steps:
    def __init__(self, seed, cuts, rights):
        self.rng = rng = Dice(seed)
        self.now = 1800000000000
        self.is_large = rng.random() < 0.05  # more keys than a promote, or a slice of the walk, looks at
        keys = [b"k%02d" % i for i in range(70)] if self.is_large else KEYS[:rng.choice([1, 2, 3, 3, 4, 5, 7])]
        rests = [b"a", b"b", b"aa", b"B", b"-", b"c.d"][:rng.choice([1, 2, 3, 3, 5, 6])]
        self.ids = [b"%s+%s" % (key, rest) for key in keys for rest in rests]
        self.ids += [b"a", b"b", b"k", b"c"][:rng.choice([0, 0, 1, 2, 4])]
        self.names = keys
        self.priorities = rng.choice([[100], [100], [100, 5], [100, 100, 100, 5], [0, 5, 100, 255]])
        self.has_expiry, self.has_limits, self.has_reserved = (rng.random() < 0.3 for _ in range(3))
        self.has_key_pauses = rng.random() < 0.4
        self.cuts = rng.choice([0.03, 0.1, 0.2]) if cuts else 0
        self.lacks = 0.2 if rights else 0
        self.has_sets = rng.random() < 0.6 or self.is_large
        self.begin = [["set", self.now, *self.keys_setting()]] if rng.random() < 0.75 else []
        if self.is_large:
            self.begin.insert(0, ["put", self.now, "fail", 100, "", 0, *(word for id in self.ids for word in (id, b"\n"))])
        total, self.bounds = 0, []
        for what in WHATS:
            is_done = what != "set" or self.has_sets or self.has_limits or self.has_key_pauses
            total += WEIGHTS[what] * rng.choice([0.1, 0.3, 1, 1, 2, 5]) * is_done
            self.bounds.append(total)

    def next(self, view):
        self.view = view
        if self.begin:
            return self.begin.pop()
        self.pass_time()
        what = WHATS[bisect.bisect_right(self.bounds, self.rng.random() * self.bounds[-1])]
        if what == "!pop":
            return ["!pop", self.now, self.rng.choice(["wake", "timer", "guard"])]
        step = [what, self.now, *getattr(self, what)()]
        if what in CUT and self.rng.random() < self.cuts:
            return ["!cut", self.rng.randrange(self.rng.choice([4, 8, 8, 30])), *step]
        if what in CUT and self.rng.random() < self.lacks:
            return ["!as", self.rng.choice(LACKS), *step]
        return step

    def drain(self):
        eases = int(self.rng.random() < 0.5)
        return ["!drain", self.now, eases, int(self.rng.random() < 0.4)]

    def pass_time(self):
        way, rng = self.rng.random(), self.rng
        if way < 0.5:
            return
        if way < 0.75:
            self.now += rng.randrange(1, 6)
        elif way < 0.93 and self.view.messages:
            m = self.view.messages[rng.choice(list(self.view.messages))]
            if m.due is not None and self.now < m.due < HELD:
                self.now = m.due + rng.choice([-1, 0, 0, 1])
        elif way < 0.98:
            self.now += rng.randrange(1, 100)
        elif way < 0.995:
            self.now += rng.randrange(1, 100000)
        else:
            self.now -= rng.randrange(1, 50)  # the server's clock was set

    # --- arguments ---

    def in_state(self, *states):
        return [m.id for m in self.view.messages.values() if m.state in states]

    def some(self, ids=None, most=4):
        rng = self.rng
        ids = ids if ids and rng.random() < 0.9 else self.ids
        count = 1 if rng.random() < 0.6 else rng.randrange(1, most + 1)
        return [rng.choice(ids) for _ in range(count)]

    def when(self):
        way = self.rng.random()
        if way < 0.55:
            return "0"
        if way < 0.8:
            return str(self.rng.randrange(1, 30))
        if way < 0.82:
            return "@%d" % HELD
        return "@%d" % (self.now + self.rng.randrange(-20, 40))

    def header(self, priority):
        rng, words = self.rng, []
        if rng.random() < 0.6:
            words.append(b"b=" + rng.choice([b"0", b"5", b"3,10", b"0,20"]))
        if priority != 100:
            words.append(b"p=%d" % priority)
        if rng.random() < 0.6:
            words.append(b"r=%d" % rng.randrange(1, 4))
        if rng.random() < 0.8:
            words.append(b"t=%d" % rng.randrange(1, 60))
        if self.has_reserved and rng.random() < 0.3:
            words.append(rng.choice([b"u=30", b"u=30 k=1"]))
        return b" ".join(words)

    def record(self, priority, comes_after):
        header = self.header(priority)
        return (b" " if comes_after and header else b"") + header + b"\n" + self.rng.choice([b"", b"x", b"y", b"z" * 50])

    def put(self):
        rng = self.rng
        priority = rng.choice(self.priorities)
        expire = rng.randrange(20, 200) if self.has_expiry and rng.random() < 0.4 else ""
        shared = self.when() if rng.random() < 0.6 else ""
        args = [rng.choice(MODES), priority, expire, shared]
        for id in self.some(most=80 if self.is_large else 6):
            args += [id, *([self.when()] if shared == "" else []), self.record(priority, expire != "")]
        return args

    def load(self):
        rng, args = self.rng, [self.rng.choice(["fail", "keep", "replace"]), 0]
        for id in self.some():
            word = rng.choice([b"due", b"due", b"leased", b"dead"])
            at = self.now - rng.randrange(60) if word == b"dead" else self.now + rng.randrange(-30, 40)
            again = self.now + rng.randrange(-20, 60) if word == b"leased" and rng.random() < 0.3 else -1
            tries = rng.choice([0, 0, 1, 2]) if word == b"due" else rng.randrange(1, 3)
            due = -1 if word == b"due" and rng.random() < 0.8 else self.now - rng.randrange(50)
            first = rng.choice([b"", b"", b" 5", b" 5*2"])
            args += [id, b"%s %d %d %d %d%s\n%s" % (word, at, tries, due, again, first, rng.choice([b"", b"", b"why"])),
                     self.record(rng.choice(self.priorities), False)]
        return args

    def take(self):
        rng = self.rng
        return [rng.choice([1, 1, 1, 1, 2, 3, 5, 20, 0]), rng.choice(["", "", rng.randrange(1, 60)]), int(rng.random() < 0.8),
                rng.choice([1048576] * 5 + [1, 60]), rng.choice(["", "", "?"]), rng.choice(["", "h:1"])]

    def receipts(self):
        args = []
        at_work = self.in_state("leased") if self.rng.random() < 0.85 else sorted(self.view.keys["try"])
        for id in self.some(at_work):
            args += [id, CURRENT if self.rng.random() < 0.93 else STALE]
        return args

    def ack(self):
        return self.receipts()

    def retry(self):
        return [self.rng.choice(["", "", "0", "7", "30"]), self.rng.choice(["", "why"]), *self.receipts()]

    def giveback(self):
        return [self.rng.choice(["", "", self.when()]), *self.receipts()]

    def bury(self):
        return ["", *self.receipts()]

    def extend(self):
        return [self.rng.choice([1, 5, 50]), *self.receipts()]

    def rm(self):
        return [self.rng.choice(["", "", "delayed", "ready", "leased", "dead"]), *self.some(list(self.view.messages), 3)]

    def promote(self):
        return [self.rng.choice([1, 2, 1000]), self.rng.choice(["", "", "?"])]

    def promote_now(self):
        return self.some(self.in_state("delayed"))

    def release(self):
        return [self.rng.choice(["", "", "h:1"]), *self.some(self.in_state("leased"))]

    def redrive(self):
        return self.some(self.in_state("dead"))

    def gc(self):
        return [self.rng.choice([0, 50, 1000]), self.rng.choice([1, 1000]), 0, 0]

    def keys_setting(self):
        rng = self.rng
        words = []
        if rng.random() < 0.7:
            words += ["keys", rng.choice(["serial", "serial,stop", "serial,stop", "fair"])]
        if not words or rng.random() < 0.5:
            words += ["key-limit", rng.choice(["", "1", "2", "2", "3", "9"])]
        return words

    def key_pauses(self):
        """Some keys, the first ones more often; ends that are near, and that have passed."""
        rng, words = self.rng, []
        for _ in range(rng.choice([1, 1, 2, 5])):
            key = self.names[min(rng.randrange(len(self.names)), rng.randrange(len(self.names)))]
            words += ["paused:" + key.decode(), rng.choice([0, 0, 1, self.now + rng.randrange(-3, 40), self.now + rng.randrange(1, 9)])]
        return words

    def set(self):
        rng, words = self.rng, []
        if self.has_key_pauses and rng.random() < 0.6:
            return self.key_pauses()
        if self.has_limits and (not self.has_sets or rng.random() < 0.7):
            words += ["max-leased", rng.choice(["", "", "1", "2", "5"])] if rng.random() < 0.5 else []
            words += ["rate", rng.choice(["", "", "1/30", "3/40"])] if rng.random() < 0.4 else []
            words += ["paused", rng.choice([0, 0, 1, self.now + rng.randrange(1, 40)])] if rng.random() < 0.3 else []
            return words or ["paused", 0]
        return self.keys_setting()

    def audit(self):
        return [self.rng.choice("all all all all msg ready leased keyed".split()), 0, 1000, int(self.rng.random() < 0.3)]

    def stat(self):
        return []

    def list(self):
        return [self.rng.choice(["delayed", "ready", "leased"]), 0, 1000]

    def show(self):
        return [0, *self.ids[:3]]

    def keys(self):
        if self.rng.random() < 0.3:
            return ["find", self.rng.choice(self.names), 0, 1000]
        return ["list", self.rng.choice(["", "", self.rng.choice(self.names)]), self.rng.choice([1, 2, 1000])]
