#!/usr/bin/env python3
"""tab.py SHELL LINE TEXT: types LINE and TAB TAB into an interactive SHELL (bash, zsh, fish) on a terminal of its own, and waits
until it shows TEXT behind what was typed. Exit status 1, and what it showed: not within 30 s."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ESCAPES = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])")
LIMIT = 30


class Shell:
    def __init__(self, name):
        self.shown = b""
        self.until = time.monotonic() + LIMIT
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", PROMPT_EOL_MARK="")
            os.execlp(name, name, "-i")
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self):
        """What it shows, without escapes. fish asks what the terminal is, and waits for the answer."""
        if not select.select([self.fd], [], [], max(0, self.until - time.monotonic()))[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        if b"\x1b[c" in more or b"\x1b[0c" in more:
            os.write(self.fd, b"\x1b[?62;22c")
        self.shown += more
        return bool(more)

    def plain(self):
        return ESCAPES.sub(b"", self.shown).decode(errors="replace")

    def wait(self, text):
        while text not in self.plain():
            if not self.read():
                return False
        return True

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def main():
    name, line, text = sys.argv[1:]
    shell = Shell(name)
    shell.type("echo I am''ready\n")
    found = shell.wait("I amready")
    shell.shown = b""
    shell.type(line + "\t\t")
    found = found and shell.wait(text)
    if not found:
        print(f"{name}: {line}: not shown: {text}\n{shell.plain()}")
    shell.end()
    return 0 if found else 1


sys.exit(main())
