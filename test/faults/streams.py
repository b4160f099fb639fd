"""Standard streams that are closed, full, or not read, and limits of files and memory."""
from dataclasses import dataclass

from run import Limit


@dataclass(frozen=True)
class Bend:
    """A shell text around the command."""
    name: str
    around: str
    mute: bool = False
    no_stdout: bool = False
    pipe: bool = False

    def __str__(self):
        return self.name


def closed():
    for i in range(8):
        ends = ''.join(text for bit, text in ((1, ' <&-'), (2, ' >&-'), (4, ' 2>&-')) if i & bit)
        yield Bend('closed:' + ends, 'exec "$@"' + ends, mute=bool(i & 4), no_stdout=bool(i & 2))


FULL = (
    Bend('full stdout', 'exec "$@" >/dev/full', no_stdout=True),
    Bend('full stderr', 'exec "$@" 2>/dev/full', mute=True),
    Bend('full both', 'exec "$@" >/dev/full 2>&1', mute=True, no_stdout=True),
    Bend('read-only stdout', 'exec "$@" 1</dev/null', no_stdout=True),
    Bend('write-only stdin', 'exec "$@" 0>/dev/null'),
)


def bent(case, part):
    """Where the command itself needs the stream, a worker tries again for long."""
    ways = [*closed(), *FULL] if part == 'streams' else []
    return [way for way in ways if not (way.no_stdout and '--drain' in case.line)]


def limited(case, part):
    if part != 'limits':
        return []
    most = 16 if case.tool == 'dq-run' else 9
    return [Limit('FAULT_FILES', n) for n in range(3, most)] + [Limit('FAULT_KIB', n) for n in (0, 4, 16, 64, 132, 200, 400, 1000)]
