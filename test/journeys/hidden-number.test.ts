import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { ordinaryPerson, userIdOf } from '../../src/simulator/people/person.ts';
import { createTestDatabase } from '../harness/database.ts';
import { pullPages } from '../harness/events.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { call, createTenant, freshRecipient, send, textTo, untilStatus } from '../harness/tenant.ts';

/** Messages that the platform lets a business number send to one person at once. */
const PAIR_BURST = 45;

/** Starts a node for the API; `startWorker` starts one that sends and delivers, on the same database. */
async function startNodes(t: TestContext, platform: Parameters<typeof createRestartableGateway>[1] = {}) {
  const { connectionString } = await createTestDatabase(t);
  const environment = {
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
    ROLES: 'api',
  };
  const nodes = await createRestartableGateway(environment, platform);
  t.after(() => nodes.close());
  const api = await nodes.start();
  const startWorker = async (): Promise<ServeProcess> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fairway-worker-'));
    const PORT = String(await findFreePort());
    const worker = await startServeProcess(dataDir, { ...nodes.environment, PORT, ROLES: 'dispatch,deliver' });
    t.after(async () => {
      worker.kill('SIGKILL');
      await worker.ended;
      await rm(dataDir, { recursive: true, force: true });
    });
    return worker;
  };
  return { api, startWorker, world: nodes.simulator.world };
}

test('a number is hidden, its node killed → one conversation, window, order and pair', async (t) => {
  const { api, startWorker, world } = await startNodes(t);
  const [tenant, other] = [await createTenant(api), await createTenant(api)];
  const phone = freshRecipient();
  const userId = userIdOf(ordinaryPerson(phone.slice(1)), { portfolioId: tenant.wabaId, parentPortfolioId: null });
  const write = (to: typeof tenant) => world.inbound({ phoneNumberId: to.phoneNumberId, from: phone });
  const accepted = async (body: object): Promise<string> => {
    const answer = await send(api, tenant, body);
    assert.equal(answer.status, 202, answer.text);
    return answer.json.messages[0].id;
  };
  const textToId = { recipient: userId, type: 'text', text: { body: 'hello' } };

  const owner = await startWorker();
  const received = [(await write(tenant)).wamid];
  await write(other);
  const byNumber = await accepted(textTo(phone));
  await untilStatus(api, tenant, byNumber, 'read');

  await world.updatePerson(phone.slice(1), { hidesPhone: true });
  received.push((await write(tenant)).wamid);
  world.addFault({ fault: { kind: 'reply_lost' }, scope: { recipient: phone.slice(1) }, times: 1 });
  const unanswered = await accepted(textToId);
  await world.sends.waitFor((sent) => sent.to === userId);
  const behind = [await accepted(textTo(phone)), await accepted(textToId), await accepted(textTo(phone))];
  owner.kill('SIGKILL');
  await owner.ended;
  const further = await accepted(textToId);
  await startWorker();

  const ids = [byNumber, unanswered, ...behind, further];
  const messages = [];
  for (const id of ids) messages.push(await untilStatus(api, tenant, id, 'read'));
  const sent = world.sends.list().filter(({ phoneNumberId }) => phoneNumberId === tenant.phoneNumberId);
  assert.deepEqual(
    sent.map(({ outcome }) => 'wamid' in outcome && outcome.wamid),
    messages.map(({ message_id: wamid }) => wamid),
    'each is sent once, in order',
  );
  const told = (await pullPages(api, tenant)).filter(({ data }) => received.includes(data.message_id));
  const conversations = new Set([...told.map(({ data }) => data.conversation_id), ...messages.map(conversationOf)]);
  assert.equal(told.length, 2);
  assert.equal(conversations.size, 1);
  for (const name of [phone.slice(1), userId]) {
    const window = await call(api, tenant, 'GET', `/v1/${tenant.phoneNumberId}/windows/${name}`);
    assert.equal(window.json.open, true, name);
  }
  // The other tenant knows its own conversation with the person, and this one's user id not at all.
  const foreign = await call(api, other, 'GET', `/v1/${other.phoneNumberId}/windows/${userId}`);
  assert.equal(foreign.json.open, false);
});

test('messages under both names beyond the burst of a pair → none refused by the platform', async (t) => {
  const { api, startWorker, world } = await startNodes(t, { limits: 'strict' });
  const tenant = await createTenant(api);
  const phone = freshRecipient();
  const userId = userIdOf(ordinaryPerson(phone.slice(1)), { portfolioId: tenant.wabaId, parentPortfolioId: null });
  const owner = await startWorker();
  await world.inbound({ phoneNumberId: tenant.phoneNumberId, from: phone });
  const ids: string[] = [];
  const sendMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const isById = ids.length % 2 === 1;
      const answer = await send(api, tenant, {
        ...(isById ? { recipient: userId } : { to: phone }),
        type: 'text',
        text: { body: `${ids.length}` },
      });
      assert.equal(answer.status, 202, answer.text);
      ids.push(answer.json.messages[0].id);
    }
  };
  await sendMany(30);
  for (const id of ids) await untilStatus(api, tenant, id, 'read');
  owner.kill('SIGKILL');
  await owner.ended;
  await startWorker();
  await sendMany(PAIR_BURST - 30 + 1);
  for (const id of ids) await untilStatus(api, tenant, id, 'read');
  const refused = world.sends.list().filter(({ outcome }) => !('wamid' in outcome));
  assert.deepEqual(refused, []);
});

function conversationOf({ conversation_id: id }: { conversation_id: string }): string {
  return id;
}
