#!/usr/bin/env python3
# counts.py FILE LOG: an HTTP server on a free port, which it writes to FILE. Each request takes 100 ms, and leaves a line in LOG: when it
# came (ms since 1970), how many there were with it, and its body. It is counted until its answer goes: who asked knows nothing before that.
import http.server
import os
import sys
import threading
import time

lock, now_here = threading.Lock(), [0]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with lock:
            now_here[0] += 1
            came, here = time.time(), now_here[0]
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        time.sleep(0.1)
        with lock:
            now_here[0] -= 1
            with open(sys.argv[2], "a", encoding="utf-8") as log:
                print(int(came * 1000), here, body, file=log)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100


server = Server(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".part", "w", encoding="utf-8") as f:
    print(server.server_address[1], file=f)
os.rename(sys.argv[1] + ".part", sys.argv[1])
server.serve_forever()
