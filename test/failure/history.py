"""history.py COUNT LOG...: the history that the logs of settle.py tell is one that may be. Prints what is wrong, and ends with 1 then."""
import collections
import os
import re
import sys

count, logs, bad = int(sys.argv[1]), sys.argv[2:], 0


def wrong(*what):
    global bad
    bad += 1
    if bad <= 20:
        print(*what)


deliveries, settled, refused, kinds = collections.defaultdict(list), {}, {}, collections.Counter()
for log in logs:
    last = {}
    for line in open(log):
        verb, id, token = line.split()
        token = int(token)
        if token <= last.get(id, 0):
            wrong(id, "was delivered to one taker with", last[id], "and then with", token)
        last[id] = token
        if (id, token) in settled:
            wrong(id, "was delivered twice with", token)
        deliveries[id].append(token)
        settled[id, token] = verb
    for verb in "ack", "-r", "-g":
        if os.path.exists(log + "." + verb):
            for line in open(log + "." + verb):
                denied = "(not settled: this receipt is no longer valid|settled already, or removed)"
                got = re.match(r"dq-ack: [^/]*/([^@]*)@(\d+): " + denied + "$", line)
                if not got:
                    wrong("dq-ack", verb, "says", line)
                    continue
                id, token = got[1], int(got[2])
                refused[id, token] = got[3]
                if "short" not in os.path.basename(log):
                    wrong(line.strip(), "- within its lease")
for id, tokens in deliveries.items():
    tokens.sort()
    done = [t for t in tokens if settled[id, t] == "ack" and (id, t) not in refused]
    if len(done) != 1:
        wrong(id, "was acked", len(done), "times, of deliveries", tokens)
    elif done[0] != tokens[-1]:
        wrong(id, "was acked by", done[0], "and then delivered, of", tokens)
    for t in tokens:
        kinds[settled[id, t] + (" refused" if (id, t) in refused else "")] += 1
    if (id, tokens[-1]) in refused:
        wrong(id, "the last receipt was refused")
if len(deliveries) != count:
    wrong(len(deliveries), "messages were delivered, of", count)
print(sum(map(len, deliveries.values())), "deliveries:", dict(kinds))
for kind in "ack", "-r", "-g": # whether a receipt is refused, too, is up to the moment
    if not kinds[kind]:
        wrong("no", kind)
sys.exit(bad > 0)
