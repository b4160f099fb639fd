"""free_port.py: prints a port of the loopback that nobody listens on."""
import socket

s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])
