"""HTTP servers for the tests: each is a handler of requests."""
import http.server
import os


class Handler(http.server.BaseHTTPRequestHandler):
    """Says nothing on standard error."""

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"])).decode()

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100


def serve(handler, file):
    """Serves on a free port, which it writes to the file."""
    server = Server(("127.0.0.1", 0), handler)
    with open(file + ".part", "w", encoding="utf-8") as f:
        print(server.server_address[1], file=f)
    os.rename(file + ".part", file)
    server.serve_forever()
