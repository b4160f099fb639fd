"""turns.py QUEUE COUNT OPTIONS...: several dq-put put COUNT messages by turns.

Each OPTIONS is a dq-put of its own, with -l or --tsv, which stays. One is chosen by chance for each message, and the next begins after it
has printed the name. The payloads are the key of these OPTIONS (x if it has none) and a number that grows."""
import random
import subprocess
import sys

queue, count, choices = sys.argv[1], int(sys.argv[2]), [words.split() for words in sys.argv[3:]]
random.seed(1)
puts = [subprocess.Popen(["dq-put", *words, queue], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) for words in choices]
for n in range(1, count + 1):
    i = random.randrange(len(puts))
    words = choices[i]
    key = words[words.index("-k") + 1] if "-k" in words else "x"
    puts[i].stdin.write(b"%s%s %07d\n" % (b"-\t-\t" if "--tsv" in words else b"", key.encode(), n))
    assert puts[i].stdout.readline()
for put in puts:
    put.stdin.close()
    assert put.wait() == 0
