import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Agent, request } from 'undici';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type TestAccount, testAccountOf } from '../../../src/test-accounts/test-account.ts';
import { TestSimulator } from '../../../src/test-accounts/test-simulator.ts';

const MIB = 1024 * 1024;
const ACCOUNT_BYTES_MAX = 16 * MIB;
const ACCOUNTS_BYTES_MAX = 64 * MIB;

const simulator = new TestSimulator({
  clock: systemClock,
  db: { query: async () => [] },
  changes: { on: () => undefined, catchUp: async () => undefined },
});
const agent = new Agent({ connect: { socketPath: await simulator.findSocket() } });
after(async () => {
  await agent.destroy();
  await simulator.close();
});

const newAccount = () => testAccountOf(randomUUID());

async function call({ accessToken }: TestAccount, method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await request(`http://localhost/v24.0/${path}`, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: shapes of many calls
  const json = (await answer.body.json()) as any;
  assert.equal(answer.statusCode, 200, JSON.stringify(json));
  return json;
}

const flowJson = 'x'.repeat(MIB);
const addFlow = (account: TestAccount) =>
  call(account, 'POST', `${account.wabaId}/flows`, { name: 'Large', flow_json: flowJson });

const countFlows = async (account: TestAccount): Promise<number> =>
  (await call(account, 'GET', `${account.wabaId}/flows?limit=1000`)).data.length;

test('test simulator: account that stores without end → keeps at most 16 MiB', async () => {
  const account = newAccount();
  let most = 0;
  for (let count = 1; count <= 100; count += 1) {
    await addFlow(account);
    most = Math.max(most, await countFlows(account));
  }
  assert.ok(most >= 10 && most * MIB < ACCOUNT_BYTES_MAX, `${most} MiB`);
});

test('test simulator: many accounts that store → keep at most 64 MiB together', async () => {
  const accounts = Array.from({ length: 20 }, newAccount);
  for (const account of accounts) for (let count = 0; count < 10; count += 1) await addFlow(account);
  const counts: number[] = [];
  for (const account of accounts.toReversed()) counts.push(await countFlows(account));
  const kept = counts.reduce((sum, count) => sum + count, 0);
  assert.equal(counts[0], 10);
  assert.ok(kept * MIB < ACCOUNTS_BYTES_MAX, `${kept} MiB`);
});

test('test simulator: thousands of accounts → the least recently used are forgotten', async () => {
  const between = Array.from({ length: 3000 }, newAccount);
  const [first, last] = [newAccount(), newAccount()];
  const about = async (account: TestAccount) =>
    (await call(account, 'GET', `${account.phoneNumberId}/whatsapp_business_profile`)).data[0].about;
  for (const account of [first, ...between, last]) {
    await call(account, 'POST', `${account.phoneNumberId}/whatsapp_business_profile`, { about: 'Set' });
  }
  assert.equal(await about(last), 'Set');
  assert.equal(await about(first), undefined);
});

test('test simulator: forgotten account → reads as a new one, whatever it had', async () => {
  const account = newAccount();
  const { wabaId, phoneNumberId } = account;
  const reads = [
    `${wabaId}/flows`,
    `${wabaId}/signups`,
    `${wabaId}/phone_numbers`,
    `${wabaId}/message_templates`,
    `${phoneNumberId}/groups`,
    `${phoneNumberId}/block_users`,
    `${phoneNumberId}/message_qrdls`,
    `${phoneNumberId}/whatsapp_business_profile`,
    `${phoneNumberId}/username`,
  ];
  const readAll = () => Promise.all(reads.map((path) => call(account, 'GET', path)));
  const fresh = await readAll();
  await call(account, 'POST', `${wabaId}/flows`, { name: 'Flow' });
  await call(account, 'POST', `${wabaId}/signups`, { name: 'Sign-up' });
  const number = { cc: '1', phone_number: '5550100', verified_name: 'Second' };
  await call(account, 'POST', `${wabaId}/phone_numbers`, number);
  const components = [{ type: 'BODY', text: 'Thank you.' }];
  const template = { name: 'thanks', language: 'en_US', category: 'UTILITY', components };
  await call(account, 'POST', `${wabaId}/message_templates`, template);
  await call(account, 'POST', `${phoneNumberId}/groups`, { subject: 'Group' });
  await call(account, 'POST', `${phoneNumberId}/block_users`, { block_users: [{ user: '16505551234' }] });
  await call(account, 'POST', `${phoneNumberId}/message_qrdls`, { prefilled_message: 'Hi' });
  await call(account, 'POST', `${phoneNumberId}/whatsapp_business_profile`, { about: 'Set' });
  await call(account, 'POST', `${phoneNumberId}/username`, { username: 'harbour' });
  await call(account, 'POST', `${phoneNumberId}/register`, { pin: '123456' });
  const uploadOf = async () =>
    (await call(account, 'POST', 'app/uploads?file_length=5&file_type=image/png&file_name=a.png')).id as string;
  const upload = await uploadOf();
  const filled = await readAll();
  for (const [index, path] of reads.entries()) assert.notDeepEqual(filled[index], fresh[index], path);

  for (let count = 0; count < 16; count += 1) await addFlow(account);
  assert.deepEqual(await readAll(), fresh);
  await call(account, 'POST', `${phoneNumberId}/register`, { pin: '654321' });
  const progress = await request(`http://localhost/v24.0/${upload}`, {
    dispatcher: agent,
    headers: { authorization: `OAuth ${account.accessToken}` },
  });
  assert.equal(progress.statusCode, 400);
  await progress.body.dump();
});
