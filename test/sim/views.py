"""What looking at a queue shows: stat, list, show, audit; and what its keys hold."""
from message import HELD, by_place


class Views:
    """Of a queue that has messages, settled, stat, conf, begun and marks."""

    def all(self, state):
        return by_place(m for m in self.messages.values() if m.state == state)

    @staticmethod
    def state_at(m, now):
        return "due" if m.state == "delayed" and m.at <= now else m.state

    def failing(self):
        return {m.id: m.first for m in self.messages.values() if m.first is not None}

    @staticmethod
    def holder(m):
        return m.holder.encode() if m.state == "leased" and m.tries is not None else b""

    def expired(self, now):
        """What waits, and is past its expiry, the first first."""
        return sorted((m for m in self.messages.values() if m.expiry() is not None and m.expiry() <= now), key=lambda m: (m.expiry(), m.id))

    def stat_reply(self, now):
        delayed = self.all("delayed")
        due = [m.at for m in delayed if m.at <= now]
        later = [m.at for m in delayed if m.at > now]
        held = sum(at == HELD for at in later)
        ready = [m.at for m in self.all("ready")]
        return [now, len(later), len(due), len(ready), len(self.all("leased")), len(self.all("dead")), min(ready, default=-1),
                min(due, default=-1), min((at for at in later if at < HELD), default=-1), *self.limited(now), len(self.expired(now)),
                ready[-1] if ready else -1, len(self.failing()), min(self.failing().values(), default=-1), held,
                -1, 0, min(ready, default=-1), 0, 0, b"", dict(self.stat)]

    def list(self, now, state, skip, limit, after=None):
        if state == "expired":
            there = [(m.expiry(), m) for m in self.expired(now)]
        else:
            there = [(m.score(), m) for m in self.all("delayed" if state == "due" else state) if self.state_at(m, now) == state]
        if after:
            score, id = after.split(" ")
            there = [(s, m) for s, m in there if (s, m.id) > (float(score), id.encode())]
        page, reply = there[skip:skip + limit], []
        for s, m in page:
            at_work = m.state in ("leased", "dead")
            due = -1 if state == "expired" else (-1 if m.tries is None else m.last_due()) if at_work else m.at
            reason = m.reason if m.tries is not None else b""
            reply += [m.id, s if state == "expired" else m.at, m.tried(), due, reason, self.holder(m)]
        if after is not None:
            reply.append((page[-1][0], page[-1][1].id) if page else after.encode())
        return reply

    def show(self, now, payload, *ids):
        return [now] + [self.fields(now, payload, self.messages[id]) if id in self.messages else self.reserved(now, id) for id in ids]

    def reserved(self, now, id):
        till = self.settled.get(id, 0)
        return [b"reserved", till, self.outcomes.get(id, b"")] if till > now else []

    def fields(self, now, payload, m):
        body = m.record[len(m.header) + 1:]
        last = [0, b"", -1, -1, -1, 0, b""]
        if m.tries is not None:
            last = [m.tried(), b"%d" % m.token, *self.ever(m)]
        return [self.state_at(m, now).encode(), m.at, m.priority, *last, self.holder(m), m.header, len(body), body if payload else b""]

    @staticmethod
    def ever(m):
        """Of its deliveries."""
        first, again = (-1 if at is None else at for at in (m.since if m.first is None else m.first, m.again))
        return m.last_due(), again, first, m.failures(), m.reason

    def walk(self, now, part, cursor, count):
        if part == "settled":
            return [now, sorted((id, till, self.outcomes.get(id, b"")) for id, till in self.settled.items())]
        slice = []
        for m in self.messages.values():
            last = [0, -1, -1, -1, 0, b""] if m.tries is None else [m.tried(), *self.ever(m)]
            slice.append((m.id, self.state_at(m, now).encode(), m.at, *last, m.record))
        return [now, sorted(slice)]

    def audit(self, now, part, cursor, count, repair):
        much = part == "all" and sum(m.expiry() is not None for m in self.messages.values()) > 1
        return [b"1" if much else b"0", 1]  # no faults, ever

    def snapshot(self):
        """What each key holds, in the order of wire.PARTS."""
        record, tries, expiry = {}, {}, {}
        index = {"delayed": {}, "ready": {}, "leased": {}, "dead": {}}
        for id, m in self.messages.items():
            record[id] = m.record
            state = m.state
            if m.expiry() is not None:
                expiry[id] = m.expiry()
            index[state][id] = m.at if state == "leased" or state == "dead" else m.score()
            if m.tries is not None:
                again = b"" if m.again is None else b">%d" % m.again
                back = b"+%d" % m.back if m.back else b""
                holder = b"@" + m.holder.encode() if m.holder else b""
                first = b"<%d" % m.first if m.first is not None else b"~%d" % m.since if m.since is not None else b""
                last = again + (b"*%d" % m.failed if m.failed else b"") + holder
                tries[id] = b"%d%s %d %d%s%s %s\n%s" % (m.tries, back, m.token, m.due, first, last, m.header, m.reason)
        return (record, *index.values(), tries, dict(self.stat),
                {b"r": 0} if self.ready_mark else {}, dict(self.conf),
                dict(self.settled),
                {b"t": self.timer_mark} if self.timer_mark is not None else {}, expiry,
                {b"u": self.guard_mark} if self.guard_mark is not None else {}, self.failing(),
                {b"%016d %d" % (before, n): us for us, before, n in self.begun}, dict(self.outcomes), {}, {})
