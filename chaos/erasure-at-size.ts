import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './cluster.ts';
import { eraseState, fillMessages, fillPayloads, findOwner, tablesWith } from './erasure-queries.ts';
import { type Lane, LOAD_TEMPLATES } from './load-plan.ts';
import { provision } from './provision.ts';
import type { Verdict } from './report.ts';

/** Two people with a hundredth of all messages each. The erasure of the second one is interrupted. */
const PEOPLE = ['13125557001', '13125557002'] as const;
const PERSON_EVERY = 100;
/** Payloads of the platform in the journal, for each message. */
const PAYLOADS_PER_MESSAGE = 0.1;
const LANES = 400;
const SENDS_PER_SECOND = 20;
const QUIET_MS = 15_000;
const LOOK_MS = 20;
/** Time in which both gateways start again and one of them finds the open erasure, ms. */
const END_MS_MAX = 600_000;
/** Allowed growth of the median time to accept a send, in ms: noise of two cores. A lock would add whole seconds. */
const SLOWER_MS_MAX = 25;

/** The times in which sends were accepted, in ms, and the number that was not. */
interface Sends {
  ms: number[];
  refused: number;
}

/**
 * Fills the gateway with `count` messages and erases two people while a client sends. Checks that sends are not slower meanwhile, that a
 * SIGKILL of both gateways half way delays the second erasure only, and that neither person is found anywhere in the database afterwards.
 */
export async function runErasure(count: number, print: (line: string) => void): Promise<Verdict> {
  const runDir = mkdtempSync(join(tmpdir(), 'fairway-erasure-'));
  const cluster = await startCluster(runDir);
  try {
    const { upstream, gateways, adminToken, postgres } = cluster;
    const { apiKey, lanes } = await provision({
      ...{ upstream, adminToken, gatewayPort: gateways[0].port },
      ...{ numbers: 4, lanes: LANES, hotMessages: 0, windowEvery: null },
    });
    const owner = await findOwner(postgres.db);
    print(`chaos: ${count} messages are stored; logs in ${runDir}`);
    await fillMessages(postgres.db, owner, { count, people: PEOPLE, personEvery: PERSON_EVERY });
    await fillPayloads(postgres.db, owner, {
      count: count * PAYLOADS_PER_MESSAGE,
      people: PEOPLE,
      personEvery: PERSON_EVERY,
    });
    const sender = startSender(cluster, apiKey, lanes);
    await delay(QUIET_MS);
    const before = sender.take();
    const first = await erase(cluster, apiKey, PEOPLE[0], { isKilled: false });
    const during = sender.take();
    const second = await erase(cluster, apiKey, PEOPLE[1], { isKilled: true });
    await sender.stop();
    const left = await Promise.all(PEOPLE.map((person) => tablesWith(postgres.db, person)));
    return judge({ count, before, during, first, second, left });
  } finally {
    await cluster.stop();
  }
}

/** Sends to one lane after the other at a steady rate until it is stopped. */
function startSender(cluster: Cluster, apiKey: string, lanes: readonly Lane[]) {
  let sends: Sends = { ms: [], refused: 0 };
  let isStopped = false;
  const run = (async () => {
    for (let index = 0; !isStopped; index += 1) {
      const lane = lanes[index % lanes.length];
      if (lane !== undefined) void sendOnce(cluster, apiKey, lane, index, sends);
      await delay(1000 / SENDS_PER_SECOND);
    }
  })();
  return {
    /** Returns the sends since the last call. */
    take(): Sends {
      const taken = sends;
      sends = { ms: [], refused: 0 };
      return taken;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await run;
    },
  };
}

async function sendOnce(
  { gateways }: Cluster,
  apiKey: string,
  { lane, phoneNumberId, recipient }: Lane,
  index: number,
  sends: Sends,
): Promise<void> {
  const { name } = LOAD_TEMPLATES[lane % LOAD_TEMPLATES.length] ?? LOAD_TEMPLATES[0];
  const components = [{ type: 'body', parameters: [{ type: 'text', text: `m:${lane}:${index}` }] }];
  const template = { name, language: { code: 'en_US' }, components };
  const { port } = gateways[index % 2] ?? gateways[0];
  const startMs = performance.now();
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: recipient, type: 'template', template }),
    });
    await answer.arrayBuffer();
    if (answer.status === 202) sends.ms.push(performance.now() - startMs);
    else sends.refused += 1;
  } catch {
    sends.refused += 1;
  }
}

/** The course of one erasure. */
interface Course {
  seconds: number;
  messages: number;
  events: number;
  payloads: number;
  /** Messages erased when both gateways were killed; null if none was. */
  killedAt: number | null;
}

async function erase(
  { gateways, postgres }: Cluster,
  apiKey: string,
  person: string,
  { isKilled }: { isKilled: boolean },
): Promise<Course> {
  const startMs = performance.now();
  const id = await request(gateways[0].port, apiKey, person);
  let killedAt: number | null = null;
  while (performance.now() - startMs < END_MS_MAX) {
    const state = await eraseState(postgres.db, id);
    if (state.isDone) return { ...state, killedAt, seconds: (performance.now() - startMs) / 1000 };
    if (isKilled && killedAt === null && state.messages > 0) {
      killedAt = state.messages;
      for (const gateway of gateways) gateway.kill();
    }
    await delay(LOOK_MS);
  }
  throw new Error(`the erasure ${id} did not end within ${END_MS_MAX / 1000} s`);
}

/** Requests an erasure until it is accepted: a gateway under full load may refuse. Returns its id. */
async function request(port: number, apiKey: string, person: string): Promise<string> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/people/${person}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { id, code } = (await answer.json()) as { id?: string; code?: string };
    if (id !== undefined) return id;
    if (answer.status !== 503) throw new Error(`the erasure was answered with ${answer.status} ${code}`);
    await delay(LOOK_MS);
  }
}

function judge(run: {
  count: number;
  before: Sends;
  during: Sends;
  first: Course;
  second: Course;
  left: readonly string[][];
}): Verdict {
  const { count, before, during, first, second, left } = run;
  const slowerMs = percentile(during.ms, 0.5) - percentile(before.ms, 0.5);
  const expected = Math.floor(count / PERSON_EVERY);
  const findings: [string, boolean][] = [
    ['messages of the person were left out', first.messages < expected || second.messages < expected],
    ['sends were refused meanwhile', during.refused > 0],
    [`the median send was more than ${SLOWER_MS_MAX} ms slower meanwhile`, slowerMs > SLOWER_MS_MAX],
    ['no gateway was killed half way', second.killedAt === null || second.killedAt >= expected],
    ['a person was found afterwards', left.some((tables) => tables.length > 0)],
  ];
  const broken = findings.filter(([, isBroken]) => isBroken).map(([name]) => name);
  const lines = [
    `chaos: ${count} messages, ${expected} of them of each erased person`,
    `  ${courseOf(first)}`,
    `  ${courseOf(second)}; both gateways killed after ${second.killedAt} messages`,
    `  sends before:    ${latencyOf(before)}`,
    `  sends meanwhile: ${latencyOf(during)}`,
    `  tables with a name of an erased person: ${left.flat().join(', ') || 'none'}`,
    ...broken.map((name) => `  BROKEN: ${name}`),
  ];
  return { report: `${lines.join('\n')}\n`, isClean: broken.length === 0 };
}

function courseOf({ seconds, messages, events, payloads }: Course): string {
  return `erased in ${seconds.toFixed(1)} s: ${messages} messages, ${events} events, ${payloads} payloads`;
}

function latencyOf({ ms, refused }: Sends): string {
  const [median, high] = [percentile(ms, 0.5), percentile(ms, 0.99)].map((value) => value.toFixed(1));
  return `${ms.length} accepted, ${refused} refused, median ${median} ms, 99th percentile ${high} ms`;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
