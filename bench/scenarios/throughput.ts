import { type LoadResult, putLoad } from '../load.ts';
import { type BenchGateway, pause, pauseAll, startBenchGateway, startHelper, takenBy } from '../processes.ts';
import { type Line, perSecond } from '../report.ts';
import { sendRequest, statusRequest } from '../requests.ts';
import { insertFloor } from './insert-floor.ts';

const CONNECTIONS = 128;
const STATUSES = ['sent', 'delivered', 'read'];
/** Until the code of a path is compiled; a gateway runs for days. */
const WARM_UP_SECONDS = 4;

/**
 * What the gateway takes in, sends out and follows, each as a share of what a bare HTTP server does with the same requests in the
 * same run. Nothing waits here but for the next answer; latency under an open load is the last line.
 */
export async function throughput(seconds: number): Promise<Line[]> {
  const bare = await startHelper('bare-server.ts');
  const sink = await startHelper('upstream-sink.ts', '32');
  const gateway = await startBenchGateway(sink.port);
  const lines: Line[] = [];
  try {
    const floor = await putLoad({ port: bare.port, connections: 64, seconds, request: () => sendRequest(gateway) });
    lines.push({
      what: 'bare node:http server',
      value: perSecond(floor.perSecond),
      ratio: 1,
      p50Ms: floor.p50,
      p99Ms: floor.p99,
    });
    const line = measured(gateway, floor);

    await pauseAll(gateway, true);
    lines.push(await line('durable accept', () => sendRequest(gateway), seconds));
    lines.push(await line('durable accept, Idempotency-Key', () => sendRequest(gateway, { keyed: true }), seconds));
    const client = await gateway.connect();
    lines.push(await insertFloor(client, seconds));
    await client.end();
    await pauseAll(gateway, false);
    lines.push(await drain(gateway, sink, floor));

    await endToEnd(gateway, sink, floor, WARM_UP_SECONDS);
    await settled(sink);
    lines.push(await endToEnd(gateway, sink, floor, seconds));
    await settled(sink);
    const messages = await takenBy(sink);
    let told = 0;
    const nextStatus = () => {
      told += 1;
      const status = STATUSES[Math.floor(told / messages) % STATUSES.length] ?? 'read';
      return statusRequest(gateway.numbers[0] ?? '', `wamid.bench.${sink.child.pid}.${1 + (told % messages)}`, status);
    };
    lines.push(await line('status webhooks', nextStatus, seconds));
    lines.push(await openLoad(gateway, seconds));
    return lines;
  } finally {
    await gateway.stop();
    await sink.stop();
    await bare.stop();
  }
}

function measured(gateway: BenchGateway, floor: LoadResult) {
  return async (what: string, request: () => string, seconds: number): Promise<Line> => {
    await putLoad({ port: gateway.port, connections: CONNECTIONS, seconds: WARM_UP_SECONDS, request });
    const before = await gateway.cpu();
    const result = await putLoad({ port: gateway.port, connections: CONNECTIONS, seconds, request });
    const after = await gateway.cpu();
    return {
      what,
      value: perSecond(result.perSecond),
      ratio: result.perSecond / floor.perSecond,
      p50Ms: result.p50,
      p99Ms: result.p99,
      gatewayUs: ((after.gateway - before.gateway) / result.answered) * 1e6,
      databaseUs: ((after.database - before.database) / result.answered) * 1e6,
      note: failuresOf(result),
    };
  };
}

/** Everything that was held back goes out at once: dispatch without acceptance beside it. */
async function drain(
  gateway: BenchGateway,
  sink: Awaited<ReturnType<typeof startHelper>>,
  floor: LoadResult,
): Promise<Line> {
  const before = await takenBy(sink);
  const cpuBefore = await gateway.cpu();
  let first = performance.now();
  let last = first;
  let taken = before;
  for (let quiet = 0; quiet < 10; ) {
    await pause(50);
    const now = await takenBy(sink);
    if (now === taken) quiet += taken === before ? 0.02 : 1;
    else {
      if (taken === before) first = performance.now();
      last = performance.now();
      quiet = 0;
    }
    taken = now;
  }
  const cpuAfter = await gateway.cpu();
  const rate = (taken - before) / Math.max(0.05, (last - first) / 1000);
  return {
    what: 'dispatch of a backlog, 0 ms upstream',
    value: perSecond(rate),
    ratio: rate / floor.perSecond,
    gatewayUs: ((cpuAfter.gateway - cpuBefore.gateway) / (taken - before)) * 1e6,
    databaseUs: ((cpuAfter.database - cpuBefore.database) / (taken - before)) * 1e6,
    note: `${taken - before} messages`,
  };
}

/** Accepted and, at the same time, sent and recorded. The rate is what reached the upstream while the load was on. */
async function endToEnd(
  gateway: BenchGateway,
  sink: Awaited<ReturnType<typeof startHelper>>,
  floor: LoadResult,
  seconds: number,
): Promise<Line> {
  const before = await takenBy(sink);
  const cpuBefore = await gateway.cpu();
  const startedAt = performance.now();
  const result = await putLoad({
    port: gateway.port,
    connections: CONNECTIONS,
    seconds,
    request: () => sendRequest(gateway),
  });
  const taken = (await takenBy(sink)) - before;
  const rate = taken / ((performance.now() - startedAt) / 1000);
  const cpuAfter = await gateway.cpu();
  return {
    what: 'accept → POST → recorded, 0 ms upstream',
    value: perSecond(rate),
    ratio: rate / floor.perSecond,
    p50Ms: result.p50,
    p99Ms: result.p99,
    gatewayUs: ((cpuAfter.gateway - cpuBefore.gateway) / taken) * 1e6,
    databaseUs: ((cpuAfter.database - cpuBefore.database) / taken) * 1e6,
    note: failuresOf(result),
  };
}

async function openLoad(gateway: BenchGateway, seconds: number): Promise<Line> {
  const result = await putLoad({
    port: gateway.port,
    connections: CONNECTIONS,
    seconds,
    perSecond: 1000,
    request: () => sendRequest(gateway),
  });
  return {
    what: '202 at 1,000/s, open load, dispatching',
    value: perSecond(result.perSecond),
    p50Ms: result.p50,
    p99Ms: result.p99,
    note: failuresOf(result),
  };
}

/** Waits until the sink gets nothing more. */
async function settled(sink: Awaited<ReturnType<typeof startHelper>>): Promise<void> {
  for (let last = -1, now = await takenBy(sink); now !== last; ) {
    last = now;
    await pause(500);
    now = await takenBy(sink);
  }
}

function failuresOf({ statuses }: LoadResult): string {
  const others = Object.entries(statuses).filter(([status]) => status !== '200' && status !== '202');
  return others.map(([status, count]) => `${count} × ${status}`).join(', ');
}
