"""A Redis of our own on a unix socket, and what a queue in it holds."""
import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tool"))

from free_port import free_port
from resp import Connection, Refused

PARTS = 'msg delayed ready leased dead try stat wake conf settled timer expiry guard failing begun outcome keyed turn'.split()
STATES = ('delayed', 'ready', 'leased', 'dead')
HERE = os.path.dirname(os.path.abspath(__file__))

# msg and try as field, value, ...; then the ids of each state; then where the last token is kept.
LOOK = '''local r = {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[6])}
for i = 2, 5 do r[#r + 1] = redis.call('ZRANGE', KEYS[i], 0, -1) end
return r'''


def pairs(flat):
    return dict(zip(flat[::2], flat[1::2]))


class Server:
    """Started by start(), with what options are given; its files are in `folder`. With tls tools reach it by TLS only."""

    def __init__(self, folder, *options, tls=False):
        self.folder, self.options, self.tls = folder, options, tls
        self.path = os.path.join(folder, 's')
        self.process = self.client = None
        self.env = {'DQ_URL': 'unix://' + self.path}

    def speak_tls(self):
        port, here = free_port(), lambda name: os.path.join(self.folder, name)
        subprocess.run([os.path.join(HERE, '../tls/certs'), self.folder], check=True)
        self.options += ('--tls-port', str(port), '--bind', '127.0.0.1', '--tls-cert-file', here('server.crt'), '--tls-key-file',
                         here('server.key'), '--tls-ca-cert-file', here('ca.crt'), '--tls-auth-clients', 'no')
        self.env = {'DQ_URL': 'rediss://127.0.0.1:%d' % port, 'DQ_CACERT': here('ca.crt')}

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.tls:
            self.speak_tls()
        command = [os.environ.get('DQ_TEST_SERVER', 'redis-server'), '--port', '0', '--unixsocket', self.path, '--save', '',
                   '--enable-debug-command', 'local', '--logfile', 'log', '--dir', self.folder, *self.options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while True:
            try:
                self.client = Connection(self.path)
                self.client.call('PING')
                return self
            except (OSError, Refused):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.002)

    def stop(self):
        self.client.close()
        self.process.kill()
        self.process.wait()
        if os.path.exists(self.path):
            os.unlink(self.path)

    def call(self, *words):
        return self.client.call(*words)

    def script(self, name, queue, *args):
        """Calls a script as it is installed; scripts are expanded in the build directory."""
        with open(os.path.join(build(), 'lua', name + '.lua'), 'rb') as file:
            text = file.read()
        keys = ['dq:{%s}:%s' % (queue, part) for part in PARTS]
        return self.call('EVAL', text, len(keys), *keys, *args)

    def look(self, queue):
        keys = ['dq:{%s}:%s' % (queue, part) for part in PARTS]
        return Held(self.call('EVAL', LOOK, len(keys), *keys))


class Held:
    """What a queue holds: body and state by id, tokens, and in `wrong` what must never be."""

    def __init__(self, reply):
        bodies, tries = pairs(reply[0]), pairs(reply[1])
        self.payload = {name(k): v.split(b'\n', 1)[1] for k, v in bodies.items()}
        self.token = {name(k): name(v.split(b' ')[1]) for k, v in tries.items()}
        self.state, self.wrong = {}, []
        for state, ids in zip(STATES, reply[2:]):
            for each in map(name, ids):
                if each in self.state:
                    self.wrong.append('%s is both %s and %s' % (each, self.state[each], state))
                if each not in self.payload:
                    self.wrong.append('%s is %s without a body' % (each, state))
                self.state[each] = state
        self.wrong += [each + ' is in no state' for each in self.payload if each not in self.state]
        self.wrong += [each + ' has tries without a body' for each in self.token if each not in self.payload]
        self.wrong += [each + ' is leased without a try' for each, state in self.state.items()
                       if state == 'leased' and each not in self.token]

    def __eq__(self, other):
        return (self.state, self.payload, self.token) == (other.state, other.payload, other.token)


def name(text):
    return text.decode('latin-1')


def build():
    return os.path.abspath(os.environ.get('DQ_BIN', os.path.join(HERE, '..', '..', 'build')))
