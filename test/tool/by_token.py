"""by_token.py SOCKET FOLDER ROUNDS: puts one message into an empty queue and asks for it all the time, by each way through the scripts.
The token of its delivery is the server's time in us: the message must have been due, and the lease must be as long as was said.
In a backlog a delivery is late anyway, and nobody sees one that comes too soon. Prints each way with what is wrong."""
import os
import sys
import time

from resp import Connection

PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
KEYS = ["dq:{by-token}:" + part for part in PARTS]
TTR = 60000

# A way: delay of the put in ms; its priority; how many a take wants; its ttr; whether promote runs before, instead of the take.
WAYS = {
    "direct": (25, 100, 1, "", False),
    "direct, ttr of the take": (25, 100, 1, 700, False),
    "direct, several wanted": (25, 100, 9, "", False),
    "direct, with a priority": (25, 3, 1, "", False),
    "promoted": (25, 100, 1, "", True),
    "promoted, with a priority": (25, 3, 2, 700, True),
    "usual put": (25, 100, 1, "", False),
    "at once": (0, 100, 2, "", False),
    "usual": (0, 100, 1, "", False),
    "usual, ttr of the take": (0, 100, 1, 700, False),
}


class Queue:
    def __init__(self, path, folder):
        self.server = Connection(path, timeout=30)
        self.texts, self.were_usual = {}, set()
        for name in ("put", "take", "promote", "extend"):
            with open(os.path.join(folder, name + ".lua"), "rb") as file:
                self.texts[name] = file.read()
        self.shas = {name: self.server.call("SCRIPT", "LOAD", text) for name, text in self.texts.items()}

    def run(self, name, *args):
        return self.server.call("EVALSHA", self.shas[name], len(KEYS), *KEYS, *args)

    def types_asked(self):
        for line in self.server.call("INFO", "commandstats").split(b"\r\n"):
            if line.startswith(b"cmdstat_type:calls="):
                return int(line[19:].split(b",")[0])
        return 0

    def begin(self, way):
        """Empty; for the usual ways listed, and with a time that is kept: for a take that of a message in 300 ms."""
        self.server.call("DEL", *KEYS)
        if not way.startswith("usual"):
            return
        seconds, us = self.server.call("TIME")
        now = int(seconds) * 1000 + int(us) // 1000
        self.server.call("HSET", KEYS[6], "listed", now, "put", 1)
        if way == "usual put":
            self.server.call("HSET", KEYS[6], "armed", now + 20)
        else:
            self.run("put", "", "fail", 100, "", 300, "later", b"\nx")

    def until(self, name, found, *args):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            reply = self.run(name, "", *args)
            if found(reply):
                return reply
        raise SystemExit("%s: nothing within 20 s" % name)


def try_way(queue, way, wrong):
    delay, priority, wanted, ttr, promoted = WAYS[way]
    queue.begin(way)
    types = queue.types_asked()
    queue.run("put", "", "fail", priority, "", delay, "x", b"\nx")
    at = queue.server.call("ZSCORE", KEYS[1], "x")  # none: ready at once, and the take tells
    if way == "usual put" and queue.types_asked() == types:
        queue.were_usual.add(way)
    if promoted and at:
        due = int(float(at))
        moved = queue.until("promote", lambda reply: reply[1] > 0, 10, "")
        if moved[0] < due * 1000:
            wrong.append("promoted %d us early" % (due * 1000 - moved[0]))
    types = queue.types_asked()
    usual = way.startswith("usual") and way != "usual put"
    reply = queue.until("take", lambda reply: len(reply) > 6, wanted, ttr, "1", 1000, "")
    if usual and queue.types_asked() == types:
        queue.were_usual.add(way)
    token, due, lease = int(reply[1]), reply[8], reply[9]
    if token < due * 1000:
        wrong.append("%d us early" % (due * 1000 - token))
    length_is(lease, token, ttr or TTR, wrong)
    return token


def length_is(lease, since, ttr, wrong):
    """From that time (us) on as long as said, and not a whole ms more."""
    length = lease * 1000 - since
    if not ttr * 1000 <= length < (ttr + 1) * 1000:
        wrong.append("a lease of %d us instead of %d ms" % (length, ttr))


def extend(queue, token, more, wrong):
    """An extension has no token: its time is between two looks at the clock."""
    before = queue.server.call("TIME")
    queue.run("extend", "", 5000, "x", token, *more)
    after = queue.server.call("TIME")
    end = int(float(queue.server.call("ZSCORE", KEYS[3], "x"))) * 1000
    before, after = [int(seconds) * 1000000 + int(us) for seconds, us in (before, after)]
    if not before + 5000000 <= end < after + 5001000:
        wrong.append("an extension of %d to %d us instead of 5000 ms" % (end - after, end - before))


def check(queue, way):
    wrong = []
    token = try_way(queue, way, wrong)
    extend(queue, token, [], wrong)
    extend(queue, token, ["none", 1], wrong)
    if wrong:
        print("%s: %s" % (way, "; ".join(wrong)))
    return bool(wrong)


def main():
    queue, bad = Queue(*sys.argv[1:3]), False
    for _ in range(int(sys.argv[3])):
        for way in WAYS:
            bad = check(queue, way) or bad
    for way in WAYS:
        tries = 100 if way.startswith("usual") else 0  # on a busy machine a time has passed before the call comes
        while tries and way not in queue.were_usual:
            bad = check(queue, way) or bad
            tries -= 1
            if not tries:
                bad = True
                print("%s: never by a usual call" % way)
    sys.exit(bad)


main()
