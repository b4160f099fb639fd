"""dashboard.py METRICS <DASHBOARD: can Grafana load the JSON, and does METRICS, the output of dq-stat --prometheus, have each metric
that it asks for?

The shape is that of Grafana's schema of a dashboard (kinds/dashboard), as far as it is used; a member that is not named here is
refused, since Grafana ignores what is misspelt. Each fault is a line; then it ends with 1."""
import json
import re
import sys

GRID = 24
OPTIONAL = "?"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
TARGET = {"refId": "^[A-Z]$", "datasource": SOURCE, "expr": str, "legendFormat": str, "format?": "^(heatmap|table|time_series)$",
          "instant?": bool}
STEP = {"color": str, "value": (int, None)}
DEFAULTS = {"unit?": "^(s|bytes|ops|short|percentunit)$", "thresholds?": {"mode": "^absolute$", "steps": [STEP]}}
OPTIONS = {
    "stat": {"reduceOptions": {"calcs": ["^(lastNotNull|max)$"]}, "colorMode": "^value$", "graphMode": "^(area|none)$"},
    "heatmap": {"calculate": bool, "yAxis": {"unit": "^s$"}},
    "timeseries": {}, "table": {},
}
PANEL = {"id": int, "title": str, "type": f"^({'|'.join(OPTIONS)})$", "description?": str, "datasource": SOURCE,
         "gridPos": {"h": int, "w": int, "x": int, "y": int}, "fieldConfig": {"defaults": DEFAULTS, "overrides": []},
         "options": dict, "targets": [TARGET]}
VARIABLE = {"name": "^[a-z]+$", "label": str, "type": "^(datasource|query)$", "query": str, "current": dict, "datasource?": SOURCE,
            "definition?": str, "refresh?": int, "includeAll?": bool, "multi?": bool, "allValue?": str}
DASHBOARD = {"title": str, "uid": "^[a-z0-9-]{8,40}$", "tags": [str], "description": str, "editable": bool, "schemaVersion": int,
             "version": int, "refresh": "^[0-9]+[smh]$", "time": {"from": "^now-[0-9]+[mhd]$", "to": "^now$"},
             "templating": {"list": [VARIABLE]}, "annotations": {"list": []}, "panels": [PANEL]}
SELECTOR = re.compile(r"([a-z_]+)\{([^}]*)\}")
FUNCTIONS = {"sum", "max", "by", "rate", "increase", "sort_desc"}
OWN_LABELS = {"instance"}  # Prometheus adds it

faults = []


def fault(where, why):
    faults.append(f"{where}: {why}")


def members(where, value, shape):
    if not isinstance(value, dict):
        return fault(where, "not an object")
    known = {name.rstrip(OPTIONAL) for name in shape}
    for name in set(value) - known:
        fault(where, f"what is {name}?")
    for name, of in shape.items():
        if name.rstrip(OPTIONAL) in value:
            fits(f"{where}.{name.rstrip(OPTIONAL)}", value[name.rstrip(OPTIONAL)], of)
        elif not name.endswith(OPTIONAL):
            fault(where, f"no {name}")


def fits(where, value, shape):
    if isinstance(shape, dict):
        members(where, value, shape)
    elif isinstance(shape, list):
        if not isinstance(value, list) or (not shape and value):
            return fault(where, "not such a list")
        for i, one in enumerate(value):
            fits(f"{where}[{i}]", one, shape[0])
    elif isinstance(shape, tuple):
        if value is not None:
            fits(where, value, shape[0])
    elif isinstance(shape, str):
        if not isinstance(value, str) or not re.search(shape if shape[0] == "^" else f"^{re.escape(shape)}$", value):
            fault(where, f"{value!r} is not {shape}")
    elif type(value) is not shape:
        fault(where, f"{value!r} is no {shape.__name__}")


def grid(panels):
    taken = {}
    for panel in panels:
        at = panel["gridPos"]
        if at["w"] < 1 or at["h"] < 1 or at["x"] < 0 or at["y"] < 0 or at["x"] + at["w"] > GRID:
            fault(panel["title"], "outside of the grid")
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            if taken.setdefault(cell, panel["title"]) != panel["title"]:
                fault(panel["title"], f"over {taken[cell]}")
                break


def read_metrics(path):
    """Labels and type of each name."""
    labels, types = {}, {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            for suffix in ("_bucket", "_count", "_sum") if kind == "histogram" else ("",):
                types[name + suffix] = "counter" if kind == "histogram" else kind
        elif not line.startswith("#"):
            name = re.match("[a-z_]+", line)[0]
            labels.setdefault(name, set()).update(re.findall(r'[{,]([a-z_]+)="', line))
    return labels, types


def query(where, expr, labels, types, variables):
    for name, matchers in SELECTOR.findall(expr):
        if name not in labels:
            fault(where, f"no metric {name}")
            continue
        rated = re.search(rf"\b(rate|increase)\({name}\{{[^}}]*\}}\[\$__rate_interval\]\)", expr)
        if (types[name] == "counter") != bool(rated):
            fault(where, f"{name} is a {types[name]}")
        for label, value in re.findall(r'([a-z_]+)=~?"([^"]*)"', matchers):
            if label not in labels[name] | OWN_LABELS:
                fault(where, f"{name} has no {label}")
            if value.startswith("$") and value[1:] not in variables:
                fault(where, f"no variable {value}")
    bare = SELECTOR.sub("", expr)
    by = set(re.findall(r"\(([a-z_]+)\)", bare))
    for word in set(re.findall(r"(?<!\$)\b[a-z_]+", re.sub(r"\[[^]]*\]", "", bare))) - FUNCTIONS - by:
        fault(where, f"what is {word}?")
    if expr.count("(") != expr.count(")") or expr.count("{") != expr.count("}") or expr.count('"') % 2:
        fault(where, "brackets")
    for label in by:
        if not any(label in labels.get(name, ()) for name, _ in SELECTOR.findall(expr)):
            fault(where, f"no label {label}")


def main():
    dashboard = json.load(sys.stdin)
    fits("dashboard", dashboard, DASHBOARD)
    if not faults:
        panels = dashboard["panels"]
        variables = [variable["name"] for variable in dashboard["templating"]["list"]]
        labels, types = read_metrics(sys.argv[1])
        grid(panels)
        if len({panel["id"] for panel in panels}) < len(panels):
            fault("panels", "an id twice")
        for panel in panels:
            fits(f"{panel['title']}.options", panel["options"], OPTIONS[panel["type"]])
            refs = [target["refId"] for target in panel["targets"]]
            if not refs or len(set(refs)) < len(refs):
                fault(panel["title"], "a refId twice, or none")
            for target in panel["targets"]:
                query(panel["title"], target["expr"], labels, types, variables)
                if 'instance=~"$instance"' not in target["expr"]:
                    fault(panel["title"], "of all servers")
        for variable in dashboard["templating"]["list"]:
            for name, _ in SELECTOR.findall(variable["query"]):
                if name not in labels:
                    fault(variable["name"], f"no metric {name}")
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
