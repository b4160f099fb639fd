"""twice.py SOCKET SCRIPTS NAME: each move of a message that stands in two states, alone and beside others, and what has to be left: it in
one state, or in none, and its place in the index of expiries. Prints what is not so."""
import sys

from resp import Connection

NOW, SPAN = 1800000000000, 2 ** 42
PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
INDEXES = "delayed ready leased dead".split()
TOKEN = "77"


class Queue:
    """A queue of its own for each case."""

    def __init__(self, redis, scripts, name):
        self.redis, self.scripts = redis, scripts
        self.key = {part: "dq:{%s}:%s" % (name, part) for part in PARTS}
        redis.call("HSET", self.key["stat"], "listed", NOW, "generation", 5, "armed", NOW + 400)

    def run(self, script, *args):
        with open("%s/%s.lua" % (self.scripts, script)) as text:
            return self.redis.call("EVAL", text.read(), len(PARTS), *self.key.values(), NOW, *args)

    def add(self, id, state, due):
        """A message with one delivery behind it, in that state, due (or leased until, or dead since) NOW + due."""
        self.redis.call("HSET", self.key["msg"], id, "x=%d r=9\npay" % (NOW + 90000))
        self.redis.call("HSET", self.key["try"], id, "1 %s 5 x=%d r=9\n" % (TOKEN, NOW + 90000))
        self.index(id, state, due)

    def index(self, id, state, due):
        self.redis.call("ZADD", self.key[state], NOW + due + (100 * SPAN if state == "ready" else 0), id)
        if state in ("delayed", "ready"):
            self.redis.call("ZADD", self.key["expiry"], NOW + 90000, id)

    def states(self, id):
        return [state for state in INDEXES if self.redis.call("ZSCORE", self.key[state], id) is not None]


def receipts(ids):
    return [word for id in ids for word in (id, TOKEN)]


# What: the state that it moves a message from, with which due time; where that is then; the call.
MOVES = {
    "ack": ("leased", 900, None, lambda ids: ["ack", *receipts(ids)]),
    "retry": ("leased", 900, "delayed", lambda ids: ["retry", "9000", "why", *receipts(ids)]),
    "bury": ("leased", 900, "dead", lambda ids: ["bury", "why", *receipts(ids)]),
    "give back": ("leased", 900, "ready", lambda ids: ["giveback", "", *receipts(ids)]),
    "give back, later": ("leased", 900, "delayed", lambda ids: ["giveback", "9000", *receipts(ids)]),
    "release": ("leased", 900, "ready", lambda ids: ["release", "", *ids]),
    "promote what is due": ("delayed", -5, "ready", lambda ids: ["promote", 100, ""]),
    "promote what is overdue": ("leased", -5, "ready", lambda ids: ["promote", 100, ""]),
    "promote by name": ("delayed", 9000, "ready", lambda ids: ["promote_now", *ids]),
    "take what is ready": ("ready", -5, "leased", lambda ids: ["take", len(ids), "", "1", 100000, ""]),
    "take what is ready only": ("ready", -5, "leased", lambda ids: ["take", len(ids), "", "0", 100000, ""]),
    "take what is due": ("delayed", -5, "leased", lambda ids: ["take", len(ids), "", "1", 100000, ""]),
    "redrive": ("dead", -5, "ready", lambda ids: ["redrive", *ids]),
    "purge": ("dead", -5, None, lambda ids: ["gc", 0, 100, "0", 0]),
    "rm": ("delayed", 9000, None, lambda ids: ["rm", "", *ids]),
    "replace": ("delayed", 9000, "delayed", lambda ids: ["put", "replace", 100, "", "8000", *[w for id in ids for w in (id, "\nnew")]]),
    "replace, now": ("ready", -5, "ready", lambda ids: ["put", "replace", 100, "", "0", *[w for id in ids for w in (id, "\nnew")]]),
    "earlier": ("delayed", 9000, "delayed", lambda ids: ["put", "earlier", 100, "", "8000", *[w for id in ids for w in (id, "\n")]]),
    "later": ("ready", -5, "delayed", lambda ids: ["put", "later", 100, "", "8000", *[w for id in ids for w in (id, "\n")]]),
    "load": ("dead", -5, "delayed", lambda ids: [
        "load", "replace", "0", *[w for id in ids for w in (id, "due %d 0 -1 -1\n" % (NOW + 8000), "\nnew")]]),
}
# Where the other place decides: promote_now leaves what is ready or leased; gc purges only what is nowhere else; a put for another
# time lets a delivery go on; and what is ready cannot be earlier.
ELSEWHERE = {("promote by name", "ready"), ("promote by name", "leased"), ("earlier", "leased"), ("later", "leased"), ("earlier", "ready")}
PURGED = {"ready", "delayed", "leased"}


def case(queue, what, other, ids):
    state, due, to, call = MOVES[what]
    for id in ids:
        queue.add(id, state, due)
    queue.index("a", other, 5000 if other in ("delayed", "leased") else -7000)
    if what == "purge" and other in PURGED:
        to = other
    queue.run(*call(ids))
    found = queue.states("a")
    assert found == [to] * (to is not None), "is in %s, not in %s" % (found, to)
    assert (queue.redis.call("HEXISTS", queue.key["msg"], "a") == 1) == (to is not None), "the body"
    for part in "leased ready delayed dead try expiry msg".split():
        faults = queue.run("audit", part, "0", 1000, "0")[3:]
        assert not faults, faults


path, scripts, name = sys.argv[1:]
redis, bad, n = Connection(path, text=True), 0, 0
for what, (state, *_) in MOVES.items():
    for other in INDEXES:
        for ids in (["a"], ["b", "a", "c"]):
            if other == state or (what, other) in ELSEWHERE or what == "take what is due" and other == "ready":
                continue
            n += 1
            try:
                case(Queue(redis, scripts, "%s.%d" % (name, n)), what, other, ids)
            except AssertionError as e:
                print("%s of a message that is %s and %s, %d in the call: %s" % (what, state, other, len(ids), e))
                bad = 1
print("%d cases" % n)
sys.exit(bad)
