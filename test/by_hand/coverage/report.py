#!/usr/bin/env python3
"""report.py TREE LUA-LINES LUA-HITS EXCUSED: a table of lines and branches for each file of cmd/ and common/ (by gcov's JSON: it
comes with gcc, unlike gcovr), and of lines for each script. Excused are, in EXCUSED, FILE TAB TEXT TAB REASON: lines of FILE (* =
all) that hold TEXT, with their branches. Fails below 95 % of lines or 85 % of branches in all, at any script line, at an excuse
that nothing needs any more, and at one without a reason. DETAILS=1: each line and branch that no test reached."""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

LINES, BRANCHES = 95, 85


def gcov(tree):
    """file -> line -> [times, {branch number: times}]: the same source is in one object only."""
    files = collections.defaultdict(dict)
    notes = [os.path.abspath(p) for d in ("cmd", "common") for p in glob.glob(os.path.join(tree, "build", d, "*.gcno"))]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities"] + notes, cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(folder, "*.gcov.json.gz")):
            with gzip.open(path) as f:
                for file in json.load(f)["files"]:
                    if file["file"].startswith(("cmd/", "common/")):
                        for line in file["lines"]:
                            add(files[file["file"]], line)
    return files


def add(lines, line):
    there = lines.setdefault(line["line_number"], [0, collections.Counter()])
    there[0] += line["count"]
    for i, branch in enumerate(line["branches"]):
        there[1][i] += 0 if branch["throw"] else branch["count"]
        if branch["throw"]:
            del there[1][i]


def lua(lines, hits):
    times = {}
    with open(hits) as f:
        for row in f:
            times[row.split()[1]] = int(row.split()[0])
    files = collections.defaultdict(dict)
    with open(lines) as f:
        for at in f.read().split():
            file, line = at.rsplit(":", 1)
            files["lua/" + file][int(line)] = [times.get(at, 0), {}]
    return files


def excuses(path):
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t", 2) for line in f if line.strip() and not line.startswith("#")]
    return [{"file": r[0], "text": r[1], "reason": "".join(r[2:]).strip(), "used": False} for r in rows]


class Sums:
    def __init__(self):
        self.lines = self.hit = self.branches = self.taken = 0

    def add(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name):
        def share(n, of):
            return "%6.1f" % (100.0 * n / of) if of else "     -"
        return "%-24s %6d %s %8d %s" % (name, self.lines, share(self.hit, self.lines), self.branches, share(self.taken, self.branches))


def look(tree, file, lines, excused, gaps):
    sums = Sums()
    with open(os.path.join(tree, file)) as f:
        text = [""] + f.read().split("\n")
    for number, (times, branches) in sorted(lines.items()):
        untaken = sum(1 for n in branches.values() if n == 0)
        if times == 0 or untaken:
            mine = [e for e in excused if e["file"] in (file, "*") and e["text"] in text[number]]
            for e in mine:
                e["used"] = True
            if mine:
                continue
            gaps.append("%s:%d: %s: %s" % (file, number, "never" if times == 0 else "%d of %d branches" % (untaken, len(branches)),
                                           text[number].strip()))
        sums.lines += 1
        sums.hit += times > 0
        sums.branches += len(branches)
        sums.taken += len(branches) - untaken
    return sums


def main():
    tree, lines, hits, excused_path = sys.argv[1:5]
    excused, gaps, bad = excuses(excused_path), [], []
    print("%-24s %6s %6s %8s %6s" % ("", "lines", "%", "branches", "%"))
    for files, need in ((gcov(tree), (LINES, BRANCHES)), (lua(lines, hits), (100, 0))):
        total = Sums()
        for file in sorted(files):
            sums = look(tree, file, files[file], excused, gaps)
            print(sums.row(file))
            total.add(sums)
        print(total.row("all") + "\n")
        if not total.lines or total.hit * 100 < need[0] * total.lines or total.taken * 100 < need[1] * total.branches:
            bad.append("below %d %% of lines or %d %% of branches" % need)
    if os.environ.get("DETAILS"):
        print("\n".join(gaps))
    bad += ["%s: nothing needs the excuse for: %s" % (e["file"], e["text"]) for e in excused if not e["used"]]
    bad += ["%s: no reason is given for: %s" % (e["file"], e["text"]) for e in excused if not e["reason"]]
    print("\n".join("coverage: " + b for b in bad) or "coverage: enough")
    return 1 if bad else 0


sys.exit(main())
