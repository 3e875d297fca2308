import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/database/database.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
} from '../../../src/outbound-webhooks/endpoints/change-endpoint.ts';
import { createEndpoint } from '../../../src/outbound-webhooks/endpoints/create-endpoint.ts';
import { disableEndpoint } from '../../../src/outbound-webhooks/endpoints/disable-endpoint.ts';
import { FRESH_WANTED } from '../../../src/outbound-webhooks/queue/queue-queries.ts';
import { until } from '../../harness/tenant.ts';
import { startDeliveryNode } from './delivery-node.ts';
import { createOwner, database, emit, SETTINGS } from './endpoint-owner.ts';
import { startReceiver } from './receiver.ts';

test('an endpoint: receives events committed since its registration, however late they fan out', async (t) => {
  const connectionString = await database(t);
  await using earlier = await startReceiver();
  await using later = await startReceiver();
  await using first = await startDeliveryNode(connectionString);
  const { organizationId } = await createOwner(first, earlier.url);
  await first.kill();
  const db = openDatabase({ connectionString, connectionsMax: 2, onIdleError() {} });
  t.after(() => db.close());
  const nobody = { ...first, db };
  const before: string[] = [];
  const since: string[] = [];
  // Open from before the first event until after the registration. It must not hide other events, and its own event counts as new.
  await db.transaction(async (tx) => {
    since.push(...(await emit({ db: { transaction: (work) => work(tx) } }, organizationId, 1)));
    before.push(...(await emit(nobody, organizationId, 3)));
    await createEndpoint(nobody, organizationId, { ...SETTINGS, url: later.url });
    since.push(...(await emit(nobody, organizationId, 3)));
  });
  await using _second = await startDeliveryNode(connectionString);
  await until('all have come', () => earlier.received.length === 7 || undefined);
  await until('nothing waits any more', async () => {
    const rows = await db.query({ text: 'SELECT FROM webhook_queue' });
    return (rows.length === 0 && later.received.length > 0) || undefined;
  });
  const idsOf = (receiver: typeof later) => receiver.received.map((request) => request.id ?? '').sort();
  assert.deepEqual([idsOf(earlier), idsOf(later)], [[...before, ...since].sort(), since.sort()]);
});

test('an endpoint that has failed for five days: disabled, and the others get an event', async (t) => {
  const connectionString = await database(t);
  await using failing = await startReceiver((_request, response) => {
    response.writeHead(500).end();
  });
  await using other = await startReceiver();
  await using setup = await startDeliveryNode(connectionString);
  const { organizationId, endpointId } = await createOwner(setup, failing.url);
  await createEndpoint(setup, organizationId, { ...SETTINGS, url: other.url, eventTypes: ['webhook.disabled'] });
  await setup.db.query({
    text: `UPDATE webhook_endpoint SET failures_in_row = 40, failing_since = now() - interval '5 days 1 minute' WHERE id = $1`,
    values: [endpointId],
  });
  await setup.stop();
  await using node = await startDeliveryNode(connectionString);
  await emit(node, organizationId, 1);
  const told = await until('the other endpoint is told', () => other.received[0]);
  assert.deepEqual(
    [told.json.type, told.json.data.webhook_id, told.json.data.reason],
    ['webhook.disabled', endpointId, 'failing'],
  );
});

test('an endpoint: not disabled for answers of its former address', async (t) => {
  await using node = await startDeliveryNode(await database(t));
  const { organizationId, endpointId } = await createOwner(node, 'http://127.0.0.1/before');
  const before = await getEndpoint(node, organizationId, endpointId);
  await changeEndpoint(node, organizationId, endpointId, { url: 'http://127.0.0.1/after' });
  assert.equal(await disableEndpoint(node, before, 'gone'), undefined);
  const after = await getEndpoint(node, organizationId, endpointId);
  assert.equal(after.disabled, null);
  assert.equal((await disableEndpoint(node, after, 'gone'))?.disabled?.reason, 'gone');
});

test('an endpoint: not disabled for answers from before it was enabled', async (t) => {
  await using node = await startDeliveryNode(await database(t));
  const { organizationId, endpointId } = await createOwner(node, 'http://127.0.0.1/');
  const before = await getEndpoint(node, organizationId, endpointId);
  const enabled = await enableEndpoint(node, organizationId, endpointId, undefined);
  for (const reason of ['gone', 'failing'] as const) {
    assert.equal(await disableEndpoint(node, before, reason), undefined);
    assert.equal((await getEndpoint(node, organizationId, endpointId)).disabled, null);
  }
  assert.equal((await disableEndpoint(node, enabled, 'gone'))?.disabled?.reason, 'gone');
});

test('events: fanned out while endpoints change all the time', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using node = await startDeliveryNode(connectionString, {
    // An endpoint changes whenever the fan-out position is read.
    afterQuery: async ({ name }, db) => {
      if (name === 'webhook_fan_out_read')
        await db.query({ text: 'UPDATE webhook_fan_out SET revision = revision + 1' });
    },
  });
  const { organizationId } = await createOwner(node, receiver.url);
  const events = await emit(node, organizationId, 20);
  await until('all have come', () => receiver.received.length >= events.length || undefined);
  assert.deepEqual(new Set(receiver.received.map((request) => request.id)), new Set(events));
  assert.equal(receiver.received.length, events.length);
});

test('a change by a node whose clock is behind: applies', async (t) => {
  const connectionString = await database(t);
  await using before = await startReceiver();
  await using after = await startReceiver();
  await using node = await startDeliveryNode(connectionString);
  const { organizationId, endpointId } = await createOwner(node, before.url);
  await emit(node, organizationId, 1);
  await until('the endpoint is at work', () => before.received.length || undefined);
  const clock = { ...node.clock, now: () => node.clock.now() - 60_000 };
  await changeEndpoint({ ...node, clock }, organizationId, endpointId, { url: after.url });
  await until('its new address is used', async () => {
    await emit(node, organizationId, 1);
    return after.received.length || undefined;
  });
});

test('changed, new and deleted endpoints: apply at once, and no others are read again', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  let readAll = 0;
  await using node = await startDeliveryNode(connectionString, {
    afterQuery: async ({ name }) => {
      if (name === 'webhook_endpoint_list_versions') readAll += 1;
    },
  });
  const comeTo = (path: string) => receiver.received.filter((request) => request.path === path).length;
  const { organizationId, endpointId } = await createOwner(node, `${receiver.url}/first`);
  await createOwner(node, `${receiver.url}/stranger`);
  await emit(node, organizationId, 1);
  await until('the first has its event', () => comeTo('/hook/first') || undefined);
  const before = readAll;

  const { id: other } = await createEndpoint(node, organizationId, { ...SETTINGS, url: `${receiver.url}/other` });
  await emit(node, organizationId, 1);
  await until('the new one has its event', () => comeTo('/hook/other') || undefined);
  await changeEndpoint(node, organizationId, endpointId, { eventTypes: ['message.failed'] });
  await emit(node, organizationId, 1);
  await until('one wants less', () => comeTo('/hook/other') === 2 || undefined);
  await deleteEndpoint(node, organizationId, other);
  await changeEndpoint(node, organizationId, endpointId, { eventTypes: null });
  await emit(node, organizationId, 1);
  await until('one wants all again', () => comeTo('/hook/first') === 3 || undefined);
  assert.deepEqual([comeTo('/hook/first'), comeTo('/hook/other'), comeTo('/hook/stranger')], [3, 2, 0]);
  assert.equal(readAll - before, 0);
});

test("a changed endpoint: no other's queue is read again", async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  const reads: unknown[] = [];
  await using node = await startDeliveryNode(connectionString, {
    afterQuery: async ({ name, values = [] }) => {
      if (name === 'webhook_queue_list_fresh')
        reads.push(...FRESH_WANTED.parse(values).map((wanted) => wanted.organization_id));
    },
  });
  const changing = await createOwner(node, `${receiver.url}/changing`);
  const other = await createOwner(node, `${receiver.url}/other`);
  const both = async (come: number) => {
    for (const { organizationId } of [changing, other]) await emit(node, organizationId, 1);
    await until('both have theirs', () => receiver.received.length === come || undefined);
  };
  await both(2);
  reads.length = 0;
  for (let round = 2; round <= 5; round += 1) {
    await changeEndpoint(node, changing.organizationId, changing.endpointId, { description: `${round}` });
    await both(2 * round);
  }
  const others = reads.filter((organizationId) => organizationId === other.organizationId);
  assert.ok(others.length <= 1, `${others.length} reads in four rounds`);
});
