import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { putLoad } from '../load.ts';
import { type BenchGateway, pause, startBenchGateway, startHelper, takenBy } from '../processes.ts';
import { type Line, megabytes, perSecond } from '../report.ts';
import { sendRequest, statusRequest } from '../requests.ts';

const NUMBERS = 32;
const CONNECTIONS = 96;
const STATUSES = ['sent', 'delivered', 'read'];
const EVENTS_PER_SECOND = 3_300;

interface Receivers {
  ports: number[];
  /** What the healthy one has got in all, and the latencies since this was last asked. */
  report(): Promise<{ taken: number; p50: number; p99: number; max: number }>;
  stop(): void;
}

/**
 * Deliveries to customers' endpoints, one endpoint per number. First all of them are healthy and a backlog is delivered; then half
 * of them are slow, hang or are not there, and statuses come in at an open rate while the healthy ones are to get theirs in time.
 */
export async function deliveries(seconds: number): Promise<Line[]> {
  const receivers = await startReceivers();
  const sink = await startHelper('upstream-sink.ts', String(NUMBERS));
  const gateway = await startBenchGateway(sink.port, { FETCH_ALLOW_CIDRS: '127.0.0.0/8' });
  try {
    const wamids = await sendAll(gateway, sink, Math.ceil((EVENTS_PER_SECOND * seconds) / (STATUSES.length - 1)));
    const nextStatus = statusesOf(gateway, wamids);
    return [
      await drained(gateway, receivers, nextStatus, seconds),
      ...(await withBadNeighbours(gateway, receivers, nextStatus, seconds)),
    ];
  } finally {
    await gateway.stop();
    await sink.stop();
    receivers.stop();
  }
}

/** Everything that waited for disabled endpoints, delivered as fast as it goes. */
async function drained(
  gateway: BenchGateway,
  receivers: Receivers,
  nextStatus: () => string,
  seconds: number,
): Promise<Line> {
  const [healthy = 0] = receivers.ports;
  const ids = await Promise.all(gateway.numbers.map((number) => register(gateway, healthy, number)));
  for (const id of ids) await api(gateway, 'PATCH', `/${id}`, { disabled: true });
  await putLoad({
    port: gateway.port,
    connections: CONNECTIONS,
    seconds: seconds / 2,
    perSecond: 2_000,
    request: nextStatus,
  });
  const before = await gateway.cpu();
  const startedAt = performance.now();
  for (const id of ids) await api(gateway, 'POST', `/${id}/enable`);
  const { taken, lastAt } = await quiet(receivers);
  const rate = taken / ((lastAt - startedAt) / 1000);
  const after = await gateway.cpu();
  for (const id of ids) await api(gateway, 'DELETE', `/${id}`);
  return {
    what: 'webhook deliveries of a backlog, healthy endpoints',
    value: perSecond(rate),
    gatewayUs: ((after.gateway - before.gateway) / taken) * 1e6,
    databaseUs: ((after.database - before.database) / taken) * 1e6,
    note: `${taken} deliveries to ${ids.length} endpoints`,
  };
}

async function withBadNeighbours(
  gateway: BenchGateway,
  receivers: Receivers,
  nextStatus: () => string,
  seconds: number,
): Promise<Line[]> {
  const [healthy = 0, ...bad] = receivers.ports;
  for (const [index, number] of gateway.numbers.entries()) {
    const port = index % 2 === 0 ? healthy : (bad[(index >> 1) % bad.length] ?? healthy);
    await register(gateway, port, number);
  }
  await receivers.report();
  const takenBefore = (await receivers.report()).taken;
  const memoryBefore = await gateway.memory();
  const before = await gateway.cpu();
  const startedAt = performance.now();
  const load = {
    port: gateway.port,
    connections: CONNECTIONS,
    seconds,
    perSecond: EVENTS_PER_SECOND,
    request: nextStatus,
  };
  const upstream = await putLoad(load);
  const { taken, lastAt, p50, p99, max } = await quiet(receivers);
  const after = await gateway.cpu();
  const delivered = taken - takenBefore;
  const grown = (await gateway.memory()) - memoryBefore;
  return [
    {
      what: `statuses in at ${EVENTS_PER_SECOND.toLocaleString('en')}/s, half the endpoints slow or dead`,
      value: perSecond(upstream.perSecond),
      p50Ms: upstream.p50,
      p99Ms: upstream.p99,
      gatewayUs: ((after.gateway - before.gateway) / upstream.answered) * 1e6,
      databaseUs: ((after.database - before.database) / upstream.answered) * 1e6,
      note: `memory ${grown < 0 ? '−' : '+'}${megabytes(Math.abs(grown))}`,
    },
    {
      what: 'deliveries to the healthy half, from the status on',
      value: perSecond(delivered / ((lastAt - startedAt) / 1000)),
      p50Ms: p50,
      p99Ms: p99,
      note: `${delivered} deliveries, slowest ${max} ms`,
    },
  ];
}

/** Sends messages and answers the wamids the sink gave them, with the number each was sent from. */
async function sendAll(
  gateway: BenchGateway,
  sink: Awaited<ReturnType<typeof startHelper>>,
  count: number,
): Promise<{ wamid: string; number: string }[]> {
  let sent = 0;
  while (sent < count) {
    const load = { port: gateway.port, connections: CONNECTIONS, seconds: 1, request: () => sendRequest(gateway) };
    sent += (await putLoad(load)).statuses['202'] ?? 0;
  }
  while ((await takenBy(sink)) < sent) await pause(200);
  const client = await gateway.connect();
  const { rows } = await client.query<{ wamid: string; number: string }>(
    `SELECT m.wamid, n.phone_number_id AS number FROM message m JOIN sending_number n USING (number_id)
     WHERE m.wamid IS NOT NULL ORDER BY random()`,
  );
  await client.end();
  return rows;
}

/** Statuses as the upstream posts them: `sent` of all messages, then `delivered` of all, then `read`. */
function statusesOf(gateway: BenchGateway, wamids: { wamid: string; number: string }[]): () => string {
  let told = wamids.length;
  return () => {
    const { wamid, number } = wamids[told % wamids.length] ?? { wamid: '', number: gateway.numbers[0] ?? '' };
    const status = STATUSES[Math.floor(told / wamids.length) % STATUSES.length] ?? 'read';
    told += 1;
    return statusRequest(number, wamid, status, { bench_at: Date.now() });
  };
}

async function register(gateway: BenchGateway, port: number, number: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/${number}`;
  const events = ['message.delivered', 'message.read'];
  const body = { url, format: 'cloud_api', phone_number_ids: [number], events };
  return ((await api(gateway, 'POST', '', body)) as { id: string }).id;
}

async function api(gateway: BenchGateway, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/webhooks${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.apiKey}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /v1/webhooks${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Waits until the healthy endpoint gets nothing more; answers its last report that had something. */
async function quiet(receivers: Receivers): Promise<Awaited<ReturnType<Receivers['report']>> & { lastAt: number }> {
  let report = await receivers.report();
  let lastAt = performance.now();
  for (let looks = 0; looks < 20; looks += 1) {
    await pause(100);
    const now = await receivers.report();
    if (now.taken > report.taken) {
      lastAt = performance.now();
      looks = 0;
      report = {
        taken: now.taken,
        p50: Math.max(report.p50, now.p50),
        p99: Math.max(report.p99, now.p99),
        max: Math.max(report.max, now.max),
      };
    }
  }
  return { ...report, lastAt };
}

async function startReceivers(): Promise<Receivers> {
  const child = fork(join(import.meta.dirname, '../webhook-receivers.ts'));
  const [{ ports }] = (await once(child, 'message')) as [{ ports: number[] }];
  return {
    ports,
    async report() {
      const answer = once(child, 'message');
      child.send('report');
      return ((await answer) as [Awaited<ReturnType<Receivers['report']>>])[0];
    },
    stop: () => child.kill(),
  };
}
