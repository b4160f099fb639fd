#!/usr/bin/env python3
# counts.py FILE LOG: an HTTP server on a free port, which it writes to FILE. Each request takes 100 ms, and leaves a line in LOG: when it
# came (ms since 1970), how many there were with it, and its body. It is counted until its answer goes: who asked knows nothing before that.
import sys
import threading
import time

from http_port import Handler, serve

lock, now_here = threading.Lock(), [0]


class Counts(Handler):
    def do_POST(self):
        with lock:
            now_here[0] += 1
            came, here = time.time(), now_here[0]
        body = self.body()
        time.sleep(0.1)
        with lock:
            now_here[0] -= 1
            with open(sys.argv[2], "a", encoding="utf-8") as log:
                print(int(came * 1000), here, body, file=log)
        self.answer(200)


serve(Counts, sys.argv[1])
