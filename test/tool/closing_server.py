"""closing_server.py SOCKET LOG: a server that reads a request and closes the connection, in turns with all read and with something
unread, which the client is told as a reset; one line in LOG for each."""
import sys
import time

from way import listen

server = listen(sys.argv[1])
whole = True
while True:
    client, _ = server.accept()
    client.settimeout(1)
    try:
        if client.recv(1) and whole:
            time.sleep(0.02)
            client.recv(1 << 20)
    except OSError:
        pass
    client.close()
    with open(sys.argv[2], 'a') as log:
        log.write('closed\n')
    whole = not whole
