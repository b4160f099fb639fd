"""Plots of latency and growth, as PNG and SVG, from the output of the measurements in build/bench."""

import os
import shutil

import bench

CURVES = (("dq", "dq, 1 waiting"), ("dq-many", "dq, many waiting"), ("BullMQ", "BullMQ"), ("delayqueue", "delayqueue (Go)"),
          ("asynq", "asynq"), ("Redisson", "Redisson"))


def data(name):
    path = os.path.join(bench.OUT, name + ".dat")
    return path if os.path.exists(path) else None


def latency():
    curves = [f'"{data("latency-" + name)}" using 1:2 with steps lw 2 title "{title}"' for name, title in CURVES
              if data("latency-" + name)]
    return curves and f"""set title "From due to the hands of the consumer"
set xlabel "ms late"; set ylabel "share of messages"; set logscale x; set key left top; set yrange [0:1]; set grid
plot {", ".join(curves)}"""


def growth():
    path = data("growth")
    return path and f"""set title "Cost of a message by what else waits"
set xlabel "messages waiting"; set ylabel "us a message"; set logscale x; set key left top; set yrange [0:*]; set grid
plot for [i=2:5] "{path}" using 1:i with linespoints lw 2 title columnheader(i)"""


def draw():
    if not shutil.which("gnuplot"):
        bench.row("plots", None, "-", skipped="gnuplot not found (apt-get install gnuplot-nox)")
        return
    for name, script in (("latency", latency()), ("growth", growth())):
        for terminal in ("svg size 800,500", "pngcairo size 800,500"):
            kind = "svg" if terminal.startswith("svg") else "png"
            if script:
                target = os.path.join(bench.BUILD, f"bench-{name}.{kind}")
                bench.output(["gnuplot", "-e", f'set terminal {terminal}; set output "{target}"', "-"],
                             stdin=bench.text_file(script))
