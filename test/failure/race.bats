# Everybody at once on one queue: nothing is lost, nothing is delivered under two valid receipts, all is sound afterwards.

bats_require_minimum_version 1.5.0

load ../helper

setup_file() {
	begin_file
	# settle.py LOG [SHARE OPTION...]: gives each record on standard input to dq-ack, a share of them, by chance, to dq-ack OPTION...
	# LOG gets a line "VERB ID TOKEN" for each, and LOG.VERB what dq-ack has to say. VERB is ack, or the option.
	cat >"$T/settle.py" <<'PYTHON'
import random, subprocess, sys

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
# Refusals are judged by check.py; what is worse than a refusal is not.
sys.exit(any([process.wait() > 1 for process in running.values()]))
PYTHON
	# check.py COUNT LOG...: the history that the logs tell is one that may be.
	cat >"$T/check.py" <<'PYTHON'
import collections, os, re, sys

count, logs, bad = int(sys.argv[1]), sys.argv[2:], 0


def wrong(*what):
    global bad
    bad += 1
    if bad <= 20:
        print(*what)


deliveries, settled, refused, kinds = collections.defaultdict(list), {}, {}, collections.Counter()
for log in logs:
    last = {}
    for line in open(log):
        verb, id, token = line.split()
        token = int(token)
        if token <= last.get(id, 0):
            wrong(id, "was delivered to one taker with", last[id], "and then with", token)
        last[id] = token
        if (id, token) in settled:
            wrong(id, "was delivered twice with", token)
        deliveries[id].append(token)
        settled[id, token] = verb
    for verb in "ack", "-r", "-g":
        if os.path.exists(log + "." + verb):
            for line in open(log + "." + verb):
                got = re.match(r"dq-ack: [^/]*/([^@]*)@(\d+): not settled: (this receipt is no longer valid|no such message)$", line)
                if not got:
                    wrong("dq-ack", verb, "says", line)
                    continue
                id, token = got[1], int(got[2])
                refused[id, token] = got[3]
                if "short" not in os.path.basename(log):
                    wrong(line.strip(), "- within its lease")
for id, tokens in deliveries.items():
    tokens.sort()
    done = [t for t in tokens if settled[id, t] == "ack" and (id, t) not in refused]
    if len(done) != 1:
        wrong(id, "was acked", len(done), "times, of deliveries", tokens)
    elif done[0] != tokens[-1]:
        wrong(id, "was acked by", done[0], "and then delivered, of", tokens)
    for t in tokens:
        kinds[settled[id, t] + (" refused" if (id, t) in refused else "")] += 1
    if (id, tokens[-1]) in refused:
        wrong(id, "the last receipt was refused")
if len(deliveries) != count:
    wrong(len(deliveries), "messages were delivered, of", count)
print(sum(map(len, deliveries.values())), "deliveries:", dict(kinds))
for kind in "ack", "-r", "-g", "ack refused":
    if not kinds[kind]:
        wrong("no", kind)
sys.exit(bad > 0)
PYTHON
}

# A test that failed leaves nobody behind.
teardown() {
	local pid
	: >"$T/stop"
	while read -r pid; do
		kill_ours "$pid"
	done <"$T/pids"
	end_test
}

taker() { # NAME OPTION-OF-TAKE... [-- SHARE OPTION-OF-ACK...]
	local name=$1 options=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	mkfifo "$T/$name"
	dq-take -qf -n 50 "${options[@]}" "$q" >"$T/$name" 2>"$T/$name.take" 3>&- &
	takers+=($!)
	echo $! >>"$T/pids"
	python3 "$T/settle.py" "$T/log.$name" "$@" <"$T/$name" 3>&- &
	settlers+=($!)
}

collector() {
	until [ -e "$T/stop" ]; do
		dq-gc --dead-for 0 "$q" && dq-gc --check "$q" || return
		echo >>"$T/rounds"
	done
}

acked() {
	[ "$(field stat acked)" = "$1" ]
}

@test "two promoters, four takers, a collector and a producer at once: each message is settled once" {
	local count=50000 takers=() settlers=() promoters=() gc producer start=$SECONDS pid
	! grep -qa __asan_init "$DQ_BIN/dq-take" || count=8000
	for pid in 1 2; do
		dq-promote -qf "$q" 2>"$T/promote.$pid" 3>&- &
		promoters+=($!)
		echo $! >>"$T/pids"
	done
	taker plain
	taker short -t 1ms # many leases run out
	taker short.retry -t 20ms -- 0.3 -r -d 0
	taker return -- 0.3 -g
	collector >"$T/gc" 2>&1 3>&- &
	gc=$!
	awk -v count="$count" 'BEGIN {
		srand(1)
		split("- - 5ms 300ms 1s", delay, " ")
		for (i = 0; i < count; i++) printf "%s\tm%d\t%d\n", delay[int(rand() * 5) + 1], i, i }' 3>&- |
		dq-put -q -r 1000000 --tsv "$q" 3>&- &
	producer=$!
	exits 0 "$producer"
	wait_until 55 acked "$count"
	between 0 $((SECONDS - start)) 60
	: >"$T/stop"
	exits 0 "$gc" || {
		cat "$T/gc"
		return 1
	}
	for pid in "${takers[@]}" "${promoters[@]}"; do
		kill "$pid"
		exits 143 "$pid"
	done
	for pid in "${settlers[@]}"; do
		exits 0 "$pid"
	done
	cat "$T"/*.take "$T"/promote.*
	equal "$(cat "$T"/*.take "$T"/promote.*)" ''
	python3 "$T/check.py" "$count" "$T"/log.{plain,short,short.retry,return} >"$T/history" || {
		cat "$T/history"
		return 1
	}
	holds 0 0 0 0
	dq-gc --check "$q"
	equal "$(field stat put) $(field stat acked) $(field stat dead)" "$count $count "
	equal "$(rcli EXISTS "dq:{$q}:"{msg,delayed,ready,leased,dead,try})" 0
	echo "# $(cat "$T/history"); $(wc -l <"$T/rounds") rounds of the collector" >&3
}
