"""Fewer steps that fail as well, by leaving out halves, quarters and so on down to single ones."""
from play import Mismatch, Play


def failure(connect, scripts, dumps, steps):
    """Of steps played in a new episode: (how many were played, what is wrong), or None."""
    play = Play(connect(), scripts, dumps)
    sent = [play.send(step) for step in steps]
    play.wire.push()
    for n, one in enumerate(sent, 1):
        try:
            play.check(one)
        except Mismatch as e:
            return n, str(e)
    return None


def shrink(steps, fails, tries=400):
    """The steps that are left."""
    size = len(steps) // 2
    while size and tries > 0:
        at = 0
        while at < len(steps) and tries > 0:
            fewer = steps[:at] + steps[at + size:]
            found = fails(fewer)
            tries -= 1
            if found:
                steps = fewer[:found[0]]
            else:
                at += size
        size //= 2
    return steps
