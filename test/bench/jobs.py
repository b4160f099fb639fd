"""dq-run as a worker, compared with xargs."""

from bench import Redis, alternate, dq, lines_file, median, put, ratio, row, run, size

JOBS = "2"


def ours(server, n):
    server.clear()
    put(server, "q", n)
    return n / run([dq("run"), "-u", server.url, "-j", JOBS, "--drain", "q", "--", "/bin/true"])


def xargs(n):
    with open(lines_file(n)) as f:
        return n / run(["xargs", "-P", JOBS, "-n", "1", "/bin/true"], stdin=f)


def measure():
    n = size(3000, 500)
    with Redis() as server:
        f, _ = alternate(size(5, 3), dq=lambda: ours(server, n), xargs=lambda: xargs(n))
    row("xargs -P 2 -n 1 /bin/true", median(f["xargs"]), "/s")
    row("dq-run -j 2 -- /bin/true", median(f["dq"]), "/s", ratio(f, "dq", "xargs"), "xargs -P 2 -n 1 /bin/true",
        ("ratio", ">=", 0.7))
