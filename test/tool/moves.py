"""moves.py SOCKET SCRIPTS NAME MOVE [ARG...] <TABLE: does the move from each state, each on a queue of its own, with a name that begins
with NAME, and compares what is replied and left with the table. moves.bash has the states, and how a table is written."""
import sys

from resp import Connection, Refused

NOW, SPAN = 1800000000000, 2 ** 42
PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
INDEXES = "delayed ready leased dead".split()
VALID = {"late", "leased", "overdue", "ending", "spent", "asked", "missed"}  # the last receipt of these is valid
A = {"p": 7, "t": 1000, "b": "300,400"}


class Queue:
    """A queue of its own for each cell. Times are relative to NOW."""

    def __init__(self, redis, scripts, name):
        self.redis, self.scripts = redis, scripts
        self.keys = ["dq:{%s}:%s" % (name, part) for part in PARTS]
        self.record = None  # that of a

    def run(self, script, at, *args):
        with open("%s/%s.lua" % (self.scripts, script)) as text:
            reply = self.redis.call("EVAL", text.read(), len(self.keys), *self.keys, NOW + at, *args)
        return reply.split(" ")[0] if script in ("put", "load") else reply  # without the generation: none of these queues is listed

    def put(self, at, id, due, **fields):
        header = " ".join("%s=%s" % (k, v) for k, v in sorted(fields.items()))
        expires = 700 - at if EXPIRING and id == "a" else ""
        record = "%s%s\nA" % (" " if expires and header else "", header)
        assert self.run("put", at, "fail", fields.get("p", 100), expires, "", id, "@%d" % (NOW + due), record) == "n"
        if id == "a":
            self.record = record

    def take(self, at, id, ttr=""):
        reply = self.run("take", at, 1, ttr, 1, 1000000)
        assert reply[6] == id, reply
        return reply[1]

    def snapshot(self):
        all = {}
        for part, key in zip(PARTS, self.keys):
            kind = self.redis.call("TYPE", key)
            if kind != "none":
                pairs = self.redis.call(*(("HGETALL", key) if kind == "hash" else ("ZRANGE", key, 0, -1, "WITHSCORES")))
                all[part] = dict(zip(pairs[::2], pairs[1::2]))
        return all

    def build(self, state):
        """Brings a into the state. What a is told by afterwards: its last receipt's token, and an older one."""
        self.put(-9000, "bystander.taken", -9000)
        self.older = self.take(-9000, "bystander.taken", 100000)
        self.put(-9000, "bystander.buried", -9000)
        self.run("bury", -100, "why", "bystander.buried", self.take(-8900, "bystander.buried"))
        self.put(-9000, "bystander.delayed", 90000)
        self.last = str(int(self.run("take", -8800, 1, "", 1, 1)[1]) - 1)
        if state == "delayed":
            return self.put(-1000, "a", 500, **A)
        if state in ("due", "ready"):
            return self.put(-1000, "a", -500 if state == "due" else -1000, **A)
        fields = dict(A)
        if state in ("ending", "spent"):
            fields["r"] = 1
        if state == "unique":
            fields["u"] = 5000
        self.put(-3000, "a", -3000, **fields)
        self.older = self.take(-3000, "a")
        self.run("giveback", -2900, "", "a", self.older)
        if state in ("late", "overdue", "ending", "spent", "missed"):
            self.last = self.take(-1500, "a")
        else:
            self.last = self.take(-100, "a")
        if state in ("late", "spent"):
            self.run("promote", -400, 1000)
        asks = {"asked": (-50, 600), "missed": (-1400, -200)}
        if state in asks:
            at, due = asks[state]
            assert self.run("put", at, "later", 7, "", "@%d" % (NOW + due), "a", "\n") == "l"
        ends = {"absent": ("ack", -50), "unique": ("ack", -50), "given": ("giveback", -50, ""), "retried": ("retry", -400, 900, "why"),
                "buried": ("bury", -400, "why")}
        if state in ends:
            script, at, *args = ends[state]
            assert self.run(script, at, *args, "a", self.last) == "d"


STATES = "absent unique delayed due ready late leased overdue ending asked missed given retried spent buried".split()


def place(all):
    """STATE+TIME of a; faults of the queue end the test."""
    where = {}
    for part in INDEXES:
        for id, score in all.get(part, {}).items():
            assert id not in where, "%s is both %s and %s" % (id, where[id][0], part)
            assert id in all["msg"], "%s is %s without a body" % (id, part)
            where[id] = part, float(score)
    assert set(all.get("msg", {})) == set(where), "a body in no state"
    assert set(all.get("try", {})) <= set(where), "tries without a body"
    expiry = {id: record[2:].split()[0] for id, record in all.get("msg", {}).items()
              if record.startswith("x=") and where[id][0] in ("delayed", "ready")}
    assert all.get("expiry", {}) == expiry, "the index of expiries is %s" % all.get("expiry")
    if "a" not in where:
        return None, None
    state, score = where["a"]
    priority = None
    if state == "ready":
        priority, score = divmod(score, SPAN)
    elif state == "delayed":
        priority = ((score % 1) * 256 + 100) % 256
    return "%s%+d" % (state, score - score % 1 - NOW), priority


def receipts(queue, kind):
    last = queue.last
    return {"last": [last], "stale": [queue.older],
            "forged": ["0", "", str(int(last) + 1), str(int(last) - 1), last + ".0", "0" + last, last + " ", "+" + last, "nan",
                       "9" * 20]}[kind]


def move(queue, script, args):
    """The replies of the move, as the table writes them: more than one if it was tried with several tokens."""
    if script == "put":
        mode, due, *record = args
        priority, text = (7, queue.record) if record == ["same"] else (9, "p=9\nB")
        return [queue.run("put", 0, mode, priority, "", due.lstrip("+"), "a", text)]
    if script == "load":
        mode, word, at, *record = args
        place = "%s %d 2 %d -1\nwhy" % (word, NOW + int(at), NOW - 1)
        return [queue.run("load", 0, mode, 0, "a", place, queue.record if record == ["same"] else "p=9\nB")]
    if script in ("ack", "retry", "bury", "extend", "giveback"):
        *args, kind = args
        return [queue.run(script, 0, *args, "a", token) for token in receipts(queue, kind)]
    if script in ("rm", "promote_now", "redrive", "release"):
        return [queue.run(script, 0, *[""] * (script == "release"), *args, "a")]
    if script == "promote":
        reply = queue.run(script, AT, 1000)
        return ["/".join(map(str, reply[1:4] + reply[6:] * (AT > 0)))]
    if script == "take":
        at, promote = args
        reply = queue.run(script, int(at), 1, "", promote, 1000000)
        queue.token, taken = reply[1], reply[6:]
        if not taken:
            return ["-"]
        id, tries, due, lease, record, reason = taken
        assert len(taken) == 6 and record.endswith("\nA")
        return ["%s/%s%+d" % (id, str(tries).partition("+")[0], due - NOW)]
    if script == "gc":
        return [",".join(queue.run(script, AT, *args)) or "-"]
    if script == "look":
        queue.run("stat", 0)
        queue.run("show", 0, 1, "a")
        for state in INDEXES + ["due"]:
            queue.run("list", 0, state, 0, 1000)
        faults = [queue.run("audit", 0, part, 0, 1000, 1)[3:] for part in INDEXES + ["try", "msg"]]
        return ["-" if not any(faults) else str(faults)]
    raise SystemExit("no such move: " + script)


def unmarked(all):
    """Without marks, of which a look may make some anew though it moves nothing."""
    stat = {name: value for name, value in all.get("stat", {}).items() if name != "armed"}
    return {part: held for part, held in all.items() if part not in ("stat", "wake", "timer", "guard")}, stat


def after(queue, state, before, all, script):
    """What is left, as the table writes it."""
    now, priority = place(all)
    if script == "promote" and unmarked(all) == unmarked(before) or all == before:
        seen, kept = "=", state in VALID
    elif now is None:
        seen, kept = "gone", False
    else:
        new = all["msg"]["a"] == "p=9\nB"
        text = not new and all["msg"]["a"] == (queue.record or "").partition("\n")[0] + "\nB"
        entry = all.get("try", {}).get("a", "0 0 0 \n")
        tries = int(entry.partition(" ")[0].partition("+")[0])
        again = entry.split(" ")[2].partition(">")[2]
        assert new or text or all["msg"]["a"] == before["msg"].get("a", queue.record), "the record has changed: %r" % all["msg"]["a"]
        assert priority in (None, 9 if new else 7), "priority %s" % priority
        kept = None
        seen = "%s %d" % (now, tries)
        end = " new" if new else " text" if text else ""
    # The proof of a receipt is that it settles the message. After that comes nothing.
    if script == "take" and all != before and now and now.startswith("leased"):
        assert queue.run("ack", 0, "a", queue.last) == "s", "the old receipt is valid"
        assert queue.run("ack", 0, "a", queue.token) == "d", "the new receipt is void"
        valid = False
    else:
        valid = queue.run("ack", 0, "a", queue.last) == "d"
    if kept is None:
        return seen + (" valid" if valid else " void") + (" again%+d" % (int(again) - NOW) if again else "") + end
    assert valid == kept, "the last receipt is %s" % ("valid" if valid else "void")
    return seen


def table(lines):
    wanted, others = {}, None
    for line in lines:
        states, reply, what = line.split(None, 2)
        for state in states.split(","):
            if state == "others":
                others = reply, what.strip()
            else:
                assert state in STATES and state not in wanted, state
                wanted[state] = reply, what.strip()
    return {state: wanted.get(state, others) for state in STATES}


def cell(queue, state, script, args, wanted):
    queue.build(state)
    before = queue.snapshot()
    place(before)
    replies = move(queue, script, args)
    all = queue.snapshot()
    for part in PARTS:
        if part not in ("stat", "settled", "wake", "timer", "guard"):
            for id in set(before.get(part, {})) | set(all.get(part, {})) - {"a"}:
                was, got = before.get(part, {}).get(id), all.get(part, {}).get(id)
                assert id == "a" or was == got, "%s of %s was %s, is %s" % (part, id, was, got)
    reply = replies[0] if len(set(replies)) == 1 else "".join(replies)
    got = reply, after(queue, state, before, all, script)
    assert got == wanted, "%s; wanted %s" % (" ".join(got), " ".join(wanted))


path, scripts, name, script, *args = sys.argv[1:]
EXPIRING = args[:1] == ["expired"]
AT = 750 if EXPIRING else 0 # of promote and gc
if EXPIRING:
    args = args[1:]
redis, bad = Connection(path, text=True), 0
for state, wanted in table(sys.stdin).items():
    try:
        cell(Queue(redis, scripts, "%s.%s" % (name, state)), state, script, args, wanted)
    except AssertionError as e:
        print("%s: %s" % (state, e))
        bad = 1
    except Refused as e:
        sys.exit("the server says: %s" % e)
sys.exit(bad)
