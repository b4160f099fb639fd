"""info_server.py FOLDER: a server, FOLDER/s, that tells what is in the files of its folder: info, config (NAME VALUE lines; without it
CONFIG is not allowed), and ahead, the seconds by which its clock is so."""
import sys
import time

from way import listen, start

folder = sys.argv[1]


def read(name):
    try:
        with open(folder + "/" + name) as file:
            return file.read()
    except FileNotFoundError:
        return None


def bulks(words):
    return "*%d\r\n" % len(words) + "".join("$%d\r\n%s\r\n" % (len(w.encode()), w) for w in words)


def answer(words):
    if words[0] == "INFO":
        text = read("info").replace("\n", "\r\n")
        return "$%d\r\n%s\r\n" % (len(text.encode()), text)
    if words[0] == "CONFIG":
        config = read("config")
        if config is None:
            return "-NOPERM this user has no permissions to run the 'config|get' command\r\n"
        return bulks([w for line in config.splitlines() for w in line.split(" ", 1)])
    if words[0] == "TIME":
        now = time.time() + float(read("ahead") or 0)
        return bulks(["%d" % now, "%d" % (now % 1 * 1e6)])
    return {"ZSCAN": "*2\r\n$1\r\n0\r\n*0\r\n", "HEXISTS": ":0\r\n"}.get(words[0], "+OK\r\n")


def serve(client):
    requests = client.makefile("rb")
    while line := requests.readline():
        words = [requests.read(int(requests.readline()[1:]) + 2)[:-2].decode() for _ in range(int(line[1:]))]
        client.sendall(answer(words).encode())


listener = listen(folder + "/s")
while True:
    start(serve, listener.accept()[0])
