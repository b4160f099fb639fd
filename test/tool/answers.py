#!/usr/bin/env python3
# answers.py FILE: an HTTP server on a free port, which it writes to FILE. The body of a request is the status of its answer, and the text
# behind a blank its Retry-After; `hang` never gets an answer.
import http.server
import os
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if body == "hang":
            threading.Event().wait()
        status, _, after = body.partition(" ")
        self.send_response(int(status))
        if after:
            self.send_header("Retry-After", after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".part", "w", encoding="utf-8") as f:
    print(server.server_address[1], file=f)
os.rename(sys.argv[1] + ".part", sys.argv[1])
server.serve_forever()
