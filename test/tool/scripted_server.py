"""scripted_server.py FILE WORD=ANSWER...: a server on a port of the loopback, which it writes to FILE. Requests whose first word is
WORD get ANSWER, with its escapes; several answers to a word are given one after the other, the last one on and on; CLOSE: it hangs up;
NOTHING: silence, from then on. All other requests get +OK."""
import socket
import sys

from way import listen_tcp, start

path, *told = sys.argv[1:]
answers = {}
for word, answer in (each.split("=", 1) for each in told):
    answers.setdefault(word.upper(), []).append(answer.encode().decode("unicode_escape").encode("latin-1"))


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
            client.sendall(answer)
    except OSError:
        pass


listener = listen_tcp(path)
while True:
    start(serve, listener.accept()[0])
