#!/usr/bin/env python3
"""Cuts the append-only file at each of its last bytes, as a power cut does: what comes back is a queue as it was between two
calls, never half of a call.

  cut.py [--bytes N] [--step N]"""
import argparse
import glob
import os
import shutil
import sys
import tempfile

import case as cases
from server import Server

QUEUE = 'q'
AOF = ('--appendonly', 'yes', '--appendfsync', 'always')


def history(server, last):
    """Some calls, of which `last` is the last. -> what the queue held before the first and after each."""
    steps = [server.look(QUEUE)]

    def step(call, *args):
        result = call(server, QUEUE, *args)
        steps.append(server.look(QUEUE))
        return result

    def settle(script, receipt, *args):
        each, token = receipt.split('\t')[0].split('/')[1].split('@')
        step(lambda s, q: s.script(script, q, '', *args, each, token))

    step(cases.put, 'abcdef')
    receipts = step(cases.take, 4)
    settle('ack', receipts[0])
    settle('retry', receipts[1], '3600000', 'why')
    if last == 'take':
        step(cases.take, 2)
    else:
        settle(last, receipts[2], *{'ack': (), 'retry': ('3600000', 'why'), 'bury': ('why',), 'giveback': ('',)}[last])
    return steps


def verdict(held, steps):
    """-> (which step it is, what is wrong with it)."""
    if held.wrong:
        return -1, held.wrong
    for i, step in enumerate(steps):
        if held == step:
            return i, []
    return -1, ['it was never so: %s' % held.state]


def reload(folder, copy, size):
    """What a server finds in the files of another, of which `size` bytes are left."""
    shutil.copytree(os.path.join(folder, 'appendonlydir'), os.path.join(copy, 'appendonlydir'))
    os.truncate(log_of(copy), size)
    server = Server(copy, *AOF).start()
    try:
        return server.look(QUEUE)
    finally:
        server.stop()
        shutil.rmtree(copy)


def log_of(folder):
    return glob.glob(os.path.join(folder, 'appendonlydir', '*.incr.aof'))[0]


def cut(folder, last, options):
    server = Server(os.path.join(folder, last), *AOF).start()
    try:
        steps = history(server, last)
    finally:
        server.stop()
    size, bad, before, seen = os.path.getsize(log_of(server.folder)), 0, len(steps) - 1, set()
    for missing in range(0, options.bytes + 1, options.step):
        which, problems = verdict(reload(server.folder, os.path.join(folder, 'copy'), size - missing), steps)
        if which > before or (missing == 0 and which != before):
            problems.append('it is as after call %d' % which)
        if problems:
            bad += 1
            print('not ok %s: %d bytes cut off: %s' % (last, missing, '; '.join(problems)))
        before = which if which >= 0 else before
        seen.add(which)
    if len(seen) < 2:
        bad += 1
        print('not ok %s: no cut has undone a call' % last)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bytes', type=int, default=200)
    parser.add_argument('--step', type=int, default=1)
    options = parser.parse_args()
    folder, bad, endings = tempfile.mkdtemp(prefix='dq.'), 0, ('take', 'ack', 'retry', 'bury', 'giveback')
    try:
        for last in endings:
            bad += cut(folder, last, options)
    finally:
        shutil.rmtree(folder)
    print('cut: %d endings, each at up to %d bytes in steps of %d: %d bad' % (len(endings), options.bytes, options.step, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
