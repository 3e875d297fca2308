import { type LoadResult, putLoad } from '../load.ts';
import { type BenchGateway, pauseAll, watchMemory, withGateway } from '../processes.ts';
import { type Line, megabytes, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const TIMES = 5;
const CONNECTIONS = 128;
/** More than can be served at once: most are turned away, and come again as soon as they are. */
const CROWD = 3_000;
const PROBE_MS = 50;
const MEMORY_LOOK_MS = 250;
const RECOVERY_MS_MAX = 30_000;

/**
 * Five times as much as the gateway can take, from five times the connections, and then from a crowd: what it still accepts, how
 * fast it turns the rest away, how much memory that takes, and how soon it is as before. Nothing is dispatched meanwhile, so that
 * all rates are of the same work.
 */
export function overload(seconds: number): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', '4'], async (gateway) => {
    await pauseAll(gateway, true);
    const request = () => sendRequest(gateway);
    const load = (connections: number, forSeconds: number, rate?: number) =>
      putLoad({
        port: gateway.port,
        connections,
        seconds: forSeconds,
        request,
        ...(rate !== undefined && { perSecond: rate }),
      });
    await load(CONNECTIONS, 3);
    const peak = await load(CONNECTIONS, seconds);
    const lines: Line[] = [
      { what: 'peak', value: perSecond(peak.perSecond), p99Ms: peak.p99, note: JSON.stringify(peak.statuses) },
    ];
    for (const connections of [TIMES * CONNECTIONS, CROWD]) {
      const memory = watchMemory(gateway, MEMORY_LOOK_MS);
      const result = await load(connections, seconds, peak.perSecond * TIMES);
      const recoveredMs = await untilRecovered(gateway, request);
      lines.push(...linesOf(peak, result, connections, recoveredMs, Math.max(...(await memory.stop()))));
    }
    return lines;
  });
}

function linesOf(
  peak: LoadResult,
  result: LoadResult,
  connections: number,
  recoveredMs: number,
  bytesMax: number,
): Line[] {
  const rateOf = (status: string) => (result.statuses[status] ?? 0) / result.seconds;
  const goodput = rateOf('202');
  const offered = perSecond(peak.perSecond * TIMES);
  const from = `from ${connections.toLocaleString('en')} connections`;
  return [
    {
      what: `accepted of ${offered} offered ${from}`,
      value: perSecond(goodput),
      p99Ms: result.serverP99['202'] ?? Number.NaN,
      note: `${((goodput / peak.perSecond) * 100).toFixed(0)} % of the peak; ${JSON.stringify(result.statuses)}`,
    },
    {
      what: 'turned away',
      value: perSecond(rateOf('503')),
      ...(result.serverP99['503'] !== undefined && { p99Ms: result.serverP99['503'] }),
      note: `memory at most ${megabytes(bytesMax)}, as before after ${Math.round(recoveredMs)} ms`,
    },
  ];
}

/** Milliseconds until requests are accepted again, each of ten in a row within a tenth of a second. */
async function untilRecovered(gateway: BenchGateway, request: () => string): Promise<number> {
  const startedAt = performance.now();
  let lastBadAt = startedAt;
  let goodInARow = 0;
  while (goodInARow < 10 && performance.now() - startedAt < RECOVERY_MS_MAX) {
    const sentAt = performance.now();
    const { pathname, headers, body } = partsOf(request());
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${pathname}`, { method: 'POST', headers, body });
    await answer.text();
    const good = answer.status === 202 && performance.now() - sentAt < 100;
    goodInARow = good ? goodInARow + 1 : 0;
    if (!good) lastBadAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
  return lastBadAt - startedAt;
}

function partsOf(request: string): { pathname: string; headers: Record<string, string>; body: string } {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((text) => text.split(': ') as [string, string]));
  delete headers['content-length'];
  delete headers.host;
  return { pathname: line.split(' ')[1] ?? '/', headers, body };
}
