#!/usr/bin/env python3
"""filtered.py UNIT COMMAND [ARG...]: runs COMMAND under the filter of system calls that systemd makes of the lines SystemCallFilter= and
SystemCallErrorNumber= of UNIT, a file. systemd-analyze says what is in a group; libseccomp makes the filter. Needs no rights. Exits with
69 if something that this needs is missing."""
import ctypes
import errno
import os
import subprocess
import sys

KILL, ALLOW, ERRNO = 0x80000000, 0x7fff0000, 0x00050000


def unavailable(why):
    sys.exit(print(f"filtered: {why}", file=sys.stderr) or 69)


def values(unit, name):
    with open(unit, encoding="ascii") as lines:
        return [line.split("=", 1)[1].split() for line in lines if line.startswith(name + "=")]


def members(group):
    """The names in a group, and in those that are in it."""
    try:
        text = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, encoding="ascii").stdout
    except (OSError, subprocess.CalledProcessError) as why:
        unavailable(why)
    found = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            found |= members(word)
        elif word and not word.startswith("#"):
            found.add(word)
    return found


def allowed(unit):
    names = set()
    for words in values(unit, "SystemCallFilter"):
        inverted = words[0].startswith("~")
        for word in words:
            word = word.lstrip("~")
            these = members(word) if word.startswith("@") else {word}
            names = names - these if inverted else names | these
    return names | members("@default")


def main():
    unit, command = sys.argv[1], sys.argv[2:]
    numbers = values(unit, "SystemCallErrorNumber")
    refuse = ERRNO | getattr(errno, numbers[-1][0]) if numbers else KILL
    names = allowed(unit)
    try:
        lib = ctypes.CDLL("libseccomp.so.2")
    except OSError as why:
        unavailable(why)
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ERRNO | errno.ENOSYS)))  # what systemd does not know
    for name in sorted(members("@known") | names):
        number = lib.seccomp_syscall_resolve_name(name.encode())
        action = ctypes.c_uint32(ALLOW if name in names else refuse)
        if number >= 0 and lib.seccomp_rule_add(context, action, number, 0) != 0:
            unavailable(f"no rule for {name}")
    if lib.seccomp_load(context) != 0:
        unavailable("the kernel takes no filter")
    os.execvp(command[0], command)


main()
