"""One run of a tool under a fault."""
import errno
import mmap
import os
import signal
import struct
import subprocess
from dataclasses import dataclass

from gate import Run
from server import build

KINDS = 'any connect poll read write open close socket getrandom fcntl fstat pipe spawn wait alloc'.split()
TIMEOUT = 10   # of the tools for an answer, s; no run needs that long, but a busy machine may stand still for seconds
WAITS = 0.5    # s after which one that may wait for ever is asked to end
HANGS = 60     # s after which a tool hangs; far more, since machines are slow at times


@dataclass(frozen=True)
class Fault:
    """WHAT (an errno, -signal, or 0 for a short write) happens at the n-th call of a kind, or at each from there on."""
    kind: str
    n: int
    what: int
    on: bool = False

    def __str__(self):
        what = errno.errorcode.get(self.what) if self.what > 0 else signal.Signals(-self.what).name if self.what else 'short'
        return '%s %d %s%s' % (self.kind, self.n, what, ' and on' if self.on else '')

    def env(self):
        return {'FAULT': '%s:%d:%d%s' % (self.kind, self.n, self.what, '+' if self.on else '')}


@dataclass(frozen=True)
class Limit:
    """FAULT_FILES or FAULT_KIB from when the tool is loaded."""
    name: str
    amount: int
    what: int = 0

    def __str__(self):
        return '%s %d' % (self.name, self.amount)

    def env(self):
        return {self.name: str(self.amount)}


class Tally:
    """What fault.so counted; see struct tally there."""

    def __init__(self, folder):
        self.path = os.path.join(folder, 'tally')
        self.size = 4 * (len(KINDS) + 2)
        with open(self.path, 'wb') as file:
            file.write(bytes(self.size))
        with open(self.path, 'r+b') as file:
            self.map = mmap.mmap(file.fileno(), self.size)

    def reset(self):
        self.map[:] = bytes(self.size)

    def read(self):
        values = struct.unpack('=%dIi' % (len(KINDS) + 1), self.map[:])
        return dict(zip(KINDS, values)), values[-2], values[-1]


class Bench:
    """A server, a tally, and how to run a case on them."""

    def __init__(self, server, folder):
        self.server, self.tally = server, Tally(folder)
        self.password = os.path.join(folder, 'password')
        with open(os.open(self.password, os.O_WRONLY | os.O_CREAT, 0o600), 'w', encoding='ascii') as file:
            file.write('secret\n')
        server.call('ACL', 'SETUSER', 'worker', 'on', '>secret', '~*', '+@all')
        self.runs, self.verbose = 0, False
        self.counts, self.hits, self.fd = {}, 0, -1

    def environment(self, case, fault):
        env = {k: v for k, v in os.environ.items() if not k.startswith(('DQ_', 'REDIS', 'FAULT'))}
        env.update({**self.server.env, 'LC_ALL': 'C',
                    'LD_PRELOAD': os.path.join(build(), 'faults', 'fault.so'), 'FAULT_TOOL': case.tool,
                    'FAULT_MAP': self.tally.path, 'PATH': build() + ':' + env['PATH']})
        env.update({k: v.format(path=self.server.path) for k, v in case.env.items()})
        env.update(fault.env() if fault else {})
        return env

    def command(self, case, queue, receipts, timeout):
        receipt = receipts[0].split('\t')[0] if receipts else ''
        words = case.words(q=queue, r=receipt, password=self.password)
        return [os.path.join(build(), words[0]), '--timeout', timeout, '--connect-timeout', timeout] + words[1:]

    def run(self, case, fault=None, around=None, queue=None, receipts=None):
        """Once, in a new queue; around (a shell text with "$@" in it) may bend the streams."""
        if not queue:
            self.runs += 1
            queue = 'q%d' % self.runs
            receipts = case.prepare(self.server, queue)
        before = self.server.look(queue)
        self.tally.reset()
        lasts = getattr(fault, 'on', False)
        words = self.command(case, queue, receipts, '300ms' if lasts else '%ds' % TIMEOUT)
        if around:
            words = ['sh', '-c', around, 'sh', *words]
        given = case.input(queue, receipts).encode()
        status, out, err, hung = execute(words, self.environment(case, fault), given, case.waits and lasts)
        self.counts, self.hits, self.fd = self.tally.read()
        what = fault.what if fault and self.hits else 0
        return Run(case=case, queue=queue, status=status, out=out, err=err, before=before, after=self.server.look(queue), hung=hung,
                   signal=-min(what, 0) or (signal.SIGTERM if lasts and case.waits else 0), lasts=lasts,
                   pipe=what == errno.EPIPE and self.fd != 2, retry=retries(fault, self.hits),
                   mute=self.fd == 2 and what > 0), receipts


def retries(fault, hits):
    """A call that was only interrupted is to be made again, and nobody sees it."""
    return isinstance(fault, Fault) and hits > 0 and fault.kind not in ('open', 'close') and fault.what == errno.EINTR


def execute(words, env, given, waits):
    """-> status, stdout, stderr, whether it hung. What waits until things are better ends when it is told to."""
    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as process:
        hung = False
        try:
            if waits:
                try_wait(process, given)
            out, err = process.communicate(None if waits else given, timeout=HANGS)
        except subprocess.TimeoutExpired:
            end_session(process.pid)
            out, err = process.communicate()
            hung = True
    return process.returncode, out, err.decode(errors='replace'), hung


def try_wait(process, given):
    try:
        process.communicate(given, timeout=WAITS)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(WAITS)
        except subprocess.TimeoutExpired:
            process.terminate() # a worker has to be told twice if a verdict is not yet brought


def end_session(leader):
    """Commands of dq-run have process groups of their own, but not sessions."""
    for entry in os.listdir('/proc'):
        try:
            if entry.isdigit() and os.getsid(int(entry)) == leader:
                os.kill(int(entry), signal.SIGKILL)
        except ProcessLookupError:
            pass
