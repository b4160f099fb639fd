"""secrets.py SOCKET: all tools with a password, by every way to give one, through success and failure; it may be seen nowhere.
The password is $SECRET. Handlers leave their surroundings in $KEPT."""
import os
import subprocess
import sys
import threading
import urllib.parse

SECRET = os.environb[b"SECRET"]
WORD = SECRET.split(b" ")[0]  # is in it whatever way it is written
KEPT = os.environ["KEPT"]
socket = sys.argv[1]
bad = tried = 0
clean = {name: value for name, value in os.environb.items() if WORD not in value and not name.startswith((b"DQ_URL", b"DQ_PASS", b"REDIS"))}


def check(ok, *what):
    global bad, tried
    tried += 1
    if not ok:
        bad += 1
        print(*what)


class Sampler(threading.Thread):
    """Looks at the arguments and titles of all processes, again and again, but at those that are older than this one each tenth time;
    $KEPT/rounds has a byte for each time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.rounds, self.ended = set(), 0, threading.Event()
        self.older = set(os.listdir("/proc"))

    def run(self):
        while not self.ended.wait(0.01):
            pids = os.listdir("/proc")
            self.older.intersection_update(pids)  # a number comes again
            for pid in pids:
                if pid.isdigit() and (pid not in self.older or self.rounds % 10 == 0):
                    for name in "cmdline", "comm":
                        self.look("/proc/%s/%s" % (pid, name))
            self.rounds += 1
            with open(KEPT + "/rounds", "ab") as file:
                file.write(b".")

    def look(self, path):
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError:
            return
        if WORD in text:
            self.seen.add((path, text))


def ways(url):
    """(options, variables) that give the password."""
    quoted = urllib.parse.quote(SECRET, safe="")
    where = url.split("://")[1]
    with open(os.open(KEPT + "/password", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(SECRET + b"\n")
    for user in "", "default":
        yield [], {"DQ_URL": "unix://%s:%s@%s" % (user, quoted, where)}
    yield [], {"REDIS_URL": "unix://:%s@%s" % (quoted, where)}
    yield ["-u", url], {"REDISCLI_AUTH": SECRET}
    yield ["--password-file", KEPT + "/password"], {"DQ_URL": url}
    yield [], {"DQ_URL": url, "DQ_PASSWORD_FILE": KEPT + "/password"}


TELL = "env >$KEPT/env.$$; tr '\\0' ' ' </proc/$PPID/cmdline >$KEPT/parent.$$; cat; echo said >&2; exit 3"


def commands(options):
    return [
        ["dq-put", *options, "-v", "q", "payload"], ["dq-put", *options, "-d", "1h", "-i", "id", "q", "x"],
        ["dq-stat", *options, "-v"], ["dq-stat", *options, "--json", "q"], ["dq-stat", *options, "--messages", "all", "q"],
        ["dq-stat", *options, "q/id"], ["dq-run", *options, "-v", "--once", "q", "--", "sh", "-c", TELL],
        ["dq-promote", *options, "-v", "q/id"], ["dq-take", *options, "-v", "--json", "q"], ["dq-ack", *options, "q/id@1"],
        ["dq-rm", *options, "-v", "q/nothing"], ["dq-rm", *options, "-f", "-a", "q"], ["dq-gc", *options, "-v", "--check", "q"],
        ["dq-dump", *options, "-v"], ["dq-load", *options, "-v"],
        ["dq-promote", *options, "-f", "--for", "20ms"], ["dq-take", *options, "-w", "20ms", "q"],
        # what fails by itself
        ["dq-stat", *options, "--bogus"], ["dq-put", *options], ["dq-put", *options, "a b", "x"], ["dq-put", *options, "q", "x"],
        ["dq-run", *options, "--once", "q", "--", "/no/such"],
        ["dq-stat", *options, "--prefix", "bro ken"], ["dq-take", *options, "-n", "x", "q"],
    ]


def run(command, env):
    """A worker waits until a server is well again: it has said by then what it will."""
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        try:
            said, _ = child.communicate(timeout=2 if command[0] == "dq-run" else 60)
        except subprocess.TimeoutExpired:
            child.terminate()
            said, _ = child.communicate()
        return child.returncode, said


def all_tools(url, codes, some=slice(None), timeout="10s"):
    seen = set()
    for options, variables in list(ways(url))[some]:
        env = {**clean, **{name.encode(): value if isinstance(value, bytes) else value.encode() for name, value in variables.items()}}
        for command in commands(options)[some]:
            command[1:1] = ["--timeout", timeout, "--connect-timeout", timeout]
            code, said = run(command, env)
            seen.add(code)
            check(WORD not in said, command, variables, "shows it:", said)
    check(codes <= seen, url, "ended with", seen, "wanted also", codes - seen)


def misplaced():
    """It stands where none belongs, or is not written as it must be."""
    quoted = urllib.parse.quote(SECRET, safe="").encode()
    for url in (
        b"redis://:%s@h", b"redis://%s@h", b"redis://:a:%s@h:1", b"redis://u:%s@h:x", b"redis://h:%s", b"redis://:x/%s@h",
        b"redis://:x?%s@h",
        b"redis://:x#%s@h", b"%s", b"redis:%s@h", b"rediss://:%s@h", b"redis+sentinel://:%s@h/m", b"http://:%s@h/", b"unix://:%s@rel",
        b"unix://:%s@/no/such", b"unix://:%s@", b"redis://:%s@127.0.0.1:1/x", b"redis://:%s@127.0.0.1:1", b"redis://:%%zz%s@h",
        b"redis://:%s@@h",
        b"redis://:%s@[::1", b"redis://:%s@h:0", b"redis://:%s@127.0.0.1:1/0?x=%s", b"redis://127.0.0.1:1/0?password=%s",
    ):
        for secret in SECRET, quoted:
            text = url.replace(b"%s", secret).replace(b"%%", b"%")
            for variables, options in ({b"DQ_URL": text}, []), ({b"REDIS_URL": text}, []), ({}, ["-u", text]):
                got = subprocess.run(["dq-stat", "--connect-timeout", "100ms", *options, "q"], env={**clean, **variables},
                                     capture_output=True, timeout=60)
                check(got.returncode in (64, 69, 78), text, "ends with", got.returncode)
                check(WORD not in got.stdout and WORD not in got.stderr, text, options, "shows it:", got.stderr)


def handlers():
    """What they were given, and by whom."""
    names = os.listdir(KEPT)
    check(sum(name.startswith("env.") for name in names) >= 6, "handlers ran:", names)
    for name in names:
        with open(os.path.join(KEPT, name), "rb") as file:
            check(name == "password" or WORD not in file.read(), name, "of a handler has it")


def main():
    sampler = Sampler()
    sampler.start()
    all_tools("unix://" + socket, {0, 1, 64, 123, 127})
    for i, (path, code) in enumerate(arg.split("=") for arg in sys.argv[2:]):
        all_tools("unix://" + path, {int(code)}, slice(i % 3, None, 3), "200ms")
    sampler.ended.set()
    sampler.join()
    check(sampler.rounds > 20 and not sampler.seen, "arguments or titles:", sampler.rounds, sampler.seen)
    handlers()
    misplaced() # with it in the arguments, where it is refused: not sampled
    print("%d checks, %d bad, %d samples" % (tried, bad, sampler.rounds))
    return bad > 0 or tried == 0


sys.exit(main())
