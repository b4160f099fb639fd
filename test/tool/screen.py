"""screen.py COLUMNSxROWS COMMAND...: runs it on a terminal of that size, and does what the lines of its input say:

    wait REGEX     until the screen shows it (60 s)
    gone REGEX     until it does not
    keys TEXT      typed; \\r and the like as in Python
    size CxR       the terminal's new size
    signal NAME    to the command's process group, as TERM
    run COMMAND    in a shell
    show           prints the screen, without blanks at the ends
    coloured       prints each text that is on the screen in a colour, with its SGR number
    stopped        waits until the command is stopped by a signal
    mode           prints what the terminal is set to: echo, cursor, screen
    end            waits for the command's end; prints its exit status, as a shell has it

The screen is what a terminal makes of the bytes; a sequence that it does not know, or a line that wraps, ends it with 1."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

LIMIT = 60


class Screen:
    def __init__(self, columns, rows):
        self.cursor, self.alternate, self.wrapped, self.colour = True, False, 0, "0"
        self.pending = ""
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.clear()

    def clear(self):
        self.cells = [[(" ", "0")] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0

    def feed(self, text):
        text = self.pending + text
        self.pending = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])").match(text, at)
                if not found:
                    if len(text) - at < 12:
                        self.pending = text[at:]
                        return
                    sys.exit(f"screen: unknown sequence {text[at:at + 12]!r}")
                self.sequence(found[1], found[2])
                at = found.end()
            else:
                self.put(text[at])
                at += 1

    def sequence(self, words, letter):
        if letter == "H":
            row, column = ([int(word or 1) for word in words.split(";")] + [1, 1])[:2] if words else (1, 1)
            self.row, self.column = min(row, self.rows) - 1, min(column, self.columns) - 1
        elif letter == "J" and words in ("", "0", "2"):
            for row in range(0 if words == "2" else self.row, self.rows):
                start = self.column if row == self.row and words != "2" else 0
                self.cells[row][start:] = [(" ", "0")] * (self.columns - start)
        elif letter == "K" and words in ("", "0"):
            self.cells[self.row][self.column:] = [(" ", "0")] * (self.columns - self.column)
        elif letter == "m":
            self.colour = words or "0"
        elif letter in "hl" and words == "?25":
            self.cursor = letter == "h"
        elif letter in "hl" and words == "?1049":
            self.alternate = letter == "h"
            self.clear()
        else:
            sys.exit(f"screen: unknown sequence ESC[{words}{letter}")

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
            if self.row == self.rows:
                self.row -= 1
                self.cells = self.cells[1:] + [[(" ", "0")] * self.columns]
        elif char < " ":
            sys.exit(f"screen: unknown control {char!r}")
        else:
            if self.column == self.columns:
                self.wrapped += 1
                self.put("\r")
                self.put("\n")
            self.cells[self.row][self.column] = (char, self.colour)
            self.column += 1

    def text(self):
        lines = ["".join(char for char, _ in row).rstrip() for row in self.cells]
        return "\n".join(lines).rstrip("\n")

    def coloured(self):
        texts = []
        for row in self.cells:
            before = "0"
            for char, colour in row:
                if colour != "0":
                    if colour != before:
                        texts.append(f"{colour} ")
                    texts[-1] += char
                before = colour
        return "\n".join(texts)


class Run:
    def __init__(self, columns, rows, command):
        self.screen = Screen(columns, rows)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.status = None
        self.fd, self.other = pty.openpty()
        self.size_of(self.fd, columns, rows)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.fd)
            self.log_in()
            os.execvp(command[0], command)

    def log_in(self):
        os.setsid()
        fcntl.ioctl(self.other, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(self.other, fd)
        os.close(self.other)

    @staticmethod
    def size_of(fd, columns, rows):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        """Whatever comes within that time; False: nothing did."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen.feed(self.decoder.decode(data))
        return bool(data)

    def until(self, what, condition):
        end = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"screen: not within {LIMIT} s: {what}; it shows:\n{self.screen.text()}")
            self.read()

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def stopped(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "T"

    def step(self, word, rest):
        if word in ("wait", "gone"):
            self.until(f"{word} {rest}", lambda: bool(re.search(rest, self.screen.text(), re.M)) == (word == "wait"))
        elif word == "keys":
            os.write(self.fd, codecs.decode(rest, "unicode_escape").encode())
        elif word == "size":
            columns, rows = map(int, rest.split("x"))
            self.screen.resize(columns, rows)
            self.size_of(self.fd, columns, rows)
        elif word == "signal":
            os.killpg(self.pid, getattr(signal, "SIG" + rest))
        elif word == "run":
            subprocess.run(rest, shell=True, check=True, stdout=subprocess.DEVNULL)
        elif word == "show":
            print(self.screen.text())
        elif word == "coloured":
            print(self.screen.coloured())
        elif word == "stopped":
            self.until("stopped", self.stopped)
        elif word == "mode":
            while self.read():
                pass
            flags = termios.tcgetattr(self.other)[3]
            print("echo" if flags & termios.ECHO and flags & termios.ICANON else "raw",
                  "cursor" if self.screen.cursor else "no-cursor", "alternate" if self.screen.alternate else "normal")
        elif word == "end":
            self.until("end", self.ended)
            while self.read():
                pass
            print(self.status if self.status >= 0 else 128 - self.status)
        else:
            sys.exit(f"screen: {word}?")


def main():
    columns, rows = map(int, sys.argv[1].split("x"))
    run = Run(columns, rows, sys.argv[2:])
    try:
        for line in sys.stdin:
            word, _, rest = line.rstrip("\n").partition(" ")
            run.step(word, rest)
            sys.stdout.flush()
    finally:
        if not run.ended():
            os.kill(run.pid, signal.SIGKILL)
    if run.screen.wrapped:
        sys.exit(f"screen: {run.screen.wrapped} lines wrapped")


if __name__ == "__main__":
    main()
