"""payloads.py make|tsv|json|null PREFIX: makes a file for each payload, PREFIX.payloads/NUMBER; or compares with them what dq-take
printed of messages that have the numbers as ids, PREFIX.tsv, PREFIX.json or PREFIX.null: each is there as it went in."""
import base64
import json
import os
import re
import sys

# With everything that could be mistaken for an end, an escape or text.
PAYLOADS = [b"", b"\0", b"\n", b"\t", b"\\", b"\\n", b"\\0", b"\\t\\", b"\r\n", b" ", b"\xff", b"\xc3\xa9", b"\xc3",
            b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe2\x80\xa8", b"\0\t\n\r\\\xff", bytes(range(256)), b"a\n\n\n",
            b"\"quote\" \x7f \x1b[31m", b"\\\\u0000", b"x=1 t=5\nfake header", b"%s%n", os.urandom(1000)]
ESCAPES = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0"}
mode, prefix = sys.argv[1:]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def put_in(name):
    return read(prefix + ".payloads/" + name)


def id_of(receipt):
    return re.fullmatch(rb"[^/]+/(\d+)@\d+", receipt).group(1).decode()


def make():
    os.makedirs(prefix + ".payloads")
    for i, payload in enumerate(PAYLOADS):
        with open("%s.payloads/%03d" % (prefix, i), "wb") as file:
            file.write(payload)


def tsv():
    lines = read(prefix + ".tsv").split(b"\n")[:-1]
    for line in lines:
        receipt, payload = line.split(b"\t")
        got = re.sub(rb"\\(.)", lambda m: ESCAPES[m.group(1)], payload)
        assert got == put_in(id_of(receipt)), (receipt, payload)
    assert len(lines) == 25, len(lines)


def as_json():
    lines = read(prefix + ".json").splitlines(keepends=True)
    for line in lines:
        o = json.loads(line)
        wanted = put_in(o["id"])
        try:
            text = wanted.decode()
        except UnicodeDecodeError:
            text = None
        assert (o["payload"] is not None) == (text is not None), o
        assert (o["payload_base64"] is not None) == (text is None), o
        got = o["payload"].encode() if text is not None else base64.b64decode(o["payload_base64"], validate=True)
        assert got == wanted, o
        assert line.isascii() or text is not None
        assert not any(c < 32 for c in line[:-1]), line
    assert len(lines) == 25, len(lines)


def null():
    parts = read(prefix + ".null").split(b"\0")
    assert parts.pop() == b""
    seen = set()
    for receipt, payload in zip(parts[::2], parts[1::2]):
        name = id_of(receipt)
        assert payload == put_in(name), name
        seen.add(name)
    wanted = {name for name in os.listdir(prefix + ".payloads") if b"\0" not in put_in(name)}
    assert seen == wanted, (wanted - seen, seen - wanted)


{"make": make, "tsv": tsv, "json": as_json, "null": null}[mode]()
