import { putLoad } from '../load.ts';
import { type BenchGateway, type BenchProcess, takenBy, withGateway } from '../processes.ts';
import { cpuPerMessage, type Line, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const CONNECTIONS = 256;
const PER_SECOND = 1_000;
const WARM_UP_SECONDS = 12;
const PART_SECONDS = 20;

/**
 * Measures the cost of sending beside a dump or a long report. Another client keeps one snapshot for `seconds`, so that PostgreSQL cannot
 * remove row versions written since. Messages are accepted, sent and recorded at an open rate throughout.
 */
export function oldSnapshot(seconds: number): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', '32'], async (gateway, sink) => {
    await load(gateway, WARM_UP_SECONDS);
    const before = await measure(gateway, sink, 'before');
    const beside = await gateway.inDatabase(async (reader) => {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await reader.query('SELECT count(*) FROM message');
      await load(gateway, seconds);
      return await measure(gateway, sink, `a snapshot held for ${seconds} s`);
    });
    return [before, beside];
  });
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
    ...cpuPerMessage(before, after, sent),
  };
}

function load(gateway: BenchGateway, seconds: number) {
  const request = () => sendRequest(gateway);
  return putLoad({ port: gateway.port, connections: CONNECTIONS, seconds, perSecond: PER_SECOND, request });
}
