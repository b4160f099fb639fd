"""free_port.py [bus]: prints a port of the loopback that nobody listens on. It is below those that the system gives to connections, so
that none takes it before a server does; with `bus` the port 10000 higher, a cluster's bus, is such a one, too."""
import random
import socket
import sys


def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def first_of_connections():
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
            return int(f.read().split()[0])
    except OSError:
        return 32768


def free_port(*offsets):
    """A port that is free, as are those so much higher."""
    offsets = (0, *offsets)
    end = first_of_connections() - max(offsets)
    if end < 8000:  # an unusual range
        end = 65536 - max(offsets)
    while True:
        port = random.randrange(5000, end)
        if all(is_free(port + offset) for offset in offsets):
            return port


if __name__ == "__main__":
    print(free_port(10000) if sys.argv[1:] == ["bus"] else free_port())
