// node bullmq.js SOCKET put N | take N | due N SPAN_MS | latency N SPAN_MS: BullMQ at its best: bulk adds, many in flight, many at once
// in one worker, start-up not counted. due is take of delayed jobs, from when all are due. Prints seconds; for latency a line for each
// job: its lateness in us.
'use strict';
const { createRequire } = require('module');
const { setTimeout } = require('timers/promises');
const from = createRequire(process.cwd() + '/');
const { Queue, Worker } = from('bullmq');
const { default: IORedis } = from('ioredis');

const [path, mode, count, span] = process.argv.slice(2);
const n = Number(count);
const connect = () => new IORedis(path, { maxRetriesPerRequest: null });
const name = 'bench';
const job = (delay) => ({
  name: 'j',
  data: 'x'.repeat(100),
  opts: { delay, removeOnComplete: true, attempts: 5 },
});

const within = (ms) => ms + Math.floor(Math.random() * ms);

async function add(queue, delayOf) {
  const chunk = 1000, flying = [];
  for (let i = 0; i < n; i += chunk) {
    flying.push(queue.addBulk(Array.from({ length: Math.min(chunk, n - i) }, () => job(delayOf()))));
    if (flying.length === 4) await flying.shift();
  }
  await Promise.all(flying);
}

async function work(concurrency, each) {
  let left = n, done;
  const finished = new Promise((resolve) => { done = resolve; });
  const worker = new Worker(name, async (j) => { each(j); }, { connection: connect(), concurrency });
  worker.on('completed', () => { if (--left === 0) done(); });
  await finished;
  return worker;
}

async function main() {
  const queue = new Queue(name, { connection: connect() });
  await queue.waitUntilReady();
  const now = () => performance.timeOrigin + performance.now();
  let start = now();
  if (mode === 'put') {
    await add(queue, () => 3600e3);
    console.log((now() - start) / 1000);
  } else if (mode === 'take' || mode === 'due') {
    await add(queue, () => (mode === 'due' ? within(Number(span)) : 0));
    if (mode === 'due') await setTimeout(2 * span + 50);
    start = now();
    await work(100, () => {});
    console.log((now() - start) / 1000);
  } else {
    const late = [];
    await add(queue, () => 1500 + Math.floor(Math.random() * Number(span)));
    await work(10, (j) => { late.push((now() - (j.timestamp + j.opts.delay)) * 1000); });
    console.log(late.map((us) => us.toFixed(0)).join('\n'));
  }
  process.exit(0);
}
main();
