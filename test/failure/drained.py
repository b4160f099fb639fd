"""drained.py FD: ends with 0 when the pipe has nothing that is not read."""
import array
import fcntl
import sys
import termios

n = array.array("i", [0])
fcntl.ioctl(int(sys.argv[1]), termios.FIONREAD, n)
sys.exit(n[0] != 0)
