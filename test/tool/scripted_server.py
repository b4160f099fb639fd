"""scripted_server.py FILE WORD=ANSWER...: a server on a port of the loopback, which it writes to FILE. Requests whose first word is
WORD get ANSWER, with its escapes; several answers to a word are given one after the other, the last one on and on; CLOSE: it hangs up;
NOTHING: silence, from then on. MOVED: as a node of a cluster that never agrees, to a new address of the loopback each time, where this
server answers, too; GONE: likewise, but nobody answers there; both: to what is in FILE.to instead, if there is that file. All other
requests get +OK. FILE.log has a line for each connection, and for each MOVED."""
import binascii
import itertools
import socket
import sys

from way import listen_tcp, start

count = itertools.count(1)

path, *told = sys.argv[1:]
answers = {}
for word, answer in (each.split("=", 1) for each in told):
    answers.setdefault(word.upper(), []).append(answer.encode().decode("unicode_escape").encode("latin-1"))


def note(what):
    with open(path + ".log", "a", encoding="ascii") as log:
        print(what, file=log)


def elsewhere(key, at):
    number = next(count)
    note("moved")
    try:
        with open(path + ".to", encoding="ascii") as file:
            to = file.read().strip()
    except FileNotFoundError:
        to = "127.%d.%d.%d:%d" % (1 + (number >> 16) % 250, number >> 8 & 255, number & 255, at)
    tag = key[key.find(b"{") + 1:key.find(b"}")]
    return b"-MOVED %d %s\r\n" % (binascii.crc_hqx(tag, 0) % 16384, to.encode())


def serve(client):
    requests = client.makefile("rb")
    try:
        while line := requests.readline():
            words = []
            for _ in range(int(line[1:])):
                words.append(requests.read(int(requests.readline()[1:]) + 2)[:-2])
            known = answers.get(words[0].decode().upper(), [b"+OK\r\n"])
            answer = known.pop(0) if len(known) > 1 else known[0]
            if answer == b"CLOSE":
                client.shutdown(socket.SHUT_RDWR)
                return
            if answer == b"NOTHING":
                requests.read()
                return
            client.sendall(elsewhere(words[3], PORTS[answer]) if answer in PORTS else answer)
    except OSError:
        pass


listener = listen_tcp(path, "" if [b"MOVED"] in answers.values() else "127.0.0.1")
PORTS = {b"MOVED": listener.getsockname()[1], b"GONE": 1}
while True:
    accepted = listener.accept()[0]
    note("connected")
    start(serve, accepted)
