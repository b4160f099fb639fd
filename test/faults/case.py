"""Command lines that stand for all the tools do, each with the queue it finds and the one it is to leave."""
import re
from dataclasses import dataclass, field


def payload(each):
    return 'body of %s\twith a tab\n' % each


def put(server, queue, ids, now='', when='0', header=''):
    words = [w for each in ids for w in (each, header + '\n' + payload(each))]
    letters, _, generation = server.script('put', queue, now, 'fail', 100, '', when, *words).partition(b' ')
    assert letters == b'n' * len(ids)
    if generation:
        server.call('ZADD', '{dq:queues}', 'GT', generation, queue)
        server.script('listed', queue, '', generation)


def take(server, queue, n, now='', ttr=''):
    """-> receipts, a line each, as dq-take prints them."""
    reply = server.script('take', queue, now, n, ttr, 1, 1000000)
    return ['%s/%s@%s\tpayload' % (queue, each.decode(), reply[1].decode()) for each in reply[6::6]]


def leases(ids, header=''):
    def prepare(server, queue):
        put(server, queue, ids, header=header)
        return take(server, queue, len(ids))
    return prepare


def readies(ids, header=''):
    return lambda server, queue: put(server, queue, ids, header=header)


def overdue(server, queue):
    """a and b ran out of their lease, c is due and not yet moved; all in 1970."""
    put(server, queue, 'ab', now=1000)
    take(server, queue, 2, now=2000, ttr=1000)
    put(server, queue, 'c', now=2000, when='1000')


def dead(server, queue):
    put(server, queue, 'abc', now=1000, header='r=1')
    take(server, queue, 3, now=2000, ttr=1000)
    server.script('promote', queue, 9000, 9)


def soon(server, queue):
    put(server, queue, 'a', when='30')


def nothing(_server, _queue):
    pass


@dataclass
class Case:
    name: str
    line: str           # {q} is the queue, {r} the first receipt; no quotes
    prepare: object     # (server, queue) -> receipts
    wanted: dict        # id: the state it is left in, or gone
    prints: str = ''    # names, tsv, nul, json, payloads (a command's), or text
    stdin: object = ''  # or how to make it from the receipts
    also: tuple = ()    # states in which a message may be left, besides the old and the new
    honest: int = 0     # exit status without a fault
    repeat: bool = True # the same command once more ends what a fault cut off
    ids: bool = True    # the ids are ours, so that the wanted ones are all there may be
    count: int = 0      # messages that it puts, if their ids are not ours
    quick: bool = True  # part of make check
    env: dict = field(default_factory=dict)

    @property
    def tool(self):
        return self.line.split()[0]

    @property
    def waits(self):
        """It has the right to wait until things are better."""
        return self.tool == 'dq-run' or ' -w 1h ' in self.line

    def words(self, **names):
        return [w.format(**names) for w in self.line.split()]

    def input(self, queue, receipts):
        if callable(self.stdin):
            return ''.join(line + '\n' for line in self.stdin(receipts))
        return self.stdin.format(q=queue)


def all_of(ids, state):
    return {each: state for each in ids}


MANY = ['m%03d' % i for i in range(600)]  # more than two calls
TSV = ''.join('-\t%s\tbody of %s\\twith a tab\\n\n' % (each, each) for each in MANY)


def taken(name, options, prints, ids='abc', **more):
    gone = '--ack' in options
    return Case(name, 'dq-take %s {q}' % options, readies(ids), all_of(ids, 'gone' if gone else 'leased'), prints=prints,
                also=('leased',), repeat=False, **more)


def acked(name, options, state, ids='abc', **more):
    return Case(name, 'dq-ack ' + options, leases(ids), all_of(ids, state), stdin=lambda receipts: receipts, **more)


def ran(name, options, ids, state='gone', **more):
    return Case(name, 'dq-run ' + options, readies(ids), all_of(ids, state), prints='payloads',
                also=('leased', 'delayed', 'ready'), repeat=False, **more)


CASES = [
    Case('put-one', 'dq-put -i a {q} payload', nothing, all_of('a', 'ready'), prints='names'),
    Case('put-later', 'dq-put -d 1h {q} one two', nothing, {}, prints='names', ids=False, repeat=False, count=2, quick=False),
    Case('put-stdin', 'dq-put -i a {q}', nothing, all_of('a', 'ready'), prints='names', stdin='x' * 70000),
    Case('put-lines', 'dq-put -l {q}', nothing, {}, prints='names', stdin='one\ntwo\nthree\n', count=3, ids=False, repeat=False),
    Case('put-null', 'dq-put -0 -q {q}', nothing, {}, stdin='one\0two', count=2, ids=False, repeat=False, quick=False),
    Case('put-many', 'dq-put --tsv {q}', nothing, all_of(MANY, 'ready'), prints='names', stdin=TSV),
    Case('put-replace', 'dq-put -e replace -d 1h -i a {q} new', readies('ab'), {'a': 'delayed', 'b': 'ready'}, prints='names',
         quick=False),
    Case('put-auth', 'dq-put -i a --password-file {password} {q} payload', nothing, all_of('a', 'ready'), prints='names',
         env={'DQ_URL': 'unix://worker:x@{path}'}),
    taken('take-one', '', 'tsv', 'a'),
    taken('take-json', '-n 9 --json', 'json'),
    taken('take-null', '-n 9 -0', 'nul', quick=False),
    taken('take-many', '-n 600', 'tsv', MANY, quick=False),
    taken('take-ack', '-n 9 --ack', 'tsv'),
    Case('take-wait', 'dq-take -w 1h -t 300ms {q}', soon, {'a': 'leased'}, prints='tsv', also=('ready',), repeat=False),
    taken('take-brief', '-w 300ms', 'tsv', 'a'),
    acked('ack-one', '{r}', 'gone', 'a'),
    acked('ack-stdin', '', 'gone'),
    acked('ack-many', '', 'gone', MANY, quick=False),
    acked('ack-retry', '-r -d 1h -m why', 'delayed'),
    acked('ack-bury', '-b', 'dead', quick=False),
    acked('ack-extend', '-x 1h', 'leased', quick=False),
    acked('ack-back', '-g', 'ready'),
    Case('promote-due', 'dq-promote {q}', overdue, all_of('abc', 'ready')),
    Case('promote-all', 'dq-promote', overdue, all_of('abc', 'ready'), quick=False),
    Case('promote-name', 'dq-promote {q}/a', lambda s, q: put(s, q, 'a', when='99999'), all_of('a', 'ready'), quick=False),
    Case('promote-dead', 'dq-promote --dead', dead, all_of('abc', 'ready'), stdin='{q}/a\n{q}/b\n{q}/c\n'),
    Case('promote-follow', 'dq-promote -f --for 60ms {q}', overdue, all_of('abc', 'ready')),
    Case('promote-pause', 'dq-set {q} paused=yes', readies('a'), all_of('a', 'ready'), quick=False),
    Case('rm-names', 'dq-rm', readies('abc'), all_of('abc', 'gone'), stdin='{q}/a\n{q}/b\n{q}/c\n'),
    Case('rm-all', 'dq-rm -a -f {q}', readies(MANY), all_of(MANY, 'gone')),
    Case('rm-key', 'dq-rm -k k {q}', readies(['k+a', 'k+b', 'c']), {'k+a': 'gone', 'k+b': 'gone', 'c': 'ready'}, quick=False),
    Case('gc-drop', 'dq-gc --dead-for 1s {q}', dead, all_of('abc', 'gone')),
    Case('gc-check', 'dq-gc --repair {q}', readies('abc'), all_of('abc', 'ready')),
    Case('dump', 'dq-dump {q}', readies('abc'), all_of('abc', 'ready'), prints='text'),
    Case('load', 'dq-load', nothing, all_of('ab', 'ready'), prints='names',
         stdin='{{"queue":"{q}","id":"a","due_ms":1,"payload":"x"}}\n{{"queue":"{q}","id":"b","due_ms":1,"payload":"x"}}\n'),
    Case('stat-queue', 'dq-stat {q}', readies('abc'), all_of('abc', 'ready'), prints='text'),
    Case('stat-next', 'dq-stat --next {q}', readies('abc'), all_of('abc', 'ready'), prints='text', quick=False),
    Case('stat-prometheus', 'dq-stat --prometheus {q}', readies('abc'), all_of('abc', 'ready'), prints='text', quick=False),
    Case('stat-messages', 'dq-stat --messages all --json {q}', readies('abc'), all_of('abc', 'ready'), prints='text', quick=False),
    Case('stat-payload', 'dq-stat --payload {q}/a', readies('a'), all_of('a', 'ready'), prints='text', quick=False),
    ran('run-once', '--once {q} -- cat', 'a'),
    ran('run-drain', '-j 2 -t 3s --drain {q} -- cat', 'abc'),
    ran('run-until-empty', '-j 2 -t 3s --until-empty {q} -- cat', 'abc'),
    ran('run-fails', '--once {q} -- ls /dev/null/none', 'a', 'delayed', honest=123),
    ran('run-large', '--once {q} -- cat', ['L' * 100], quick=False),
]


def chosen(pattern, quick):
    return [c for c in CASES if re.search(pattern, c.name) and (c.quick or not quick)]
