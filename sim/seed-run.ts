import { Worker } from 'node:worker_threads';
import { Coverage, type Site } from './coverage.ts';
import { type Report, simulate } from './simulation.ts';

/** Seeds to run: `first`, then every `step`-th, below `end`. */
export interface SeedRange {
  /** True for people who change their names. */
  people: boolean;
  first: number;
  end: number;
  step: number;
}

/** Totals over many runs. */
export interface Totals {
  coverage: Coverage;
  virtualMs: number;
  events: number;
  /** Seeds with a violation. */
  violated: number[];
}

/** Totals that a thread posts after its share of the seeds; before that it posts each violation in words. */
export interface Share extends Omit<Totals, 'coverage'> {
  coverage: [Site, number][];
}

/** Runs seeds one after the other. `ended` is called after each run. */
export async function runSeeds(
  { people, first, end, step }: SeedRange,
  ended: (report: Report) => void,
): Promise<Totals> {
  const totals = noTotals();
  for (let seed = first; seed < end; seed += step) {
    const report = await simulate(seed, people);
    totals.coverage.add(report.coverage);
    totals.virtualMs += report.virtualMs;
    totals.events += report.events;
    if (report.violation !== undefined) totals.violated.push(seed);
    ended(report);
  }
  return totals;
}

/** Distributes `count` seeds from `first` on over the threads; `told` receives every violation in words. Rejects if a run throws. */
export async function runSeedsInThreads(
  { people, first, count, threads }: { people: boolean; first: number; count: number; threads: number },
  told: (violation: string) => void,
): Promise<Totals> {
  const shares = Array.from({ length: Math.min(threads, count) }, (_, index) =>
    runShare({ people, first: first + index, end: first + count, step: threads }, told),
  );
  const totals = noTotals();
  for (const share of await Promise.all(shares)) {
    totals.coverage.add(Coverage.of(share.coverage));
    totals.virtualMs += share.virtualMs;
    totals.events += share.events;
    totals.violated = [...totals.violated, ...share.violated].sort((a, b) => a - b);
  }
  return totals;
}

function noTotals(): Totals {
  return { coverage: new Coverage(), virtualMs: 0, events: 0, violated: [] };
}

function runShare(range: SeedRange, told: (violation: string) => void): Promise<Share> {
  const { promise, resolve, reject } = Promise.withResolvers<Share>();
  const worker = new Worker(new URL('./seed-worker.ts', import.meta.url), { workerData: range });
  worker.on('message', (message: string | Share) => {
    if (typeof message === 'string') told(message);
    else resolve(message);
  });
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error(`the thread of the seeds from ${range.first} on ended early`)));
  return promise;
}
