"""dq-run as a worker, compared with xargs."""

from bench import Redis, alternate, dq, lines_file, median, put, ratio, row, run, size

JOBS = 2, 100


def ours(server, n, jobs=JOBS[0]):
    server.clear()
    put(server, "q", n)
    return n / run([dq("run"), "-u", server.url, "-j", str(jobs), "--drain", "q", "--", "/bin/true"])


def xargs(n, jobs):
    with open(lines_file(n)) as f:
        return n / run(["xargs", "-P", str(jobs), "-n", "1", "/bin/true"], stdin=f)


def measure():
    n = size(2000, 500)
    with Redis() as server:
        for jobs in JOBS:
            theirs = f"xargs -P {jobs} -n 1 /bin/true"
            f, _ = alternate(size(5, 3), dq=lambda jobs=jobs: ours(server, n, jobs), xargs=lambda jobs=jobs: xargs(n, jobs))
            row(theirs, median(f["xargs"]), "/s")
            row(f"dq-run -j {jobs} -- /bin/true", median(f["dq"]), "/s", ratio(f, "dq", "xargs"), theirs, ("ratio", ">=", 1))
