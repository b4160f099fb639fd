"""The cost of TLS: many messages and one process, each compared with a plain connection; and the cost of the feature if it is not used."""

import os

import settle
from bench import HERE, OUT, ROOT, Redis, Skip, alternate, dq, folder, free_port, median, output, put, ratio, row, size
from oneshot import pair


class Ways:
    """One server, by TCP with and without TLS."""

    def __init__(self):
        if "with TLS" not in output([dq("put"), "--version"]):
            raise Skip("built without TLS")
        self.certs = folder("certs")
        output([os.path.join(HERE, "..", "..", "tls", "certs"), self.certs])
        self.secure, plain = free_port(), free_port()
        os.environ["DQ_CACERT"] = os.path.join(self.certs, "ca.crt")
        self.server = Redis(plain, ("--tls-port", str(self.secure), "--tls-auth-clients", "no", *self.files()))
        self.socket, self.plain_url = self.server.url, f"redis://127.0.0.1:{plain}"
        self.secure_url = f"rediss://127.0.0.1:{self.secure}"

    def files(self):
        for option, name in (("cert-file", "server.crt"), ("key-file", "server.key"), ("ca-cert-file", "ca.crt")):
            yield from ("--tls-" + option, os.path.join(self.certs, name))

    def puts(self, url, n):
        self.server.url = url
        self.server.clear()
        return n / put(self.server, "q", n, "-d", "1h")

    def takes(self, url, n):
        self.server.url = url
        self.server.clear()
        put(self.server, "q", n)
        return n / settle.drain(self.server, "q")


def without_tls():
    """dq-put of the same tree, built without TLS."""
    build = os.path.join(OUT, "without-tls")
    output(["make", "-s", "-j2", "-C", ROOT, f"BUILD={build}", "TLS=no", os.path.join(build, "dq-put")])
    return os.path.join(build, "dq-put")


def measure():
    try:
        ways = Ways()
    except Skip as why:
        row("TLS", None, "-", skipped=str(why))
        return
    n = size(200_000, 100_000)
    with ways.server as server:
        f, _ = alternate(size(5, 3), secure=lambda: ways.puts(ways.secure_url, n), plain=lambda: ways.puts(ways.plain_url, n))
        g, _ = alternate(size(5, 3), secure=lambda: ways.takes(ways.secure_url, n // 2), plain=lambda: ways.takes(ways.plain_url, n // 2))
        one = ["-d", "1h", "q", "payload"]
        able, unable = pair([dq("put"), "-u", ways.socket, *one], [without_tls(), "-u", ways.socket, *one])
        secure, plain = pair([dq("put"), "-u", ways.secure_url, *one], [dq("put"), "-u", ways.plain_url, *one])
        server.clear()
    row("put delayed over TLS (dq-put -l)", median(f["secure"]), "/s", ratio(f, "secure", "plain"), "plain TCP")
    row("take + ack over TLS (dq-take -f -n 1000 | dq-ack)", median(g["secure"]), "/s", ratio(g, "secure", "plain"), "plain TCP")
    row("dq-put, one process, not over TLS", able, "us (p50)", able / unable, "a build without TLS", ("ratio", "<=", 1.05))
    row("dq-put, one process, over TLS", secure, "us (p50)", secure / plain, "plain TCP")
