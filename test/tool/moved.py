#!/usr/bin/env python3
"""moved.py BIN OLD NEW MESSAGES KILLS [SEED]: fills a queue of the server at socket OLD with messages in all states, moves it to the one
at NEW by dq-dump and dq-load of the folder BIN, kills both (KILLS times, by SIGKILL, wherever they are), and compares: both dumps
line by line, and the keys of both servers. Ends with 1 if anything differs. Both servers are emptied first.

For a million messages: redis-server --port 0 --unixsocket /tmp/old --enable-debug-command local, likewise /tmp/new, and
    test/tool/moved.py build /tmp/old /tmp/new 1000000 20"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from resp import Connection

PARTS = "msg delayed ready leased dead settled expiry".split()
# Of a million: options of dq-put, how many, and what becomes of them.
KINDS = [
    (["-d", "2d"], 0.3, None),
    (["-d", "3d", "-p", "7", "-x", "9d", "-t", "5m", "-r", "9"], 0.15, None),
    ([], 0.25, None),
    (["-p", "200", "-b", "exp:5s..3h", "-x", "8d", "--unique-for", "2d"], 0.1, None),
    (["-p", "0", "--unique-for", "9d"], 0.05, ["--ack"]),
    (["-p", "1", "-b", "7d,8d"], 0.04, ["-r", "-m", "tab\there, \xe9 \"quoted\""]),
    (["-p", "2", "-r", "1"], 0.03, ["-r", "-m", "\udcff\udcfe"]),
    (["-p", "3"], 0.03, ["-b"]),
    (["-p", "4"], 0.05, []),
]


class Move:
    def __init__(self, folder, old, new, seed):
        self.rng, self.folder = random.Random(seed), folder
        self.old, self.new = ("unix://" + path for path in (old, new))
        self.ends = [Connection(path) for path in (old, new)]
        for end in self.ends:
            end.call("FLUSHALL")

    def tool(self, url, name, *args, **how):
        return subprocess.Popen([os.path.join(self.folder, name), *args], env={**os.environ, "DQ_URL": url}, **how)

    def run(self, url, name, *args, input=None):
        done = subprocess.run([os.path.join(self.folder, name), *args], env={**os.environ, "DQ_URL": url}, input=input,
                              stdout=subprocess.PIPE, check=True)
        return done.stdout

    def payload(self):
        rng = self.rng
        return rng.choice([b"x" * 100, b"\\0\\n\\t\\\\\"", b"\xc3\xa9\xf0\x9f\x98\x80", b"\xff\xfe", b"", os.urandom(60).hex().encode()])

    def fill(self, count):
        n = 0
        for options, part, after in KINDS:
            lines = []
            for _ in range(max(3, round(count * part))):
                lines.append(b"-\tm%d\t%s\n" % (n, self.payload()))
                n += 1
            self.run(self.old, "dq-put", "-q", *options, "--tsv", "q", input=b"".join(lines))
            if after is not None:
                taken = self.run(self.old, "dq-take", "-t", "5d", "-n", str(len(lines)), *(after if after == ["--ack"] else []), "q")
                if after and after != ["--ack"]:
                    self.run(self.old, "dq-ack", *after, input=taken)
        # A put of some of the leased: they are due again when their delivery ends.
        again = [m["id"] for m in self.messages("leased")][:max(1, count // 200)]
        self.run(self.old, "dq-put", "-q", "-e", "later", "--existing", "-d", "6d", "--tsv", "q",
                 input="".join("-\t%s\tx\n" % id for id in again).encode())
        self.run(self.old, "dq-set", "q", "paused=yes")

    def messages(self, state):
        return map(json.loads, self.run(self.old, "dq-stat", "--json", "--messages=" + state, "q").splitlines())

    def somewhere(self, total):
        """A line at which a tool is killed: it is not ahead of us by 3,000, which its pipe and our buffer hold."""
        return self.rng.randrange(1, max(total - 3000, total // 3))

    def killed(self, process, stream, lines):
        """So many lines of its output, which go to the file; then it is killed. How many there were, and its status."""
        seen = 0
        for line in process.stdout:
            if stream:
                stream.write(line)
            seen += 1
            if seen == lines:
                process.kill()
        process.stdout.close()
        return seen, process.wait()

    def dump(self, file, kills, total):
        for left in range(kills, -1, -1):
            with open(file, "wb") as stream:
                dump = self.tool(self.old, "dq-dump", stdout=subprocess.PIPE, pipesize=4096)
                seen, status = self.killed(dump, stream, self.somewhere(total) if left else -1)
            if left:
                assert status == -signal.SIGKILL, status
                # What there is of it is loaded, too.
                assert self.tool(self.new, "dq-load", "-q", file, stderr=subprocess.DEVNULL).wait() == 65
        assert status == 0, status
        return seen

    def load(self, file, kills, total):
        for left in range(kills, -1, -1):
            load = self.tool(self.new, "dq-load", file, stdout=subprocess.PIPE, pipesize=4096, stderr=subprocess.DEVNULL)
            _, status = self.killed(load, None, self.somewhere(total) if left else -1)
            assert status == (-signal.SIGKILL if left else 0), status

    def pipe(self, kills, total):
        """dq-dump | dq-load, one of which is killed. dq-load has thousands of lines in flight, so dq-dump may be done by then: that
        kill does not count, and the next one comes sooner."""
        for i in range(kills):
            at = self.somewhere(total)
            while not self.pipe_killed(at, first=i % 2):
                assert at > 1
                at //= 2
            # The next dump is another one: a killed load of this one must be given up first.
            assert self.tool(self.new, "dq-set", "-q", "q", "paused=yes").wait() == 0

    def pipe_killed(self, at, first):
        """Kills the first or the second of the pipe, after so many lines of its output: did that end it?"""
        dump = self.tool(self.old, "dq-dump", stdout=subprocess.PIPE, pipesize=4096)
        load = self.tool(self.new, "dq-load", stdin=dump.stdout, stdout=subprocess.PIPE, pipesize=4096, stderr=subprocess.DEVNULL)
        dump.stdout.close()
        for seen, _ in enumerate(load.stdout, 1):
            if seen == at:
                (dump if first else load).kill()
        load.stdout.close()
        return -signal.SIGKILL in (dump.wait(), load.wait())

    def compare(self, file):
        wrong = []
        for part in PARTS:
            digests = [end.call("DEBUG", "DIGEST-VALUE", "dq:{q}:" + part) for end in self.ends]
            if digests[0] != digests[1]:
                wrong.append("the key %s differs" % part)
        wrong += ["the try entry of %s differs: %s, %s" % different for different in self.tries()]
        lines = [open(file, "rb").read(), self.run(self.new, "dq-dump")]
        old, new = ({line for line in text.splitlines() if b'"kind":"message"' in line or b'"kind":"reserved"' in line} for text in lines)
        wrong += ["only in the old dump: %s" % line.decode() for line in list(old - new)[:5]]
        wrong += ["only in the new dump: %s" % line.decode() for line in list(new - old)[:5]]
        return len(new), wrong

    def tries(self):
        """Those that are not the same, but for the token, which is void, the due time of deliveries that are settled, and the holder."""
        def entries(end):
            cursor, all = b"0", {}
            while True:
                cursor, page = end.call("HSCAN", "dq:{q}:try", cursor, "COUNT", 1000)
                all.update(zip(page[::2], page[1::2]))
                if cursor == b"0":
                    return all

        def known(entry):
            tries, _, due, rest = entry.split(b" ", 3)
            return tries, due.partition(b"@")[0].lstrip(b"0123456789"), rest
        old, new = map(entries, self.ends)
        for id in sorted(set(old) | set(new)):
            if id not in old or id not in new or known(old[id]) != known(new[id]) or new[id].split(b" ")[1] != b"0":
                yield id, old.get(id), new.get(id)


def main(folder, old, new, count, kills, seed=None):
    seed = int(seed or random.randrange(1 << 30))
    move, count, kills = Move(folder, old, new, seed), int(count), int(kills)
    move.fill(count)
    total = int(move.ends[0].call("HLEN", "dq:{q}:msg"))
    print("seed %d, %d messages" % (seed, total), flush=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(old))) as there:
        file = os.path.join(there, "dump")
        for what, some, act in (("piped", kills // 3, lambda n: move.pipe(n, total)),
                                ("dumped", kills // 3, lambda n: move.dump(file, n, total)),
                                ("loaded", kills - kills // 3 * 2, lambda n: move.load(file, n, total))):
            begun = time.monotonic()
            act(some)
            print("%s, %d times killed: %.1f s" % (what, some, time.monotonic() - begun), flush=True)
        lines, wrong = move.compare(file)
    print("\n".join(wrong) if wrong else "%d lines, all equal" % lines)
    return 1 if wrong or lines < total else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
