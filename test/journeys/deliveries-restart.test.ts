import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { pullPages } from '../harness/events.ts';
import { createRestartableGateway, type RestartableGateway } from '../harness/restartable-gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  type Served,
  send,
  type Tenant,
  templateTo,
  until,
} from '../harness/tenant.ts';

const MESSAGES = 400;
const LANES = 20;
const STEPS = ['message.queued', 'message.sent', 'message.delivered', 'message.read'];
const PATIENCE_MS = 90_000;

/** The customer's endpoint is this process, too. */
describe('deliveries while the gateway and its database go down', () => {
  let restartable: RestartableGateway;
  before(async () => {
    restartable = await createRestartableGateway({ FETCH_ALLOW_CIDRS: '127.0.0.0/8' });
  });
  after(() => restartable.close());

  /** Does the same as `pg_ctl restart -m immediate`; the gateway restarts the server. */
  const restartDatabase = async () => {
    const [pid] = (await readFile(join(restartable.dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
  };
  /** Sends until the message is accepted, despite all failures. */
  const accept = (gateway: Served, tenant: Tenant, name: string) => {
    const message = { ...templateTo(freshRecipient(), 'login_code'), biz_opaque_callback_data: name };
    const headers = { 'idempotency-key': name };
    const attempt = async () => {
      const answer = await send(gateway, tenant, message, { headers }).catch(() => undefined);
      return answer?.status === 202 || undefined;
    };
    return until(`${name} is accepted`, attempt, PATIENCE_MS);
  };

  it('each event of a committed change arrives, no other does, and repeats have the same id', async () => {
    await using receiver = await startReceiver();
    let gateway = await restartable.start();
    const tenant = await createTenant(gateway, { number: { throughputLevel: 'HIGH' } });
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url: receiver.url } });
    assert.equal(created.status, 201, created.text);

    const names = Array.from({ length: MESSAGES }, (_, index) => `message-${index}`);
    const next = names.values();
    const lane = async () => {
      for (const name of next) await accept(gateway, tenant, name);
    };
    const sending = Promise.all(Array.from({ length: LANES }, lane));
    const distinctIds = () => new Set(receiver.received.map((request) => request.id));
    // Each fault strikes after a share of the deliveries that differs in each run.
    const troubles: (() => Promise<unknown>)[] = [restartDatabase, killGateway, restartDatabase];
    const total = MESSAGES * STEPS.length;
    for (const [index, trouble] of troubles.entries()) {
      const share = (index + Math.random()) / (troubles.length + 1);
      await until('deliveries go on', () => distinctIds().size >= total * share || undefined, PATIENCE_MS);
      await trouble();
    }
    async function killGateway() {
      gateway.kill('SIGKILL');
      await gateway.ended;
      gateway = await restartable.start();
    }
    await sending;

    await until('everything has arrived', () => distinctIds().size >= total || undefined, PATIENCE_MS);
    const events = await pullPages(gateway, tenant);
    assert.deepEqual(distinctIds(), new Set(events.map((event) => event.id)));
    const told = Map.groupBy(events, (event) => event.data.biz_opaque_callback_data);
    assert.deepEqual(new Set(told.keys()), new Set(names));
    for (const [name, ofMessage] of told) {
      assert.deepEqual(ofMessage.map((event) => event.type).sort(), STEPS.toSorted(), name);
      assert.equal(new Set(ofMessage.map((event) => event.data.id)).size, 1, `${name} was accepted once`);
    }
    for (const [id, attempts] of Map.groupBy(receiver.received, (request) => request.id)) {
      assert.equal(new Set(attempts.map((request) => request.body)).size, 1, `${id} says the same each time`);
    }
  });
});
