"""inject.py WHAT: puts what is in corpus.py everywhere, and looks what comes out, and what it did."""
import base64
import json
import os
import re
import subprocess
import sys

import corpus

bad = tried = 0


def check(ok, *what):
    global bad, tried
    tried += 1
    if not ok:
        bad += 1
        if bad <= 20:
            print(*what)


def run(command, data=b"", env=None):
    """What the tool says is always looked at."""
    got = subprocess.run(command, input=data, capture_output=True, env={**os.environb, **(env or {})}, timeout=60)
    check(not corpus.forbidden(got.stderr), command, "stderr has", repr(corpus.forbidden(got.stderr)), got.stderr[:300])
    check(got.returncode >= 0 and got.returncode not in (70, 99), command, "ends with", got.returncode, got.stderr[:300])
    return got


def readable(got, *what):
    check(not corpus.forbidden(got.stdout), *what, "shows", repr(corpus.forbidden(got.stdout)), got.stdout[:300])


def untsv(text):
    names = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0"}
    return re.sub(rb"\\([tnr\\0])", lambda m: names[m.group(1)], text)


def from_json(line):
    message = json.loads(line)
    if message["payload"] is not None:
        return message["payload"].encode()
    return base64.b64decode(message["payload_base64"])


# Every word is used somewhere, but not everywhere: each process costs a millisecond, and ten with sanitizers.
SHARE = 20 if "ASAN_OPTIONS" in os.environ else 3


def some(i):
    return corpus.WORDS[i % SHARE :: SHARE]


def put_all(q):
    """By all the ways into a queue, each message with an id that says which it is."""
    n = len(corpus.PAYLOADS)
    if q.endswith("tsv"):
        escapes = {9: b"\\t", 10: b"\\n", 13: b"\\r", 92: b"\\\\", 0: b"\\0"}
        lines = [b"-\t%d\t" % i + re.sub(rb"[\t\n\r\\\0]", lambda m: escapes[ord(m.group())], p)
                 for i, p in enumerate(corpus.PAYLOADS)]
        run(["dq-put", "-q", "--tsv", q], b"\n".join(lines) + b"\n")
    elif q.endswith("base64"):
        lines = [b"-\t%d\t" % i + base64.b64encode(p) for i, p in enumerate(corpus.PAYLOADS)]
        run(["dq-put", "-q", "--tsv", "--base64", q], b"\n".join(lines) + b"\n")
    else:
        lines = []
        for i, p in enumerate(corpus.PAYLOADS):
            if i % SHARE == 0 and b"\0" not in p and p != b"-":
                run(["dq-put", "-q", "-i", str(i), q, "--", p])
            elif i % SHARE == 1:
                run(["dq-put", "-q", "-i", str(i), q], p)
            else:
                lines.append(b"-\t%d\t" % i + base64.b64encode(p))
        run(["dq-put", "-q", "--tsv", "--base64", q], b"\n".join(lines) + b"\n")
    return n


def same(q, i, got):
    check(got == corpus.PAYLOADS[i], q, i, "was", corpus.PAYLOADS[i], "and is", got)


def number(receipt):
    return int(re.fullmatch(rb"[A-Za-z0-9.-]+/(\d+)@\d+", receipt).group(1))


def payloads():
    for q in "in-tsv", "in-base64", "in-args":
        n = put_all(q)
        for how in [], ["--json"], ["-0"]:
            if how == ["-0"]: # cannot carry NUL
                without = [i for i in range(n) if b"\0" not in corpus.PAYLOADS[i]]
                run(["dq-rm"], b"".join(b"%s/%d\n" % (q.encode(), i) for i in range(n) if i not in without))
                n = len(without)
            out = run(["dq-take", "-n", "1000", *how, q]).stdout
            if how == ["-0"]:
                fields = out.split(b"\0")
                records = list(zip(fields[0::2], fields[1::2]))
            elif how:
                records = [(json.loads(line)["receipt"].encode(), from_json(line)) for line in out.splitlines()]
            else:
                records = [(line.split(b"\t")[0], untsv(line.split(b"\t", 1)[1])) for line in out[:-1].split(b"\n")]
            check(len(records) == n, q, how, "gives", len(records), "of", n)
            for receipt, payload in records:
                same(q, number(receipt), payload)
            run(["dq-ack", "-g"], b"\n".join(receipt for receipt, _ in records) + b"\n")
        for i in without[:: SHARE if q == "in-args" else 20]:
            same(q, i, run(["dq-stat", "--payload", "%s/%d" % (q, i)]).stdout)
        readable(run(["dq-stat", "--messages", "all", q]), q)
        readable(run(["dq-stat", q, q + "/1"]), q)


def handlers():
    """dq-run: the payload on standard input, its name in the environment, and nothing is a command."""
    n = put_all("run")
    kept = os.environ["KEPT"]
    run(["dq-run", "--drain", "-j", "4", "run", "--", "sh", "-c", 'cat >"$KEPT/$DQ_ID"'])
    check(len(os.listdir(kept)) == n, "handlers ran", len(os.listdir(kept)), "times, not", n)
    for i in os.listdir(kept):
        with open(os.path.join(kept, i), "rb") as file:
            same("run", int(i), file.read())
    # What a handler says last is the reason; it is foreign text, and so are the words of a command that cannot be run.
    run(["dq-put", "-q", "-r", "1", "--tsv", "--base64", "said"], b"".join(b"-\t-\t%s\n" % base64.b64encode(w) for w in corpus.TERMINAL))
    got = subprocess.run(["dq-run", "--drain", "said", "--", "sh", "-c", "cat >&2; echo >&2; exit 65"], capture_output=True)
    said = [line for line in got.stderr.split(b"\n") if line.startswith(b"dq-run: said/")]
    check(len(said) == len(corpus.TERMINAL), "dq-run told of", len(said), "dead messages")
    for line in said:
        check(not corpus.forbidden(line), "dq-run says", line)
    readable(run(["dq-stat", "--messages", "all", "said"]), "reasons of handlers")
    run(["dq-put", "-q", "none", "x"])
    for word in some(0):
        if b"/" not in word:
            run(["dq-run", "--once", "none", "--", b"no-such-" + word])


def reasons():
    run(["dq-put", "-q", "--tsv", "why"], b"".join(b"-\t%d\tx\n" % i for i in range(len(corpus.WORDS))))
    receipts = run(["dq-take", "-n", "1000", "why"]).stdout.splitlines()
    for line in receipts:
        receipt = line.split(b"\t")[0]
        if number(receipt) % (SHARE - 2):
            continue
        run(["dq-ack", "-b", "-m", corpus.WORDS[number(receipt)], receipt])
    readable(run(["dq-stat", "--messages=dead", "why"]), "reasons")
    for i in range(0, len(corpus.WORDS), 3 * (SHARE - 2)):
        readable(run(["dq-stat", "why/%d" % i]), "reason of", corpus.WORDS[i])
    for line in run(["dq-stat", "--messages", "all", "--json", "why"]).stdout.splitlines():
        message = json.loads(line)
        if message["state"] != "dead":
            continue
        got = base64.b64decode(message["reason_base64"]) if message["reason_base64"] is not None else message["reason"].encode()
        check(got == corpus.WORDS[int(message["id"])], "reason was", corpus.WORDS[int(message["id"])], "and is", got)
    next_try()


def next_try():
    """A command and a reader of JSON get the reason as it is; a variable holds no NUL, and a word of the command line neither."""
    chosen = range(0, len(corpus.WORDS), 3 * (SHARE - 2))
    kept = os.environ["KEPT"]
    for kind in ("run", "json"):
        run(["dq-put", "-q", "--tsv", "next"], b"".join(b"-\t%d\tx\n" % i for i in chosen))
        for line in run(["dq-take", "-n", "1000", "next"]).stdout.splitlines():
            receipt = line.split(b"\t")[0]
            run(["dq-ack", "-r", "-d", "0", "-m", corpus.WORDS[number(receipt)], receipt])
        if kind == "run":
            run(["dq-run", "--drain", "next", "--", "sh", "-c", 'printf %s "$DQ_REASON" >"$KEPT/$DQ_ID"'])
        for line in run(["dq-take", "--until-empty", "--json", "--ack", "next"]).stdout.splitlines():
            message = json.loads(line)
            got = base64.b64decode(message["reason_base64"]) if message["reason_base64"] is not None else (message["reason"] or "").encode()
            with open(os.path.join(kept, message["id"]), "wb") as file:
                file.write(got)
        for i in chosen:
            with open(os.path.join(kept, str(i)), "rb") as file:
                got = file.read()
            check(got == corpus.WORDS[i][:1000], "the reason of", kind, "was", corpus.WORDS[i], "and is", got)
            os.remove(os.path.join(kept, str(i)))


def refused(command, codes, data=b"", env=None):
    got = run(command, data, env)
    check(got.returncode in codes, command, env, "ends with", got.returncode, "wanted", codes, got.stderr)
    check(got.returncode == 0 or not got.stdout, command, "prints", got.stdout)


VALID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
USED = re.compile(rb"-[-A-Za-z].*|-") # an option, or standard input


def names():
    """Queues, ids, receipts and names, as operands and as lines."""
    for i, tool in enumerate(("dq-put", "dq-take", "dq-promote", "dq-stat", "dq-gc")):
        for word in some(i):
            if VALID.fullmatch(word):
                continue
            if not USED.fullmatch(word):
                refused([tool, word], (64,))
            refused([tool, "--", word], (64, 65) if word == b"-" else (64,), b"")
    for word in some(5):
        if VALID.fullmatch(word):
            continue
        refused(["dq-run", "--", word, "--", "true"], (64,))
        refused(["dq-rm", "-f", "-a", "--", word], (64,))
        if not re.fullmatch(rb"[A-Za-z0-9._:-]+", word):
            refused(["dq-put", "-i", word, "names", "x"], (64,))
            refused(["dq-put", "--tsv", "names"], (65,), b"-\t" + word.split(b"\n")[0] + b"\0\tx\n")
            for tool in "dq-rm", "dq-ack", "dq-stat":
                refused([tool, "--", b"names/" + word + b"@1"], (64,))
                refused([tool, "--", b"names/1@" + word], (64,))
        if not set(word) & set(b"\n\t") and word != b"-":
            refused(["dq-rm"], (65,), word + b"\n")
            refused(["dq-ack"], (65,), word + b"\n")
            refused(["dq-promote", "-"], (65,), word + b"\n")


def options():
    """Prefixes, URLs, durations and all else that is an argument or a variable."""
    for word in some(6):
        if not re.fullmatch(rb"[A-Za-z0-9._:-]+", word):
            refused(["dq-stat", "--prefix", word], (64,))
            refused(["dq-stat"], (64,), env={b"DQ_PREFIX": word})
            # No plain word as a host: nobody is to be asked for its address.
            refused(["dq-stat", "-u", b"redis://" + word], (64, 69))
            refused(["dq-stat"], (64, 69), env={b"DQ_URL": b"redis://:" + word + b"@127.0.0.1:1"})
        refused(["dq-stat", "-u", word], (64, 69, 78))
        for url in b"unix://" + word, word + b"://h", b"redis://127.0.0.1:1/" + word, b"redis://127.0.0.1:1" + word:
            refused(["dq-stat"], (64, 69), env={b"DQ_URL": url})
        refused(["dq-stat", "-u", b"unix:///no/such?" + word + b"=1"], (64, 69))
        refused(["dq-stat", "--password-file", b"/no/such/" + word], (78,))
        refused(["dq-stat"], (78,), env={b"DQ_PASSWORD_FILE": b"/no/such/" + word})
        refused(["dq-stat"], (77,), env={b"REDISCLI_AUTH": word})
    for i, option in enumerate(("-d", "-a", "-t", "-b", "-x", "-p", "-r", "-e", "--max-bytes", "--timeout", "--connect-timeout")):
        for word in some(i):
            refused(["dq-put", option, word, "options", "x"], (64,))
    for word in some(7):
        refused(["dq-stat", b"--messages=" + word, "options"], (64,))
        refused(["dq-stat", b"--x" + word], (64,))


def foreign():
    """What a foreign hand wrote into the keys: names in the registry, ids, headers, counters."""
    send = []
    for i, word in enumerate(corpus.EVIL):
        send.append([b"ZADD", b"{dq:queues}", b"1", word])
        send.append([b"HSET", b"dq:{foreign}:msg", word, word + b"\n" + word])
        send.append([b"ZADD", b"dq:{foreign}:" + [b"ready", b"delayed", b"leased", b"dead"][i % 4], b"1", word])
        send.append([b"HSET", b"dq:{foreign}:try", word, b"1 1 1 " + word + b"\n" + word])
        send.append([b"HSET", b"dq:{foreign}:stat", word, word])
    raw = b"".join(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words) for words in send)
    subprocess.run(["redis-cli", "-s", os.environ["F"] + "/main/s", "--pipe"], input=raw, check=True, capture_output=True)
    for command in (
        "dq-stat", "dq-stat --json", "dq-stat foreign", "dq-stat --messages all foreign", "dq-stat --messages all --json foreign", "dq-gc",
        "dq-gc --check foreign", "dq-gc --dry-run --dead-for 0 foreign", "dq-promote foreign", "dq-promote --dead --dry-run foreign",
        "dq-rm -f -a --dry-run foreign", "dq-take foreign", "dq-take --json foreign", "dq-run --once foreign -- true",
        "dq-dump", "dq-dump foreign", "dq-gc --repair foreign", "dq-rm -f -a foreign", "dq-gc --dead-for 0 foreign", "dq-stat foreign",
        "dq-promote",
    ):
        got = subprocess.run(command.split(), capture_output=True, timeout=60)
        check(got.returncode in (0, 1, 70), command, "ends with", got.returncode, got.stderr[:300])
        check(not corpus.forbidden(got.stderr), command, "says", got.stderr[:300])
        if command.startswith("dq-dump"):  # for machines: exact
            [json.loads(line) for line in got.stdout.splitlines()]
        else:
            readable(got, command)


globals()[sys.argv[1]]()
print("%s: %d checks, %d bad" % (sys.argv[1], tried, bad))
sys.exit(bad > 0 or tried == 0)
