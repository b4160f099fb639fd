"""What the keys of a queue with keys hold: messages by state, and what may go now, by the states alone."""
import re

from message import HELD, PRIORITY, SPAN

KEYED = 2 ** 50  # in the score of what is ready and has a key
PER_CLASS = 2 ** 44  # in the score of a turn
NOT_LIMITED, IS_PAUSED, BY_RATE, BY_LEASED, BY_KEYS = range(5)
EVER = 10 ** 18
ENTRY = re.compile(rb"(\d+)(?:\+(\d+))? (\d+) (\d+)(?:<(\d+)|~\d+)?(?:>(\d+))?(?:\*\d+)?(@\S*)? ")
LETTERS = {b"paused": b"p", b"max-leased": b"l", b"rate": b"r", b"max-len": b"m", b"keys": b"s", b"key-limit": b"n"}
PAUSED = b"paused:"  # then a key
STATES = "leased ready delayed dead".split()  # of two the first counts


class Message:
    """score: of ready without 2^50. priority: by the score, or as its record has said. begun: it was delivered, and not put again since,
    and waits."""

    __slots__ = "id key rest states state score rank due entry begun expiry priority said".split()

    def is_late(self, now):
        return self.expiry is not None and self.expiry <= now and self.state in ("ready", "delayed")


def key_of(id):
    key, plus, rest = id.partition(b"+")
    return (key, rest) if plus else (b"", id)


def letter_of(name):
    return b"h" if name.startswith(PAUSED) else LETTERS[name]


def field(record, letter, default):
    found = re.search(rb"(?:^| )%s=(\d+)" % letter, record.split(b"\n", 1)[0])
    return int(found[1]) if found else default


class View:
    """keys: a snapshot, by part. now: of the call that it was seen after, or before."""

    def __init__(self, keys, now=0):
        self.now = now
        self.keys, self.messages, self.of = keys, {}, {}
        self.stat = keys["stat"]
        self.limits = self.stat.get(b"limits", b"")
        self.conf = {name: value for name, value in keys["conf"].items() if letter_of(name) in self.limits}  # what holds
        for id, record in sorted(keys["msg"].items()):  # hashes have another order on each server
            m = self.message(id, record)
            self.messages[id] = m
            self.of.setdefault(m.key, []).append(m)
        for messages in self.of.values():
            messages.sort(key=lambda m: (m.rank, m.id))
        self.is_serial, self.is_stop = b"s" in self.limits, b"d" in self.limits
        self.pauses = {name[len(PAUSED):]: int(end) if len(end) > 1 else EVER for name, end in self.conf.items() if name.startswith(PAUSED)}
        self.key_limit = int(self.conf[b"key-limit"]) if b"key-limit" in self.conf else None
        self.turn = {}
        for element, score in keys["turn"].items():
            key, _, text = element.rpartition(b" ")
            self.turn.setdefault(key, {})[int(text)] = score

    def message(self, id, record):
        m, keys = Message(), self.keys
        m.id = id
        m.key, m.rest = key_of(id)
        m.states = [state for state in STATES if id in keys[state]]
        m.state = m.states[0] if m.states else None
        m.score = keys[m.state][id] if m.state else None
        m.said = m.priority = field(record, b"p", PRIORITY)
        m.expiry = field(record, b"x", None)
        m.entry = ENTRY.match(keys["try"][id]) if id in keys["try"] else None
        m.due = m.score
        if m.state == "ready":
            if m.key:
                m.score -= KEYED
            m.due = m.score % SPAN
            m.priority = int(m.score // SPAN)
        elif m.state == "delayed":
            m.priority = int((m.score % 1) * 256 + 100) % 256
        m.due = None if m.due is None else int(m.due)
        m.rank = m.priority * SPAN + (m.due or 0)
        m.begun = m.entry is not None and int(m.entry[4]) < SPAN - 1 and m.state in ("ready", "delayed")
        return m

    def token(self, id):
        m = self.messages.get(id)
        return int(m.entry[3]) if m and m.entry else 0

    def again(self, id):
        m = self.messages.get(id)
        return m is not None and m.state == "leased" and m.entry is not None and m.entry[6] is not None

    # --- what may go ---

    def ready(self, key):
        return [m for m in self.of.get(key, ()) if m.state == "ready"]

    def leased(self, key):
        return sum("leased" in m.states for m in self.of.get(key, ()))

    def is_held(self, key):
        """Nothing of it may go, whatever is ready."""
        if not key:
            return False
        if self.is_paused(key) or self.walks():
            return True
        if self.key_limit is not None and self.leased(key) >= self.key_limit:
            return True
        begun = self.first_begun(key)
        return self.is_serial and (self.leased(key) > 0 or begun is not None and begun.state == "delayed") or self.is_stopped(key)

    def dead(self, key):
        return sum(m.state == "dead" for m in self.of.get(key, ()))

    def is_stopped(self, key):
        return key != b"" and self.is_stop and self.dead(key) > 0

    def walks(self):
        """The dead of before keys=serial,stop are not all found yet."""
        return self.is_stop and b"dead_walk" in self.stat

    def is_paused(self, key):
        return self.pauses.get(key, 0) > self.now

    def is_over(self, key):
        """Its pause has ended, and no take or promote has come since."""
        return self.pauses.get(key, EVER) <= self.now

    def first_begun(self, key):
        """Of a serial key, by their ids: several have begun only if they did before it was serial, or were loaded so, or redriven."""
        return min((m for m in self.of.get(key, ()) if m.begun), key=lambda m: m.rest, default=None)

    def next_of(self, key):
        """The next message, whether the key is held or not; in a list, which is empty if there is none."""
        begun = self.first_begun(key) if key and self.is_serial else None
        if begun is not None:
            return [begun] if begun.state == "ready" else []
        return self.ready(key)[:1]

    def may_go(self, key):
        return [] if self.is_held(key) else self.next_of(key)

    def pairs(self, key):
        """The priorities by which the key has to be in turn: of all that is ready; of a limited key only that of its next message."""
        if self.is_held(key):
            return set()
        is_limited = key and (self.is_serial or self.key_limit is not None)
        return {m.priority for m in (self.next_of(key) if is_limited else self.ready(key))}

    def any_may_go(self):
        return any(self.may_go(key) for key in self.of)

    def any_ready(self):
        return any(m.state == "ready" for m in self.messages.values())

    def room(self, now):
        """So many more may be leased by the settings of the queue, and why not."""
        pause = self.conf.get(b"paused", b"")
        if pause and not (pause.isdigit() and 2 <= int(pause) <= now):
            return 0, IS_PAUSED
        free = EVER
        if b"max-leased" in self.conf:
            free = int(self.conf[b"max-leased"]) - len(self.keys["leased"])
        if free <= 0:
            return 0, BY_LEASED
        if b"rate" in self.conf:
            count, ms = map(int, self.conf[b"rate"].split(b"/"))
            begun = sum(int(e.split(b" ")[1]) for e, us in self.keys["begun"].items() if us > (now - ms) * 1000)
            free = min(free, count - begun)
        return (free, NOT_LIMITED) if free > 0 else (0, BY_RATE)

    def next_move(self):
        """When something becomes due, or a lease or the pause of a key ends, or what holds a serial key may expire; None: never."""
        times = [m.due for m in self.messages.values() if m.state in ("delayed", "leased") and m.due < HELD]
        if self.is_serial and b"k" in self.limits:
            times += self.keys["expiry"].values()
        times += [end for end in self.pauses.values() if end < EVER]
        return min(times, default=None)

    # --- what is derived ---

    def elements(self):
        """What keyed has to hold."""
        all = set()
        for m in self.messages.values():
            if not m.key:
                continue
            if m.state == "leased":
                all.add(b"%s L %s" % (m.key, m.rest))
            if m.begun:
                all.add(b"%s B %s" % (m.key, m.rest))
            if m.state == "dead" and self.is_stop:
                all.add(b"%s A %s" % (m.key, m.rest))
            if m.state == "ready":
                all.add(b"%s R %016d %s" % (m.key, m.score, m.rest))
        return all
