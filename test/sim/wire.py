"""The server, and the scripts as they are embedded."""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from resp import Connection, Error, words  # noqa: E402, F401 (Error is for play and run)

PARTS = "msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn".split()
HASHES = ("msg", "try", "stat", "conf", "outcome")
KEYS = [b"dq:{sim}:%s" % part.encode() for part in PARTS]

# All keys of the queue as one string, in one round trip.
DUMP = b"""#!lua flags=no-writes
local hash, all = {[1] = true, [6] = true, [7] = true, [9] = true, [16] = true}, {}
for i, key in ipairs(KEYS) do
  all[i] = table.concat(hash[i] and redis.call('HGETALL', key) or redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'), '\\1')
end
return table.concat(all, '\\2')
"""


class Scripts:
    """Calls by hash. The server forgets them at SCRIPT FLUSH: then the very call is sent again by EVAL, as the tools do."""

    def __init__(self, folder):
        self.text = {"dump": DUMP}
        for name in os.listdir(folder):
            if name.endswith(".lua"):
                with open(os.path.join(folder, name), "rb") as file:
                    self.text[name[:-4]] = text = file.read()
                # One that does not ask for its rights before it writes, so that a refusal ends it in its middle.
                self.text["blind " + name[:-4]] = text.replace(b"redis.acl_check_cmd(", b"select(1, true, ").replace(
                    b"may = redis.acl_check_cmd", b"may = type")
        keys = [len(KEYS), *KEYS]
        self.by_hash = {name: words([b"EVALSHA", hashlib.sha1(text).hexdigest(), *keys]) for name, text in self.text.items()}
        self.by_text = {name: words([b"EVAL", text, *keys]) for name, text in self.text.items()}
        self.loaded = set()

    def send(self, wire, name, *args):
        """How many replies there will be: the first of two is NOSCRIPT."""
        count, rest = b"*%d\r\n" % (3 + len(KEYS) + len(args)), words(args)
        wire.out.append(count + self.by_hash[name] + rest)
        if name in self.loaded:
            return 1
        wire.out.append(count + self.by_text[name] + rest)
        self.loaded.add(name)
        return 2

    def forget(self, wire):
        wire.send(b"SCRIPT", b"FLUSH")
        self.loaded.clear()


class Server:
    """A server of its own in a folder of its own, unless there is a socket of one that nobody else uses."""

    def __init__(self, path=None):
        self.path, self.process = path, None
        if not path:
            self.folder = tempfile.mkdtemp(prefix="dq.")
            self.path = self.folder + "/s"
            self.process = subprocess.Popen(
                [os.environ.get("DQ_TEST_SERVER") or "redis-server", "--port", "0", "--unixsocket", self.path,
                 "--unixsocketperm", "700", "--save", "", "--appendonly", "no", "--dir", self.folder], stdout=subprocess.DEVNULL)

    def __enter__(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and not (self.process and self.process.poll() is not None):
            try:
                return Connection(self.path)
            except OSError:
                time.sleep(0.01)
        self.__exit__()
        raise SystemExit("no server at " + self.path)

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()
            shutil.rmtree(self.folder)
