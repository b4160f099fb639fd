#!/usr/bin/env python3
"""Lets every call of every tool fail in turn, and judges what came of it.

  sweep.py [--quick] [--part calls|signals|memory|streams|limits]... [--case REGEX] [--most N] [--jobs N] [--seed N] [--tls]

DQ_BIN says where the build is; `make faults` makes what is needed. Of each part at most N faults are tried for each command line,
others with another seed."""
import argparse
import concurrent.futures
import errno as E
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

import case as cases
from gate import judge
from run import Bench, Fault
from server import Server
from streams import bent, limited

# What each kind of call may fail with. 0 is a short write.
ERRORS = {
    'connect': (E.EINTR, E.EAGAIN, E.ECONNREFUSED, E.ENOMEM),
    'poll': (E.EINTR, E.EAGAIN, E.ENOMEM),
    'read': (E.EINTR, E.EAGAIN, E.ECONNRESET, E.EIO, E.ENOMEM),
    'write': (E.EINTR, E.EAGAIN, E.EPIPE, E.ECONNRESET, E.ENOSPC, E.EIO, E.ENOMEM, 0),
    'open': (E.EINTR, E.EMFILE, E.ENOMEM, E.EACCES),
    'close': (E.EINTR, E.EIO),
    'socket': (E.EMFILE, E.ENFILE, E.ENOMEM, E.EAFNOSUPPORT),
    'getrandom': (E.EINTR, E.EAGAIN, E.ENOSYS),
    'fcntl': (E.EIO,),
    'fstat': (E.EIO, E.ENOMEM),
    'pipe': (E.EMFILE, E.ENFILE),
    'spawn': (E.EAGAIN, E.ENOMEM, E.ENOENT, E.EACCES),
    'wait': (E.EINTR, E.ECHILD),
}


def call_faults(counts):
    return [Fault(kind, n, what) for kind, errors in ERRORS.items() for n in range(1, counts[kind] + 1) for what in errors]


def signal_faults(counts):
    return [Fault('any', n, -s) for s in (signal.SIGKILL, signal.SIGTERM) for n in range(1, counts['any'] + 1)]


def memory_faults(counts):
    return [Fault('alloc', n, E.ENOMEM, on) for on in (False, True) for n in range(1, counts['alloc'] + 1)]


FAULTS = {'calls': call_faults, 'signals': signal_faults, 'memory': memory_faults}


class Report:
    """Counts and complaints of all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = self.hits = self.slow = 0
        self.statuses, self.bad = {}, []

    def note(self, run, hit, seconds):
        with self.lock:
            self.runs += 1
            self.hits += hit
            self.slow += seconds > 2
            self.statuses[run.status] = self.statuses.get(run.status, 0) + 1

    def complain(self, run, what, problems):
        with self.lock:
            self.bad.append('%s: %s: status %d: %s\n    %s' % (run.case.name, what, run.status, '; '.join(problems),
                                                              run.err.strip().replace('\n', '\n    ')))
            print('not ok ' + self.bad[-1], flush=True)


def again(bench, run, receipts):
    """The same command once more, without a fault, does what was left."""
    if run.status == run.case.honest or not run.case.repeat or not run.case.ids:
        return []
    second, _ = bench.run(run.case, queue=run.queue, receipts=receipts)
    undone = [each for each in run.case.wanted if second.now(each) != run.case.wanted[each]]
    if second.status not in (0, 1) or undone or second.after.wrong:
        return ['repeated: status %d, undone: %s %s: %s' % (second.status, ' '.join(undone[:5]), second.after.wrong[:3],
                                                            second.err.strip())]
    return []


def attempt(bench, report, case, what, **how):
    start = time.monotonic()
    run, receipts = bench.run(case, **how)
    for name in ('pipe', 'mute', 'no_stdout'):
        if getattr(what, name, False):
            setattr(run, name, True)
    seconds = time.monotonic() - start
    report.note(run, bench.hits > 0, seconds)
    if bench.verbose:
        print('%s: %s: status %d, %.1f s: %s' % (case.name, what, run.status, seconds, run.err.strip()), flush=True)
    problems = judge(run) + again(bench, run, receipts)
    if problems:
        report.complain(run, what, problems)
    return run


def share(faults, case, options):
    if len(faults) <= options.most:
        return faults
    return random.Random('%d %s' % (options.seed, case.name)).sample(faults, options.most)


def sweep(bench, report, case, options):
    run = attempt(bench, report, case, 'no fault')
    if run.status != case.honest:
        report.complain(run, 'no fault', ['status is not %d' % case.honest])
        return
    counts = bench.counts
    for part in options.part:
        if part in FAULTS:
            for fault in share(FAULTS[part](counts), case, options):
                attempt(bench, report, case, fault, fault=fault)
        for bend in share(bent(case, part), case, options):
            attempt(bench, report, case, bend, around=bend.around)
        for limit in share(limited(case, part), case, options):
            attempt(bench, report, case, limit, fault=limit)
    audit(bench, report)


AUDIT = cases.Case('audit', 'dq-gc --check', cases.nothing, {}, repeat=False)


def audit(bench, report):
    """What is left of all these queues is sound to dq-gc, too."""
    run, _ = bench.run(AUDIT)
    if run.status != 0 or run.out:
        report.complain(run, 'audit', [run.out.decode()[:500]])
    bench.server.call('FLUSHALL')


def work(todo, folder, report, options):
    server = Server(folder, tls=options.tls).start()
    try:
        bench = Bench(server, folder)
        bench.verbose = options.verbose
        while todo:
            try:
                case = todo.pop(0)
            except IndexError:
                return
            sweep(bench, report, case, options)
    finally:
        server.stop()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='fewer command lines, and --most 12')
    parser.add_argument('--most', type=int)
    parser.add_argument('--part', action='append', choices=['calls', 'signals', 'memory', 'streams', 'limits'])
    parser.add_argument('--case', default='', metavar='REGEX')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--verbose', action='store_true', help='a line for each run')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--tls', action='store_true', help='the tools reach the server by TLS')
    options = parser.parse_args()
    options.most = options.most or (12 if options.quick else 400)
    options.part = options.part or ['calls', 'signals', 'memory', 'streams', 'limits']
    return options


def main():
    options, report = parse(), Report()
    todo, start = cases.chosen(options.case, options.quick), time.monotonic()
    names = len(todo)
    folder = tempfile.mkdtemp(prefix='dq.')
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            workers = [pool.submit(work, todo, '%s/%d' % (folder, i), report, options) for i in range(options.jobs)]
        for worker in workers:
            worker.result()  # or what ended it, so that nothing is left out unseen
    finally:
        shutil.rmtree(folder)
    print('%s: %d command lines, %d runs, %d faults met, %d over 2 s, %d bad, %.0f s; statuses %s' % (
        ' '.join(options.part), names, report.runs, report.hits, report.slow, len(report.bad), time.monotonic() - start,
        ' '.join('%d:%d' % pair for pair in sorted(report.statuses.items()))))
    return 1 if report.bad or report.runs == 0 or (report.hits == 0 and set(options.part) & set(FAULTS)) else 0


if __name__ == '__main__':
    sys.exit(main())
