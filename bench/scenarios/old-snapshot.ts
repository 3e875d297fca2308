import { putLoad } from '../load.ts';
import { type BenchGateway, type BenchProcess, startBenchGateway, startHelper, takenBy } from '../processes.ts';
import { type Line, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const CONNECTIONS = 256;
const PER_SECOND = 1_000;
const WARM_UP_SECONDS = 12;
const PART_SECONDS = 20;

/**
 * What sending costs beside a dump or a long report: somebody keeps one snapshot for `seconds`, so that PostgreSQL can clear away
 * nothing that was written since. Accepted, sent and recorded at an open rate throughout.
 */
export async function oldSnapshot(seconds: number): Promise<Line[]> {
  const sink = await startHelper('upstream-sink.ts', '32');
  const gateway = await startBenchGateway(sink.port);
  try {
    await load(gateway, WARM_UP_SECONDS);
    const lines = [await measure(gateway, sink, 'before')];
    const reader = await gateway.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM message');
    await load(gateway, seconds);
    lines.push(await measure(gateway, sink, `a snapshot held for ${seconds} s`));
    await reader.end();
    return lines;
  } finally {
    await gateway.stop();
    await sink.stop();
  }
}

async function measure(gateway: BenchGateway, sink: BenchProcess, when: string): Promise<Line> {
  const takenBefore = await takenBy(sink);
  const before = await gateway.cpu();
  const result = await load(gateway, PART_SECONDS);
  const after = await gateway.cpu();
  const sent = (await takenBy(sink)) - takenBefore;
  return {
    what: `accept → POST → recorded at ${PER_SECOND.toLocaleString('en')}/s, ${when}`,
    value: perSecond(sent / result.seconds),
    p50Ms: result.p50,
    p99Ms: result.p99,
    gatewayUs: ((after.gateway - before.gateway) / sent) * 1e6,
    databaseUs: ((after.database - before.database) / sent) * 1e6,
  };
}

function load(gateway: BenchGateway, seconds: number) {
  const request = () => sendRequest(gateway);
  return putLoad({ port: gateway.port, connections: CONNECTIONS, seconds, perSecond: PER_SECOND, request });
}
