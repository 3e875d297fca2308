import { type LoadResult, percentilesOf, putLoad } from '../load.ts';
import { ask, type BenchGateway, pauseAll, startHelper, watchMemory, withGateway } from '../processes.ts';
import { type Line, megabytes, perSecond } from '../report.ts';
import { partsOf, sendRequest } from '../requests.ts';

const TIMES = 5;
const CONNECTIONS = 128;
/** Connection counts of the crowds; the last is near the limit. */
const CROWDS = [TIMES * CONNECTIONS, 3_000, 9_500];
const PROBE_MS = 50;
const MEMORY_LOOK_MS = 250;
const RECOVERY_MS_MAX = 30_000;

/** Latencies, ms, of clients that connect for one request: by status, and separately for the health check. */
type NewcomerLatencies = Record<string, number[]>;

/**
 * Measures five times the gateway's capacity, from five times the connections and from crowds. Reports the rate still accepted, the time
 * until a new client gets an answer or a refusal, the memory, and the time to recover.
 * The peak is measured before and after each, for half as long, because the machine's speed varies. It includes the same rate of new
 * clients, because they use capacity too. Nothing is dispatched meanwhile, so that all rates measure the same work.
 */
export function overload(seconds: number): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', '4'], async (gateway) => {
    await pauseAll(gateway, true);
    const request = () => sendRequest(gateway);
    const load = async (connections: number, forSeconds: number, rate?: number) => {
      const newcomers = await startHelper('newcomers.ts', String(gateway.port));
      await ask(newcomers, partsOf(request()));
      const result = await putLoad({
        port: gateway.port,
        connections,
        seconds: forSeconds,
        request,
        ...(rate !== undefined && { perSecond: rate }),
      });
      const latencies = await ask<NewcomerLatencies>(newcomers, 'end');
      await newcomers.stop();
      return { result, latencies };
    };
    await load(CONNECTIONS, 3);
    const peakNow = async () => (await load(CONNECTIONS, seconds / 2)).result.perSecond;
    const lines: Line[] = [];
    let before = await peakNow();
    for (const connections of CROWDS) {
      const memory = watchMemory(gateway, MEMORY_LOOK_MS);
      const { result, latencies } = await load(connections, seconds, before * TIMES);
      const recoveredMs = await untilRecovered(gateway, request);
      const bytesMax = Math.max(...(await memory.stop()));
      const after = await peakNow();
      const peak = { what: 'peak', value: perSecond(before), note: `${perSecond(after)} afterwards` };
      lines.push(peak, ...linesOf((before + after) / 2, result, connections, latencies), {
        what: 'memory at most',
        value: megabytes(bytesMax),
        note: `as before after ${Math.round(recoveredMs)} ms`,
      });
      before = after;
    }
    lines.push(
      ...(await beyondPlan(gateway, Math.round(before / TIMES), async () => (await load(CONNECTIONS, seconds)).result)),
    );
    return lines;
  });
}

function linesOf(peak: number, result: LoadResult, connections: number, newcomers: NewcomerLatencies): Line[] {
  const rateOf = (status: string) => (result.statuses[status] ?? 0) / result.seconds;
  const goodput = rateOf('202');
  const from = `from ${connections.toLocaleString('en')} connections`;
  const lines: Line[] = [
    {
      what: `accepted of ${TIMES} times as much ${from}`,
      value: perSecond(goodput),
      p99Ms: result.serverP99['202'] ?? Number.NaN,
      note: `${((goodput / peak) * 100).toFixed(0)} % of the peak; ${JSON.stringify(result.statuses)}`,
    },
    { what: 'turned away', value: perSecond(rateOf('503')) },
  ];
  for (const [answer, latencies] of Object.entries(newcomers)) {
    const at = percentilesOf(latencies);
    lines.push({
      what: `a connection for each send: ${answer}`,
      value: latencies.length.toLocaleString('en'),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    });
  }
  return lines;
}

/** Measures full load from an organization whose plan allows a fifth of it, with clients that ignore Retry-After. */
async function beyondPlan(gateway: BenchGateway, allowed: number, load: () => Promise<LoadResult>): Promise<Line[]> {
  await gateway.admin('PUT', `/organizations/${gateway.organizationId}/plan`, { requests_per_second: allowed });
  const result = await load();
  const perSecondOf = (status: string) => perSecond((result.statuses[status] ?? 0) / result.seconds);
  const p99Of = (status: string) => result.serverP99[status] ?? Number.NaN;
  return [
    {
      what: `accepted where a plan allows ${perSecond(allowed)}`,
      value: perSecondOf('202'),
      p99Ms: p99Of('202'),
      note: JSON.stringify(result.statuses),
    },
    { what: 'refused beyond it', value: perSecondOf('429'), p99Ms: p99Of('429') },
  ];
}

/** Returns the milliseconds until requests are accepted again: ten in a row, each within a tenth of a second. */
async function untilRecovered(gateway: BenchGateway, request: () => string): Promise<number> {
  const startedAt = performance.now();
  let lastBadAt = startedAt;
  let goodInARow = 0;
  while (goodInARow < 10 && performance.now() - startedAt < RECOVERY_MS_MAX) {
    const sentAt = performance.now();
    const { path, ...parts } = partsOf(request());
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}`, parts);
    await answer.text();
    const good = answer.status === 202 && performance.now() - sentAt < 100;
    goodInARow = good ? goodInARow + 1 : 0;
    if (!good) lastBadAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
  return lastBadAt - startedAt;
}
