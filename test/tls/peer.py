#!/usr/bin/env python3
"""peer.py PORT-FILE HOW [SOCKET [CERT KEY]]: a peer on a port of 127.0.0.1, whose number it writes into PORT-FILE. HOW it behaves:
silent   takes connections, and never says anything
closes   closes them in the middle of the handshake
garbage  answers in no protocol
floods   sends without end what a client of TLS skips in a handshake
old      speaks no TLS later than 1.1
bytes    TLS before the Redis on the unix socket SOCKET; each byte of its answers in a TLS record of its own
cuts     the same, as it is; at the second request it closes the connection without telling TLS
alters   TLS before that Redis; its answers come as a record that somebody has altered on the way
records  the same, as it is; what the client sends is written to PORT-FILE.got
"""
import os
import socket
import ssl
import sys
import threading

port_file, how, *rest = sys.argv[1:]


def context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(rest[1], rest[2])
    if how == "old":
        made.set_ciphers("ALL:@SECLEVEL=0")
        made.minimum_version = ssl.TLSVersion.TLSv1
        made.maximum_version = ssl.TLSVersion.TLSv1_1
    return made


def answers(redis, client):
    while True:
        got = redis.recv(65536)
        if not got:
            break
        if how == "alters" and got != b"+OK\r\n":  # which is that of CLIENT SETNAME
            os.write(client.fileno(), b"\x17\x03\x03\x00\x40" + bytes(64))
            break
        for i in range(0, len(got), 1 if how == "bytes" else 65536):
            client.sendall(got[i:i + (1 if how == "bytes" else 65536)])
    client.close()


def relay(client):
    redis = socket.socket(socket.AF_UNIX)
    redis.connect(rest[0])
    threading.Thread(target=answers, args=(redis, client), daemon=True).start()
    asked = 0
    while True:
        got = client.recv(65536)
        if not got:
            break
        asked += got.count(b"EVAL")
        if how == "cuts" and asked > 1:
            os._exit(0)
        if how == "records":
            with open(port_file + ".got", "ab") as out:
                out.write(got)
        redis.sendall(got)
    redis.close()


def serve(plain):
    try:
        if how == "silent":
            plain.recv(1)
            threading.Event().wait()
        if how == "closes":
            plain.recv(100)
        elif how == "garbage":
            plain.recv(100)
            plain.sendall(b"\x15\x03\x01what is this?" * 100)
        elif how == "floods":
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
            much = (b"\x16\x03\x03\x40\x00" + bytes(16384)) * 512
            while True:
                plain.sendall(much)
        else:
            relay(context().wrap_socket(plain, server_side=True))
    except (OSError, ssl.SSLError):
        pass
    plain.close()


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
with open(port_file + ".part", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(port_file + ".part", port_file)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
