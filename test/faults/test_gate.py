#!/usr/bin/env python3
"""The gate sees what it is there for: runs made up, each wrong in one way."""
import unittest
from dataclasses import replace

from case import CASES, payload
from cut import verdict
from gate import Run, judge
from server import Held


def held(**states):
    """A queue with these messages, each in its state, leased with token 7."""
    bodies = [w for each in states for w in (each.encode(), b'\n' + payload(each).encode())]
    tries = [w for each, state in states.items() if state == 'leased' for w in (each.encode(), b'1 7 0 \n')]
    sets = [[each.encode() for each, state in states.items() if state == want] for want in ('delayed', 'ready', 'leased', 'dead')]
    return Held([bodies, tries, *sets])


def a_run(name, before, after, **more):
    case = next(c for c in CASES if c.name == name)
    return Run(**{'case': case, 'queue': 'q', 'status': 0, 'out': b'', 'err': '', 'before': before, 'after': after, **more})


def taken(*ids):
    return b''.join(b'q/%s@7\tbody of %s\\twith a tab\\n\n' % (each.encode(), each.encode()) for each in ids)


class Gate(unittest.TestCase):
    def setUp(self):
        ready, leased = dict.fromkeys('abc', 'ready'), dict.fromkeys('abc', 'leased')
        self.put = a_run('put-one', held(), held(a='ready'), out=b'q/a\n')
        self.ack = a_run('ack-stdin', held(**leased), held())
        self.take = a_run('take-one', held(a='ready'), held(a='leased'), out=taken('a'))
        self.take_ack = a_run('take-ack', held(**ready), held(), out=taken('a', 'b', 'c'))
        self.ran = a_run('run-once', held(a='ready'), held(), out=payload('a').encode())

    def sees(self, run, what, **changes):
        problems = judge(replace(run, **changes))
        self.assertTrue(any(what in problem for problem in problems), problems)

    def passes(self, run, **changes):
        self.assertEqual(judge(replace(run, **changes)), [])

    def test_good_ones(self):
        for run in (self.put, self.ack, self.take, self.take_ack, self.ran):
            self.passes(run)

    def test_endings(self):
        self.sees(self.put, 'it hangs', hung=True)
        self.sees(self.put, 'killed by SIGSEGV', status=-11)
        self.sees(self.put, 'killed by SIGABRT', status=-6)
        self.sees(self.put, 'killed by SIGPIPE', status=-13)
        self.passes(self.put, status=-9, signal=9)
        self.sees(self.put, 'none of ours', status=2)

    def test_words(self):
        self.sees(self.put, 'without a word', status=75)
        self.sees(self.put, 'without a word', status=75, err='Segmentation fault\n')
        self.passes(self.put, status=75, err='dq-put: q: perhaps\n')
        self.passes(self.put, status=75, mute=True)

    def test_what_must_never_be(self):
        self.sees(self.put, 'in no state', after=Held([[b'a', b'\nx'], [], [], [], [], []]))
        self.sees(self.put, 'without a body', after=Held([[], [], [], [b'a'], [], []]))
        self.sees(self.put, 'is both', after=Held([[b'a', b'\nx'], [], [b'a'], [b'a'], [], []]))

    def test_losses(self):
        unknown = {'status': 75, 'err': 'dq-take: q: lost\n', 'out': b''}
        self.sees(self.take, 'a was ready and is gone', after=held(), **unknown)
        self.sees(self.take, 'a was ready and is dead', after=held(a='dead'), **unknown)
        self.passes(self.take, after=held(a='leased'), **unknown)
        other = held(a='leased')
        other.payload['a'] = b'cut'
        self.sees(self.take, 'another body', after=other, **unknown)

    def test_lies_of_the_exit_status(self):
        self.sees(self.put, 'undone: a', after=held(), out=b'')
        self.sees(self.ack, 'undone: b', after=held(b='leased'))
        for status in (64, 65, 69, 73, 77, 78):
            self.sees(self.put, 'but done: a', status=status, err='dq-put: q: no\n', out=b'')
        self.sees(self.take, 'honest no', status=1, out=b'', after=held(a='ready'))
        self.sees(self.put, 'interrupted', status=75, err='dq-put: q: no\n', retry=True)

    def test_lies_of_standard_error(self):
        one = {'status': 75, 'out': b''}
        self.sees(self.put, 'that 1 are not', err='dq-put: q: 1 message not put: x\n', **one)
        self.passes(self.put, err='dq-put: q: 1 message perhaps not put: x\n', **one)
        self.sees(self.put, '1 done, but', err='dq-put: q: x: 0 accepted, 0 refused, 0 unknown, 1 not sent\n', **one)
        self.passes(self.put, err='dq-put: q: x: 0 accepted, 0 refused, 1 unknown, 0 not sent\n', **one)
        self.sees(self.ack, '3 done, but', status=75, err='dq-ack: x: 1 settled, 1 unknown, 1 not sent\n')

    def test_records(self):
        self.sees(self.put, 'is not there', out=b'q/a\nq/b\n')
        self.sees(self.take, 'records and the rest', out=taken('a')[:-3])
        self.sees(self.take, 'printed twice', out=taken('a', 'a'))
        self.sees(self.take, 'another body', out=b'q/a@7\tcut\n')
        self.sees(self.take, 'is printed, and is ready', after=held(a='ready'))
        self.sees(self.take, 'is printed, and is leased', out=taken('a').replace(b'@7', b'@6'))
        self.sees(self.take, 'not written, and kept: a', status=74, err='dq-take: q/a: not delivered: x\n', out=b'q/a@')
        self.sees(self.take_ack, 'never written', status=75, err='dq-take: q: x\n', out=taken('a', 'b'))

    def test_a_command_had_its_payload(self):
        self.sees(self.ran, 'never had it', out=payload('a')[:5].encode())
        self.sees(self.ran, 'a was ready and is dead', after=held(a='dead'), status=75, err='dq-run: x: y\n')

    def test_half_a_call_after_a_cut(self):
        steps = [held(a='ready'), held(a='leased')]
        self.assertEqual(verdict(held(a='leased'), steps), (1, []))
        self.assertNotEqual(verdict(held(a='dead'), steps)[1], [])
        self.assertNotEqual(verdict(Held([[b'a', b'\nx'], [], [], [], [], []]), steps)[1], [])


if __name__ == '__main__':
    unittest.main()
