import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './cluster.ts';
import { type Lane, LOAD_TEMPLATES } from './load-plan.ts';
import { provision } from './provision.ts';
import { listEnds, listHolds, type MessageEnd } from './queries.ts';
import type { Verdict } from './report.ts';
import { readResentIds } from './resent-ids.ts';

const NUMBERS = 40;
const SENDERS = 48;
const BUSY_MS = 200;
/** Time after which two new nodes have divided the shards between them, ms. */
const SHARED_OUT_MS = 6_000;
/**
 * Longest time from the end of a hold to the committed decision, ms: one more scan for statuses, the decision and its commit, under full
 * load.
 */
const LATE_MS_MAX = 5_000;
const LOOK_MS = 1_000;
/** Longest run, ms: two unanswered attempts and two holds, one after the other for a slowed number. */
const END_MS_MAX = 10 * 60_000;

/** Faults of the requests, tried in this order: each probability applies to the requests that the ones before spared. */
const SPOILS = [
  { kind: 'hang', probability: 0.02 },
  { kind: 'reply_lost', probability: 0.02 },
  { kind: 'reset_after', probability: 0.3 },
  { kind: 'reply_cut', probability: 0.3 },
  { kind: 'reset_before', probability: 0.4 },
  { kind: 'http', http_status: 500, body: '' },
];
const WEBHOOKS_LOST = 0.3;

/**
 * Sends `count` messages to as many people. The upstream answers none of them, and loses the statuses of some that it accepted. Checks that
 * every message ends in a documented way and in time.
 */
export async function runUnknownOutcomes(count: number, print: (line: string) => void): Promise<Verdict> {
  const runDir = mkdtempSync(join(tmpdir(), 'fairway-unknown-'));
  const startedAtMs = Date.now();
  const cluster = await startCluster(runDir);
  try {
    const { upstream, gateways, adminToken } = cluster;
    const { apiKey, lanes } = await provision({
      ...{ upstream, adminToken, gatewayPort: gateways[0].port },
      ...{ numbers: NUMBERS, lanes: count, hotMessages: 0, windowEvery: null },
    });
    await delay(SHARED_OUT_MS);
    for (const spoil of SPOILS) await upstream.addFault({ scope: { endpoint: 'messages' }, ...spoil });
    await upstream.addFault({ kind: 'webhook_lost', probability: WEBHOOKS_LOST });
    print(`chaos: ${count} messages, none of which is answered; logs in ${runDir}`);
    await sendAll(cluster, apiKey, lanes);
    print(`${seconds(startedAtMs)} all accepted`);
    const holds = await waitForEnds(cluster, (line) => print(`${seconds(startedAtMs)} ${line}`));
    await upstream.collect();
    const ends = await listEnds(cluster.postgres.db);
    const resent = await readResentIds(gateways);
    return judge({ count, ends, holds, copies: copiesByTag(cluster), resent, seconds: seconds(startedAtMs) });
  } finally {
    await cluster.stop();
  }
}

async function sendAll(cluster: Cluster, apiKey: string, lanes: readonly Lane[]): Promise<void> {
  const left = lanes.values();
  const sendOn = async () => {
    for (const lane of left) await send(cluster, apiKey, lane);
  };
  await Promise.all(Array.from({ length: SENDERS }, sendOn));
}

/** Sends one message until it is accepted. The key makes all retries to a busy gateway one message. */
async function send({ gateways }: Cluster, apiKey: string, { lane, phoneNumberId, recipient }: Lane): Promise<void> {
  const tag = `m:${lane}:0`;
  const { name } = LOAD_TEMPLATES[lane % LOAD_TEMPLATES.length] ?? LOAD_TEMPLATES[0];
  const components = [{ type: 'body', parameters: [{ type: 'text', text: tag }] }];
  const template = { name, language: { code: 'en_US' }, components };
  const { port } = gateways[lane % 2] ?? gateways[0];
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': tag },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: recipient, type: 'template', template }),
    });
    await answer.arrayBuffer();
    if (answer.status === 202) return;
    if (answer.status !== 503) throw new Error(`${tag} was answered with ${answer.status}`);
    await delay(BUSY_MS);
  }
}

/** Observations of the holds while they lasted. */
interface SeenHolds {
  /** Last known end of each hold, wall-clock ms by message: outages extend holds. */
  untilMs: ReadonlyMap<string, number>;
  /** Longest delay of an ended hold at any look, ms. */
  overdueMs: number;
}

/** Waits until the queue is empty. */
async function waitForEnds({ postgres }: Cluster, print: (line: string) => void): Promise<SeenHolds> {
  const deadline = performance.now() + END_MS_MAX;
  const untilMs = new Map<string, number>();
  let overdueMs = 0;
  for (let look = 0; performance.now() < deadline; look += 1) {
    const { queued, held, nowMs, due } = await listHolds(postgres.db, 2 * LOOK_MS);
    for (const hold of due) {
      untilMs.set(hold.id, hold.untilMs);
      overdueMs = Math.max(overdueMs, nowMs - hold.untilMs);
    }
    if (queued === 0) break;
    if (look % 10 === 0) print(`${queued} in the queue, ${held} of them held`);
    await delay(LOOK_MS);
  }
  return { untilMs, overdueMs };
}

function copiesByTag({ upstream }: Cluster): ReadonlyMap<string, number> {
  const taken = upstream.sends.filter(({ wamid, tag }) => wamid !== null && tag !== null);
  return new Map([...Map.groupBy(taken, ({ tag }) => tag ?? '')].map(([tag, copies]) => [tag, copies.length]));
}

function judge(run: {
  count: number;
  ends: readonly MessageEnd[];
  holds: SeenHolds;
  copies: ReadonlyMap<string, number>;
  resent: ReadonlySet<string>;
  seconds: string;
}): Verdict {
  const { count, ends, holds, copies, resent } = run;
  const copiesOf = ({ tag }: MessageEnd) => copies.get(tag) ?? 0;
  const lateMsOf = ({ id, heldUntilMs, failedAtMs }: MessageEnd) =>
    (failedAtMs ?? 0) - Math.max(heldUntilMs ?? 0, holds.untilMs.get(id) ?? 0);
  const outcomes = ends.reduce((sum, end) => sum + end.unknownOutcomes, 0);
  const known = ends.filter((end) => end.status >= 1 && end.status <= 3);
  const failed = ends.filter((end) => end.errorCode === 'UNKNOWN_OUTCOME');
  const findings: [string, readonly MessageEnd[]][] = [
    ['still queued', ends.filter((end) => end.status === 0)],
    ['ended in another way', ends.filter((end) => end.status === 4 && end.errorCode !== 'UNKNOWN_OUTCOME')],
    ['said to be sent, and not taken', known.filter((end) => copiesOf(end) === 0)],
    ['sent again without a word', ends.filter((end) => copiesOf(end) > 1 && !resent.has(end.id))],
    ['sent more than twice', ends.filter((end) => copiesOf(end) > 2)],
    ['never unknown', ends.filter((end) => end.unknownOutcomes === 0)],
    ['failed too late', failed.filter((end) => lateMsOf(end) > LATE_MS_MAX)],
  ];
  const isClean =
    ends.length === count && holds.overdueMs <= LATE_MS_MAX && findings.every(([, found]) => found.length === 0);
  const latestMs = Math.max(0, ...failed.map(lateMsOf));
  const lines = [
    `chaos: ${outcomes} unknown outcomes of ${ends.length} messages in ${run.seconds.trim()}`,
    `  ${known.filter((end) => end.unknownOutcomes === 1).length} settled by a status in their first hold`,
    `  ${known.filter((end) => end.unknownOutcomes === 2).length} settled by a status in their second`,
    `  ${failed.length} failed as UNKNOWN_OUTCOME, the latest ${Math.round(latestMs)} ms after its hold`,
    `  ${resent.size} sent once more after their hold, ${ends.filter((end) => copiesOf(end) > 1).length} of them taken twice`,
    `  at most ${Math.round(holds.overdueMs)} ms overdue at any look`,
    ...findings.map(([name, found]) => `  ${String(found.length).padStart(5)}  ${name}`),
    isClean ? 'chaos: every outcome came to a stated end in time' : 'chaos: PROMISES WERE BROKEN',
  ];
  return { report: `${lines.join('\n')}\n`, isClean };
}

function seconds(sinceMs: number): string {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1).padStart(7)} s`;
}
