"""Starts a command in a state that does not depend on that of the caller: given.py [block=NAME,...] [ignore=NAME,...] COMMAND...

All signals have their default actions and none is blocked, but for those that are named (TERM is SIGTERM)."""
import os
import signal
import sys


def named(word):
    return {getattr(signal, 'SIG' + name) for name in word.split('=', 1)[1].split(',')}


def main(words):
    state = {'block': set(), 'ignore': set()}
    while '=' in words[0]:
        word = words.pop(0)
        state[word.split('=')[0]] = named(word)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in state['ignore'] else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, state['block'])
    os.execvp(words[0], words)


main(sys.argv[1:])
