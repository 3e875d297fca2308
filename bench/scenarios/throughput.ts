import { checkOut } from '../checkout.ts';
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

/** The gateways that are measured in turns with the one of this checkout. */
export interface Others {
  /** A Git revision. */
  base?: string | undefined;
  /** This checkout with so many workers. */
  workers?: number | undefined;
}

/** A gateway that is measured, with the upstream that it alone sends to. */
interface Side {
  /** Ends the names of its lines; empty for the gateway of this checkout as `npm start` runs it. */
  label: string;
  gateway: BenchGateway;
  sink: BenchProcess;
}

/** The processes and the duration of a measurement. */
interface Bench {
  sides: readonly Side[];
  bare: BenchProcess;
  seconds: number;
}

/**
 * Measures acceptance, sending and status updates, each as a share of a bare HTTP server's rate with the same requests. A machine's speed
 * varies, so gateway and bare server take turns within each line, and so do the other gateways that are named. Clients wait only for the
 * previous answer, except in the line that measures latency under an open load.
 */
export async function throughput(seconds: number, { base, workers }: Others = {}): Promise<Line[]> {
  const checkout = base === undefined ? undefined : await checkOut(base);
  const bare = await startHelper('bare-server.ts');
  const sides: Side[] = [];
  const bench: Bench = { sides, bare, seconds };
  const lines: Line[] = [];
  try {
    const add = async (label: string, env: Record<string, string> = {}, dir?: string) => {
      const sink = await startHelper('upstream-sink.ts', '32');
      sides.push({ label, gateway: await startBenchGateway(sink.port, env, dir), sink });
    };
    if (checkout !== undefined) await add(`, at ${base}`, {}, checkout.dir);
    if (workers !== undefined) await add(`, ${workers} workers`, { WORKERS: String(workers) });
    await add('');
    const floor = await bareLoad(bench, seconds);
    lines.push({
      what: 'bare node:http server, on its own',
      value: perSecond(floor.perSecond),
      ratio: 1,
      p50Ms: floor.p50,
      p99Ms: floor.p99,
    });

    lines.push(...(await openLoad(bench)));
    for (const { gateway } of sides) await pauseAll(gateway, true);
    lines.push(...(await answered(bench, 'durable accept', ({ gateway }) => sendRequest(gateway))));
    const keyed = ({ gateway }: Side) => sendRequest(gateway, { keyed: true });
    lines.push(...(await answered(bench, 'durable accept, Idempotency-Key', keyed)));
    for (const { gateway, label } of sides) {
      if (label === '') lines.push(await gateway.inDatabase((client) => insertFloor(client, seconds)));
    }
    for (const side of sides) lines.push(await drain(bench, side));

    lines.push(...(await endToEnd(bench)));
    for (const { sink } of sides) await settled(sink);
    lines.push(...(await statusWebhooks(bench)));
    return lines;
  } finally {
    for (const { gateway, sink } of sides) {
      await gateway.stop();
      await sink.stop();
    }
    await bare.stop();
    await checkout?.remove();
  }
}

function load({ gateway: { port } }: Side, seconds: number, request: () => string): Promise<LoadResult> {
  return putLoad({ port, connections: CONNECTIONS, seconds, request });
}

function bareLoad({ sides: [side], bare: { port } }: Bench, seconds: number): Promise<LoadResult> {
  const { gateway } = side as Side;
  return putLoad({ port, connections: BARE_CONNECTIONS, seconds, request: () => sendRequest(gateway) });
}

/** Measures answered requests; each connection sends the next as soon as it has the last answer. */
async function answered(bench: Bench, what: string, request: (side: Side) => string): Promise<Line[]> {
  for (const side of bench.sides) await load(side, WARM_UP_SECONDS, () => request(side));
  return inTurns(bench, what, async (side, seconds) => {
    const result = await load(side, seconds, () => request(side));
    return { result, done: result.answered };
  });
}

/** Measures messages accepted and, at the same time, sent and recorded: arrivals at the upstream by the end of the load count. */
async function endToEnd(bench: Bench): Promise<Line[]> {
  const request = ({ gateway }: Side) => sendRequest(gateway);
  for (const side of bench.sides) await load(side, WARM_UP_SECONDS, () => request(side));
  return inTurns(bench, 'accept → POST → recorded, 0 ms upstream', async (side, seconds) => {
    const before = await takenBy(side.sink);
    const result = await load(side, seconds, () => request(side));
    return { result, done: (await takenBy(side.sink)) - before };
  });
}

/** Measures webhooks with a status each, for the messages that were sent before. */
async function statusWebhooks(bench: Bench): Promise<Line[]> {
  const nextOf = new Map<Side, () => string>();
  for (const side of bench.sides) {
    const messages = await takenBy(side.sink);
    let reported = 0;
    nextOf.set(side, () => {
      reported += 1;
      const status = STATUSES[Math.floor(reported / messages) % STATUSES.length] ?? 'read';
      const wamid = `wamid.bench.${side.sink.child.pid}.${1 + (reported % messages)}`;
      return statusRequest(side.gateway.numbers[0] ?? '', wamid, status);
    });
  }
  return answered(bench, 'status webhooks', (side) => nextOf.get(side)?.() ?? '');
}

/** Measures one line for each gateway: the bare server and the gateways in turns, and a gateway's work as a share of the bare server's. */
async function inTurns(
  bench: Bench,
  what: string,
  work: (side: Side, seconds: number) => Promise<{ result: LoadResult; done: number }>,
): Promise<Line[]> {
  const seconds = bench.seconds / TURNS;
  const bares: LoadResult[] = [];
  const sums = bench.sides.map((side) => ({
    side,
    results: [] as LoadResult[],
    used: { gateway: 0, database: 0 },
    done: 0,
  }));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const { sink } of bench.sides) await settled(sink);
    bares.push(await bareLoad(bench, seconds * BARE_SHARE));
    for (const sum of turn % 2 === 0 ? sums : sums.toReversed()) {
      const { gateway, sink } = sum.side;
      const before = await gateway.cpu();
      const part = await work(sum.side, seconds);
      const after = await gateway.cpu();
      sum.results.push(part.result);
      sum.done += part.done;
      sum.used.gateway += after.gateway - before.gateway;
      sum.used.database += after.database - before.database;
      if (sums.length > 1) await settled(sink);
    }
  }
  const bare = joinLoads(bares);
  return sums.map(({ side, results, used, done }) => {
    const result = joinLoads(results);
    const rate = done / result.seconds;
    return {
      what: `${what}${side.label}`,
      value: perSecond(rate),
      ratio: rate / bare.perSecond,
      p50Ms: result.p50,
      p99Ms: result.p99,
      ...cpuPerMessage({ gateway: 0, database: 0 }, used, done),
      note: notesOf(besideBare(bare), failuresOf(result)),
    };
  });
}

/** Measures dispatch without acceptance: releases the whole backlog at once. */
async function drain(bench: Bench, side: Side): Promise<Line> {
  const { gateway, sink } = side;
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
    what: `dispatch of a backlog, 0 ms upstream${side.label}`,
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
async function openLoad({ sides, bare, seconds }: Bench): Promise<Line[]> {
  const loadOf = ({ gateway }: Side) => ({
    connections: CONNECTIONS,
    perSecond: 1000,
    uncountedMs: OPEN_UNCOUNTED_MS,
    request: () => sendRequest(gateway),
    port: gateway.port,
  });
  for (const side of sides) await putLoad({ ...loadOf(side), seconds: OPEN_WARM_UP_SECONDS });
  const turnSeconds = (seconds * OPEN_TIMES) / TURNS;
  const bares: LoadResult[] = [];
  const results = new Map(sides.map((side) => [side, [] as LoadResult[]]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    bares.push(await putLoad({ ...loadOf(sides[0] as Side), port: bare.port, seconds: turnSeconds * BARE_SHARE }));
    for (const [side, own] of results) own.push(await putLoad({ ...loadOf(side), seconds: turnSeconds }));
  }
  const bareP99 = `bare p99 ${joinLoads(bares).p99.toFixed(1)} ms`;
  return [...results].map(([side, own]) => {
    const result = joinLoads(own);
    return {
      what: `202 at 1,000/s, open load, dispatching${side.label}`,
      value: perSecond(result.perSecond),
      p50Ms: result.p50,
      p99Ms: result.p99,
      note: notesOf(bareP99, failuresOf(result)),
    };
  });
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
