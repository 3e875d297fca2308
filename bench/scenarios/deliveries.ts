import { putLoad } from '../load.ts';
import {
  ask,
  type BenchGateway,
  type BenchProcess,
  callerOf,
  pause,
  startHelper,
  takenBy,
  watchMemory,
  withGateway,
} from '../processes.ts';
import { cpuPerMessage, type Line, megabytes, perSecond } from '../report.ts';
import { sendRequest, statusRequest } from '../requests.ts';

const NUMBERS = 32;
const CONNECTIONS = 96;
/** Statuses that make an event. The answer to the send already reports `sent`. */
const STATUSES = ['delivered', 'read'];
const EVENTS_PER_SECOND = 3_300;
const BACKLOG_PER_SECOND = 2_000;
const BACKLOG_SECONDS_MAX = 10;
const MEMORY_LOOK_MS = 1_000;

interface Receivers {
  ports: number[];
  /** Returns the number of deliveries that the healthy receiver has received in all. */
  taken(): Promise<number>;
  /** Returns the healthy receiver's latencies since the last call. */
  report(): Promise<{ p50: number; p99: number; max: number }>;
  stop(): Promise<void>;
}

/** Statuses to post, each of which makes an event. */
interface Statuses {
  next(): string;
  /** Count of posted statuses per number. */
  told: Map<string, number>;
}

/**
 * Measures deliveries to customers' endpoints, one endpoint per number. First all endpoints are healthy and a backlog is delivered. Then
 * half of them are slow, hang or are unreachable, and statuses arrive at an open rate, while the healthy endpoints must receive theirs in
 * time.
 */
export async function deliveries(seconds: number): Promise<Line[]> {
  const receivers = await startReceivers();
  const measure = async (gateway: BenchGateway, sink: BenchProcess) => {
    const backlogSeconds = Math.min(seconds / 2, BACKLOG_SECONDS_MAX);
    const statuses = EVENTS_PER_SECOND * seconds + BACKLOG_PER_SECOND * backlogSeconds;
    const wamids = await sendAll(gateway, sink, Math.ceil(statuses / STATUSES.length));
    const source = statusesOf(wamids);
    return [
      await drained(gateway, receivers, source, backlogSeconds),
      ...(await withBadNeighbours(gateway, receivers, source, seconds)),
    ];
  };
  const env = { FETCH_ALLOW_CIDRS: '127.0.0.0/8' };
  return await withGateway(['upstream-sink.ts', String(NUMBERS)], measure, env).finally(receivers.stop);
}

/** Measures the delivery of a backlog of disabled endpoints at full speed. */
async function drained(
  gateway: BenchGateway,
  receivers: Receivers,
  statuses: Statuses,
  seconds: number,
): Promise<Line> {
  const [healthy = 0] = receivers.ports;
  const webhooks = webhooksOf(gateway);
  const ids = await Promise.all(gateway.numbers.map((number) => register(gateway, healthy, number)));
  for (const id of ids) await webhooks('PATCH', `/${id}`, { disabled: true });
  await putLoad({
    port: gateway.port,
    connections: CONNECTIONS,
    seconds,
    perSecond: BACKLOG_PER_SECOND,
    request: statuses.next,
  });
  const before = await gateway.cpu();
  const startedAt = performance.now();
  for (const id of ids) await webhooks('POST', `/${id}/enable`);
  const { taken, lastAt } = await quiet(receivers);
  const waited = sum(statuses.told.values());
  const rate = taken / ((lastAt - startedAt) / 1000);
  const after = await gateway.cpu();
  for (const id of ids) await webhooks('DELETE', `/${id}`);
  return {
    what: 'webhook deliveries of a backlog, healthy endpoints',
    value: perSecond(rate),
    ...cpuPerMessage(before, after, taken),
    note: `${taken} of ${waited} to ${ids.length} endpoints`,
  };
}

async function withBadNeighbours(
  gateway: BenchGateway,
  receivers: Receivers,
  statuses: Statuses,
  seconds: number,
): Promise<Line[]> {
  const [healthy = 0, ...bad] = receivers.ports;
  for (const [index, number] of gateway.numbers.entries()) {
    const port = isHealthy(number, index) ? healthy : (bad[(index >> 1) % bad.length] ?? healthy);
    await register(gateway, port, number);
  }
  await receivers.report();
  const takenBefore = await receivers.taken();
  statuses.told.clear();
  const memory = watchMemory(gateway, MEMORY_LOOK_MS);
  const before = await gateway.cpu();
  const startedAt = performance.now();
  const upstream = await putLoad({
    port: gateway.port,
    connections: CONNECTIONS,
    seconds,
    perSecond: EVENTS_PER_SECOND,
    request: statuses.next,
  });
  const after = await gateway.cpu();
  const memoryNote = courseOf(await memory.stop());
  const { taken, lastAt } = await quiet(receivers);
  const { p50, p99, max } = await receivers.report();
  const delivered = taken - takenBefore;
  const expected = sum(gateway.numbers.filter(isHealthy).map((number) => statuses.told.get(number) ?? 0));
  const refused = upstream.answered - (upstream.statuses['200'] ?? 0);
  return [
    {
      what: `statuses in at ${EVENTS_PER_SECOND.toLocaleString('en')}/s, half the endpoints slow or dead`,
      value: perSecond(upstream.perSecond),
      p50Ms: upstream.p50,
      p99Ms: upstream.p99,
      ...cpuPerMessage(before, after, upstream.answered),
      note: `${refused} of ${upstream.answered} not answered 200, ${memoryNote}`,
    },
    {
      what: 'deliveries to the healthy half meanwhile, from the status on',
      value: perSecond(delivered / ((lastAt - startedAt) / 1000)),
      p50Ms: p50,
      p99Ms: p99,
      note: `${delivered} of ${expected} delivered, slowest after ${max} ms`,
    },
  ];
}

/** Returns true for even indices: their endpoint answers at once. */
function isHealthy(_number: string, index: number): boolean {
  return index % 2 === 0;
}

/** Describes the course of the memory samples in words. */
function courseOf(bytes: readonly number[]): string {
  const at = (share: number) => megabytes(bytes[Math.floor((bytes.length - 1) * share)] ?? Number.NaN);
  return `memory ${at(0)} at first, ${at(0.25)} after a quarter, ${at(0.5)} half way, ${at(1)} at last, at most ${megabytes(Math.max(...bytes))}`;
}

function sum(values: Iterable<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

/** Sends messages. Resolves with the wamids that the sink assigned, each with its number. */
async function sendAll(
  gateway: BenchGateway,
  sink: BenchProcess,
  count: number,
): Promise<{ wamid: string; number: string }[]> {
  let sent = 0;
  while (sent < count) {
    const load = { port: gateway.port, connections: CONNECTIONS, seconds: 1, request: () => sendRequest(gateway) };
    sent += (await putLoad(load)).statuses['202'] ?? 0;
  }
  while ((await takenBy(sink)) < sent) await pause(200);
  const sql = `SELECT m.wamid, n.phone_number_id AS number FROM message m JOIN sending_number n USING (number_id)
     WHERE m.wamid IS NOT NULL ORDER BY random()`;
  return (await gateway.inDatabase((client) => client.query<{ wamid: string; number: string }>(sql))).rows;
}

/** Makes statuses as the upstream posts them: `delivered` for all messages, then `read` for all. Throws once all were posted. */
function statusesOf(wamids: { wamid: string; number: string }[]): Statuses {
  const told = new Map<string, number>();
  let count = 0;
  return {
    told,
    next() {
      const of = wamids[count % wamids.length];
      const status = STATUSES[Math.floor(count / wamids.length)];
      if (of === undefined || status === undefined) throw new Error('more statuses than the messages have');
      count += 1;
      told.set(of.number, (told.get(of.number) ?? 0) + 1);
      return statusRequest(of.number, of.wamid, status, { bench_at: Date.now() });
    },
  };
}

async function register(gateway: BenchGateway, port: number, number: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/${number}`;
  const events = ['message.delivered', 'message.read'];
  const body = { url, format: 'cloud_api', phone_number_ids: [number], events };
  return ((await webhooksOf(gateway)('POST', '', body)) as { id: string }).id;
}

function webhooksOf({ port, apiKey }: BenchGateway) {
  return callerOf(port, '/v1/webhooks', apiKey);
}

/** Waits until the healthy endpoint receives nothing more. Resolves with its total and the time of the last delivery. */
async function quiet(receivers: Receivers): Promise<{ taken: number; lastAt: number }> {
  let taken = await receivers.taken();
  let lastAt = performance.now();
  for (let looks = 0; looks < 20; looks += 1) {
    await pause(100);
    const now = await receivers.taken();
    if (now === taken) continue;
    lastAt = performance.now();
    looks = 0;
    taken = now;
  }
  return { taken, lastAt };
}

async function startReceivers(): Promise<Receivers> {
  const receivers = await startHelper('webhook-receivers.ts');
  const { ports } = await ask<{ ports: number[] }>(receivers, 'ports?');
  return { ports, taken: () => takenBy(receivers), report: () => ask(receivers, 'report'), stop: receivers.stop };
}
