"""hangup.py SOCKET SERVER COMMAND...: runs the command with a way to the server, of one connection, on which it sees the answer to its
put and the end at once. Ends as it ends."""
import os
import signal
import subprocess
import sys

from way import connect, listen

path, server, *command = sys.argv[1:]
listener = listen(path)
put = subprocess.Popen(command)
client, far = listener.accept()[0], connect(server)
listener.close()
data = b""
while b"\r\nn " not in data:
    if data:
        client.sendall(data)
    far.sendall(client.recv(65536))
    data = far.recv(65536)
put.send_signal(signal.SIGSTOP)  # it sees the answer and the end at once
os.waitid(os.P_PID, put.pid, os.WSTOPPED)
client.sendall(data)
client.close()
put.send_signal(signal.SIGCONT)
sys.exit(put.wait())
