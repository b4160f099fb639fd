"""typed.py COMMAND...: runs an interactive shell on a terminal, and does what the lines of its input say:

    keys TEXT      typed; \\t and the like as in Python
    wait REGEX     until what it wrote since the last wait matches (60 s)

What it writes is without escape sequences, and is printed if a wait is in vain. A wait prints what it matched."""
import codecs
import os
import pty
import re
import select
import signal
import sys
import time

LIMIT = 60
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=!]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|"
                     rb"\x1bP[^\x1b]*\x1b\\|\x1b[()*+][0-9A-Za-z]|\x1b[=>78cMNOHZ]|[\x00-\x07\x0e\x0f]")


class Shell:
    def __init__(self, command):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)

    def read(self):
        if not select.select([self.fd], [], [], 0.05)[0]:
            return
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            sys.exit(f"typed: the shell ended:\n{self.text()}")
        for _ in re.findall(rb"\x1b\[0?c", data):  # what terminal are you?
            os.write(self.fd, b"\x1b[?62c")
        self.seen += data

    def text(self):
        text = ESCAPES.sub(b"", self.seen).decode("utf-8", "replace").replace("\r", "")
        while re.search("[^\b]\b", text):
            text = re.sub("[^\b]\b", "", text)
        return text

    def wait(self, pattern):
        end = time.monotonic() + LIMIT
        while True:
            found = re.search(pattern, self.text(), re.M | re.S)
            if found:
                print(found[0], flush=True)
                self.seen = b""
                return
            if time.monotonic() > end:
                sys.exit(f"typed: not within {LIMIT} s: {pattern}\n{self.text()}")
            self.read()

    def end(self):
        os.kill(self.pid, signal.SIGHUP)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def main():
    shell = Shell(sys.argv[1:])
    try:
        for line in sys.stdin:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "keys":
                os.write(shell.fd, codecs.decode(rest, "unicode_escape").encode("latin-1"))
            elif word == "wait":
                shell.wait(rest)
            else:
                sys.exit(f"typed: {word}?")
    finally:
        shell.end()


main()
