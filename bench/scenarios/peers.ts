import { type Contender, type Entrant, fairway, startPeers } from '../contenders.ts';
import { percentilesOf, putLoad } from '../load.ts';
import type { Handing } from '../naive-gateway.ts';
import { ask, type BenchProcess, pause, startHelper, takenBy, takenPerSecond } from '../processes.ts';
import { perSecond, type Table } from '../report.ts';
import { sendRequest } from '../requests.ts';

const CONNECTIONS = 256;
/** Time until the engine has compiled most of a path, which takes some fifty thousand messages. A real gateway runs for days. */
const WARM_UP_SECONDS = 40;
const BLAST = 20_000;
const LIGHT_PER_SECOND = 100;
const FILL_MS = 60_000;
const PATIENCE_MS = 60_000;

/** The result of a measurement, with a remark. */
interface Figure {
  value: string;
  note?: string;
}
type Measurement = (contender: Contender, sink: BenchProcess) => Promise<Figure>;

/**
 * Compares the gateway with naive ones on job queues, one after the other, with this kind of handing over: same load, same upstream that
 * answers at once, same machine. Each measurement starts with an empty queue and a fresh process.
 */
export async function peers(
  handing: Handing,
  { seconds = 8, queued = 1_000_000, only = '' }: { seconds?: number; queued?: number; only?: string },
): Promise<Table> {
  const measurements: [string, Measurement][] = [
    ['accepted', (contender) => accepted(contender, seconds)],
    ['accepted, sent and recorded', (contender, sink) => endToEnd(contender, sink, seconds)],
    [
      `wait of a light flow behind ${BLAST.toLocaleString('en')}, p50 / p99`,
      (contender, sink) => lightWait(contender, sink, seconds),
    ],
    [
      `sent with ${queued.toLocaleString('en')} queued`,
      (contender, sink) => dispatch(contender, sink, seconds, queued),
    ],
  ];
  const { peers: naive, missing } = await startPeers();
  const entrants = [fairway, ...naive].filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  const table: Table = {
    header: [handing, ...entrants.map(({ name }) => name)],
    rows: measurements.map(([what]) => [what]),
    notes: missing,
  };
  try {
    for (const entrant of entrants) {
      for (const [index, [what, measure]] of measurements.entries()) {
        process.stderr.write(`${entrant.name}: ${what} …\n`);
        const { value, note } = await measured(entrant, handing, measure);
        table.rows[index]?.push(value);
        process.stderr.write(`  ${value}${note === undefined ? '' : ` (${note})`}\n`);
        if (note !== undefined) table.notes.push(`${entrant.name}, ${what}: ${note}.`);
      }
    }
  } finally {
    for (const entrant of [fairway, ...naive]) await entrant.stop();
  }
  return table;
}

async function measured(entrant: Entrant, handing: Handing, measure: Measurement): Promise<Figure> {
  const sink = await startHelper('upstream-sink.ts', '32');
  try {
    const contender = await entrant.start(sink.port, handing);
    try {
      return await measure(contender, sink);
    } finally {
      await contender.stop();
    }
  } finally {
    await sink.stop();
  }
}

/** Messages durably accepted per second, with dispatch paused. */
async function accepted({ port, flows: [sender] }: Contender, seconds: number): Promise<Figure> {
  const load = (forSeconds: number) =>
    putLoad({ port, connections: CONNECTIONS, seconds: forSeconds, request: () => sendRequest(sender) });
  await load(WARM_UP_SECONDS);
  const result = await load(seconds);
  const { 202: _, ...others } = result.statuses;
  const note = Object.keys(others).length > 0 ? JSON.stringify(others) : undefined;
  return { value: `${perSecond(result.perSecond)}, p99 ${result.p99.toFixed(0)} ms`, ...(note && { note }) };
}

/** Time from the first request until the upstream has all messages: a contender that accepts faster than it sends gains nothing. */
async function endToEnd(
  { port, flows: [sender], release, countRecorded }: Contender,
  sink: BenchProcess,
  seconds: number,
): Promise<Figure> {
  await release();
  const load = (forSeconds: number) =>
    putLoad({ port, connections: CONNECTIONS, seconds: forSeconds, request: () => sendRequest(sender) });
  const warmUp = (await load(WARM_UP_SECONDS)).statuses['202'] ?? 0;
  await untilTaken(sink, warmUp);
  const startedAt = performance.now();
  const count = (await load(seconds)).statuses['202'] ?? 0;
  const taken = (await untilTaken(sink, warmUp + count)) - warmUp;
  const rate = taken / ((performance.now() - startedAt) / 1000);
  let recorded = await countRecorded();
  for (const until = performance.now() + 5_000; recorded < warmUp + taken && performance.now() < until; ) {
    await pause(200);
    recorded = await countRecorded();
  }
  const whole = taken === count && recorded === warmUp + count;
  const note = `${count} accepted, ${taken} sent, ${recorded - warmUp} recorded when counted`;
  return { value: perSecond(rate), ...(!whole && { note }) };
}

/** Time from the request to the arrival at the upstream for the messages of one API key, while another key's backlog is released. */
async function lightWait(
  { port, flows: [, light], fill, release }: Contender,
  sink: BenchProcess,
  seconds: number,
): Promise<Figure> {
  const blast = await fill(BLAST, FILL_MS);
  await release();
  const result = await putLoad({
    port,
    connections: 16,
    seconds,
    perSecond: LIGHT_PER_SECOND,
    request: () => sendRequest(light, { timed: true }),
  });
  const count = result.statuses['202'] ?? 0;
  await untilTaken(sink, blast + count);
  const { waits } = await ask<{ waits: number[] }>(sink, 'waits?');
  const at = percentilesOf(waits);
  const missing = count - waits.length;
  return {
    value: `${at(0.5)} ms / ${at(0.99)} ms`,
    ...(missing > 0 && { note: `${missing} of ${count} never arrived` }),
  };
}

/** Messages sent per second while a backlog lasts. */
async function dispatch(
  { fill, release }: Contender,
  sink: BenchProcess,
  seconds: number,
  queued: number,
): Promise<Figure> {
  const loaded = await fill(queued, FILL_MS);
  await release();
  await untilTaken(sink, loaded / 2, WARM_UP_SECONDS * 1000);
  const rate = await takenPerSecond(sink, seconds);
  const note = `${loaded.toLocaleString('en')} were all it could load in ${FILL_MS / 1000} s`;
  return { value: perSecond(rate), ...(loaded < queued && { note }) };
}

/** Resolves with the sink's count once it has `count` messages or `forMs` have passed. */
async function untilTaken(sink: BenchProcess, count: number, forMs = PATIENCE_MS): Promise<number> {
  const until = performance.now() + forMs;
  let taken = await takenBy(sink);
  while (taken < count && performance.now() < until) {
    await pause(10);
    taken = await takenBy(sink);
  }
  return taken;
}
