import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SITES, type Site } from './coverage.ts';
import { describeReport } from './describe-report.ts';
import { runSeedsInThreads } from './seed-run.ts';
import { simulate } from './simulation.ts';

const USAGE = 'npm run sim -- [--seed FIRST] [--seeds COUNT] [--threads COUNT] [--people]';
/** Runs needed to reach every rare path; in fewer runs a missing site means nothing. */
const COVERING_SEEDS = 2_000;
/** Sites that may be missing: statements take their locks in one order, so deadlocks are an accident, not a requirement. */
const MAY_STAY_OUT: readonly Site[] = ['deadlock'];
/** Sites that only runs with `--people` reach. */
const OF_PEOPLE = SITES.slice(SITES.indexOf('sent to a user id'));

/** Runs the seeds and prints the findings. Returns the exit code. */
async function main(): Promise<number> {
  const { seed, seeds, threads, people } = readArguments();
  return seeds === 1 ? showOne(seed, people) : await runMany(seed, seeds, threads, people);
}

async function showOne(seed: number, people: boolean): Promise<number> {
  const report = await simulate(seed, people);
  print(`${describeReport(report)}\nhash ${report.hash}`);
  return report.violation === undefined ? 0 : 1;
}

async function runMany(first: number, count: number, threads: number, people: boolean): Promise<number> {
  const startedAtMs = performance.now();
  const { coverage, virtualMs, events, violated } = await runSeedsInThreads({ people, first, count, threads }, print);
  print(
    `How often it came to:\n${SITES.map((site) => `${String(coverage.count(site)).padStart(9)}  ${site}`).join('\n')}`,
  );
  const mayStayOut = people ? MAY_STAY_OUT : [...MAY_STAY_OUT, ...OF_PEOPLE];
  const missing = coverage.missing().filter((site) => count >= COVERING_SEEDS && !mayStayOut.includes(site));
  if (missing.length > 0) print(`NEVER REACHED: ${missing.join(', ')}`);
  print(
    `sim: ${count} seeds from ${first} on, ${(virtualMs / 60_000).toFixed(0)} virtual minutes, ${events} events, ` +
      `${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s in ${threads} threads`,
  );
  print(violated.length === 0 ? 'sim: no violation' : `sim: VIOLATED by seeds ${violated.join(', ')}`);
  return violated.length === 0 && missing.length === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readArguments(): { seed: number; seeds: number; threads: number; people: boolean } {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      threads: { type: 'string', default: String(availableParallelism()) },
      people: { type: 'boolean', default: false },
    },
  });
  const [seed, seeds, threads] = [Number(values.seed), Number(values.seeds), Number(values.threads)];
  const isValid =
    Number.isSafeInteger(seed) && [seeds, threads].every((count) => Number.isSafeInteger(count) && count >= 1);
  if (!isValid) throw new Error(`usage: ${USAGE}`);
  return { seed, seeds, threads, people: values.people };
}

process.exitCode = await main();
