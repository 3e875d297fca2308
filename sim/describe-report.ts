import type { Report } from './simulation.ts';

/** A run in words: what the weather was, the last events, what was found, and how to see it again. */
export function describeReport({ seed, tail, violation, weather }: Report): string {
  const verdict = violation === undefined ? 'no violation' : `VIOLATED: ${violation}`;
  return [`seed ${seed}`, JSON.stringify(weather), ...tail, verdict, `again: npm run sim -- --seed ${seed}`].join('\n');
}
