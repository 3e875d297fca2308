import { type Contender, type Entrant, fairway, fairwayAt, startPeers } from '../contenders.ts';
import { percentilesOf, putLoad } from '../load.ts';
import { type BenchProcess, pause, startHelper } from '../processes.ts';
import type { Table } from '../report.ts';
import { sendRequest } from '../requests.ts';

const RATES = [5, 20, 100, 500];
const CONNECTIONS = 16;
/** The engine compiles most of a path in some fifty thousand runs. A real gateway runs for days. */
const WARM_UP = { seconds: 40, perSecond: 500 };
/** Time for work that follows a load: results, statistics of the database. */
const SETTLE_MS = 3_000;
/** The parts of each measurement: the contenders take turns, because a machine's speed varies. */
const TURNS = 3;
const NOT_COUNTED_MS = 500;

/** Sums of one contender at one rate; a rate of 0 is the idle gateway. */
interface Sums {
  cpuSeconds: number;
  seconds: number;
  messages: number;
  transactions: number | undefined;
  latencies: number[];
}

interface Running {
  name: string;
  contender: Contender;
  byRate: Map<number, Sums>;
  /** Latencies of `sync=true`, and in turns with them of direct calls to the upstream. */
  synchronous: number[];
  direct: number[];
}

const SYNC_RATE = 20;

/**
 * Compares what a message costs on an ordinary day, far below saturation: the gateway, a Git revision of it and naive gateways on job queues,
 * all running, in turns, against an upstream that answers at once. CPU is that of all processes of a contender, its database included.
 */
export async function ordinary({
  seconds = 10,
  only = '',
  base,
}: {
  seconds?: number;
  only?: string;
  base?: string;
}): Promise<Table> {
  const { peers, missing } = await startPeers();
  const former = base === undefined ? [] : [await fairwayAt(base)];
  const all = [fairway, ...former, ...peers];
  const entrants = all.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  const sink = await startHelper('upstream-sink.ts', '32');
  const running: Running[] = [];
  try {
    for (const entrant of entrants) running.push(await start(entrant, sink));
    await pause(SETTLE_MS);
    for (const rate of [0, ...RATES]) {
      for (let turn = 0; turn < TURNS; turn += 1) {
        for (const one of running) {
          process.stderr.write(`${rate}/s, ${one.name} …\n`);
          await measure(one, rate, seconds);
        }
      }
    }
    for (const one of running) {
      if (one.name.startsWith(fairway.name)) await measureSynchronous(one, sink, seconds);
    }
    return tableOf(running, missing);
  } finally {
    for (const { contender } of running) await contender.stop();
    for (const entrant of all) await entrant.stop();
    await sink.stop();
  }
}

async function start(entrant: Entrant, sink: BenchProcess): Promise<Running> {
  process.stderr.write(`warming up ${entrant.name} …\n`);
  const contender = await entrant.start(sink.port, 'one by one');
  await contender.release();
  const [sender] = contender.flows;
  await putLoad({ port: contender.port, connections: CONNECTIONS, ...WARM_UP, request: () => sendRequest(sender) });
  return { name: entrant.name, contender, byRate: new Map(), synchronous: [], direct: [] };
}

async function measure({ contender, byRate }: Running, rate: number, seconds: number): Promise<void> {
  const sums = byRate.get(rate) ?? { cpuSeconds: 0, seconds: 0, messages: 0, transactions: 0, latencies: [] };
  byRate.set(rate, sums);
  const startedAt = performance.now();
  const [cpuBefore, transactionsBefore] = [await contender.cpuSeconds(), await contender.transactions()];
  if (rate === 0) await pause(seconds * 1000);
  else {
    const { statuses, latencies } = await load(contender, rate, seconds, false);
    sums.messages += statuses['202'] ?? 0;
    sums.latencies.push(...latencies);
  }
  sums.cpuSeconds += (await contender.cpuSeconds()) - cpuBefore;
  sums.seconds += (performance.now() - startedAt) / 1000;
  const transactions = await contender.transactions();
  if (transactions === undefined || transactionsBefore === undefined) sums.transactions = undefined;
  else if (sums.transactions !== undefined) sums.transactions += transactions - transactionsBefore;
}

function load(
  { port, flows: [sender] }: Pick<Contender, 'port' | 'flows'>,
  perSecond: number,
  seconds: number,
  sync: boolean,
) {
  const request = () => sendRequest(sender, { sync });
  return putLoad({ port, connections: CONNECTIONS, perSecond, seconds, request, uncountedMs: NOT_COUNTED_MS });
}

/** Measures `sync=true` of a gateway, and in turns with it a direct call to the upstream. */
async function measureSynchronous({ contender, synchronous, direct }: Running, sink: BenchProcess, seconds: number) {
  const { flows } = contender;
  for (let turn = 0; turn < TURNS; turn += 1) {
    direct.push(...(await load({ port: sink.port, flows }, SYNC_RATE, seconds, false)).latencies);
    synchronous.push(...(await load(contender, SYNC_RATE, seconds, true)).latencies);
  }
}

function tableOf(running: Running[], notes: string[]): Table {
  const row = (what: string, cell: (one: Running) => string | undefined) => [
    what,
    ...running.map((one) => cell(one) ?? ''),
  ];
  const idle = ({ byRate }: Running) => byRate.get(0);
  const cost = ({ byRate }: Running, rate: number) => {
    const sums = byRate.get(rate);
    return sums && `${Math.round((sums.cpuSeconds / sums.messages) * 1e6).toLocaleString('en')} µs`;
  };
  return {
    header: ['on an ordinary day', ...running.map(({ name }) => name)],
    rows: [
      row('idle, CPU a second', (one) => {
        const sums = idle(one);
        return sums && `${((sums.cpuSeconds / sums.seconds) * 1000).toFixed(0)} ms`;
      }),
      row('idle, transactions a second', (one) => {
        const sums = idle(one);
        return sums?.transactions === undefined ? undefined : (sums.transactions / sums.seconds).toFixed(1);
      }),
      ...RATES.map((rate) => row(`${rate}/s, CPU a message`, (one) => cost(one, rate))),
      ...RATES.map((rate) =>
        row(`${rate}/s, time to the 202, p50 / p99`, ({ byRate }) => latency(byRate.get(rate)?.latencies)),
      ),
      row(`sync=true at ${SYNC_RATE}/s, p50 / p99`, ({ synchronous }) => latency(synchronous)),
      row('the same, called at the upstream itself', ({ direct }) => latency(direct)),
    ],
    notes,
  };
}

function latency(latencies: readonly number[] | undefined): string | undefined {
  if (latencies === undefined || latencies.length === 0) return undefined;
  const at = percentilesOf(latencies);
  return `${at(0.5).toFixed(1)} ms / ${at(0.99).toFixed(1)} ms`;
}
