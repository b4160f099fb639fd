#!/usr/bin/env python3
"""shards.py QUEUE N [ID...]: the tags of the shards of a queue, a line each, as dq-scripts(7) describes them; with ids, which shard has
each. Computed without dq, by the standard library."""
import binascii
import itertools
import sys


def crc16(text):
    return binascii.crc_hqx(text.encode(), 0)


def tags(queue, n):
    def part(tag):
        return crc16(tag) % 16384 * n // 16384
    found = {0: queue}
    for k in itertools.count(1):
        if len(found) == n:
            return [found[i] for i in range(n)]
        tag = "%s/%d" % (queue, k)
        found.setdefault((part(tag) - part(queue)) % n, tag)


if __name__ == "__main__":
    queue, n, ids = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    print("\n".join(str(crc16(i.split("+")[0]) % n) for i in ids) if ids else "\n".join(tags(queue, n)))
