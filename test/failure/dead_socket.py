"""dead_socket.py PATH: leaves a socket there that nobody serves."""
import socket
import sys

socket.socket(socket.AF_UNIX).bind(sys.argv[1])
