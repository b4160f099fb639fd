"""flow_taken.py FOLDER: undoes the escapes in FOLDER/got, what dq-take printed of numbered lines; sorted, they are FOLDER/text.back."""
import re
import sys

values = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0"}
lines = [re.sub(rb"\\(.)", lambda m: values[m.group(1)], line.split(b"\t")[1])
    for line in open(sys.argv[1] + "/got", "rb").read().split(b"\n")[:-1]]
lines.sort(key=lambda line: int(line.split(b":")[0]))
open(sys.argv[1] + "/text.back", "wb").write(b"".join(line + b"\n" for line in lines))
