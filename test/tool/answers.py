#!/usr/bin/env python3
# answers.py FILE: an HTTP server on a free port, which it writes to FILE. The body of a request is the status of its answer, and the text
# behind a blank its Retry-After; `hang` never gets an answer.
import sys
import threading

from http_port import Handler, serve


class Answers(Handler):
    def do_POST(self):
        body = self.body()
        if body == "hang":
            threading.Event().wait()
        status, _, after = body.partition(" ")
        self.answer(int(status), **({"Retry_After": after} if after else {}))


serve(Answers, sys.argv[1])
