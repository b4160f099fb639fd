"""settle.py LOG [SHARE OPTION...]: gives each record on standard input to dq-ack, a share of them, by chance, to dq-ack OPTION...

LOG gets a line "VERB ID TOKEN" for each, and LOG.VERB what dq-ack has to say. VERB is ack, or the option."""
import random
import subprocess
import sys

log, share, options = sys.argv[1], float((sys.argv[2:] or [0])[0]), sys.argv[3:]
verbs = {"ack": []}
if options:
    verbs[options[0]] = options
running = {verb: subprocess.Popen(["dq-ack"] + more, stdin=subprocess.PIPE, stderr=open(log + "." + verb, "wb"), bufsize=0)
           for verb, more in verbs.items()}
random.seed(log)
with open(log, "w", 1) as lines:
    for record in iter(sys.stdin.buffer.readline, b""):
        receipt = record.split(b"\t")[0].decode()
        verb = options[0] if options and random.random() < share else "ack"
        lines.write("%s %s\n" % (verb, receipt.split("/")[1].replace("@", " ")))
        running[verb].stdin.write(record)
for process in running.values():
    process.stdin.close()
# Refusals are judged by history.py; what is worse than a refusal is not.
sys.exit(any([process.wait() > 1 for process in running.values()]))
