"""The limits of a queue: its settings, why nothing may be leased, and what has begun."""

EVER = 10 ** 18
NOT_LIMITED, IS_PAUSED, BY_RATE, BY_LEASED = range(4)
LETTERS = {b"paused": b"p", b"max-leased": b"l", b"rate": b"r", b"max-len": b"m", b"keys": b"s", b"key-limit": b"n"}
PAUSED = b"paused:"  # then a key: it is paused
TOLD = set(b"prh")  # of these limits somebody who waits may have to be told


def limits_of(conf):
    """What stat.limits says of these settings. Of keys=serial,stop there are two letters, of all paused keys together one."""
    of = {**LETTERS, b"keys": b"sd"} if conf.get(b"keys") == b"serial,stop" else LETTERS
    return b"".join(letter for name, letter in of.items() if name in conf) + b"h" * any(name.startswith(PAUSED) for name in conf)


def pause_end(pause):
    return int(pause) if pause and pause.isdigit() and int(pause) >= 2 else None


def longer(was, end):
    """The pause that one with that end leaves."""
    word, _, till = was.rpartition(b" ") if was.startswith(b"load ") else (b"load", b"", b"") if was == b"load" else (b"", b"", was)
    if not word and not pause_end(was) or max(pause_end(till) or 0, end) != end:
        return was
    return b"%s%d" % (b"load " if word else b"", end)


class Limits:
    """Of a queue that has conf, begun (us, before, count), stat and messages."""

    def note_limits(self, now=None):
        word = limits_of(self.conf)
        self.stat.pop(b"limits", None)
        if word:
            self.stat[b"limits"] = word
        if now is not None and set(word) & TOLD:
            self.stat[b"limits_at"] = now

    def is_told(self):
        return bool(set(self.stat.get(b"limits", b"")) & TOLD)

    def key_pauses(self):
        """The settings that pause a key, with their ends; EVER: none."""
        return {name: pause_end(pause) or EVER for name, pause in self.conf.items() if name.startswith(PAUSED)}

    def key_pauses_over(self, now):
        return {name for name, end in self.key_pauses().items() if end <= now}

    def note_key_pauses(self):
        first = min(self.key_pauses().values(), default=EVER)
        self.stat.pop(b"key_pause", None)
        if first < EVER:
            self.stat[b"key_pause"] = first

    def end_key_pauses(self, now):
        for name in self.key_pauses_over(now):
            del self.conf[name]
        self.note_key_pauses()
        self.note_limits()

    def pause_now(self, now):
        pause = self.conf.get(b"paused")
        end = pause_end(pause)
        return None if end is not None and end <= now else pause

    def end_pause(self, now):
        if b"paused" in self.conf and not self.pause_now(now):
            del self.conf[b"paused"]
            self.note_limits()

    def rate(self):
        """So many, in so many us."""
        text = self.conf.get(b"rate")
        if text is None:
            return None
        count, ms = map(int, text.split(b"/"))
        return count, ms * 1000

    def limit(self, name):
        text = self.conf.get(name)
        return None if text is None else int(text)

    def begun_at(self, us):
        """Of many deliveries those of a thousandth of the span count together, at its end."""
        count, span = self.rate() or (0, 0)
        length = -(-span // 1000) if count > 10000 else 1
        return -(-us // length) * length

    def began_after(self, us):
        later = [e for e in self.begun if e[0] > us]
        return self.begun[-1][1] + self.begun[-1][2] - later[0][1] if later else 0

    def allowance(self, now):
        pause = self.pause_now(now)
        if pause:
            return 0, IS_PAUSED, -1 if pause_end(pause) is None else pause_end(pause)
        most = self.limit(b"max-leased")
        free = EVER if most is None else most - sum(m.state == "leased" for m in self.messages.values())
        if free <= 0:
            return 0, BY_LEASED, -1
        us = now * 1000
        if self.rate():
            count, span = self.rate()
            n = self.began_after(us - span)
            if n >= count:
                first = next(e[0] for e in self.begun if e[0] > us - span)
                return 0, BY_RATE, now if first > self.begun_at(us) else (first + span) // 1000
            free = min(free, count - n)
        return free, NOT_LIMITED, -1

    def mend_begun(self, us):
        """After the clock went back: all that is later began now."""
        at = self.begun_at(us)
        later = [e for e in self.begun if e[0] > at]
        if later:
            n = self.began_after(at)
            self.begun = [e for e in self.begun if e[0] <= at] + [(at, later[0][1], n)]

    def note_begun(self, us, span, n):
        before = self.begun[-1][1] + self.begun[-1][2] if self.begun else 0
        at = self.begun_at(us)
        same = at > us and next((e for e in self.begun if e[0] == at), None)
        if same:
            before, n = same[1], same[2] + n
        self.begun = [e for e in self.begun if e[0] > us - span and e is not same] + [(at, before, n)]

    def limited(self, now):
        """What stat replies of it."""
        pause, rate = self.pause_now(now), self.rate()
        count, span = rate or (-1, -1000)
        most, len, of_key = (self.limit(name) for name in (b"max-leased", b"max-len", b"key-limit"))
        _, why, till = self.allowance(now)
        return [0 if not pause else pause_end(pause) or 1, -1 if most is None else most, count, span // 1000, -1 if len is None else len,
                {b"serial": 2, b"serial,stop": 3}.get(self.conf.get(b"keys"), 0), -1 if of_key is None else of_key,
                self.began_after(now * 1000 - span) if rate else -1, why, till]

    def set(self, now, *words):
        reply = [int(bool(self.stat or self.messages)), b""]
        self.end_pause(now)
        self.end_key_pauses(now)
        had_pauses = bool(self.key_pauses())
        for name, value in zip(words[::2], words[1::2]):
            name, value = name.encode(), b"%d" % value if value.__class__ is int else value.encode()
            was = self.conf.get(name)
            if name == b"paused":
                reply.append(pause_end(was) or int(bool(was)))
                if value in (b"0", b"1"):
                    self.stat.pop(b"loading", None)
                elif was and pause_end(value):
                    value = longer(was, int(value))
            elif name.startswith(PAUSED):
                reply.append(pause_end(was) or int(bool(was)))
                value = longer(was, int(value)) if was and pause_end(value) else value
            else:
                reply.append(was or b"")
            if value in (b"", b"0", b"fair") and not (name == b"max-len" and value == b"0"):
                self.conf.pop(name, None)
            elif value != b"load" or not was:
                self.conf[name] = value
        self.note_limits(now)
        self.note_key_pauses()
        if had_pauses:
            self.stat[b"limits_at"] = now  # also if the last of them went
        if (self.conf or b"shards" in self.stat) and not self.is_listed(now):
            reply[1] = b"%d" % self.stat.setdefault(b"generation", now * 1000)
        self.wake(now)
        return reply
