"""alerts.py METRICS <ALERTS: is it YAML, can Prometheus load it, and does METRICS, the output of dq-stat --prometheus, have each metric
and label that it names?

The YAML that it accepts is a part of YAML that has one meaning for every reader: mappings and lists of mappings, two blanks deeper each,
of plain words or text in single quotes, a line each. Where Python has a YAML reader, that agrees. Each fault is a line; then it ends
with 1."""
import re
import sys

from dashboard import fault, faults, fits, read_metrics

try:
    import yaml
except ImportError:
    yaml = None

# What a plain text must not be: a number, a word with another meaning, or anything that begins like another kind.
PLAIN = re.compile(r"(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][^\s#]*(?: [^\s#]+)*|[0-9]+[smhd]", re.I)
QUOTED = re.compile(r"'((?:[^']|'')*)'")
LINE = re.compile(r"( *)(- )?([a-z_]+):(?: (.*))?")
DURATION = "^[1-9][0-9]*[smhd]$"
RULE = {"alert": "^Dq[A-Za-z]+$", "expr": str, "for": DURATION, "labels": {"severity": "^(warning|critical)$"},
        "annotations": {"summary": "^dq: .*[^.]$", "description": r"^[^ ].*\.$"}}
FILE = {"groups": [{"name": str, "rules": [RULE]}]}
FUNCTIONS = {"increase", "abs", "absent", "time"}
WORDS = {"and", "or", "unless"}
METRIC = re.compile(r"(\b[a-z]+\()?\b(dq_[a-z_]+)(?:\{([^}]*)\})?(\[[0-9]+[smh]\])?")
MATCHER = re.compile(r'([a-z_]+)(?:=|!=|=~|!~)"[^"]*"')
OWN_LABELS = {"instance", "job"}  # Prometheus adds them


class Bad(Exception):
    pass


def scalar(text, where):
    quoted = QUOTED.fullmatch(text)
    if quoted:
        return quoted[1].replace("''", "'")
    if not PLAIN.fullmatch(text) or ": " in text or text.endswith(":"):
        raise Bad(f"line {where}: {text}: no plain text")
    return text


def read_lines(text):
    """Number, indentation, whether it begins an item, key and value of each line."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if line == "" or line.lstrip(" ").startswith("#"):
            continue
        found = LINE.fullmatch(line)
        if not found:
            raise Bad(f"line {number}: not KEY: VALUE")
        lines.append((number, len(found[1]), bool(found[2]), found[3], found[4]))
    return lines


def read_value(lines, at, depth):
    """The mapping, or list of mappings, whose lines are so deep; and the line behind it."""
    if at == len(lines) or lines[at][1] != depth:
        raise Bad(f"line {lines[min(at, len(lines) - 1)][0]}: nothing there, or too deep")
    if not lines[at][2]:
        return read_mapping(lines, at, depth)
    items = []
    while at < len(lines) and lines[at][1] == depth and lines[at][2]:
        number, _, _, key, value = lines[at]
        lines[at] = (number, depth + 2, False, key, value)
        item, at = read_mapping(lines, at, depth + 2)
        items.append(item)
    return items, at


def read_mapping(lines, at, depth):
    mapping = {}
    while at < len(lines) and lines[at][1] == depth and not lines[at][2]:
        number, _, _, key, value = lines[at]
        if key in mapping:
            raise Bad(f"line {number}: {key} twice")
        if value is None:
            mapping[key], at = read_value(lines, at + 1, depth + 2)
        else:
            mapping[key], at = scalar(value, number), at + 1
    return mapping, at


def read_yaml(text):
    lines = read_lines(text)
    value, at = read_value(lines, 0, 0)
    if at < len(lines):
        raise Bad(f"line {lines[at][0]}: wrong depth")
    if yaml and yaml.safe_load(text) != value:
        raise Bad("YAML reads it otherwise")
    return value


def query(where, expr, labels, types):
    """The labels that all of its metrics have."""
    common = None
    expr = re.sub(r"\bsum without \([a-z_]+\) \(", "(", expr)
    for function, name, matchers, span in METRIC.findall(expr):
        if name not in labels:
            fault(where, f"no metric {name}")
            continue
        if (types[name] == "counter") != (function == "increase(") or bool(span) != (function == "increase("):
            fault(where, f"{name} is a {types[name]}")
        if MATCHER.sub("", matchers).strip(",") != "":
            fault(where, f"what is {matchers}?")
        for label in MATCHER.findall(matchers):
            if label not in labels[name] | OWN_LABELS:
                fault(where, f"{name} has no {label}")
        common = labels[name] if common is None else common & labels[name]
    if common is None:
        fault(where, "no metric at all")
    bare = METRIC.sub(lambda found: found[1] or "", expr)
    for word in set(re.findall(r"[A-Za-z_]+", bare)) - FUNCTIONS - WORDS:
        fault(where, f"what is {word}?")
    if any(expr.count(a) != expr.count(b) for a, b in ("()", "{}", "[]")) or expr.count('"') % 2:
        fault(where, "brackets")
    return (common or set()) | OWN_LABELS


def annotation(where, text, labels):
    for inside in re.findall(r"\{\{(.*?)\}\}", text):
        found = re.fullmatch(r" \$labels\.([a-z_]+) | \$value (?:\| humanizeDuration )?", inside)
        if not found:
            fault(where, f"what is {inside}?")
        elif found[1] and found[1] not in labels:
            fault(where, f"its alert has no label {found[1]}")
    if "{" in re.sub(r"\{\{.*?\}\}", "", text):
        fault(where, "brackets")


def main():
    try:
        alerts = read_yaml(sys.stdin.read())
    except Bad as bad:
        print(bad)
        sys.exit(1)
    fits("alerts", alerts, FILE)
    if not faults:
        labels, types = read_metrics(sys.argv[1])
        names = [rule["alert"] for group in alerts["groups"] for rule in group["rules"]]
        if len(set(names)) < len(names):
            fault("alerts", "a name twice")
        for rule in (rule for group in alerts["groups"] for rule in group["rules"]):
            known = query(rule["alert"], rule["expr"], labels, types)
            for text in rule["annotations"].values():
                annotation(rule["alert"], text, known)
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
