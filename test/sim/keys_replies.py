"""What the scripts that only read a queue with keys have to reply."""
from keys_judge import Wrong


def check_reply(what, now, args, reply, view):
    found = CHECKS[what](now, args, reply, view) if what in CHECKS else None
    if found:
        raise Wrong("%s: wanted %s, got %s" % (what, *found))


def listed(now, args, reply, view):
    """Ids and times; from the first on."""
    state, _, limit = args
    there = [m for m in view.messages.values() if m.state == state and (state != "delayed" or m.due > now)]
    order = {"ready": lambda m: (bool(m.key), m.score, m.id)}.get(state, lambda m: (m.score, m.id))
    wanted = [(m.id, m.due) for m in sorted(there, key=order)][:limit]
    got = list(zip(reply[::6], reply[1::6]))
    return (wanted, got) if wanted != got else None


def shown(now, args, reply, view):
    wanted = []
    for id in args[1:]:
        m = view.messages.get(id)
        state = m and ("due" if m.state == "delayed" and m.due <= now else m.state)
        wanted.append([state.encode(), m.due, m.priority] if m else [])
    got = [[] if row[:1] == [b"reserved"] else row[:3] for row in reply[1:]]
    return (wanted, got) if wanted != got else None


def keys(now, args, reply, view):
    return found(now, args, reply, view) if args[0] == "find" else keys_listed(args[1], args[2], reply, view)


def found(now, args, reply, view):
    there = view.of.get(args[1], ()) if args[1] else ()
    wanted = sorted((m.id, (b"due" if m.state == "delayed" and m.due <= now else m.state.encode()), m.due) for m in there if m.state)
    got = sorted(zip(reply[2::7], reply[3::7], reply[4::7]))
    return (wanted, got) if reply[0] != b"0" or reply[1] != now or wanted != got else None


def keys_listed(after, limit, reply, view):
    if view.walks() or not view.is_stop and b"key_walk" in view.stat:
        return None  # which of the dead have elements is not known
    after = after if isinstance(after, bytes) else after.encode()
    rows = [row(view, key) for key in sorted(view.of) if key > after or not after]
    wanted = [r for r in rows if r[1] or r[2] or r[3] or r[4] > 0]
    got = list(zip(*[iter(reply)] * 9))
    if after or not any(not r[0] for r in wanted):
        return (wanted[:limit], got) if wanted[:limit] != got and not rows_alike(wanted[:limit], got, view) else None
    is_first_extra = got[:1] == [(*wanted[0], 0)] and len(got) == limit + 1  # the row of those without a key may come besides
    if is_first_extra:
        limit += 1
    return (wanted[:limit], got) if not rows_alike(wanted[:limit], got, view) else None


def rows_alike(wanted, got, view):
    """Whether a key is in turn may differ while a setting holds only from the next take on."""
    is_early = b"key_walk" in view.stat
    same = [r[:7] for r in wanted] == [r[:7] for r in got]
    return same and all((a[7] == b[7] or is_early or view.is_held(a[0]) or view.is_over(a[0])) and b[8] == blocked(b, view)
                        for a, b in zip(wanted, got))


def blocked(row, view):
    """2: by a dead one; 3: its pause; 5: not known yet; 1: by what is leased; 4: a serial key whose first one waits; 0."""
    key = row[0]
    if view.is_stopped(key):
        return 2
    if key == b"" or row[1] == 0 or row[7]:
        return 0
    if view.is_paused(key) or view.walks() or not view.is_held(key):
        return 3 if view.is_paused(key) else 5
    return 4 if view.is_serial and not view.leased(key) else 1


def row(view, key):
    ready = view.ready(key)
    first = ready[0] if ready else None
    leased = view.leased(key) if key else 0
    begun = sum(m.begun for m in view.of[key]) if key else 0
    dead = view.dead(key) if key and view.is_stop else -1
    return (key, len(ready), leased, begun, dead, first.due if first else -1, first.priority if first else -1, int(bool(view.may_go(key))))


CHECKS = {"list": listed, "show": shown, "keys": keys}
