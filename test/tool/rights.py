"""rights.py SOCKET FOLDER ROLE=RULES...: each script that writes, as each role with each one of its commands less, on a queue
with messages in all states. A script that is refused has changed nothing. Prints what has, and how many calls were refused."""
import os
import sys

from resp import Connection, Error

PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
KEYS = ["dq:{rights}:" + part for part in PARTS]
LISTS = ["dq:{rights}:list", "dq:{rights}:new"]  # as unlist gets them
NOW = 2000000000000

# Of each kind some, so that nothing is the first one only: L leased, O overdue, D due, R ready, X past its expiry, W waits,
# B dead, A and Q as L and O, of which a put has asked to have them again.
FILL = """
for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end
local now = tonumber(ARGV[1])
if ARGV[2] == 'empty' then
  redis.call('HSET', KEYS[7], 'put', 1)
  redis.call('ZADD', KEYS[17], 0, 'r')
  return redis.call('ZADD', KEYS[16], 5, 'rights')
end
local places = {
  L = {4, now + 9000}, O = {4, now - 9}, P = {4, now - 9, 5},
  A = {4, now + 9000, again = now + 500}, Q = {4, now - 9, again = now - 1},
  D = {2, now - 5}, R = {3, 100 * 2 ^ 42 + now - 99},
  X = {3, 100 * 2 ^ 42 + now - 100, x = 1}, W = {2, now + 9999}, B = {5, now - 99}}
if ARGV[2] == 'usual' then -- one message a call is the usual one: lua/lib/usual.lua
  places = {L = places.L, R = places.R, W = places.W}
  redis.call('HSET', KEYS[7], 'listed', now)
end
for letter, place in pairs(places) do
  for i = 1, 6 do
    local header = letter == 'X' and 'x=1' or letter == 'L' and ARGV[2] ~= 'usual' and 'u=50000' or ''
    redis.call('HSET', KEYS[1], letter .. i, header .. '\\npay')
    redis.call('ZADD', KEYS[place[1]], place[2], letter .. i)
    if place[1] == 4 or place[1] == 5 then
      redis.call('HSET', KEYS[6], letter .. i,
        (place[3] or 1) .. ' 77 5' .. (place.again and '>' .. place.again or '') .. ' ' .. header .. '\\nwhy')
    end
  end
end
redis.call('HSET', KEYS[7], 'armed', ARGV[2] == 'usual' and now + 400 or 5)
redis.call('HSET', KEYS[7], 'generation', 7, 'claim', 5, 'loading', 7)
if ARGV[2] == 'kept' then redis.call('ZADD', KEYS[10], now - 1, 'S1', now + 99999, 'S2') end
if ARGV[2] == 'limited' then -- deliveries have begun before the span, within it, and later than now
  redis.call('HSET', KEYS[9], 'max-leased', 100, 'rate', '50/1000', 'max-len', 62)
  redis.call('HSET', KEYS[7], 'limits', 'lrm')
  redis.call('ZADD', KEYS[15], (now - 2000) * 1000, '0000000000000000 1', (now - 2) * 1000, '0000000000000001 1',
    (now + 9) * 1000, '0000000000000002 1')
end
if ARGV[2] == 'broken' then
  redis.call('HSET', KEYS[1], 'stray', '\\nx', 'a b', '\\nx')
  redis.call('HSET', KEYS[6], 'gone', '1 5 5 \\n')
  redis.call('ZADD', KEYS[3], 1, 'a c', 1, 'B1', 1, 'nobody', 2, 'L1')
  redis.call('HSET', KEYS[1], 'a c', '\\nx')
  redis.call('HDEL', KEYS[6], 'L2', 'L3')
end
"""

LEASED = ["L1", "77", "R1", "1", "L2", "77", "O1", "77", "B1", "77", "P1", "77", "A1", "77", "Q1", "77"]


def put(mode, *messages, when=""):
    words = []
    for id in messages:
        words += [id] + ([] if when else ["0"]) + ["\npay"]
    return ["put", mode, "100", "", when] + words


def load(mode, *words):
    claim = "5" if words[0] == "-" else "0"
    return ["load", mode, claim] + [word for id, place in zip(words[::2], words[1::2]) for word in (id, place, "x=%d\npay" % (NOW + 99))]


CALLS = [
    put("fail", "n1"), put("fail", "n1", when="5000"), put("fail", "n1", "n2", "n3"), put("fail", "n1", "n2", when="1"),
    put("fail", "n1", "R1", "n2"), put("fail", "X1"), put("fail", "n1", "X1", "n2"), put("keep", "n1", "n1", "X2"),
    put("repeat", "n1", "R1", "n2"), put("replace", "n1", "R1", "L1"), put("earlier", "W1", "n1", "B1"), put("replace", "R1"),
    put("only-later", "R1", "L1", when="9999"), put("later", "O1", "D1", when="99999"),
    put("move", "W1", "R1", "L1", when="9999"), put("move", "D1"), put("edit", "n1", "R1", "L1", "B1"), put("only-edit", "W1"),
    ["take", "99", "", "1", "1000000", "5"], ["take", "1", "", "0", "1000000", ""], ["take", "0", "", "1", "1", "0"],
    put("fail", "n1", when="0"), ["take", "1", "", "1", "1000000", ""], ["ack", "L1", "77"], ["extend", "9000", "L1", "77"],
    ["retry", "", "why", "L1", "77"],
    ["ack", *LEASED], ["ack", "O1", "77"], ["ack", "A1", "77"], ["bury", "", "A1", "77"], ["retry", "", "", "Q1", "77"],
    ["giveback", "", "A1", "77"], ["giveback", "5", "A1", "77"],
    ["bury", "why", *LEASED], ["extend", "5", *LEASED], ["giveback", "", *LEASED], ["giveback", "5", *LEASED],
    ["retry", "", "why", *LEASED], ["retry", "5", "", "L1", "77"], ["retry", "", "", "P1", "77"],
    ["promote", "100", "?"], ["promote", "1", ""], ["gc", "0", "3", "0", "0"],
    ["promote_now", "W1", "D1", "R1", "L1", "W2"], ["redrive", "B1", "none", "R1", "B2"],
    ["release", "", "L1", "R1", "P1", "A1", "none", "O1"], ["release", "", "P1"], ["release", "", "Q1"], ["release", "h", "P1"],
    ["rm", "", "L1", "R1", "W1", "B1", "X1"], ["rm", "due", "R1", "D1", "D2"], ["set", "paused", "1"], ["set", "paused", "0"],
    load("fail", "n1", "due 5 0 -1 -1\n", "n2", "leased %d 1 5 7\nwhy" % (NOW + 9), "n3", "dead 5 1 5 -1\n",
         "n4", "reserved %d" % (NOW + 9)),
    load("fail", "R1", "due 5 0 -1 -1\n", "X1", "due 5 1 -1 -1\n"), load("replace", "R1", "due 5 0 -1 -1\n", "L1", "dead 5 1 5 -1\n"),
    load("keep", "-", "begin 5 7"), load("fail", "-", "free 5 7"), load("fail", "-", "end 6 7 1"),
    ["set", "max-leased", "200", "rate", "", "max-len", "9", "keys", "serial,stop", "key-limit", "2", "paused", "%d" % (NOW + 9)],
    ["forget", ""], ["forget", "0"], ["unlist", "rights", "7"], ["listed", "7"], ["touch"],
    ["shards", "", "3"], ["shards", "3-", ""], ["shards", "3", "3-"],
    ["mark", "wake", "0"], ["mark", "timer", "5"], ["mark", "timer", "?"], ["mark", "guard", "505"],
    ["keys", "list", "", "9"], ["keys", "find", "k", "0", "9"],
    *[["audit", part, "0", "1000", "1"] for part in ("leased", "ready", "delayed", "dead", "try", "msg", "all")],
]


FILLS = {"put": ["plain", "kept", "usual", "limited"], "load": ["plain", "kept"],
         **{name: ["plain", "usual", "limited"] for name in ("take", "ack", "extend", "retry", "bury", "giveback")},
         **{name: ["plain", "limited"] for name in ("promote", "release", "rm", "set", "mark")},
         "audit": ["broken"], "forget": ["empty"], "unlist": ["empty"]}
# Those of a fill together: one that is refused leaves the queue to the next.
CASES = [(fill, name, words) for fill in ("plain", "kept", "usual", "limited", "broken", "empty") for name, *words in CALLS
         if fill in FILLS.get(name, ["plain"])]


def main(path, folder, *roles):
    admin = Connection(path, text=True)
    changed = refused = 0
    scripts = {name[:-4]: admin.call("SCRIPT", "LOAD", open(os.path.join(folder, name)).read())
               for name in os.listdir(folder) if name.endswith(".lua")}
    filling = admin.call("SCRIPT", "LOAD", FILL)
    filled = {}  # a digest for each kind of queue: what fills it is the same each time
    for role, rules in (role.split("=", 1) for role in roles):
        commands = [word[1:] for word in rules.split() if word[0] == "+" and word[1] != "@"] or [
            "hdel", "hexists", "hget", "hincrby", "hlen", "hmget", "hscan", "hset", "time", "type", "unlink",
            "zadd", "zcard", "zcount",
            "zrange", "zrem", "zremrangebyrank", "zscan", "zscore"]
        for less in [None, *commands]:
            admin.call("ACL", "SETUSER", "rights", *rules.split(), *(["-" + less] if less else []))
            user = Connection(path)
            user.call("AUTH", "rights", "secret")
            there = None  # the fill, if the queue is as it left it
            for fill, name, words in CASES:
                keys = LISTS if name == "unlist" else KEYS
                if there != fill:
                    admin.call("EVALSHA", filling, len(KEYS + LISTS), *KEYS, *LISTS, NOW, fill)
                if fill not in filled:
                    filled[fill] = admin.call("DEBUG", "DIGEST-VALUE", *KEYS, *LISTS)
                got, there = user.ask("EVALSHA", scripts[name], len(keys), *keys, NOW, *words), None
                if not isinstance(got, Error):
                    continue
                refused += 1
                if admin.call("DEBUG", "DIGEST-VALUE", *KEYS, *LISTS) != filled[fill]:
                    changed += 1
                    print("%s less %s: %s %s (%s): %s" % (role, less, name, words, fill, got.decode()))
                    continue
                there = fill
                if b"NOPERM" not in got and b"right" not in got and b"ACL" not in got and b"can't" not in got:
                    changed += 1
                    print("%s less %s: %s %s: not about rights: %s" % (role, less, name, words, got.decode()))
    admin.call("ACL", "DELUSER", "rights")
    print("%d refused" % refused)
    return 1 if changed or not refused else 0


sys.exit(main(*sys.argv[1:]))
