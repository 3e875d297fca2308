import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Agent, request } from 'undici';
import type { StoredTemplate } from '../../../src/test-accounts/queries.ts';
import { type TestAccount, testAccountOf } from '../../../src/test-accounts/test-account.ts';
import { TestSimulator } from '../../../src/test-accounts/test-simulator.ts';
import type { Scope } from '../../harness/database.ts';
import { createManualClock } from '../../harness/manual-clock.ts';

const MIB = 1024 * 1024;
const REVIEW_MS = 50;
const IN_REVIEW = { name: 'thanks', language: 'en_US', category: 'UTILITY', status: 'PENDING' };
const COMPONENTS = [{ type: 'BODY', text: 'Thank you.' }];

/** Starts a test simulator whose database has the templates of `stored`. Its webhooks about templates come to `verdicts`. */
async function startSimulator(t: Scope, stored: StoredTemplate[]) {
  const clock = createManualClock();
  const simulator = new TestSimulator({
    clock,
    db: { query: async <Row>() => [...stored] as Row[] },
    changes: { on: () => undefined, catchUp: async () => undefined },
  });
  const verdicts = new PassThrough({ objectMode: true });
  simulator.beginDelivery(async (body) => {
    const [change] = JSON.parse(body.toString()).entry[0].changes;
    const { message_template_id: id, event } = change.value;
    if (event !== 'DELETED') verdicts.write([id, event]);
    return 200;
  });
  const agent = new Agent({ connect: { socketPath: await simulator.findSocket() } });
  t.after(async () => {
    await agent.destroy();
    await simulator.close();
  });
  const call = async ({ accessToken }: TestAccount, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await request(`http://localhost/v24.0/${path}`, {
      method,
      dispatcher: agent,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: shapes of many calls
    const json = (await answer.body.json()) as any;
    assert.equal(answer.statusCode, 200, JSON.stringify(json));
    return json;
  };
  const nextVerdict = async () => verdicts.read() ?? (await once(verdicts, 'data'))[0];
  return { clock, call, nextVerdict };
}

function storedTemplate(id: string): StoredTemplate {
  return { ...IN_REVIEW, id, parameterFormat: null, components: JSON.stringify(COMPONENTS) };
}

test('template in review, its account forgotten → its verdict comes', async (t) => {
  const stored: StoredTemplate[] = [];
  const { clock, call, nextVerdict } = await startSimulator(t, stored);
  const account = testAccountOf(randomUUID());
  const { status: _, ...template } = IN_REVIEW;
  const path = `${account.wabaId}/message_templates`;
  const { id } = await call(account, 'POST', path, { ...template, components: COMPONENTS });
  stored.push(storedTemplate(id));
  const flow = { name: 'Large', flow_json: 'x'.repeat(MIB) };
  for (let count = 0; count < 16; count += 1) await call(account, 'POST', `${account.wabaId}/flows`, flow);
  clock.advance(REVIEW_MS);
  assert.deepEqual(await nextVerdict(), [Number(id), 'APPROVED']);
});

test('template in review when the process ended → its verdict comes after the next call', async (t) => {
  const { clock, call, nextVerdict } = await startSimulator(t, [storedTemplate('5551234')]);
  const account = testAccountOf(randomUUID());
  await call(account, 'GET', `${account.wabaId}/message_templates`);
  clock.advance(REVIEW_MS);
  assert.deepEqual(await nextVerdict(), [5551234, 'APPROVED']);
});

test('template deleted during its review → no verdict', async (t) => {
  const { clock, call, nextVerdict } = await startSimulator(t, []);
  const account = testAccountOf(randomUUID());
  const { status: _, ...template } = IN_REVIEW;
  const create = (name: string) =>
    call(account, 'POST', `${account.wabaId}/message_templates`, { ...template, name, components: COMPONENTS });
  await create('deleted');
  await call(account, 'DELETE', `${account.wabaId}/message_templates?name=deleted`);
  const { id } = await create('kept');
  clock.advance(REVIEW_MS);
  assert.deepEqual(await nextVerdict(), [Number(id), 'APPROVED']);
});
