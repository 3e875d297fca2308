import { parseArgs } from 'node:util';
import { endProcesses, endRun } from './processes.ts';
import { describeMachine, type Line, renderOwnTable, renderTable, type Table } from './report.ts';
import { backlog, lightFlow, manyNumbers } from './scenarios/backlog.ts';
import { consolePages } from './scenarios/console.ts';
import { deepQueue } from './scenarios/deep-queue.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { history } from './scenarios/history.ts';
import { oldSnapshot } from './scenarios/old-snapshot.ts';
import { ordinary } from './scenarios/ordinary.ts';
import { overload } from './scenarios/overload.ts';
import { pace } from './scenarios/pace.ts';
import { passThrough } from './scenarios/pass-through.ts';
import { peers } from './scenarios/peers.ts';
import { pooler } from './scenarios/pooler.ts';
import { throughput } from './scenarios/throughput.ts';

interface Options {
  /** Length of each measurement, seconds. */
  seconds?: number;
  /** Size of a backlog, messages. */
  queued?: number;
  /** Runs only the comparisons with this text in their names. */
  only?: string;
  /** A Git revision to compare with. */
  base?: string;
  /** Number of workers of a gateway to compare with. */
  workers?: number;
  /** Messages that wait in a deep queue, or of a long history. */
  messages?: number;
  /** Measures a long history instead of a deep queue. */
  history?: true;
}

/** Scenarios of `npm run bench`; the second set runs only if named: `npm run bench -- NAME … --seconds N --queued N`. */
const STANDARD: Record<string, (options: Options) => Promise<Line[] | Table>> = {
  throughput: ({ seconds = 8, ...others }) => throughput(seconds, others),
  backlog: ({ seconds = 8, queued }) => backlog(seconds, queued),
  'light-flow': ({ seconds = 8, queued }) => lightFlow(seconds, queued),
  overload: ({ seconds = 8 }) => overload(seconds),
  deliveries: ({ seconds = 8 }) => deliveries(seconds),
};
const SCENARIOS: typeof STANDARD = {
  ...STANDARD,
  console: consolePages,
  'deep-queue': (options) => (options.history ? history(options) : deepQueue(options)),
  'many-numbers': ({ seconds = 8, queued }) => manyNumbers(seconds, queued),
  'old-snapshot': ({ seconds = 240 }) => oldSnapshot(seconds),
  pace,
  'pass-through': ({ seconds = 40 }) => passThrough(seconds),
  pooler: ({ seconds = 16 }) => pooler(seconds),
  peers: (options) => peers('one by one', options),
  ordinary,
  'peers-batched': (options) => peers('batched', options),
};

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: 'string' },
    queued: { type: 'string' },
    only: { type: 'string' },
    base: { type: 'string' },
    workers: { type: 'string' },
    messages: { type: 'string' },
    history: { type: 'boolean' },
  },
  allowPositionals: true,
});
const options: Options = {
  ...(values.seconds !== undefined && { seconds: within('--seconds', values.seconds, 600) }),
  ...(values.queued !== undefined && { queued: within('--queued', values.queued, 10_000_000) }),
  ...(values.only !== undefined && { only: values.only }),
  ...(values.base !== undefined && { base: values.base }),
  ...(values.workers !== undefined && { workers: within('--workers', values.workers, 64) }),
  ...(values.messages !== undefined && { messages: within('--messages', values.messages, 20_000_000) }),
  ...(values.history && { history: true }),
};
const unknown = positionals.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0) throw new Error(`No such scenario: ${unknown.join(', ')}.`);
const chosen = positionals.length > 0 ? positionals : Object.keys(STANDARD);

process.once('exit', endProcesses);
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
    // The scenario fails when its processes end.
    process.on('uncaughtException', () => {});
    void endRun().finally(() => process.exit(1));
  });
}

const lines: Line[] = [];
const tables: Table[] = [];
for (const name of chosen) {
  process.stderr.write(`${name} …\n`);
  const result = (await run(name)) ?? [];
  if (Array.isArray(result)) lines.push(...result);
  else tables.push(result);
}
const parts = [describeMachine(), ...(lines.length > 0 ? [renderTable(lines)] : []), ...tables.map(renderOwnTable)];
process.stdout.write(`${parts.join('\n\n')}\n`);

/** Runs a scenario. If the run is interrupted, the processes end first. */
async function run(name: string): Promise<Line[] | Table | undefined> {
  try {
    return await SCENARIOS[name]?.(options);
  } catch (error) {
    if (isInterrupted) await new Promise(() => {});
    throw error;
  }
}

function within(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!(value > 0 && value <= max)) throw new Error(`${option} must be above 0 and at most ${max}.`);
  return value;
}
