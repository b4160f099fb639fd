#!/usr/bin/env python3
"""mark.py DIR: changes the Lua scripts in DIR so that each line that begins a statement says once a call, in the server's log,
that it ran; prints all such lines, FILE:LINE. It knows the scripts' style, not all of Lua: what it cannot tell it leaves."""
import os
import re
import sys

HEAD = ("local dq_seen = {} local function dq_line(at) if not dq_seen[at] then dq_seen[at] = true "
        "redis.log(redis.LOG_WARNING, 'dq-line ' .. at) end end ")
NO_STATEMENT = re.compile(r"(--|end\b|else\b|elseif\b|until\b|[}\])]|\.\.|and\b|or\b|[+*/=<>~-])")
CONSTANT = re.compile(r"local [A-Z, ]+ = [^(]*$")  # always reached, and read by tests
CONTINUES = re.compile(r"(,|=|\band|\bor|\.\.|[+*/<>({\[-]|\breturn)$")


def strip(line):
    """Without strings and comments, so that brackets can be counted."""
    line = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)
    return re.sub(r"--.*", "", line).rstrip()


def mark(path, name, is_script):
    depth, continued, out, found = 0, False, [], []
    with open(path) as f:
        lines = f.read().split("\n")
    for number, line in enumerate(lines, 1):
        code, text = strip(line), line.strip()
        begins = code.strip() and not depth and not continued and not NO_STATEMENT.match(text) and not line.startswith("#!")
        begins = begins and not CONSTANT.match(line)
        if begins:
            found.append("%s:%d" % (name, number))
            line = re.sub(r"^(\s*)", r"\1dq_line'%s' " % found[-1], line, count=1)
        if code.strip():
            depth += sum(code.count(c) for c in "({[") - sum(code.count(c) for c in ")}]")
            continued = bool(CONTINUES.search(code))
        if is_script and number == 2:
            line = HEAD + line
        out.append(line)
    with open(path, "w") as f:
        f.write("\n".join(out))
    return found


def main():
    top = sys.argv[1]
    for folder in ("", "lib"):
        for file in sorted(os.listdir(os.path.join(top, folder))):
            if file.endswith(".lua"):
                name = os.path.join(folder, file)
                print("\n".join(mark(os.path.join(top, name), name, not folder)))


main()
