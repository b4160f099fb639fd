"""What a queue is, without Redis: messages, each in one state. Every script has a method of its name here, which takes the
script's arguments and returns what the script has to reply. snapshot() is what the keys have to hold."""

import re

from limits import EVER, IS_PAUSED, NOT_LIMITED, Limits, pause_end
from message import HELD, OFTEN, SPAN, TTR, Message, Refusal, timeless, wait_of
from views import Views


GUARD = 500
TELLS = 10000
EDGES = (b"begin", b"end", b"free")


class Queue(Limits, Views):
    def __init__(self):
        self.messages, self.settled, self.outcomes, self.stat, self.conf, self.begun = {}, {}, {}, {}, {}, []
        self.ready_mark = False
        self.timer_mark = self.guard_mark = None

    def count(self, what, n=1):
        if n:
            what = what.encode()
            self.stat[what] = self.stat.get(what, 0) + n

    def drop(self, messages, what):
        for m in messages:
            del self.messages[m.id]
        self.count(what, len(messages))

    def end(self, m, what, at, text):
        """What became of it, if that is kept."""
        if m.number("k", 0) and m.number("u", 0):
            self.settled[m.id] = min(at + m.number("u", 0), HELD)
            self.outcomes[m.id] = b"%s %s %d\n%s" % (what, str(m.tried()).encode() if m.tried().__class__ is int else m.tried(), at, text)

    def end_gone(self, messages, now, reason=None, by_name=False):
        """Without an ack."""
        for m in messages if b"keeps" in self.stat else []:
            died = m.state == "dead" and not by_name
            at, last = m.at if died else now, m.reason if m.tries is not None else b""
            if at + m.number("u", 0) > now:
                self.end(m, b"dead" if died else b"removed", at, last if died or reason is None else reason)

    def forget_outcome(self, id):
        self.outcomes.pop(id, None)
        self.settled.pop(id, None)

    def is_reserved(self, id, now):
        return self.settled.get(id, 0) > now and self.outcomes.get(id, b"done").startswith(b"done")

    def next_move(self):
        moves = [m.at for m in self.messages.values() if m.state in ("delayed", "leased")] + list(self.key_pauses().values())
        return min((at for at in moves if at < HELD), default=-1)

    def ready_now(self, now):
        """Is there something that may be taken? Else why not, and until when."""
        room, why, till = self.allowance(now)
        is_ready = any(m.state == "ready" for m in self.messages.values())
        if is_ready and room > 0:
            return 1, NOT_LIMITED, -1
        return (0, why, till) if is_ready or why == IS_PAUSED else (0, NOT_LIMITED, -1)

    def tells(self, now):
        """Perhaps somebody who waits does not know yet of a rate or a pause."""
        return (self.is_told() and 0 <= now - self.stat[b"limits_at"] < TELLS
                and any(m.state == "ready" for m in self.messages.values()))

    def wake(self, now, held="", found=False, in_vain=False):
        more, why, till = self.ready_now(now)
        if held in ("?", self.stat.get(b"armed")) and not (held != "?" and held > now and not found):  # nobody holds that time any more
            self.stat.pop(b"armed", None)
        at, armed = self.next_move(), self.stat.get(b"armed")
        if till >= 0 and (at < 0 or till < at):
            at = till
        self.ready_mark = more == 1 or till >= 0 and not in_vain and self.tells(now)
        soon = min(at, now + GUARD) if at >= 0 else now + GUARD
        to_arm = soon if more else at
        if to_arm >= 0 and not (armed is not None and now < armed <= to_arm):
            self.timer_mark = self.stat[b"armed"] = to_arm
            self.guard_mark = to_arm + GUARD
        return more, at, why, till

    # --- put ---

    def put(self, now, mode, priority, expire, shared, *items):
        only = mode.startswith("only-")
        mode = mode.removeprefix("only-")
        if not 0 <= priority <= 255 or only and mode in ("fail", "keep", "repeat"):
            return Refusal(b"DQRANGE")
        if mode not in "fail keep replace earlier later move edit repeat".split():
            return Refusal(b"DQRANGE")
        if expire != "" and not (expire > 0 and now + expire < SPAN):
            return Refusal(b"DQRANGE")
        has_settled = bool(self.settled)
        is_unique = has_settled and mode in ("fail", "keep", "repeat")
        letters, most = "", self.limit(b"max-len")
        most = EVER if most is None else most
        if shared != "":
            items = [word for id, record in zip(items[::2], items[1::2]) for word in (id, shared, record)]
        for id, when, record in zip(items[::3], items[1::3], items[2::3]):
            due = now + when if when.__class__ is int else int(when[1:])
            if not 0 <= due < SPAN or (when.__class__ is int and when < 0):
                letters += "o"
                continue
            if expire != "" and now + expire <= due:
                letters += "y"
                continue
            if expire != "":
                record = b"x=%d%s" % (now + expire, record)
            m = self.messages.get(id)
            if m and m.state in ("delayed", "ready") and m.number("x", SPAN) <= now:
                if only or len(self.messages) > most:
                    letters += "u" if only else "f"
                    continue
                m.write(record)
                m.put(due, now)
                self.count("expired")
                self.count("put")
                letters += "n"
            elif m:
                letters += self.again(mode, self.messages[id], due, record, now)
            elif is_unique and self.is_reserved(id, now):
                letters += {"keep": "v", "fail": "v", "repeat": "?"}[mode]
            elif only:
                letters += "u"
            elif len(self.messages) >= most:
                letters += "f"
            else:
                self.messages[id] = Message(id, record)
                self.messages[id].put(due, now)
                self.count("put")
                letters += "n"
        if set(letters) & set("nr"):
            if any(Message(b"", record).options.get("k") for record in items[2::3]):
                self.stat[b"keeps"] = 1
            for letter, id in zip(letters, items[::3]):
                if letter in "nr":
                    self.forget_outcome(id)
        self.count("rescheduled", sum(letter in "relm" for letter in letters))
        if has_settled:
            self.forget_ids(now, 100)
        unlisted = set(letters) - set("ouyf?") and not self.is_listed(now)
        if unlisted:
            self.stat.setdefault(b"generation", now * 1000)
        if set(letters) & set("nrelm"):
            self.wake(now)
        full = b"/%d" % most if "f" in letters else b""
        return letters.encode() + full + (b" %d" % self.stat[b"generation"] if unlisted else b"")

    def is_listed(self, now):
        at = self.stat.get(b"listed")
        return at is not None and 0 <= now - at < 3600000

    def again(self, mode, m, due, record, now):
        """A put of an id that is there."""
        there = "b" if m.state == "dead" else "x"
        if mode == "repeat":
            return "s" if timeless(m.record) == timeless(record) else there
        if mode == "replace":
            m.write(record)
            m.put(due, now)
            return "r"
        if mode in ("earlier", "later", "move"):
            return self.another_time(mode, m, due, record, now)
        if mode == "edit":
            return self.another_payload(m, record)
        return there if mode == "fail" else "k"

    @staticmethod
    def another_time(mode, m, due, record, now):
        """Who is at work goes on, and the message is there again when that delivery ends."""
        old = {"leased": m.again, "dead": None}.get(m.state, m.at)
        stays = old is not None and {"later": due <= old, "earlier": due >= old or m.state == "ready", "move": due == old}[mode]
        expiry = max(m.number("x", SPAN), Message(m.id, record).number("x", 0))
        if not stays and due >= expiry:
            return "y"
        m.keep_until(expiry)
        if m.state == "ready" and m.tries is not None:
            m.void()  # a late ack would forget this put
        if stays:
            return "k"
        if m.state == "leased":
            m.again = due
        else:
            if m.state == "dead" and m.tries is not None:
                m.fails()
                m.begin_anew(b"")
            m.put(due, now)
        return mode[0]

    @staticmethod
    def another_payload(m, record):
        """Nothing else changes; but nobody can ack the new payload with a receipt of the old one."""
        record = m.record.split(b"\n", 1)[0] + b"\n" + record.split(b"\n", 1)[1]
        if record == m.record:
            return "k"
        m.rewrite(record)
        if m.state == "leased" and m.tries is not None and m.again is None:
            m.again = m.due
        elif m.state != "leased" and m.tries is not None:
            m.void()
        return "p"

    def forget_ids(self, now, limit):
        past = sorted((till, id) for id, till in self.settled.items() if till <= now)[:limit]
        for _, id in past:
            del self.settled[id]
            self.outcomes.pop(id, None)
        return len(past)

    # --- load ---

    def load(self, now, mode, claim, *items):
        refused, letters = self.claim_refusal(claim, *items[1].split(b" ", 1)), ""
        if refused:
            return refused
        for id, place, record in zip(items[::3], items[1::3], items[2::3]):
            word, text = place.split(b" ", 1)
            if word in EDGES:
                letters += self.edge(now, word, claim, *map(int, text.split(b" ")))
            elif word == b"reserved":
                letters += self.reserve(id, *text.split(b"\n", 1), now=now)
            else:
                letters += self.load_message(mode, id, word, text, record, now)
                if letters[-1] in "nr":
                    self.forget_outcome(id)
        if set(letters) & set("nr") and any(Message(b"", r).options.get("k") for p, r in zip(items[1::3], items[2::3]) if r):
            self.stat[b"keeps"] = 1
        self.count("rescheduled", letters.count("r"))
        unlisted = not self.is_listed(now)
        if unlisted:
            self.stat.setdefault(b"generation", now * 1000)
        if set(letters) & set("nr"):
            self.wake(now)
        return letters.encode() + (b" %d" % self.stat[b"generation"] if unlisted else b"")

    def claim_refusal(self, claim, word, text):
        """Only one load at a time has the queue, from its beginning to its end. One of the same dump takes over."""
        loaded, loading = self.stat.get(b"loaded"), self.stat.get(b"loading")
        if word in EDGES and loaded == int(text.split(b" ")[1]):
            return None
        if word == b"begin":
            return Refusal(b"DQHELD") if loading not in (None, int(text.split(b" ")[1])) else None
        if claim == 0 or claim == self.stat.get(b"claim"):
            return None
        return Refusal(b"DQOVER") if loaded or loading else Refusal(b"DQGONE")

    def load_message(self, mode, id, word, text, record, now):
        m, other, letter = self.messages.get(id), {"fail": "x", "keep": "k", "replace": "r"}[mode], "n"
        if mode == "replace":
            letter = "r" if m else "n"
        elif m and m.record == record:
            return "s"
        elif m and not (m.state in ("delayed", "ready") and m.number("x", SPAN) <= now):
            return other
        elif not m and self.is_reserved(id, now):
            return "v"
        elif m:
            self.count("expired")
        self.count("put", letter == "n")
        m = self.messages[id] = Message(id, record)
        numbers, reason = text.split(b"\n", 1)
        numbers = re.sub(rb"^(\d+ \d+)(?:\+(\d+))?", rb"\1 0\2", numbers).replace(b"*", b" ")
        at, tries, back, due, again, *first = map(int, numbers.split(b" "))
        if word == b"due":
            m.put(at, now)
        else:
            m.place(word.decode(), at)
        if word == b"leased" or due >= 0 or tries or back or first or reason:
            anew = word == b"due" and tries == 0 and first
            m.tries, m.back, m.due, m.reason = tries, back, due if due >= 0 else HELD if anew else min(at, HELD - 1), reason
            m.void()
            m.again = None if again < 0 else again
            m.since, m.failed = first[0] if first else None, first[1] if len(first) > 1 else 0
            if first and word != b"dead" and (m.failures() > 0 or back >= OFTEN or m.failed):
                m.fails()
        return letter

    def reserve(self, id, till, outcome=None, *, now):
        till = int(till)
        if id in self.messages or till <= now or self.settled.get(id, 0) >= till:
            return "s"
        self.settled[id] = till
        if outcome is not None:
            self.outcomes[id] = outcome
        return "n"

    def edge(self, now, word, claim, token, dump, paused=None):
        """The beginning or the end of a dump: in between nobody takes."""
        if self.stat.get(b"loaded") == dump:
            return "s"
        if token > self.stat.get(b"token", 0):
            self.stat[b"token"] = token
        if word == b"begin":
            pause = self.conf.get(b"paused")
            if not pause or pause_end(pause):
                self.conf[b"paused"] = b"load" + (b" " + pause if pause else b"")
            self.note_limits(now)
            self.stat[b"claim"], self.stat[b"loading"] = claim, dump
            return "n"
        self.stat.pop(b"loading", None)
        if word == b"free":
            self.note_limits(now)
            return "n"
        self.stat.pop(b"claim", None)
        self.stat[b"loaded"] = dump
        pause = self.conf.get(b"paused")
        if pause and pause.startswith(b"load"):
            del self.conf[b"paused"]
            if paused == 1 or pause[5:]:
                self.conf[b"paused"] = b"1" if paused == 1 else pause[5:]
        self.note_limits(now)
        return "n"

    # --- what time does ---

    def reclaim(self, now, limit):
        back = died = 0
        for m in [m for m in self.all("leased") if m.at <= now][:limit]:
            if self.end_lease(m, now, b"lease ran out") == "b":
                died += 1
            else:
                back += 1
        self.count("expired_leases", back + died)
        return back, died

    def end_lease(self, m, now, reason):
        if m.again is not None:
            m.fails()
            m.move_rescheduled(now, reason)
            return "d"
        m.reason = reason
        if not m.is_last_try():
            m.fail("ready", now)
            return "d"
        m.fail("dead", now)
        self.count("dead")
        return "b"

    def promote_due(self, now, limit):
        due = [m for m in self.all("delayed") if m.at <= now][:limit]
        for m in due:
            m.state = "ready"
        self.count("promoted", len(due))
        return len(due)

    def expire(self, now, limit):
        """Those that went, and whether there may be more."""
        limit = min(limit, 250)
        gone = self.expired(now)[:limit]
        self.end_gone(gone, now, b"expired")
        self.drop(gone, "expired")
        return gone, len(gone) == limit

    def promote(self, now, limit, held=""):
        self.end_pause(now)
        self.end_key_pauses(now)
        back, died = self.reclaim(now, limit)
        gone, may_be_more = self.expire(now, limit)
        promoted = self.promote_due(now, limit)
        if self.rate():
            self.mend_begun(now * 1000)
        at = self.wake(now, held)[1]
        return [now * 1000, promoted, back, died, int(back + died >= limit or promoted >= limit or may_be_more), at, len(gone)]

    def take(self, now, wanted, ttr, promote, budget, held="", holder=""):
        if len(holder) > 100 or " " in holder:
            return Refusal(b"DQRANGE")
        self.end_pause(now)
        self.end_key_pauses(now)
        if promote:
            most = self.limit(b"max-leased")
            self.reclaim(now, 100 if most is None else max(100, min(1000, len(self.all("leased")) + min(wanted, 1000) - most)))
            self.expire(now, 100)
            self.promote_due(now, max(100, wanted))
        token = max(self.stat.get(b"token", 0) + 1, now * 1000)
        if self.rate():
            self.mend_begun(now * 1000)
        room = self.allowance(now)[0]
        reply, expired, size = [], [], 0
        for m in self.within(self.all("ready")[:min(wanted, room)], budget):
            if size >= budget:
                break
            if m.number("x", SPAN) <= now:
                expired.append(m)
            else:
                reply += self.deliver(m, now, m.number("t", TTR) if ttr == "" else ttr, token, holder)
                size += len(m.record)
        if reply:
            self.stat[b"token"] = token
        if reply and self.rate():
            self.note_begun(now * 1000, self.rate()[1], len(reply) // 6)
        self.end_gone(expired, now, b"expired")
        self.drop(expired, "expired")
        more, at, why, till = self.wake(now, "" if held == "?" and reply else held, bool(reply), not reply)
        if why == NOT_LIMITED and self.is_told():
            till = 0
        return [now * 1000, b"%d" % token, at, more, why, till] + reply

    def deliver(self, m, now, ttr, token, holder):
        m.due, m.token, m.holder = m.at, token, holder
        if m.tries is None:
            m.tries, m.back, m.reason = 0, 0, b""
        m.tries += 1
        m.place("leased", now + ttr)
        self.count("taken")
        # The least K of which 2^K is more than the lateness.
        self.count("late:%d" % max(now - m.due, 0).bit_length())
        return [m.id, m.tried(), m.due, m.at, m.record, m.reason[:1000]]

    @staticmethod
    def within(head, budget):
        """What take looks at: bodies are read in chunks that grow as long as there is budget, so that what has expired is
        found in these only."""
        n, size, chunk = 0, 0, 1
        while n < len(head) and size < budget:
            more = head[n:n + chunk]
            size += sum(len(m.record) for m in more)
            n += len(more)
            chunk = max(1, min(1000, 32 if n == 1 else chunk * 8, (budget - size) * n // (size + 1)))
        return head[:n]

    # --- settling ---

    def settling(self, receipts, move):
        """move(message) is its letter, for each message whose receipt is valid; of equal ones the first counts."""
        letters, done = "", set()
        known = set(self.messages)
        for id, token in zip(receipts[::2], receipts[1::2]):
            m = self.messages.get(id)
            if m and id not in done and m.holds(token):
                letters += move(m)
                done.add(id)
            else:
                letters += "s" if id in known else "u"
        return letters.encode()

    def ack(self, now, *receipts):
        came_back, result = [], b""
        if receipts[0] == b"=":
            _, result, *receipts = receipts

        def move(m):
            if m.move_rescheduled(now):
                self.count("acked")
                came_back.append(m)
                return "d"
            self.end(m, b"done", now, result)
            if m.number("u", 0):
                self.settled[m.id] = now + m.number("u", 0)
            self.drop([m], "acked")
            return "d"
        letters = self.settling(receipts, move)
        if came_back or self.frees(letters):
            self.wake(now)
        return letters

    def retry(self, now, delay, reason, *receipts):
        if delay != "" and not (0 <= delay and now + delay < SPAN):
            return Refusal(b"DQRANGE")

        def move(m):
            if m.again is not None:
                m.fails()
                m.move_rescheduled(now, reason)
                self.count("retried")
                return "d"
            if m.is_last_try():
                self.die(m, now)
            else:
                wait = wait_of(m, now * 1000) if delay == "" else delay
                m.fail("delayed", min(now + wait, HELD - 1))
                self.count("retried")
            m.settle(reason)
            return "b" if m.state == "dead" else "d"
        letters = self.settling(receipts, move)
        if b"d" in letters or self.frees(letters):
            self.wake(now)
        return letters

    def frees(self, letters):
        """Do these letters free places that takers wait for?"""
        return b"max-leased" in self.conf and bool(set(letters) & set(b"db"))

    def die(self, m, now):
        """If its lease has ended it may be dead already."""
        self.count("dead", m.state != "dead")
        m.fail("dead", m.at if m.state == "dead" else now)

    def bury(self, now, reason, *receipts):
        came_back = []

        def move(m):
            if m.again is not None:
                m.fails()
                m.move_rescheduled(now, reason)
                came_back.append(m)
                return "d"
            self.die(m, now)
            m.settle(reason)
            return "d"
        letters = self.settling(receipts, move)
        if came_back or self.frees(letters):
            self.wake(now)
        return letters

    def extend(self, now, ttr, *receipts):
        if not (ttr >= 1 and now + ttr < SPAN):
            return Refusal(b"DQRANGE")

        def move(m):
            if m.state != "leased":
                return "s"
            m.at = now + ttr
            self.count("extended")
            return "d"
        letters = self.settling(receipts, move)
        if b"d" in letters:
            self.wake(now)
        return letters

    def giveback(self, now, when, *receipts):
        reason = b""
        if receipts[:1] == ("=",):
            reason, receipts = receipts[1], receipts[2:]
        due = now + when if when.__class__ is int else int(when[1:]) if when else None
        if due is not None and (not 0 <= due < SPAN or when.__class__ is int and when < 0):
            return Refusal(b"DQRANGE")

        def move(m):
            self.count("given_back")
            m.give_back()
            if m.move_rescheduled(now, reason):
                return "d"
            if due is None:
                m.place("ready", m.due)
            else:
                m.put(due, now)
            m.settle(reason)
            return "d"
        letters = self.settling(receipts, move)
        if b"d" in letters:
            self.wake(now)
        return letters

    # --- by name ---

    def promote_now(self, now, *ids):
        was = {id: m.state for id, m in self.messages.items()}
        letters = ""
        for id in ids:
            if was.get(id) == "delayed":
                letters += "d"
                m, was[id] = self.messages[id], "ready"
                m.place("ready", min(m.at, now))
                self.count("promoted")
            else:
                if was.get(id) == "leased" and (self.messages[id].again or 0) > now:
                    self.messages[id].again = now
                letters += "u" if id not in was else "b" if was[id] == "dead" else "k"
        if "d" in letters:
            self.wake(now)
        return letters.encode()

    def release(self, now, holder, *ids):
        letters = ""
        was = {id: m.state for id, m in self.messages.items()}
        for id in ids:
            if was.get(id) == "leased" and holder and not self.messages[id].is_held_by(holder):
                letters += "o"
            elif was.get(id) == "leased":
                m, was[id] = self.messages[id], None
                self.count("released")
                letters += self.end_lease(m, now, b"released")
                m.void()
            else:
                letters += "s" if id in was else "u"
        if set(letters) & set("db"):
            self.wake(now)
        return letters.encode()

    def redrive(self, now, *ids):
        letters = ""
        for id in ids:
            m = self.messages.get(id)
            letters += "u" if not m else "d" if m.state == "dead" else "s"
            if letters[-1] == "d":
                m.place("ready", now)
                if m.number("x", SPAN) <= now:
                    m.rewrite(re.sub(rb"^x=\d+ ?", b"", m.record))
                m.write(m.record)
                self.count("redriven")
        if "d" in letters:
            self.wake(now)
        return letters.encode()

    def rm(self, now, state, *ids):
        letters, gone, freed = "", [], []
        for id in ids:
            m = self.messages.get(id)
            now_in = "" if not m or m in gone else self.state_at(m, now)
            stays = {"delayed": "y", "due": "e", "ready": "r", "leased": "l", "dead": "b"}
            if not now_in and not m and not state and self.settled.get(id, 0) > now:
                letters += "d"
                freed.append(id)
                self.settled[id] = 0
                continue
            letters += "u" if not now_in else "d" if not state or now_in in state.split(",") else stays[now_in]
            if letters[-1] == "d":
                gone.append(m)
        self.end_gone(gone, now, by_name=True)
        self.drop(gone, "removed")
        for id in freed:
            self.outcomes.pop(id, None)
            del self.settled[id]
        if self.frees(letters.encode()) and gone:
            self.wake(now)
        return letters.encode()

    # --- the rest ---

    def gc(self, now, keep, limit, dry, skip):
        dead, expired = [m for m in self.all("dead") if m.at <= now - keep], self.expired(now)
        if dry:
            return [m.id for m in dead + expired][skip:skip + limit]
        self.end_gone(dead[:limit], now)
        self.drop(dead[:limit], "purged")
        gone, may_be_more = self.expire(now, limit)
        reply = [m.id for m in dead[:limit] + gone]
        if self.forget_ids(now, limit) == limit or may_be_more:
            reply.append(1)
        elif not self.messages:
            reply.append(2)
        return reply

    def mark(self, now, part, at):
        more, _, till = self.ready_now(now)
        if part == "wake":
            had, self.ready_mark = self.ready_mark, self.ready_mark or more == 1 or till >= 0 and self.tells(now)
            return int(self.ready_mark and not had)
        armed = self.stat.get(b"armed")
        if armed is None or at not in (["?", armed] if part == "timer" else [armed + GUARD]):
            return 0
        had = self.timer_mark if part == "timer" else self.guard_mark
        self.ready_mark = self.ready_mark or part == "timer" and (more == 1 or till >= 0) and self.tells(now)
        if part == "timer":
            self.timer_mark = armed
        if part == "guard" or at == "?":
            self.guard_mark = armed + GUARD
        return int(had is None)

    def listed(self, now, generation):
        if self.stat.get(b"generation") != generation:
            return 0
        self.stat[b"listed"] = now
        return 1

    def touch(self, now):
        if not self.stat:
            return 0
        self.stat.setdefault(b"put", 0)
        return 1

    def shards(self, now, before, after):
        if after == "65":
            return Refusal(b"DQRANGE")
        says = str(self.stat.get(b"shards", ""))
        last = b"%d" % self.stat.get(b"generation", now * 1000 - 1)
        done = says == after and (before == after or after != "")
        if not done and says == before and not self.messages and not (says == "" and any(till > now for till in self.settled.values())):
            done, says = True, after
            self.stat.pop(b"shards", None)
            if after:
                self.stat[b"shards"] = int(after)
                self.stat.pop(b"loaded", None)
        return [int(done), says.encode(), last, len(self.messages)]

    def forget(self, now, idle):
        if self.messages or b"shards" in self.stat:
            return b""
        if idle != "":
            last = max(self.stat.get(b"token", 0) / 1000, self.stat.get(b"listed", 0))
            has_settings = set(self.conf) - (set() if self.pause_now(now) else {b"paused"}) - self.key_pauses_over(now)
            if has_settings or any(till > now for till in self.settled.values()) or idle > 0 and now - last < idle:
                return b""
        generation = self.stat.get(b"generation", now * 1000 - 1)
        self.__init__()
        return b"%d" % generation
