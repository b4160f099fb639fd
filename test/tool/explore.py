#!/usr/bin/env python3
"""explore.py SOCKET SCRIPTS: every order of the steps by which names come into the list of queues and go, on a real server.

Two producers, dq-gc, dq-rm -a and a consumer of each message are at work on one queue; each may die before any of its steps. In no
state does the queue say that it is listed when it is not. At the end whatever was told to be put, and is there, is listed; and one
more put lists the queue in any case, and one more dq-rm -a, where it is empty, leaves nothing at all. Prints how many states there
were; ends with 1, and how it comes to that, where something of it does not hold.

A state holds no times: only the order of the generations counts, so each becomes its place among them."""
import os
import sys

sys.dont_write_bytecode = True

from resp import Connection, Error  # noqa: E402

PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
KEYS = ["dq:{explore}:" + part for part in PARTS]
LISTS = ["{dq:queues}", "{dq:queues}:new"]
MSG, READY, STAT = KEYS[0], KEYS[2], KEYS[6]

# Who is at work, and which message each works on. A step is a number, and None is at its end: done, or dead.
KINDS = (("put", b"a"), ("put", b"b"), ("gc", None), ("rm", None), ("take", b"a"), ("take", b"b"))
MORE_PUT, MORE_RM = len(KINDS), len(KINDS) + 1
ALL = KINDS + (("put", b"c"), ("rm", None))


class State:
    """The queue: its messages, its generation (0 = none), whether it says that it is listed; its score in the list (0 = not there);
    where each of those at work is, what generation it knows, and whether it has told that its message is put."""

    def __init__(self, messages=frozenset(), generation=0, says=False, score=0, steps=(0,) * len(ALL),
                 knows=(0,) * len(ALL), told=frozenset()):
        numbers = sorted({generation, score, *knows} - {0})
        place = {0: 0, **{n: (i + 1) * 1000 for i, n in enumerate(numbers)}}
        self.messages, self.says, self.steps, self.told = messages, says, steps, told
        self.generation, self.score, self.knows = place[generation], place[score], tuple(place[n] for n in knows)
        self.now = len(numbers) + 1  # ms; so the next generation is the greatest
        self.key = (messages, self.generation, says, self.score, steps, self.knows, told)

    def at(self, who, step, **changes):
        """The same, where one is at another step."""
        steps = self.steps[:who] + (step,) + self.steps[who + 1:]
        knows = self.knows[:who] + (changes.pop("knows", 0 if step is None else self.knows[who]),) + self.knows[who + 1:]
        fields = {"messages": self.messages, "generation": self.generation, "says": self.says, "score": self.score, "told": self.told}
        return State(**{**fields, **changes}, steps=steps, knows=knows)


class Explorer:
    def __init__(self, path, folder):
        self.redis = Connection(path)
        self.scripts = {}
        for name in ("put", "listed", "forget", "unlist", "rm"):
            with open(os.path.join(folder, name + ".lua")) as text:
                self.scripts[name] = self.redis.call("SCRIPT", "LOAD", text.read())
        self.seen = {}

    def run(self, state, who, *call):
        """The state's queue on the server, that call there, and what the queue is then: the reply, and fields of a State."""
        send, n = self.redis.send, 1
        send("DEL", *KEYS, *LISTS)
        if state.generation:
            send("HSET", STAT, "generation", state.generation)
            n += 1
        if state.says:
            send("HSET", STAT, "listed", 1)
            n += 1
        for id in sorted(state.messages):
            send("HSET", MSG, id, "\nx")
            send("ZADD", READY, 1, id)
            n += 2
        if state.score:
            send("ZADD", LISTS[0], state.score, "explore")
            n += 1
        send(*call)
        send("HKEYS", MSG)
        send("HMGET", STAT, "generation", "listed")
        send("ZSCORE", LISTS[0], "explore")
        send("EXISTS", *KEYS)
        self.redis.push()
        for _ in range(n):
            self.redis.reply()
        reply, ids, stat, score, self.keys = (self.redis.reply() for _ in range(5))
        if isinstance(reply, Error):
            raise SystemExit("%s: %s" % (call[:2], reply.decode()))
        return reply, {"messages": frozenset(ids), "generation": int(stat[0] or 0), "says": stat[1] is not None, "score": int(score or 0)}

    def script(self, state, who, name, *args):
        keys = LISTS if name == "unlist" else KEYS
        return self.run(state, who, "EVALSHA", self.scripts[name], len(keys), *keys, state.now, *args)

    def step(self, state, who):
        """The next step of one of them; None where it cannot take one."""
        kind, id = ALL[who]
        step, knows = state.steps[who], state.knows[who]
        if kind == "take":
            if id not in state.messages:
                return None
            return state.at(who, None, **self.script(state, who, "rm", "", id)[1])
        if kind == "put":
            if step == 0:
                reply, queue = self.script(state, who, "put", "fail", 100, "", 0, id, "\nx")
                if b" " in reply:
                    return state.at(who, 1, knows=int(reply.split(b" ")[1]), **queue)
                return state.at(who, None, told=state.told | {id}, **queue)
            if step == 1:
                return state.at(who, 2, **self.run(state, who, "ZADD", LISTS[0], "GT", knows, "explore")[1])
            return state.at(who, None, told=state.told | {id}, **self.script(state, who, "listed", knows)[1])
        if step == 0:
            reply, queue = self.script(state, who, "forget", "0" if kind == "gc" else "")
            return state.at(who, 1, knows=int(reply), **queue) if reply else state.at(who, None, **queue)
        return state.at(who, None, **self.script(state, who, "unlist", "explore", knows)[1])

    def to_the_end(self, state, who):
        while state.steps[who] is not None:
            state = self.step(state, who)
        return state

    def wrong(self, state, is_end):
        if state.says and not state.score:
            return "the queue says that it is listed, and it is not"
        if not is_end:
            return None
        if state.told & state.messages and not state.score:
            return "what was put is not listed"
        put = self.to_the_end(state, MORE_PUT)
        if not put.score or not put.says:
            return "one more put does not list the queue"
        if not state.messages:
            gone = self.to_the_end(state, MORE_RM)
            if gone.score or self.keys:
                return "one more dq-rm -a leaves something"
        return None

    def explore(self):
        start = State()
        self.seen[start.key] = None
        left = [start]
        while left:
            state = left.pop()
            after = []
            for who in range(len(KINDS)):
                if state.steps[who] is None:
                    continue
                # A death before the first step is as if it had not been there.
                after.append(("%d %s dies" % (who, KINDS[who][0]), state.at(who, None)))
                then = self.step(state, who)
                if then:
                    after.append(("%d %s, step %d" % (who, KINDS[who][0], state.steps[who] + 1), then))
            why = self.wrong(state, not after)
            if why:
                return self.tell(state, why)
            for what, then in after:
                if then.key not in self.seen:
                    self.seen[then.key] = state.key, what
                    left.append(then)
        print("%d states" % len(self.seen))
        return 0

    def tell(self, state, why):
        way, key = [], state.key
        while self.seen[key]:
            key, what = self.seen[key]
            way.append(what)
        print("\n".join(reversed(way)))
        print("%s: %s, generation %d, score %d, says %s" % (why, sorted(state.messages), state.generation, state.score, state.says))
        return 1


sys.exit(Explorer(*sys.argv[1:]).explore())
