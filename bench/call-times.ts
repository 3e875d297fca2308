import { percentilesOf } from './load.ts';

/** Times of one call, ms: the first one, and those that follow. */
export interface CallTimes {
  what: string;
  firstMs: number;
  p50Ms: number;
  slowestMs: number;
  /** Calls that were refused or failed. */
  failed: number;
}

const CALLS = 20;

/** Measures one call, again and again, one at a time; `call` gets the count of calls before. */
export async function timeCalls(what: string, call: (index: number) => Promise<unknown>): Promise<CallTimes> {
  const times: number[] = [];
  let failed = 0;
  for (let index = 0; index < CALLS; index += 1) {
    const startedAt = performance.now();
    await call(index).catch((error: Error) => {
      failed += 1;
      process.stderr.write(`${what}: ${error.message}\n`);
    });
    times.push(performance.now() - startedAt);
  }
  const [firstMs = Number.NaN, ...further] = times;
  const at = percentilesOf(further);
  return { what, firstMs, p50Ms: at(0.5), slowestMs: at(1), failed };
}

/** Formats the times as `first / median / slowest`. */
export function formatTimes({ firstMs, p50Ms, slowestMs, failed }: CallTimes): string {
  const times = [firstMs, p50Ms, slowestMs].map((ms) => ms.toFixed(1)).join(' / ');
  return `${times} ms${failed > 0 ? `, ${failed} failed` : ''}`;
}
