"""Whether a queue with keys does what it has to: each call is judged by what the keys held before it and hold after it, without a model.
What may be delivered follows from the states (delayed, ready, leased, dead, try) and the settings alone."""
from keys_view import BY_KEYS, EVER, IS_PAUSED, KEYED, PER_CLASS, View, key_of, letter_of
from message import SPAN


READS = ("stat", "list", "show", "keys", "audit")


class Wrong(Exception):
    pass


def names(messages):
    return " ".join(sorted(m.id.decode() for m in messages)) or "none"


class Judge:
    """Of one episode. cut: a call was cut in its middle, so what is derived may differ; then only too many of a key are wrong, and
    what goes out of its order."""

    def __init__(self):
        self.view = None
        self.was_cut = False
        self.tainted = set()  # messages that cut calls may have left anyhow
        self.passed, self.was = {}, {}
        self.stale = set()  # in turn although their keys may not go: a setting was made tighter
        self.served, self.late = 0, set()

    # --- deliveries ---

    def offered(self, before, after, ids, now):
        """The queue as it was when the take had moved what was due: after, with those that it leased ready again."""
        keys = {**after.keys, "begun": before.keys["begun"]}
        for part in ("ready", "leased", "try"):
            keys[part] = dict(keys[part])
        for id in ids:
            keys["leased"].pop(id, None)
            old = before.messages.get(id)
            if old and old.entry is not None and not before.again(id):
                keys["try"][id] = before.keys["try"][id]
            else:
                keys["try"].pop(id, None)
        for id, due in ids.items():
            m = after.messages.get(id)
            if m is None or m.state != "leased":
                raise Wrong("%s was delivered and is not leased" % id.decode())
            waited = before.messages.get(id)
            priority = (waited if waited and waited.state in ("ready", "delayed") else m).priority
            keys["ready"][id] = priority * SPAN + due + (KEYED if m.key else 0)
        return View(keys, now)

    def deliver(self, view, m, now):
        """One delivery, of what is offered."""
        may = view.may_go(m.key)
        if view.is_held(m.key):
            is_tainted = self.was_cut and not view.leased(m.key)
            if not is_tainted or not any(o.id in self.tainted for o in view.of[m.key] if o.begun):
                raise Wrong("%s was delivered, and its key is held: %s leased, %s begun" % (
                    m.id.decode(), names(o for o in view.of[m.key] if "leased" in o.states),
                    names(o for o in view.of[m.key] if o.begun)))
        elif m not in may and m.key not in self.late and not (
                self.was_cut and any(o.id in self.tainted for o in view.of[m.key])):
            raise Wrong("%s was delivered, the next of its key is %s" % (m.id.decode(), names(may)))
        if not self.was_cut:
            self.compare_keys(view, m, now)
        self.passed[m.key] = set()
        m.state, m.states, m.begun = "leased", ["leased"], False
        self.served += 1

    def compare_keys(self, view, m, now):
        """No other key had to be before that one."""
        for key in view.of:
            may = view.may_go(key) if key != m.key else []
            if not may or b"key_walk" in view.stat or key in self.late:
                continue
            least = may[0].priority
            if least < m.priority:
                raise Wrong("%s was delivered before %s, which is more urgent" % (m.id.decode(), names(may)))
            if least == m.priority:
                passed = self.passed.setdefault(key, set())
                if m.key in passed:
                    raise Wrong("%s: its key is served twice, while %s could go and was not served" % (m.id.decode(), names(may)))
                passed.add(m.key)

    def note_passed(self, view):
        """A key was not passed over the whole time if it could not go, or another class of it could, or if none of its messages was
        ready the whole time: then it could not go somewhere in the call."""
        for key in set(view.of) | set(self.was):
            may = view.may_go(key)
            classes = {m.priority for m in may}
            able = may if view.is_serial and view.first_begun(key) else view.ready(key)  # what has begun is the only one that may
            ready = {(m.id, m.score) for m in able if m.priority in classes} if may else set()
            old_classes, old_ready = self.was.get(key, (set(), set()))
            if old_classes != classes or not old_ready & ready:
                self.passed.pop(key, None)
            self.was[key] = classes, ready

    def take(self, now, args, reply, before, after):
        rows = list(zip(*[iter(reply[6:])] * 6))
        ids = {row[0]: row[2] for row in rows}
        if len(ids) != len(rows) or len(rows) > args[0]:
            raise Wrong("%d were wanted, and %s delivered" % (args[0], [row[0] for row in rows]))
        view = self.offered(before, after, ids, now)
        room, _ = view.room(now)
        if len(rows) > room:
            raise Wrong("%d were delivered, and %d allowed" % (len(rows), room))
        self.late = {m.key for m in before.messages.values() if m.is_late(now)}  # a take drops these, which is a turn
        self.note_passed(view)
        for id, *_ in rows:
            self.deliver(view, view.messages[id], now)
        for key in self.late:
            self.passed.pop(key, None)
        more, why = reply[3], reply[4]
        if self.was_cut:
            return
        if not rows and args[0] and room and view.any_may_go() and not (
                b"key_walk" in view.stat or self.late):
            raise Wrong("nothing was delivered, and %s may go" % names(m for k in view.of for m in view.may_go(k)))
        self.compare_more(now, more, why, after)

    def compare_more(self, now, more, why, view):
        room, by = view.room(now)
        may, is_ready = view.any_may_go(), view.any_ready()
        if b"key_walk" in view.stat or view.walks() or self.stale:
            return
        if more != int(room > 0 and may):
            raise Wrong("more: %d, and %d are allowed, %s may go" % (more, room, names(m for k in view.of for m in view.may_go(k))))
        allowed = {0} if more or not is_ready and by != IS_PAUSED else set()
        if not allowed and not room:
            allowed.add(by)
        if not allowed or is_ready and not may and by != IS_PAUSED:
            allowed.add(BY_KEYS)
        if why not in allowed:
            raise Wrong("why: %d, wanted %s" % (why, sorted(allowed)))

    # --- what is derived ---

    def check_states(self, view):
        keys = view.keys
        for m in view.messages.values():
            if len(m.states) != 1:
                raise Wrong("%s is in %d states" % (m.id.decode(), len(m.states)))
            if m.priority != m.said and not self.was_cut or m.state == "ready" and m.score < 0:
                raise Wrong("%s: its priority is %d, its score in %s %.17g" % (m.id.decode(), m.said, m.state, m.score))
        for part in ("delayed", "ready", "leased", "dead", "try"):
            more = set(keys[part]) - set(view.messages)
            if more:
                raise Wrong("%s: not messages: %s" % (part, sorted(more)))
        expiries = {m.id: float(m.expiry) for m in view.messages.values() if m.expiry is not None and m.state in ("delayed", "ready")}
        if expiries != keys["expiry"]:
            raise Wrong("expiry: wanted %s, got %s" % (expiries, keys["expiry"]))
        firsts = {m.id: float(m.entry[5]) for m in view.messages.values() if m.entry and m.entry[5]}
        if firsts != keys["failing"]:
            raise Wrong("failing: wanted %s, got %s" % (firsts, keys["failing"]))
        wanted = {letter_of(name) for name in keys["conf"]} | ({b"k"} if any(view.of.keys() - {b""}) else set())
        wanted |= {b"d"} if keys["conf"].get(b"keys") == b"serial,stop" else set()
        got = {view.limits[i:i + 1] for i in range(len(view.limits))}
        if wanted != got and wanted | {b"k"} != got:
            raise Wrong("limits: %s, and the settings are %s" % (view.limits, keys["conf"]))
        ends = [end for end in view.pauses.values() if end < EVER]
        if view.stat.get(b"key_pause") != min(ends, default=None):
            raise Wrong("key_pause: %s, and the settings are %s" % (view.stat.get(b"key_pause"), keys["conf"]))

    def check_keyed(self, view):
        wanted, got = view.elements(), view.keys["keyed"]
        lacks, more = wanted - set(got), set(got) - wanted
        if view.walks():
            lacks = {element for element in lacks if b" A " not in element}
        if not view.is_stop and b"key_walk" in view.stat:
            more = {element for element in more if b" A " not in element}
        if lacks or more or any(got.values()):
            raise Wrong("keyed lacks %s, has wrongly %s" % (sorted(lacks), sorted(more)))

    def check_turn(self, view):
        in_turn = {(key, priority) for key, pairs in view.turn.items() for priority in pairs}
        for key, pairs in view.turn.items():
            for priority, score in pairs.items():
                if score // PER_CLASS != priority:
                    raise Wrong("turn: %s %d has the score %.17g" % (key.decode(), priority, score))
        if b"k" not in view.limits:
            if in_turn:
                raise Wrong("turn: %s, and there are no keys" % in_turn)
            return
        scores = [score for pairs in view.turn.values() for score in pairs.values()]
        if len(set(scores)) < len(scores):
            raise Wrong("turn: two have one score: %s" % view.keys["turn"])
        for key in set(view.of) | set(view.turn):
            self.check_key_in_turn(view, key)
        self.stale &= in_turn

    def check_key_in_turn(self, view, key):
        pairs = set(view.turn.get(key, ()))
        wanted = view.pairs(key)
        lacks = wanted - pairs if b"key_walk" not in view.stat else set()
        if sum(m.begun for m in view.of.get(key, ())) > 1:  # of these the first that waits holds the pair of another one
            self.stale |= {(key, priority) for priority in pairs - wanted}
        more = {(key, priority) for priority in pairs - wanted} - self.stale
        if lacks and not view.is_over(key):
            raise Wrong("turn lacks %s %s: %s may go" % (key.decode(), lacks, names(view.may_go(key))))
        if more:
            raise Wrong("turn has %s, %s" % (more, "and its key is held" if view.is_held(key) else "of which none may go"))

    def note_stale(self, view):
        """What is in turn wrongly stays there until a take looks at it, or a walk: a setting was changed, or who may only put put."""
        for key, pairs in view.turn.items():
            self.stale |= {(key, priority) for priority in pairs.keys() - view.pairs(key)}

    def check_mark(self, what, now, before, after):
        """The mark of what is ready is there if something may be taken, unless it was so before, without the mark."""
        is_there = b"r" in after.keys["wake"]
        able = after.room(now)[0] > 0 and after.any_may_go()
        if able and not is_there and b"key_walk" not in after.stat:
            lacked = before.room(now)[0] > 0 and before.any_may_go() and b"r" not in before.keys["wake"]
            if what in ("take", "promote", "set") or not lacked:
                raise Wrong("the mark of what is ready is missing: %s may go" % names(
                    m for key in after.of for m in after.may_go(key)))
        if what == "take" and is_there and not able and not self.stale and not after.walks() and b"key_walk" not in after.stat:
            if not (after.any_ready() and {b"p", b"r", b"h"} & {after.limits[i:i + 1] for i in range(len(after.limits))}):
                raise Wrong("the mark of what is ready is there, and nothing may be taken")
        next_move, armed = after.next_move(), after.stat.get(b"armed")
        if what in READS or next_move is None:
            return
        if armed is None or armed > max(next_move, now) or what in ("take", "promote") and armed <= now < next_move:
            raise Wrong("armed is %s, the next move %d" % (armed, next_move))

    # --- calls ---

    def check_gone(self, what, now, args, before, after):
        """What is no longer there had to go."""
        for id in before.messages.keys() - after.messages.keys():
            m = before.messages[id]
            if not (what in ("ack", "rm") and id in args or what == "gc" and m.state == "dead" or m.is_late(now) or
                    m.expiry is not None and m.expiry <= now and m.state == "leased"):
                raise Wrong("%s is gone" % id.decode())
        for id in after.messages.keys() - before.messages.keys():
            if what not in ("put", "load") or id not in args:
                raise Wrong("%s: nobody put it" % id.decode())

    def check_redriven(self, args, before, after):
        """All tries are left. What stopped its key has begun, with a reason: so it is the next, also after a load of a dump."""
        for id in args:
            old, m = before.messages.get(id), after.messages.get(id)
            if not old or not m or (old.state, m.state) != ("dead", "ready") or self.was_cut:
                continue
            reason = after.keys["try"].get(id, b"").partition(b"\n")[2]
            stopped = after.is_stop and m.key != b""
            if m.begun != stopped or m.begun != bool(reason) or m.begun and (m.entry[1], m.entry[3]) != (b"0", b"0"):
                raise Wrong("%s was redriven: its entry is %s" % (id.decode(), after.keys["try"].get(id)))

    def call(self, what, now, args, reply, after, leaves=False):
        """leaves: the caller may not remove what is in turn wrongly."""
        before, self.view = self.view, after
        if not isinstance(reply, (bytes, int, list)) or reply.__class__.__name__ == "Error":
            raise Wrong("reply: %s" % reply)
        if before is None:
            before = View({part: {} for part in after.keys})
        self.check_gone(what, now, args, before, after)
        if what == "redrive":
            self.check_redriven(args, before, after)
        was, before.now, after.now = before.now, now, now
        if leaves or before.conf != after.conf or after.walks() or now < was:
            self.note_stale(after)
        if what == "take":
            self.take(now, args, reply, before, after)
        elif what == "load":
            for id in args[2::3]:  # of two of a key one may hold it for a moment
                self.passed.pop(key_of(id)[0], None)
        elif what == "put":
            words = [a for a in args if a.__class__ is bytes]
            for id in set(words):  # one that is named twice may leave ready and come back
                if words.count(id) > 1:
                    self.passed.pop(key_of(id)[0], None)
        elif what == "audit" and not self.was_cut and (reply[3:] or reply[2] != 1):
            raise Wrong("the audit says %s" % reply)
        elif what == "stat" and not self.was_cut:
            self.stat(now, reply, after)
        if not self.was_cut:
            self.check_all(after)
            self.check_mark(what, now, before, after)
        self.note_passed(after)

    def check_mended(self, view):
        """After an audit repaired what cuts left. What is in turn wrongly stays until a take looks at it."""
        self.stale = {(key, priority) for key, pairs in view.turn.items() for priority in pairs}
        self.check_all(view)

    def check_all(self, view):
        self.check_states(view)
        self.check_keyed(view)
        self.check_turn(view)

    def cut(self, args, before, after):
        """A call was cut: what it named, or changed, may be anyhow."""
        self.view, self.was_cut, after.now = after, True, before.now
        self.tainted |= {a for a in args if a.__class__ is bytes}
        for id in before.messages.keys() | after.messages.keys():
            old, new = before.messages.get(id), after.messages.get(id)
            if not old or not new or (old.states, old.score) != (new.states, new.score) or (
                    before.keys["try"].get(id) != after.keys["try"].get(id)):
                self.tainted.add(id)
        self.note_passed(after)

    # --- replies of what only reads ---

    def stat(self, now, reply, view):
        of = {state: [m for m in view.messages.values() if m.state == state] for state in ("delayed", "ready", "leased", "dead")}
        due = [m.due for m in of["delayed"] if m.due <= now]
        oldest = min((m.due for m in of["ready"]), default=-1)
        keys = 3 if view.is_stop else 2 if view.is_serial else int(b"k" in view.limits)
        wanted = [now, len(of["delayed"]) - len(due), len(due), len(of["ready"]), len(of["leased"]), len(of["dead"]), oldest,
                  min(due, default=-1)]
        limit = -1 if view.key_limit is None else view.key_limit
        if reply[:8] != wanted or reply[14:16] != [keys, limit]:
            raise Wrong("stat: wanted %s, keys %d %d, got %s" % (wanted, keys, limit, reply[:24]))
        if dict(zip(reply[30::2], reply[31::2])).keys() != view.stat.keys():
            raise Wrong("stat: not the hash: %s" % reply[30:])
        blocked, paused = [m for m in of["ready"] if view.is_held(m.key)], [m for m in of["ready"] if view.is_paused(m.key)]
        free = min((m.due for m in of["ready"] if not view.is_held(m.key)), default=-1)
        wanted = [min((m.due for m in blocked), default=-1), free, len({m.key for m in paused}), len(paused)]
        named = not blocked or reply[29] in {m.key for m in blocked}
        if [reply[24], *reply[26:29]] != wanted or (reply[25] > 0) != bool(blocked) or not named:
            raise Wrong("stat: keys: wanted %s, got %s" % (wanted, reply[24:30]))
        room, by = view.room(now)
        held = room > 0 and view.any_ready() and not view.any_may_go()
        if reply[17] != (BY_KEYS if held else by) and b"key_walk" not in view.stat and not (
                self.stale or any(map(view.is_over, view.pauses))):
            raise Wrong("stat: why: wanted %d, got %d" % (BY_KEYS if held else by, reply[17]))
