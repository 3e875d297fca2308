import type { Report } from './simulation.ts';

/** Describes a run in words: its weather, the last events, the verdict, and the command that repeats it. */
export function describeReport({ seed, tail, violation, weather }: Report): string {
  const verdict = violation === undefined ? 'no violation' : `VIOLATED: ${violation}`;
  return [`seed ${seed}`, JSON.stringify(weather), ...tail, verdict, `again: npm run sim -- --seed ${seed}`].join('\n');
}
