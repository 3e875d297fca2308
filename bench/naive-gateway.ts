import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { Pool } from 'undici';
import { newId } from '../src/core/ids.ts';
import { MicroBatcher } from '../src/database/batching/micro-batcher.ts';

/** A message in a naive gateway's queue: the body as received, and its number. */
export interface NaiveMessage {
  id: string;
  number: string;
  body: string;
}

/** A job queue under a naive gateway. */
export interface NaiveQueue {
  /** Resolves once the messages survive a crash. */
  enqueue(messages: NaiveMessage[]): Promise<void>;
  /** Starts the worker. It calls `send` for every message; the job is done once `send` resolves. */
  work(send: (message: NaiveMessage) => Promise<void>): Promise<void>;
  /** Stores results. Resolves once they survive a crash. */
  record(sent: Sent[]): Promise<void>;
  /** Returns the number of stored results. */
  countRecorded(): Promise<number>;
}

/** The result of a message. */
export interface Sent {
  id: string;
  wamid: string;
}

/** Commands of the benchmark to a naive gateway. */
export type NaiveCommand = { do: 'work' } | { do: 'fill'; count: number; forMs: number } | { do: 'recorded' };

/** Arguments of the process. */
export interface NaiveArguments {
  /** Connection string of the queue's own server. */
  connection: string;
  upstreamPort: number;
  handing: Handing;
}

/** Messages and results reach the queue in calls of one item each, or in batches. */
export type Handing = 'one by one' | 'batched';

const BATCH = { itemsMax: 200, lanes: 2 };
const FILL_BATCH = 2_000;
const FILL_LANES = 2;
const RECORD_CONNECTIONS = 20;
const UPSTREAM_CONNECTIONS = 256;

export function naiveArguments(): NaiveArguments {
  const [connection = '', upstreamPort, handing] = process.argv.slice(2);
  return { connection, upstreamPort: Number(upstreamPort), handing: handing === 'batched' ? handing : 'one by one' };
}

/**
 * A gateway that a developer could write in an afternoon around a job queue. It accepts a message over HTTP, queues it and answers 202; a
 * worker in the same process POSTs it to the upstream and records the answer. No tenants, no checks, no windows, no limits, no idempotency,
 * no events.
 */
export function serveNaiveGateway(queue: NaiveQueue, { upstreamPort, handing }: NaiveArguments): void {
  const enqueue = handedOver((messages: NaiveMessage[]) => queue.enqueue(messages), handing);
  const record = handedOver((sent: Sent[]) => queue.record(sent), handing);
  const upstream = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: UPSTREAM_CONNECTIONS, pipelining: 1 });
  const send = async ({ id, number, body }: NaiveMessage) => {
    const answer = await upstream.request({
      method: 'POST',
      path: `/v24.0/${number}/messages`,
      headers: { authorization: 'Bearer EAAbench', 'content-type': 'application/json' },
      body,
    });
    const { messages } = (await answer.body.json()) as { messages: [{ id: string }] };
    await record({ id, wamid: messages[0].id });
  };

  const server = createServer((request, response) => {
    readBody(request, async (body) => {
      const { to } = JSON.parse(body) as { to: string };
      const id = newId();
      await enqueue({ id, number: request.url?.split('/')[2] ?? '', body });
      const answer = JSON.stringify({
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: to.slice(1) }],
        messages: [{ id, message_status: 'queued' }],
      });
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  process.on('message', async (command: NaiveCommand) => {
    if (command.do === 'work') await queue.work(send);
    process.send?.({
      ...(command.do === 'fill' && { loaded: await fill(queue, command) }),
      ...(command.do === 'recorded' && { recorded: await queue.countRecorded() }),
    });
  });
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
}

/** Hands over single items. If batched, the items that arrive during a batch form the next one, as in the gateway itself. */
function handedOver<Item>(handOver: (items: Item[]) => Promise<void>, handing: Handing): (item: Item) => Promise<void> {
  if (handing === 'one by one') return (item) => handOver([item]);
  const batcher = new MicroBatcher<Item, void>({
    ...BATCH,
    flush: (items) => handOver(items).then(() => items.map(() => undefined)),
  });
  return (item) => batcher.submit(item);
}

/** Queues messages in sets of the queue's preferred size until there are `count` or `forMs` have passed. */
async function fill(queue: NaiveQueue, { count, forMs }: { count: number; forMs: number }): Promise<number> {
  const endsAt = performance.now() + forMs;
  let given = 0;
  let loaded = 0;
  const lane = async () => {
    while (given < count && performance.now() < endsAt) {
      const size = Math.min(FILL_BATCH, count - given);
      const first = given;
      given += size;
      await queue.enqueue(Array.from({ length: size }, (_, index) => fillMessage(first + index)));
      loaded += size;
    }
  };
  await Promise.all(Array.from({ length: FILL_LANES }, lane));
  return loaded;
}

function fillMessage(index: number): NaiveMessage {
  const template = { name: 'bench_marketing', language: { code: 'en_US' } };
  const to = String(15_550_000_000 + index);
  const body = JSON.stringify({ messaging_product: 'whatsapp', to, type: 'template', template });
  return { id: newId(), number: '200000000', body };
}

function readBody(request: IncomingMessage, done: (body: string) => Promise<void>): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => void done(Buffer.concat(chunks).toString()));
}

/** Stores results as rows of a table in the queue's database. */
export async function recordInPostgres(connection: string): Promise<Pick<NaiveQueue, 'record' | 'countRecorded'>> {
  const pool = new pg.Pool({ connectionString: connection, max: RECORD_CONNECTIONS });
  await pool.query(
    'CREATE TABLE sent (id uuid PRIMARY KEY, wamid text NOT NULL, at timestamptz NOT NULL DEFAULT now())',
  );
  return {
    async record(sent) {
      await pool.query({
        name: 'record',
        text: 'INSERT INTO sent (id, wamid) SELECT * FROM unnest($1::uuid[], $2::text[])',
        values: [sent.map(({ id }) => id), sent.map(({ wamid }) => wamid)],
      });
    },
    async countRecorded() {
      const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM sent');
      return Number(rows[0]?.count);
    },
  };
}
