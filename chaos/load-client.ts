import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, seededRandom } from '../src/core/seeded-random.ts';
import { type Attempt, type ClientRecord, type Lane, LOAD_TEMPLATES, type LoadPlan } from './load-plan.ts';

/**
 * The load, as a separate process. Every lane sends one message after the other and starts the next only when the outcome of the last is
 * known or given up. A message with a key is retried until it is answered. A message without a key is tried once, unless no gateway
 * accepted the connection. Started by fork with a LoadPlan as the first message; ends after the message `stop`.
 */

const ANSWER_MS_MAX = 25_000;
const RETRY_MS = 150;
const GIVE_UP_MS = 60_000;
const KEYED_SHARE = 0.5;
const SYNC_SHARE = 0.08;
/** Share of keyed messages that are sent to both gateways at the same moment. */
const TWICE_SHARE = 0.06;
const HOT_THINK_MS = 20;

const stopping = new AbortController();

async function run(plan: LoadPlan): Promise<void> {
  const records = createWriteStream(plan.recordFile);
  const thinkers = plan.lanes.filter((lane) => lane.hotMessages === 0).length;
  const thinkMs = (1000 * thinkers) / plan.perSecond;
  await Promise.all(
    plan.lanes.map(async (lane) => {
      const random = seededRandom(plan.seed * 100_003 + lane.lane);
      for (let index = 0; !stopping.signal.aborted; index += 1) {
        const isHot = index < lane.hotMessages;
        if (!isHot) await think(random, lane.hotMessages === 0 ? thinkMs : 8_000);
        else await think(random, HOT_THINK_MS);
        if (stopping.signal.aborted) break;
        const record = await sendOne(plan, lane, index, random);
        records.write(`${JSON.stringify(record)}\n`);
      }
    }),
  );
  records.end();
  await once(records, 'finish');
}

/** Waits for an exponentially distributed time; ends early when the load ends. */
async function think(random: Random, meanMs: number): Promise<void> {
  const waitMs = Math.min(-Math.log(1 - random.next()) * meanMs, 10 * meanMs);
  await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
}

async function sendOne(plan: LoadPlan, lane: Lane, index: number, random: Random): Promise<ClientRecord> {
  const tag = `m:${lane.lane}:${index}`;
  const keyed = random.chance(KEYED_SHARE);
  const sync = random.chance(SYNC_SHARE);
  const request: Request = {
    path: `/v1/${lane.phoneNumberId}/messages${sync ? '?sync=true' : ''}`,
    headers: {
      authorization: `Bearer ${plan.apiKey}`,
      'content-type': 'application/json',
      ...(keyed && { 'idempotency-key': tag }),
    },
    body: JSON.stringify(bodyOf(lane, tag, random)),
  };
  const [first, second] = random.chance(0.5) ? plan.gatewayPorts : plan.gatewayPorts.toReversed();
  const ports = [first ?? 0, second ?? first ?? 0];
  const record: ClientRecord = { tag, lane: lane.lane, index, keyed, sync, outcome: 'unknown', ids: [], attempts: [] };
  const rivals = keyed && random.chance(TWICE_SHARE) ? [ports, ports.toReversed()] : [ports];
  const outcomes = await Promise.all(rivals.map((order) => attemptAll(order, request, keyed, record)));
  record.outcome = outcomes.find((outcome) => outcome !== 'unknown') ?? 'unknown';
  return record;
}

function bodyOf(lane: Lane, tag: string, random: Random): Record<string, unknown> {
  const to = { messaging_product: 'whatsapp', to: lane.recipient };
  if (lane.hasWindow && random.chance(0.5))
    return { ...to, type: 'text', text: { body: `Your table is ready. ${tag}` } };
  const { name } = random.pick(LOAD_TEMPLATES);
  const components = [{ type: 'body', parameters: [{ type: 'text', text: tag }] }];
  return { ...to, type: 'template', template: { name, language: { code: 'en_US' }, components } };
}

interface Request {
  path: string;
  headers: Record<string, string>;
  body: string;
}

async function attemptAll(
  ports: readonly number[],
  request: Request,
  keyed: boolean,
  record: ClientRecord,
): Promise<ClientRecord['outcome']> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let turn = 0; performance.now() < deadline; turn += 1) {
    const { attempt, id } = await attemptOnce(ports[turn % ports.length] ?? 0, request);
    // A load balancer would hide a refused connection from its clients.
    if (attempt.code !== 'ECONNREFUSED') record.attempts.push(attempt);
    if (id !== null) record.ids.push(id);
    if (attempt.status === 200 || attempt.status === 202) return 'accepted';
    const mayTryAgain = keyed || attempt.code === 'ECONNREFUSED';
    if (attempt.status !== null && attempt.status < 500 && attempt.status !== 429) return 'refused';
    if (!mayTryAgain) return 'unknown';
    await delay(turn % ports.length === 0 ? 0 : RETRY_MS);
  }
  return 'unknown';
}

async function attemptOnce(port: number, request: Request): Promise<{ attempt: Attempt; id: string | null }> {
  const atMs = Date.now();
  const ended = (status: number | null, code: string | null): Attempt => ({
    atMs,
    untilMs: Date.now(),
    port,
    status,
    code,
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${request.path}`, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const json = (await answer.json()) as { code?: string; messages?: { id: string }[] };
    return { attempt: ended(answer.status, json.code ?? null), id: json.messages?.[0]?.id ?? null };
  } catch (error) {
    return { attempt: ended(null, failureCodeOf(error)), id: null };
  }
}

function failureCodeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

process.on('message', (message: LoadPlan | 'stop') => {
  if (message === 'stop') stopping.abort();
  else {
    void run(message).then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  }
});
// Without the runner no message would ever stop this process.
process.on('disconnect', () => process.exit(1));
