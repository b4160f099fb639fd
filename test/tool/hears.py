"""hears.py SOCKET CHANNEL...: prints each of these channels on which something is published, in order, with an empty text or not.

The first line, once it is subscribed, is: hears."""
import sys

from resp import Connection

wire = Connection(sys.argv[1])
for channel in sys.argv[2:]:
    wire.send("SSUBSCRIBE", channel)
wire.push()
for channel in sys.argv[2:]:
    wire.reply()
print("hears", flush=True)
while True:
    word, channel, text = wire.reply()
    print(channel.decode() + (" " + text.decode() if text else ""), flush=True)
