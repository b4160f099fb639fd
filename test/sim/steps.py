"""What clients do, at random, from a seed: each step is [what, argument...]. Names of scripts are calls; what begins with ! is
something else that may happen to the server."""
import bisect
import random

from message import HELD, SPAN

PAYLOADS = [b"", b"a", b"b", b"\n", b"x=1 t=2 p=3 r=4\n", b"\xff\xfe \r\t", b"0123456789" * 8, b"z" * 300]
SCHEDULES = ["0", "5", "3,10,30", "exp:1..50", "exp:10..100000", "exp:7..7"]
TRACEPARENT = b"c=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
WEIGHTS = {"put": 24, "take": 24, "ack": 12, "retry": 8, "bury": 4, "extend": 7, "giveback": 5, "rm": 4, "promote_now": 4,
           "redrive": 5, "release": 4, "promote": 6, "gc": 3, "set": 3, "forget": 2, "listed": 2, "load": 5, "walk": 2, "list": 3,
           "show": 3, "stat": 2, "audit": 2, "!pop": 3, "mark": 2, "touch": 1, "shards": 0.5, "!flush": 0.3, "!crash": 1}
MODES = ("fail fail fail keep replace earlier earlier later later move move edit edit repeat "
         "only-replace only-earlier only-later only-move only-edit").split()
WHATS = list(WEIGHTS)
HOLDERS = ["", "h:1", "h:1", "h:2", "h", "h1:1", "w", "u=9>1@x", "h:1" * 33 + "x"]
RARE = ("forget", "set", "rm", "gc", "release", "!flush")  # in a plain episode
DENIED = ["zadd", "zrem", "zremrangebyrank", "hset", "hdel", "hincrby"]


class Dice(random.Random):
    """A third of the time of random's own."""

    def choice(self, seq):
        return seq[int(self.random() * len(seq))]

    def randrange(self, low, high=None):
        if high is None:
            low, high = 0, low
        return low + int(self.random() * (high - low))


class Steps:
    """One episode: some clients with receipts, of which most are stale in the end."""

    def __init__(self, seed, queue):
        self.rng = Dice(seed)
        self.queue = queue
        self.now = self.rng.choice([1800000000000] * 9 + [1000000000000 + self.rng.randrange(2 ** 41)])
        self.is_large = self.rng.random() < 0.02
        self.is_plain = not self.is_large and self.rng.random() < 0.4  # mostly one usual message a call: lua/lib/usual.lua
        self.ids = [b"i%03d" % i for i in range(250)] if self.is_large else [
            b"a", b"b", b"B", b"aa", b"a:b", b"-", b"9", b"c", b"d", b"e", b"f", b"g"][:self.rng.choice([1, 3, 5, 8, 12])]
        self.most = 150 if self.is_large else 4
        self.clients = [[] for _ in range(3)]
        self.last_put = None
        self.is_limited = self.rng.random() < (0.1 if self.is_plain else 0.5)
        self.is_spread = self.rng.random() < 0.3  # over several shards, of which this is one
        total, self.bounds = 0, []
        for what in WHATS:
            usual = 0.2 if self.is_plain and what in RARE else 6 if self.is_plain and what == "listed" else 1
            total += WEIGHTS[what] * usual * self.rng.choice([0.3, 1, 1, 2])  # each episode has its own mixture
            self.bounds.append(total)

    def next(self):
        if self.is_spread:
            self.is_spread = False
            return ["shards", self.now, "", "6"]
        self.pass_time()
        what = self.what()
        while what == "!crash":  # a client that forgets what it had
            self.rng.choice(self.clients).clear()
            what = self.what()
        if what[0] == "!":
            return [what, *getattr(self, what[1:])()]
        self.at = self.clock()
        return [what, self.at, *getattr(self, what)()]

    def what(self):
        return WHATS[bisect.bisect_right(self.bounds, self.rng.random() * self.bounds[-1])]

    def told(self, step, reply):
        """The reply came: receipts go to one client, unless it was lost on the way."""
        if step[0] == "take" and isinstance(reply, list) and self.rng.random() < 0.9:
            client = self.rng.choice(self.clients)
            client += [(id, int(reply[1])) for id in reply[6::6]]
            del client[:-8]

    # --- time ---

    def pass_time(self):
        way = self.rng.random()
        if way < 0.45:
            return
        if way < 0.70:
            self.now += self.rng.randrange(1, 5)
        elif way < 0.88:
            self.now = max(self.now, self.event() + self.rng.choice([-1, 0, 0, 1]))
        elif way < 0.96:
            self.now += self.rng.randrange(1, 200)
        elif way < 0.975:
            self.now += self.rng.randrange(1, 10 ** self.rng.randrange(3, 10))
        elif way < 0.985:
            self.now += 2 ** self.rng.randrange(32) - self.rng.randrange(2)
        else:
            self.now -= self.rng.randrange(1, 100)  # the server's clock was set
        self.now = min(self.now, SPAN - 2 ** 33)

    def clock(self):
        """What the call says: now and then a clock that is out of range."""
        return self.now if self.rng.random() < 0.992 else SPAN + self.rng.choice([0, self.rng.randrange(2 ** 40)])

    def event(self):
        """When something changes by itself."""
        rng, q = self.rng, self.queue
        if q.conf and rng.random() < 0.3:
            times = [at for at in (q.ready_now(self.now)[2], q.stat.get(b"key_pause", -1)) if at >= 0]
            if times:
                return rng.choice(times)
        if q.messages and rng.random() < 0.9:
            m = q.messages[rng.choice(list(q.messages))]
            if m.state == "ready":
                # So late that it is just another bucket of lateness, or just expired.
                return m.number("x", 0) or m.at + 2 ** rng.randrange(32) - 1
            return m.at if m.at < HELD else self.now
        return min(q.settled.values(), default=0)

    # --- arguments of the scripts ---

    def some_ids(self):
        return [self.rng.choice(self.ids) for _ in range(self.how_many())]

    def how_many(self):
        if self.rng.random() < (0.9 if self.is_plain else 0.6):
            return 1
        return self.rng.randrange(1, self.most + 1)

    def when(self):
        way = self.rng.random()
        if way < 0.4:
            return 0
        if way < 0.8:
            return self.rng.randrange(1, 40)
        if way < 0.81:
            return "@%d" % HELD
        if way < 0.995:
            return "@%d" % (self.now + self.rng.randrange(-20, 40))
        return self.rng.choice([-1, SPAN, "@-1", "@%d" % SPAN])

    def is_usual(self):
        return self.is_plain and self.rng.random() < 0.9

    def new_ids(self):
        """One that is not there, mostly."""
        free = [id for id in self.ids if id not in self.queue.messages] if self.is_usual() else []
        return [self.rng.choice(free)] if free else []

    def header(self, priority):
        rng, words = self.rng, []
        if self.is_usual() and priority == 100:
            return rng.choice([b""] * 8 + [b"t=30", TRACEPARENT, TRACEPARENT + b" s=x=1,p=0"])
        if rng.random() < 0.8:
            words.append("b=" + rng.choice(SCHEDULES))
        if rng.random() < 0.2:
            words += [TRACEPARENT.decode(), *rng.choice([[], ["s=x=1,p=0,u=9,t=2>3"]])]
        if priority != 100:
            words.append("p=%d" % priority)
        if rng.random() < 0.8:
            words.append("r=%d" % rng.randrange(1, 4))
        if rng.random() < 0.8:
            words.append("t=%d" % rng.randrange(1, 60))
        if rng.random() < 0.2:
            words.append("u=%d" % rng.randrange(1, 100))
            if rng.random() < 0.5:
                words.append("k=1")
        return " ".join(words).encode()

    def put(self):
        rng = self.rng
        if self.last_put and rng.random() < 0.08:
            return [*self.last_put]
        mode = "fail" if self.is_usual() else rng.choice(MODES)
        priority = 100 if self.is_usual() else rng.choice([100] * 6 + [0, 99, 101, 255])
        expire = "" if self.is_usual() or rng.random() < 0.65 else rng.randrange(20, 300)
        shared = self.when() if self.is_usual() or rng.random() < 0.5 else ""
        args = [mode, priority, expire, shared]
        header = self.header(priority)
        if expire != "" and header:
            header = b" " + header
        for id in self.new_ids() or self.some_ids():
            args += [id, *([self.when()] if shared == "" else []), header + b"\n" + rng.choice(PAYLOADS)]
        self.last_put = ["repeat", *args[1:]]
        if rng.random() < 0.02 and self.at < SPAN:  # of two mistakes any may be told
            args[1:3] = rng.choice([[-1, expire], [256, expire], [priority, -1], [priority, 0], [priority, SPAN]])
        return args

    def load(self):
        """What a dump has, mostly: messages that are there, and others."""
        rng, words = self.rng, []
        if rng.random() < 0.4:
            return [rng.choice(["fail", "keep"]), rng.randrange(1, 4), b"-", self.edge(), b""]
        for id in self.some_ids():
            way, m = rng.random(), self.queue.messages.get(id)
            if way < 0.15:
                outcome = rng.choice([b"", b"\ndone 1 %d\nwell" % self.now, b"\nremoved 1+2 5\n"])
                words += [id, b"reserved %d%s" % (self.now + rng.randrange(-5, 90), outcome), b""]
            else:
                words += [id, self.place(), m.record if m and rng.random() < 0.4 else self.record()]
        return [rng.choice(["fail", "fail", "keep", "replace"]), rng.choice([0, 0, 0, self.queue.stat.get(b"claim", 1), 2]), *words]

    def edge(self):
        rng, word = self.rng, self.rng.choice([b"begin", b"begin", b"end", b"end", b"free"])
        token, dump = self.now * 1000 + rng.choice([-9000, 5, 9000]), rng.randrange(1, 4)
        return b"%s %d %d%s" % (word, token, dump, b" %d" % rng.randrange(2) if word == b"end" else b"")

    def place(self):
        rng, word = self.rng, self.rng.choice([b"due", b"due", b"leased", b"dead"])
        at = self.now + rng.randrange(-30, 40) if word != b"dead" else self.now - rng.randrange(60)
        again = self.now + rng.randrange(-20, 60) if word == b"leased" and rng.random() < 0.4 else -1
        tries = rng.randrange(0 if word == b"due" else 1, 4)
        due = -1 if word == b"due" else self.now - rng.randrange(50)
        back = rng.choice([b"", b"", b"+1", b"+4398046511103"])
        first = b" %d" % (self.now - rng.randrange(90)) if rng.random() < 0.5 else b""
        first += rng.choice([b"", b"*1", b"*4294967290"]) if first else b""
        return b"%s %d %d%s %d %d%s\n%s" % (word, at, tries, back, due, again, first, self.reason())

    def record(self):
        header = self.header(self.rng.choice([100] * 6 + [0, 101]))
        if self.rng.random() < 0.3:
            header = b"x=%d" % (self.now + self.rng.randrange(-20, 200)) + (b" " + header if header else b"")
        return header + b"\n" + self.rng.choice(PAYLOADS)

    def walk(self):
        return [self.rng.choice(["msg", "msg", "settled"]), 0, 1000]

    def take(self):
        rng = self.rng
        wanted = 1 if self.is_usual() else 1000 if self.is_large else rng.choice([1, 1, 1, 1, 2, 2, 3, 3, 10, 0])
        held, holder = self.held(), [rng.choice(HOLDERS)]
        if rng.random() < 0.01 and self.at < SPAN:  # of two mistakes any may be told
            holder = [rng.choice(["h:1" * 34, "h 1"])]
        return [wanted, "" if rng.random() < 0.7 else rng.randrange(1, 60), int(rng.random() < 0.85),
                rng.choice([1048576] * 4 + [1, 50, 400]), *held, *(holder if held else [])]

    def valid(self):
        """Receipts that are, whoever has them."""
        return [(m.id, m.token) for m in self.queue.messages.values() if m.tries is not None and m.token]

    def receipts(self):
        rng, words = self.rng, []
        client = self.valid() if rng.random() < 0.4 else rng.choice(self.clients)
        for _ in range(self.how_many()):
            if client and rng.random() < 0.93:
                id, token = client[-1] if rng.random() < 0.5 else rng.choice(client)
                if rng.random() < 0.3:
                    client.remove((id, token))
                words += [id, token if rng.random() < 0.97 else token + rng.choice([-1, 1])]
            else:
                id = rng.choice(self.ids)
                words += [id, rng.choice([0, "", "0", self.now * 1000, self.near(id)])]
        return words

    def near(self, id):
        """What is no token, but a part of the entry that holds it."""
        m = self.queue.messages.get(id)
        if not m or m.tries is None:
            return " "
        return self.rng.choice(["%s %s", "%s ", "%s %s "]).replace("%s", str(m.token), 1).replace("%s", str(m.due))

    def reason(self):
        return self.rng.choice([b"", b"why", b"two\nlines"])

    def ack(self):
        result = [b"=", self.rng.choice([b"", b"all\nwell"])] if self.rng.random() < 0.1 else []
        return [*result, *self.receipts()]

    def giveback(self):
        odd = self.rng.random() < 0.02
        why = ["=", self.reason()] if self.rng.random() < 0.3 else []
        return [SPAN if odd else "" if self.rng.random() < 0.5 else self.when(), *why, *self.receipts()]

    def retry(self):
        delay = "" if self.rng.random() < 0.6 else self.rng.choice([0, 1, 7, 30, 30, -1, SPAN])
        return [delay, self.reason(), *self.receipts()]

    def bury(self):
        return [self.reason(), *self.receipts()]

    def extend(self):
        return [self.rng.choice([1, 5, 20, 50, 50, 0, SPAN]), *self.receipts()]

    def rm(self):
        states = ["", "", "delayed", "due", "ready", "leased", "dead", "delayed,due,ready", "dead,leased"]
        return [self.rng.choice(states), *self.some_ids()]

    def promote_now(self):
        return self.some_ids()

    def redrive(self):
        return self.some_ids()

    def release(self):
        return [self.rng.choice(["", "", "h", "h:1", "w"]), *self.some_ids()]

    def promote(self):
        return [self.rng.choice([1, 2, 1000]), *self.held()]

    def held(self):
        armed = self.queue.stat.get(b"armed", 0)
        if self.is_usual():
            return [""]
        return [self.rng.choice(["", "", "?", armed, armed, armed + 1])] if self.rng.random() < 0.8 else []

    def gc(self):
        dry = int(self.rng.random() < 0.3)
        return [self.rng.choice([0, 1, 50, 100000]), self.rng.choice([1, 2, 1000]), dry, self.rng.randrange(3) if dry else 0]

    def set(self):
        rng = self.rng
        if rng.random() < 0.1:
            return []
        pause = ["paused", rng.choice([0, 0, 0, 0, 0, 1, 1, "load"] + [self.now + rng.randrange(-5, 90)] * 3 * self.is_limited)]
        if not self.is_limited or rng.random() < 0.3:
            return pause
        all = [pause if rng.random() < 0.2 else [],
               ["max-leased", rng.choice(["", "1", "2", "3", "1000000000"])] if rng.random() < 0.5 else [],
               ["rate", rng.choice(["", "1/1", "1/30", "2/40", "3/40", "5/1000", "10000/86400000", "10001/40",
                                    "1000000000/2678400000"])] if rng.random() < 0.5 else [],
               ["max-len", rng.choice(["", "", "0", "1", "3", "5"])] if rng.random() < 0.3 else [],
               ["keys", rng.choice(["", "fair", "serial", "serial,stop"])] if rng.random() < 0.2 else [],
               ["key-limit", rng.choice(["", "", "1", "2", "1000000000"])] if rng.random() < 0.2 else [],
               *(self.key_pause(key) for key in ("k", "K.2") if rng.random() < 0.2)]
        rng.shuffle(all)
        return sum(all, [])

    def key_pause(self, key):
        """No message here has a key: only what is noted of pauses, when they end, and who is woken then."""
        rng = self.rng
        return ["paused:" + key, rng.choice([0, 1, self.now + rng.randrange(-5, 90), self.now + rng.randrange(1, 9)])]

    def listed(self):
        return [self.queue.stat.get(b"generation", 1) + self.rng.choice([0, 0, 0, 0, 1])]

    def touch(self):
        return []

    def shards(self):
        says = str(self.queue.stat.get(b"shards", ""))
        return [self.rng.choice([says, says, "", "3"]), self.rng.choice([says, says, "6", "", "65"])]

    def forget(self):
        return [self.rng.choice(["", 0, 1, 50, 3600000, 10 ** 9])]

    def list(self):
        rng = self.rng
        page = [rng.choice("delayed due ready leased dead expired".split()), rng.choice([0, 0, 1]), rng.choice([1, 2, 1000])]
        if rng.random() < 0.5:
            return page
        if rng.random() < 0.3 or not self.queue.messages:
            return page + [""]
        m = self.queue.messages[rng.choice(list(self.queue.messages))]
        return page + ["%.17g %s" % (m.score(), rng.choice([m.id, b"a"]).decode())]

    def show(self):
        id, payload = self.rng.choice(self.ids), int(self.rng.random() < 0.5)
        return [payload, id] + self.ids[:2 * payload]

    def stat(self):
        return []

    def audit(self):
        part = self.rng.choice("leased ready delayed dead try failing expiry outcome keyed msg all all".split())
        return [part, 0, 1000, int(self.rng.random() < 0.5)]

    # --- what else happens ---

    def pop(self):
        return [self.rng.choice(["wake", "timer", "guard"])]

    def mark(self):
        armed = self.queue.stat.get(b"armed", self.now)
        return self.rng.choice([["wake", 0], ["timer", "?"], ["timer", armed], ["timer", armed],
                                ["timer", armed + self.rng.randrange(-1, 50)], ["guard", armed + 500],
                                ["guard", armed + self.rng.randrange(498, 502)]])

    def flush(self):
        return []

    def fault(self):
        """The last step: a call that writes is refused one command in its middle. Often one that has something to do."""
        rng, states = self.rng, {}
        for m in self.queue.messages.values():
            states.setdefault(m.state, []).append(m)
        valid = self.valid()
        again = [(id, token) for id, token in valid if self.queue.messages[id].again is not None]
        if valid:
            self.clients = [again if again and rng.random() < 0.7 else valid]
        if valid and rng.random() < 0.8:
            whats = "put take ack retry bury extend giveback".split()
        else:
            whats = ("put take load rm promote promote promote".split() + ["promote_now"] * ("delayed" in states) +
                     ["release"] * ("leased" in states) + ["redrive", "gc"] * ("dead" in states))
        what = rng.choice(whats)
        args = getattr(self, what)()
        of = {"promote_now": "delayed", "redrive": "dead", "release": "leased"}.get(what)
        if of:
            args = [""] * (what == "release") + [m.id for m in states[of]]
        if what == "promote":
            self.now = max([self.now] + [m.at for m in states.get("delayed", []) + states.get("leased", [])])
        return ["!fault", rng.choice(DENIED), what, self.now, *args]
