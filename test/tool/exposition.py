"""exposition.py <METRICS: reads metrics in the text format of Prometheus strictly, and prints the name of each sample, sorted. Whatever a
reader may trip over, or promtool would frown at, ends it with 1."""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


class Bad(Exception):
    pass


def check(good, line, why):
    if not good:
        raise Bad(f"{line!r}: {why}")


def head(lines, at, seen):
    """HELP and TYPE of a family: its name and type."""
    line = lines[at]
    found = re.fullmatch(rf"# HELP ({NAME}) (\S.*)", line)
    check(found, line, "not HELP")
    name = found[1]
    check(name not in seen, line, "a family twice")
    check(at + 1 < len(lines), line, "no TYPE")
    kind = re.fullmatch(rf"# TYPE {name} (gauge|counter|histogram)", lines[at + 1])
    check(kind, lines[at + 1], "not its TYPE")
    check((kind[1] == "counter") == name.endswith("_total"), line, "_total is for counters, all of them")
    return name, kind[1]


def histogram(samples):
    """Buckets rise to +Inf, which is the count."""
    last, counts = {}, {}
    for name, labels, value in samples:
        key = tuple(label for label in labels if label[0] != "le")
        if name.endswith("_bucket"):
            le = float(dict(labels)["le"])
            before = last.get(key, (-1.0, 0.0))
            check(le > before[0] and value >= before[1], name, f"{labels}: falls")
            last[key] = (le, value)
        else:
            counts[key] = value
    for key, (le, value) in last.items():
        check(le == float("inf") and counts.get(key) == value, str(key), "the last bucket is not the count")


def family(lines, at, name, kind, samples):
    """Reads its samples, and returns the line behind them."""
    mine = []
    while at < len(lines) and not lines[at].startswith("#"):
        found = SAMPLE.fullmatch(lines[at])
        check(found, lines[at], "no sample")
        check(found[1] in [name + suffix for suffix in SUFFIXES[kind]], lines[at], f"not of {name}")
        labels = re.findall(LABEL, found[2] or "")
        check(len({label[0] for label in labels}) == len(labels), lines[at], "a label twice")
        key = (found[1], tuple(sorted(labels)))
        check(key not in samples, lines[at], "a sample twice")
        samples.add(key)
        value = float(found[len(found.groups())])
        check(kind == "gauge" or value >= 0, lines[at], "below 0")
        mine.append((found[1], labels, value))
        at += 1
    check(mine, name, "no samples")
    if kind == "histogram":
        histogram(mine)
    return at


def main():
    text = sys.stdin.read()
    check(text.endswith("\n"), text[-40:], "no line break at the end")
    lines, at, seen, samples = text[:-1].split("\n"), 0, set(), set()
    while at < len(lines):
        name, kind = head(lines, at, seen)
        seen.add(name)
        at = family(lines, at + 2, name, kind, samples)
    print("\n".join(sorted({name for name, _ in samples})))


try:
    main()
except Bad as error:
    sys.exit(f"exposition: {error}")
