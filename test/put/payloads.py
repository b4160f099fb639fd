"""payloads.py: payloads of all kinds, as lines of --tsv --base64: each byte, all bytes, sizes up to 1 MiB, of text and of noise."""
import base64
import random

random.seed(1)


def put(id, payload):
    print("-\t%s\t%s" % (id, base64.b64encode(payload).decode()))


for i in range(256):
    put("byte.%03d" % i, bytes([i]))
    put("digit.%03d" % i, b"\0" + bytes([i]) + b"7\\0\\" + bytes([i]))
put("all", bytes(range(256)))
put("text.all", "".join(map(chr, list(range(1, 0xd800)) + list(range(0xe000, 0x10ffff, 13)))).encode())
put("text.nul", "".join(map(chr, range(256))).encode())
for size in 0, 1, 2, 3, 255, 256, 4095, 4096, 65535, 65536, 1048575, 1048576:
    put("noise.%d" % size, random.randbytes(size))
    put("ascii.%d" % size, bytes(random.choices(range(1, 128), k=size)))
    put("escapes.%d" % size, bytes(random.choices(b"\0\t\n\r\\\"u0", k=size)))
