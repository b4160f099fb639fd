"""asked.py HOW PASSWORD COMMAND...: runs a command that asks for a password in the foreground of a terminal, as a shell would.

Once it asks, HOW is done: a key (^Z, ^\\, ^C), or a signal to it (TSTP, QUIT, TERM). A command that stops is continued, and is given
PASSWORD when it asks again. For each thing that happens there is a line, with the terminal's echo: asks, stopped, exit N, signal N."""
import os
import pty
import select
import signal
import sys
import termios
import time

LIMIT = 60
PROMPT = b"Password for Redis: "


def echo(fd):
    return "echo" if termios.tcgetattr(fd)[3] & termios.ECHO else "silent"


def foreground(fd, group):
    os.tcsetpgrp(fd, group)


def leader(report, go, command):
    """The session's leader: a shell that starts one command and says how it changes."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        foreground(0, os.getpid())
        for each in (signal.SIGTTOU, signal.SIGQUIT, signal.SIGINT):
            signal.signal(each, signal.SIG_DFL)
        os.execvp(command[0], command)
    os.write(report, b"job %d\n" % job)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        foreground(0, os.getpgrp())
        if os.WIFEXITED(status):
            os.write(report, b"exit %d\n" % os.WEXITSTATUS(status))
        elif os.WIFSIGNALED(status):
            os.write(report, b"signal %d\n" % os.WTERMSIG(status))
        else:
            os.write(report, b"stopped\n")
            os.read(go, 1)
            foreground(0, job)
            os.kill(-job, signal.SIGCONT)
            continue
        os.read(go, 1)  # the terminal is looked at before it goes
        os._exit(0)


class Asked:
    def __init__(self, command):
        report, self.go = os.pipe(), os.pipe()
        self.pid, self.tty = pty.fork()
        if self.pid == 0:
            leader(report[1], self.go[0], command)
        os.close(report[1])
        self.report = report[0]
        self.shown, self.said = b"", b""

    def read(self):
        for fd in select.select([self.tty, self.report], [], [], 0.1)[0]:
            data = os.read(fd, 4096)
            if fd == self.tty:
                self.shown += data
            else:
                self.said += data

    def wait(self, ready):
        end = time.monotonic() + LIMIT
        while not ready():
            if time.monotonic() > end:
                sys.exit(f"asked: not within {LIMIT} s: {self.shown!r} {self.said!r}")
            self.read()

    def line(self):
        """What happened: it asks, or changed."""
        self.wait(lambda: b"\n" in self.said or PROMPT in self.shown)
        if b"\n" in self.said:
            text, _, self.said = self.said.partition(b"\n")
            return text.decode()
        self.shown = self.shown.partition(PROMPT)[2]
        return "asks"

    def happens(self):
        text = self.line()
        print(text, echo(self.tty), flush=True)
        return text


def main():
    how, password, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    asked = Asked(command)
    asked.wait(lambda: b"\n" in asked.said)
    job = int(asked.line().split()[1])
    asked.happens()
    if how[0] == "^":
        os.write(asked.tty, bytes([ord(how[1]) & 31]))
    else:
        os.kill(job, signal.Signals["SIG" + how])
    if asked.happens() == "stopped":
        os.write(asked.go[1], b"x")
        asked.happens()
        os.write(asked.tty, password.encode() + b"\n")
        asked.happens()
    if password.encode() in asked.shown:
        sys.exit("asked: the password is on the screen")
    os.write(asked.go[1], b"x")


main()
