import { joinLoads, type LoadResult, putLoad } from '../load.ts';
import {
  type BenchGateway,
  type BenchProcess,
  pause,
  pauseAll,
  startBenchGateway,
  startHelper,
  takenBy,
} from '../processes.ts';
import { cpuPerMessage, type Line, perSecond } from '../report.ts';
import { sendRequest, statusRequest } from '../requests.ts';
import { insertFloor } from './insert-floor.ts';

/** Enough connections that gateway and database need not wait for each other: with half of them, a quarter less is accepted. */
const CONNECTIONS = 256;
const BARE_CONNECTIONS = 64;
const STATUSES = ['sent', 'delivered', 'read'];
/** Time until the engine has compiled most of a path, seconds. A real gateway runs for days. */
const WARM_UP_SECONDS = 12;
/**
 * Warm-up at 1,000/s, seconds. It takes longer, because the engine compiles code after some ten thousand runs, and occupies a processor for
 * that.
 */
const OPEN_WARM_UP_SECONDS = 25;
const BARE_SECONDS = 2;
/** Factor of this line's duration: rare events must weigh as in operation, such as a full garbage collection every half minute. */
const OPEN_TIMES = 4;
/** Start of the run that is not counted, ms: all connections open at once, which does not happen at 1,000 requests per second. */
const OPEN_UNCOUNTED_MS = 500;
/** Parts of a measurement. */
const TURNS = 4;
/** Length of a turn of the bare server, as a share of a turn of the gateway. */
const BARE_SHARE = 0.5;

/** The processes and the duration of a measurement. */
interface Bench {
  gateway: BenchGateway;
  bare: BenchProcess;
  sink: BenchProcess;
  seconds: number;
}

/**
 * Measures acceptance, sending and status updates, each as a share of a bare HTTP server's rate with the same requests. A machine's speed
 * varies, so gateway and bare server take turns within each line. Clients wait only for the previous answer, except in the line that
 * measures latency under an open load.
 */
export async function throughput(seconds: number): Promise<Line[]> {
  const bare = await startHelper('bare-server.ts');
  const sink = await startHelper('upstream-sink.ts', '32');
  const gateway = await startBenchGateway(sink.port);
  const bench: Bench = { gateway, bare, sink, seconds };
  const lines: Line[] = [];
  try {
    const floor = await bareLoad(bench, seconds);
    lines.push({
      what: 'bare node:http server, on its own',
      value: perSecond(floor.perSecond),
      ratio: 1,
      p50Ms: floor.p50,
      p99Ms: floor.p99,
    });

    lines.push(await openLoad(bench));
    await pauseAll(gateway, true);
    lines.push(await answered(bench, 'durable accept', () => sendRequest(gateway)));
    lines.push(await answered(bench, 'durable accept, Idempotency-Key', () => sendRequest(gateway, { keyed: true })));
    lines.push(await gateway.inDatabase((client) => insertFloor(client, seconds)));
    lines.push(await drain(bench));

    await load(bench, WARM_UP_SECONDS, () => sendRequest(gateway));
    lines.push(await endToEnd(bench));
    await settled(sink);
    const messages = await takenBy(sink);
    let told = 0;
    const nextStatus = () => {
      told += 1;
      const status = STATUSES[Math.floor(told / messages) % STATUSES.length] ?? 'read';
      return statusRequest(gateway.numbers[0] ?? '', `wamid.bench.${sink.child.pid}.${1 + (told % messages)}`, status);
    };
    lines.push(await answered(bench, 'status webhooks', nextStatus));
    return lines;
  } finally {
    await gateway.stop();
    await sink.stop();
    await bare.stop();
  }
}

function load({ gateway: { port } }: Bench, seconds: number, request: () => string): Promise<LoadResult> {
  return putLoad({ port, connections: CONNECTIONS, seconds, request });
}

function bareLoad({ gateway, bare: { port } }: Bench, seconds: number): Promise<LoadResult> {
  return putLoad({ port, connections: BARE_CONNECTIONS, seconds, request: () => sendRequest(gateway) });
}

/** Measures answered requests; each connection sends the next as soon as it has the last answer. */
async function answered(bench: Bench, what: string, request: () => string): Promise<Line> {
  await load(bench, WARM_UP_SECONDS, request);
  return inTurns(bench, what, async (seconds) => {
    const result = await load(bench, seconds, request);
    return { result, done: result.answered };
  });
}

/** Measures messages accepted and, at the same time, sent and recorded: arrivals at the upstream by the end of the load count. */
function endToEnd(bench: Bench): Promise<Line> {
  return inTurns(bench, 'accept → POST → recorded, 0 ms upstream', async (seconds) => {
    const before = await takenBy(bench.sink);
    const result = await load(bench, seconds, () => sendRequest(bench.gateway));
    return { result, done: (await takenBy(bench.sink)) - before };
  });
}

/** Measures one line: the bare server and the gateway in turns, and the gateway's work as a share of the bare server's. */
async function inTurns(
  bench: Bench,
  what: string,
  work: (seconds: number) => Promise<{ result: LoadResult; done: number }>,
): Promise<Line> {
  const { gateway, sink } = bench;
  const seconds = bench.seconds / TURNS;
  const bares: LoadResult[] = [];
  const results: LoadResult[] = [];
  const used = { gateway: 0, database: 0 };
  let done = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    await settled(sink);
    bares.push(await bareLoad(bench, seconds * BARE_SHARE));
    const before = await gateway.cpu();
    const part = await work(seconds);
    const after = await gateway.cpu();
    results.push(part.result);
    done += part.done;
    used.gateway += after.gateway - before.gateway;
    used.database += after.database - before.database;
  }
  const result = joinLoads(results);
  const rate = done / result.seconds;
  const bare = joinLoads(bares);
  return {
    what,
    value: perSecond(rate),
    ratio: rate / bare.perSecond,
    p50Ms: result.p50,
    p99Ms: result.p99,
    ...cpuPerMessage({ gateway: 0, database: 0 }, used, done),
    note: notesOf(besideBare(bare), failuresOf(result)),
  };
}

/** Measures dispatch without acceptance: releases the whole backlog at once. */
async function drain(bench: Bench): Promise<Line> {
  const { gateway, sink } = bench;
  const bareBefore = await bareLoad(bench, BARE_SECONDS);
  await pauseAll(gateway, false);
  const before = await takenBy(sink);
  const cpuBefore = await gateway.cpu();
  let first = performance.now();
  let last = first;
  let taken = before;
  for (let quiet = 0; quiet < 10; ) {
    await pause(50);
    const now = await takenBy(sink);
    if (now === taken) quiet += taken === before ? 0.02 : 1;
    else {
      if (taken === before) first = performance.now();
      last = performance.now();
      quiet = 0;
    }
    taken = now;
  }
  const cpuAfter = await gateway.cpu();
  const bareAfter = await bareLoad(bench, BARE_SECONDS);
  const rate = (taken - before) / Math.max(0.05, (last - first) / 1000);
  const bare = joinLoads([bareBefore, bareAfter]);
  return {
    what: 'dispatch of a backlog, 0 ms upstream',
    value: perSecond(rate),
    ratio: rate / bare.perSecond,
    ...cpuPerMessage(cpuBefore, cpuAfter, taken - before),
    note: `${besideBare(bare)}; ${taken - before} messages`,
  };
}

/**
 * Measures latency under an open load. It runs first, because the other lines keep PostgreSQL vacuuming for minutes. The bare server gets
 * the same load in turns, which shows the machine's own share.
 */
async function openLoad({ gateway, bare, seconds }: Bench): Promise<Line> {
  const load = {
    connections: CONNECTIONS,
    perSecond: 1000,
    uncountedMs: OPEN_UNCOUNTED_MS,
    request: () => sendRequest(gateway),
  };
  await putLoad({ ...load, port: gateway.port, seconds: OPEN_WARM_UP_SECONDS });
  const turnSeconds = (seconds * OPEN_TIMES) / TURNS;
  const bares: LoadResult[] = [];
  const results: LoadResult[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    bares.push(await putLoad({ ...load, port: bare.port, seconds: turnSeconds * BARE_SHARE }));
    results.push(await putLoad({ ...load, port: gateway.port, seconds: turnSeconds }));
  }
  const result = joinLoads(results);
  return {
    what: '202 at 1,000/s, open load, dispatching',
    value: perSecond(result.perSecond),
    p50Ms: result.p50,
    p99Ms: result.p99,
    note: notesOf(`bare p99 ${joinLoads(bares).p99.toFixed(1)} ms`, failuresOf(result)),
  };
}

/** Waits until the sink receives nothing more. */
async function settled(sink: BenchProcess): Promise<void> {
  for (let last = -1, now = await takenBy(sink); now !== last; ) {
    last = now;
    await pause(500);
    now = await takenBy(sink);
  }
}

/** Joins the notes that are not empty. */
function notesOf(...notes: string[]): string {
  return notes.filter((note) => note !== '').join('; ');
}

function besideBare(bare: Pick<LoadResult, 'perSecond'>): string {
  return `beside ${perSecond(bare.perSecond)} bare`;
}

function failuresOf({ statuses }: Pick<LoadResult, 'statuses'>): string {
  const others = Object.entries(statuses).filter(([status]) => status !== '200' && status !== '202');
  return others.map(([status, count]) => `${count} × ${status}`).join(', ');
}
