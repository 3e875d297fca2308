import { parseArgs } from 'node:util';
import { Coverage, SITES } from './coverage.ts';
import { type Report, simulate } from './simulation.ts';

const USAGE = 'npm run sim -- [--seed FIRST] [--seeds COUNT]';
/** So many runs reach every rare path; in fewer, one may stay out without meaning anything. */
const COVERING_SEEDS = 2_000;

/** Lives through seeds one after the other and prints what was found. Answers the exit code. */
async function main(): Promise<number> {
  const { seed, seeds } = readArguments();
  const startedAtMs = performance.now();
  const coverage = new Coverage();
  const violations: Report[] = [];
  let virtualMs = 0;
  let events = 0;
  for (let each = seed; each < seed + seeds; each += 1) {
    const report = await simulate(each);
    coverage.add(report.coverage);
    virtualMs += report.virtualMs;
    events += report.events;
    if (seeds === 1) print(`${describe(report)}\nhash ${report.hash}`);
    if (report.violation === undefined) continue;
    violations.push(report);
    if (seeds > 1) print(describe(report));
  }
  print(
    `${seeds} seeds from ${seed} on: ${(virtualMs / 60_000).toFixed(0)} virtual minutes, ${events} events, ` +
      `${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`,
  );
  print(
    `\nHow often it came to:\n${SITES.map((site) => `${String(coverage.count(site)).padStart(9)}  ${site}`).join('\n')}`,
  );
  const missing = seeds >= COVERING_SEEDS ? coverage.missing() : [];
  if (missing.length > 0) print(`\nNEVER REACHED: ${missing.join(', ')}`);
  print(
    `\n${violations.length === 0 ? 'no violation' : `VIOLATED by seeds ${violations.map((report) => report.seed).join(', ')}`}`,
  );
  return violations.length === 0 && missing.length === 0 ? 0 : 1;
}

function describe({ seed, tail, violation, weather }: Report): string {
  const verdict = violation === undefined ? 'no violation' : `VIOLATED: ${violation}`;
  return [`seed ${seed}`, JSON.stringify(weather), ...tail, verdict, `again: npm run sim -- --seed ${seed}`].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readArguments(): { seed: number; seeds: number } {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, seeds: { type: 'string', default: '1' } },
  });
  const [seed, seeds] = [Number(values.seed), Number(values.seeds)];
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(seeds) || seeds < 1) throw new Error(`usage: ${USAGE}`);
  return { seed, seeds };
}

process.exitCode = await main();
