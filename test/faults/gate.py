"""What must hold after a tool met a fault, whatever it was. judge() says what does not."""
import json
import re
import signal
from dataclasses import dataclass

from case import payload

NOT_DONE = (64, 65, 69, 73, 77, 78)
KNOWN = (0, 1, 64, 65, 69, 70, 73, 74, 75, 77, 78, 123, 126, 127, 128 + signal.SIGTERM, 128 + signal.SIGPIPE)
GIVES_BACK = (74, -signal.SIGPIPE, 128 + signal.SIGPIPE, -signal.SIGTERM, 128 + signal.SIGTERM)
COUNTS = re.compile(r'(\d+) \w+(?: \w+)*(?:, \d+ refused)?, (\d+) unknown')
REFUSED = re.compile(r': (\d+) (?:message|receipt)s? (perhaps )?not ')
UNRETURNED = 'could not be given back'


@dataclass
class Run:
    """What one run of a tool showed."""
    case: object
    queue: str
    status: int         # as subprocess has it: negative for a signal
    out: bytes
    err: str
    before: object      # server.Held
    after: object
    hung: bool = False
    signal: int = 0     # that the fault was
    pipe: bool = False  # the fault was that the reader is gone
    lasts: bool = False # the fault did not pass
    retry: bool = False # the fault was one that only asks to try again
    mute: bool = False  # standard error was taken away
    no_stdout: bool = False  # standard output was taken away

    @property
    def wanted(self):
        """States by id when all is done."""
        return {k: v for k, v in self.case.wanted.items() if v != 'gone'}

    def done(self):
        """Ids of which the wanted has come to pass."""
        return [each for each, state in self.case.wanted.items() if self.now(each) == state]

    def was(self, each):
        return self.before.state.get(each, 'gone')

    def now(self, each):
        return self.after.state.get(each, 'gone')


def judge(run):
    problems = []
    for check in (ending, words, soundness, loss, honesty, claims, output):
        problems += check(run)
    return problems


def ending(run):
    """It ends, and by a signal only if that was the fault."""
    if run.hung:
        return ['it hangs']
    if run.status < 0 and -run.status != run.signal and not (run.pipe and run.status == -signal.SIGPIPE):
        return ['killed by %s' % signal.Signals(-run.status).name]
    if run.status >= 0 and run.status not in KNOWN:
        return ['exit status %d is none of ours' % run.status]
    return []


def words(run):
    """A failure has its line: tool: object: what."""
    lines = run.err.splitlines()
    if run.mute or run.status <= 0 or run.status in (run.case.honest, 123): # a command's failure is its own to tell
        return []
    if not any(re.match(r'%s: [^:]+' % run.case.tool, line) for line in lines):
        return ['exit status %d without a word' % run.status]
    return []


def soundness(run):
    return run.after.wrong


def loss(run):
    """Each message is where it was, or where it was to go, or on a way between; its body is the same."""
    problems = []
    for each in set(run.before.state) | set(run.after.state):
        now, allowed = run.now(each), {run.was(each), run.case.wanted.get(each, run.was(each)), *run.case.also}
        if now not in allowed and not (run.case.ids is False and run.was(each) == 'gone'):
            problems.append('%s was %s and is %s' % (each, run.was(each), now))
        body = run.before.payload.get(each)
        if now != 'gone' and body is not None and 'replace' not in run.case.line and run.after.payload.get(each) != body:
            problems.append(each + ' has another body')
    return problems


def honesty(run):
    """The exit status agrees with what is there."""
    undone = [each for each in run.case.wanted if run.now(each) != run.case.wanted[each]]
    moved = [each for each in set(run.before.state) | set(run.after.state) if run.was(each) != run.now(each)]
    if run.status == run.case.honest and undone:
        return ['exit status %d, but undone: %s' % (run.status, ' '.join(undone[:5]))]
    if run.status in NOT_DONE and moved:
        return ['exit status %d, but done: %s' % (run.status, ' '.join(moved[:5]))]
    if run.retry and run.status != run.case.honest:
        return ['a call that was interrupted has changed the exit status to %d' % run.status]
    if run.status == 1 and run.case.honest != 1:
        return ['an honest no that is none']
    return []


def claims(run):
    """What standard error says was done, or not, agrees with what is there."""
    if run.case.tool in ('dq-take', 'dq-run', 'dq-stat'):
        return []
    if run.case.ids:
        done, total = len([e for e in run.done() if run.was(e) != run.now(e)]), len(run.case.wanted)
    else:
        done, total = len(run.after.state), run.case.count
    problems, refused = [], 0
    for line in run.err.splitlines():
        counts, one = COUNTS.search(line), REFUSED.search(line)
        if counts and not int(counts[1]) <= done <= int(counts[1]) + int(counts[2]):
            problems.append('%d done, but it says: %s' % (done, line))
        if one and not one[2]:
            refused += int(one[1])
    if refused and done > total - refused:
        problems.append('%d of %d done, but it says that %d are not' % (done, total, refused))
    return problems


def output(run):
    """Standard output has whole records, and they are true."""
    how = run.case.prints
    if how == 'names':
        return check_names(run, *names(run))
    if how == 'text':
        return ['success with part of a line'] if run.status == 0 and run.out and not whole_text(run) else []
    if how == 'payloads':
        return check_ran(run)
    if how:
        return check_taken(run, *RECORDS[how](run.out))
    return []


def whole_text(run):
    return run.out.endswith(b'\n')


def names(run):
    lines = run.out.decode('latin-1').split('\n')
    return [line.split('/', 1)[-1] for line in lines[:-1]], lines[-1]


def check_names(run, ids, rest):
    problems = ['said to be put, and is not there: ' + each for each in ids if run.now(each) == 'gone']
    if run.status == 0 and not run.no_stdout and (rest or len(ids) != (run.case.count or len(ids))):
        problems.append('success, but %d names and the rest %r' % (len(ids), rest))
    return problems


def split_receipt(text):
    return text.split('/', 1)[1].rsplit('@', 1)


def unescape(text):
    return re.sub(r'\\(.)', lambda m: {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\', '0': '\0'}[m[1]], text)


def tsv(out):
    lines = out.decode().split('\n')
    fields = [line.split('\t', 1) for line in lines[:-1]]
    return [(*split_receipt(f[0]), unescape(f[1])) for f in fields], lines[-1]


def nul(out):
    parts = out.decode().split('\0')
    whole = (len(parts) - 1) // 2 * 2
    return [(*split_receipt(parts[i]), parts[i + 1]) for i in range(0, whole, 2)], '\0'.join(parts[whole:])


def jsons(out):
    lines = out.decode().split('\n')
    objects = [json.loads(line) for line in lines[:-1]]
    return [(*split_receipt(o['receipt']), o['payload']) for o in objects], lines[-1]


RECORDS = {'tsv': tsv, 'nul': nul, 'json': jsons}


def check_taken(run, records, rest):
    """A record on standard output is a lease, and with --ack what is gone was written."""
    acks, ids = '--ack' in run.case.line, [r[0] for r in records]
    problems = [each + ' is printed twice' for each in set(ids) if ids.count(each) > 1]
    for each, token, body in records:
        if body != payload(each):
            problems.append(each + ' is printed with another body')
        held = run.now(each) == 'leased' and run.after.token.get(each) == token
        if not held and not (acks and run.now(each) == 'gone'):
            problems.append('%s is printed, and is %s' % (each, run.now(each)))
    problems += [each + ' is gone, and was never written' for each in run.case.wanted if run.now(each) == 'gone' and each not in ids]
    if run.status == 0 and (rest or sorted(ids) != sorted(run.case.wanted)):
        problems.append('success, but %d records and the rest %r' % (len(ids), rest))
    kept = [each for each in run.after.state if run.now(each) == 'leased' and each not in ids]
    if run.status in GIVES_BACK and not run.lasts and kept and UNRETURNED not in run.err:
        problems.append('not written, and kept: ' + ' '.join(kept[:5]))
    return problems


def check_ran(run):
    """What a worker settled as done its command had seen, whole."""
    if run.case.honest or run.pipe: # who reads no more has no need of the rest
        return []
    seen = run.out.decode()
    return [each + ' is gone, and its command never had it' for each in run.before.state
            if run.now(each) == 'gone' and payload(each) not in seen]
