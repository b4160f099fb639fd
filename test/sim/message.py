"""A message, in one state at a time, and what its record says."""
import re

SPAN = 2 ** 42  # times are below
HELD = SPAN - 1  # the due time of held messages
TTR, TRIES, PRIORITY, BACKOFF = 60000, 5, 100, "1000,10000,60000,600000"
SETTLED = 0
OFTEN = 10


class Refusal(bytes):
    """The first word of an error reply."""


class Message:
    """at: due time, end of the lease, or time of death. tries is None until the first delivery; then token, due, reason and
    holder are the last one's, and back counts the give-backs. first: once it failed, until it is dead, when it was due for the first
    time, or None. since: likewise of one that was only given back, or is dead. failed: tries before it was rescheduled. again: of a
    leased one, when it is due after that delivery, if a put has rescheduled it, or None."""

    __slots__ = "id record header options priority state at tries token due reason again back holder first since failed".split()

    def __init__(self, id, record):
        self.id = id
        self.write(record)

    def write(self, record):
        """All of it is new."""
        self.rewrite(record)
        self.tries = self.again = self.first = self.since = None
        self.failed = 0

    def rewrite(self, record):
        self.record = record
        self.header = record.split(b"\n", 1)[0]
        self.options = dict(word.split("=", 1) for word in self.header.decode().split())
        self.priority = self.number("p", PRIORITY)

    def keep_until(self, expiry):
        """A later expiry, if it has one; all else stays."""
        if self.number("x", SPAN) < expiry:
            self.rewrite(re.sub(rb"\bx=\d+", b"x=%d" % expiry, self.record, count=1))

    def number(self, letter, default):
        text = self.options.get(letter)
        return default if text is None else int(text)

    def place(self, state, at):
        self.state, self.at = state, at

    def put(self, due, now):
        self.place("ready" if due <= now else "delayed", due)

    def move_rescheduled(self, now, reason=None):
        """Its delivery ends: moves it if a put has rescheduled it. reason: it did not succeed, which is remembered."""
        if self.again is None:
            return False
        self.put(self.again, now)
        self.again = None
        if reason is None:
            self.write(self.record)
        else:
            self.begin_anew(reason)
        return True

    def begin_anew(self, reason):
        self.failed, self.tries, self.due = min(self.failed + self.tries, 2 ** 32 - 1), 0, HELD
        self.settle(reason)

    def fails(self):
        self.first, self.since = next(at for at in (self.first, self.since, self.due) if at is not None), None

    def fail(self, state, at):
        """A try failed: it is tried again, or dead."""
        self.fails()
        if state == "dead":
            self.since, self.first = self.first, None
        self.place(state, at)

    def give_back(self):
        """The try does not count. From the tenth time on it fails."""
        self.tries -= 1
        self.back = min(self.back + 1, SPAN - 1)
        if self.back >= OFTEN or self.tries > 0 or self.failed:
            self.fails()
        elif self.first is None and self.since is None:
            self.since = self.due

    def failures(self):
        """In a row."""
        return min(self.failed + self.tries - (self.state == "leased"), 2 ** 32 - 1)

    def last_due(self):
        return self.due if self.due < HELD else -1

    def holds(self, token):
        return self.tries is not None and self.token != SETTLED and str(token) == str(self.token)

    def tried(self):
        """As replies have it."""
        return b"%d+%d" % (self.tries, self.back) if self.tries is not None and self.back else self.tries or 0

    def settle(self, reason):
        self.void()
        self.reason = reason or self.reason

    def void(self):
        """No receipt is valid, and so nobody has it."""
        self.token, self.holder = SETTLED, ""

    def is_held_by(self, wanted):
        return self.holder == wanted or self.holder.startswith(wanted + ":")

    def expiry(self):
        """In the index of expiries: when it goes while it waits, else None."""
        return self.number("x", None) if self.state in ("delayed", "ready") else None

    def is_last_try(self):
        return self.tries >= self.number("r", TRIES)

    def score(self):
        if self.state == "ready":
            return self.priority * SPAN + self.at
        if self.state == "delayed" and self.priority != PRIORITY:
            return self.at + (self.priority - PRIORITY) % 256 / 256
        return self.at


def wait_of(message, us):
    """How long a failed message waits, in ms."""
    schedule, n = message.options.get("b", BACKOFF), message.tries
    if not schedule.startswith("exp:"):
        waits = schedule.split(",")
        return int(waits[min(n, len(waits)) - 1])
    low, high = map(int, schedule[4:].split(".."))
    most = min(high, low * 2 ** min(n - 1, 50))
    least = max(low, most / 2)
    seed = us % 65521
    for byte in message.id:
        seed = (seed * 257 + byte) % 65521
    wait = least + (most - least) * (seed * 40494 % 65521 / 65521)
    return -int(-wait // 1)


def timeless(record):
    """A repeat comes later, and so has another time of expiry."""
    return re.sub(rb"^x=\d+", b"x=", record)


def by_place(messages):
    return sorted(messages, key=lambda m: (m.score(), m.id))
