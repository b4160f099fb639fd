"""peer_gone.py QUEUE: dq-take -f QUEUE ends when the peer of the socket on its standard output is gone."""
import socket
import subprocess
import sys

ours, theirs = socket.socketpair()
tool = subprocess.Popen(["dq-take", "-f", sys.argv[1]], stdout=theirs)
theirs.close()
ours.close()
tool.wait(10)
