"""run_before_zadd.py SOCKET SERVER COMMAND...: a way to a server, of one connection, on which the command is run before the first
request that has ZADD in it; the command close ends the connection there."""
import os
import subprocess
import sys

from way import connect, listen, pump, start

path, server, *command = sys.argv[1:]
client, far = listen(path).accept()[0], connect(server)
start(pump, far, client)
data = b""
while b"ZADD" not in data:
    far.sendall(data)
    data = client.recv(65536)
    if not data:
        sys.exit("the client has left before a request with ZADD")
if command == ["close"]:
    os._exit(0)
subprocess.run(command, check=True)
far.sendall(data)
pump(client, far)
