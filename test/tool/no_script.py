"""no_script.py SOCKET SERVER: a way to a server, of one connection, which ends at the first script."""
import sys

from way import connect, listen

client, far = listen(sys.argv[1]).accept()[0], connect(sys.argv[2])
while b"EVALSHA" not in (data := client.recv(65536)):
    far.sendall(data)
    client.sendall(far.recv(65536))
