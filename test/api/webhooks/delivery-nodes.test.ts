import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { eventId, recordEvents } from '../../../src/events/index.ts';
import { createOrganization } from '../../../src/organizations/index.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
} from '../../../src/outbound-webhooks/change-endpoint.ts';
import { createEndpoint } from '../../../src/outbound-webhooks/create-endpoint.ts';
import { disableEndpoint } from '../../../src/outbound-webhooks/disable-endpoint.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { until } from '../../harness/tenant.ts';
import { type DeliveryNode, startDeliveryNode } from './delivery-node.ts';
import { startReceiver } from './receiver.ts';

const SETTINGS = {
  description: null,
  eventTypes: null,
  phoneNumberIds: null,
  wabaIds: null,
  format: 'standard',
  signing: 'hmac',
  messageIds: 'upstream',
  phoneNumbers: 'upstream',
  ordered: false,
  ratePerSecond: null,
} as const;

async function createOwner(node: DeliveryNode, url: string): Promise<{ organizationId: string; endpointId: string }> {
  const { id: organizationId } = await createOrganization(node, { name: 'Owner' });
  const { id: endpointId } = await createEndpoint(node, organizationId, { ...SETTINGS, url });
  return { organizationId, endpointId };
}

async function emit(
  node: { db: Pick<Database, 'transaction'> },
  organizationId: string,
  count: number,
  text = '',
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const event = {
    organizationId,
    type: 'upstream.other',
    wabaId: '7',
    occurredAtMs: Date.now(),
    detail: '{}',
    upstream: { field: 'account_update', value: JSON.stringify({ text }) },
  } as const;
  await node.db.transaction((tx) =>
    recordEvents(
      tx,
      ids.map((id) => ({ ...event, id })),
    ),
  );
  return ids.map((id) => eventId({ subjectId: id, sequence: 1 }));
}

async function database(t: TestContext): Promise<string> {
  return (await createTestDatabase(t)).connectionString;
}

test('a node killed in the middle loses nothing: its successor delivers the rest at once, under the same ids', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using first = await startDeliveryNode(connectionString);
  const { organizationId } = await createOwner(first, receiver.url);
  const events = await emit(first, organizationId, 800);
  await until('some have come', () => receiver.received.length > 100 || undefined);
  await first.kill();
  await using second = await startDeliveryNode(connectionString);
  await until('all have come', () => new Set(receiver.received.map((request) => request.id)).size === 800 || undefined);
  assert.deepEqual(new Set(receiver.received.map((request) => request.id)), new Set(events));
  const bodies = Map.groupBy(receiver.received, (request) => request.id);
  await until(
    'nothing waits any more',
    async () => (await second.db.query({ text: 'SELECT FROM webhook_queue' })).length === 0 || undefined,
  );
  for (const again of bodies.values()) assert.equal(new Set(again.map((request) => request.body)).size, 1);
  assert.ok(receiver.received.length < 1_400, `${receiver.received.length}: only what was under way comes twice`);
});

test('an endpoint is told of what is committed from its registration on, also where that is dealt out later', async (t) => {
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
  // Open from before the first event until after the registration: it hides none of them, and is itself news.
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

test('two nodes share the endpoints, and one takes over from the other when it leaves', async (t) => {
  const connectionString = await database(t);
  await using first = await startDeliveryNode(connectionString, { alone: false });
  const receivers = await Promise.all(Array.from({ length: 12 }, () => startReceiver()));
  t.after(() => Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]())));
  const owners = await Promise.all(receivers.map((receiver) => createOwner(first, receiver.url)));
  await using second = await startDeliveryNode(connectionString, { alone: false });
  await until('both have shards', async () => {
    const rows = await first.db.query<{ owners: number }>({
      text: `SELECT count(DISTINCT owner)::int AS owners FROM shard_lease WHERE expires_at > now()`,
    });
    return rows[0]?.owners === 2 || undefined;
  });
  const round = async (node: DeliveryNode) => {
    const expected = await Promise.all(owners.map(({ organizationId }) => emit(node, organizationId, 20)));
    for (const [index, receiver] of receivers.entries()) {
      await until(`receiver ${index} has everything`, () => {
        const ids = new Set(receiver.received.map((request) => request.id));
        return expected[index]?.every((id) => ids.has(id)) || undefined;
      });
    }
  };
  await round(first);
  await first.stop();
  await round(second);
  const all = receivers.flatMap((receiver) => receiver.received);
  assert.equal(all.length, 2 * 12 * 20, 'a node that leaves in order leaves nothing to be delivered twice');
});

test('a node that loses its endpoints while it takes them over leaves them to whoever has them', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using first = await startDeliveryNode(connectionString);
  const { organizationId, endpointId } = await createOwner(first, receiver.url);
  await changeEndpoint(first, organizationId, endpointId, { disabled: true });
  await emit(first, organizationId, 1);
  await until(
    'it waits',
    async () => (await first.db.query({ text: 'SELECT FROM webhook_queue' })).length || undefined,
  );
  await first.db.query({ text: 'UPDATE webhook_endpoint SET disabled_at = NULL, disabled_reason = NULL' });
  await first.stop();

  let state: 'takes none' | 'takes them over' | 'is robbed' | 'has heard of it' = 'takes none';
  let beatsAfterwards = 0;
  await using second = await startDeliveryNode(connectionString, {
    alone: false,
    afterQuery: async ({ name }, db, rows) => {
      if (name === 'shard_lease_take' && state === 'takes none' && rows.length > 0) state = 'takes them over';
      if (name === 'shard_lease_renew') {
        if (state === 'has heard of it') beatsAfterwards += 1;
        if (state === 'is robbed' && rows.length === 0) state = 'has heard of it';
      }
      if (name === 'webhook_endpoint_list_by_id' && state === 'takes them over') {
        state = 'is robbed';
        await db.query({
          text: `UPDATE shard_lease SET owner = gen_random_uuid(), epoch = epoch + 1, expires_at = now() + interval '1 hour'`,
        });
        await until('the node has heard of it', () => state === 'has heard of it' || undefined);
      }
    },
  });
  assert.equal(state, 'has heard of it');
  await until('it has gone on for a while', () => beatsAfterwards >= 2 || undefined);
  assert.equal((await second.db.query({ text: 'SELECT FROM webhook_queue' })).length, 1);
  assert.equal(receiver.received.length, 0);
});

test('a backlog of long events is read a few at a time, and short ones of others with it', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  let longOnesMax = 0;
  await using node = await startDeliveryNode(connectionString, {
    afterQuery: async ({ name }, _db, rows) => {
      if (name === undefined || !name.startsWith('event_read_by_ref@')) return;
      longOnesMax = Math.max(longOnesMax, rows.filter((row) => row.upstream_value.length > 1_000).length);
    },
  });
  const [long, short] = [await createOwner(node, receiver.url), await createOwner(node, receiver.url)];
  for (const { organizationId, endpointId } of [long, short]) {
    await changeEndpoint(node, organizationId, endpointId, { disabled: true });
  }
  const events = [
    ...(await emit(node, long.organizationId, 40, 'x'.repeat(1024 * 1024))),
    ...(await emit(node, short.organizationId, 40)),
  ];
  const waiting = async () => (await node.db.query({ text: 'SELECT FROM webhook_queue' })).length;
  await until('all are queued', async () => (await waiting()) === events.length || undefined);
  for (const { organizationId, endpointId } of [long, short]) {
    await enableEndpoint(node, organizationId, endpointId, undefined);
  }
  await until('none waits', async () => (await waiting()) === 0 || undefined);
  assert.deepEqual(receiver.received.map(({ id }) => id).sort(), events.sort());
  assert.equal(longOnesMax, 7);
});

test('what has waited for longer than events are kept ends, and holds up nothing else', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using setup = await startDeliveryNode(connectionString);
  const { organizationId, endpointId } = await createOwner(setup, receiver.url);
  await setup.db.query({
    text: `INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at)
           SELECT organization_id, endpoint_number, gen_random_uuid(), 1, 0, date_trunc('second', now()) - interval '31 days'
           FROM webhook_endpoint WHERE id = $1`,
    values: [endpointId],
  });
  await setup.stop();
  await using node = await startDeliveryNode(connectionString);
  const events = await emit(node, organizationId, 3);
  await until('nothing waits any more', async () => {
    const waiting = await node.db.query({ text: 'SELECT FROM webhook_queue' });
    return (receiver.received.length > 0 && waiting.length === 0) || undefined;
  });
  assert.deepEqual(new Set(receiver.received.map(({ id }) => id)), new Set(events));
});

test('an endpoint that has failed for five days is disabled, and the others are told', async (t) => {
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

test('an endpoint is not disabled for what another address of it has answered', async (t) => {
  await using node = await startDeliveryNode(await database(t));
  const { organizationId, endpointId } = await createOwner(node, 'http://127.0.0.1/before');
  const before = await getEndpoint(node, organizationId, endpointId);
  await changeEndpoint(node, organizationId, endpointId, { url: 'http://127.0.0.1/after' });
  assert.equal(await disableEndpoint(node, before, 'gone'), undefined);
  const after = await getEndpoint(node, organizationId, endpointId);
  assert.equal(after.disabled, null);
  assert.equal((await disableEndpoint(node, after, 'gone'))?.disabled?.reason, 'gone');
});

test('an endpoint is not disabled for what it answered before it was enabled', async (t) => {
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

test('each of very many organizations gets its own events', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using node = await startDeliveryNode(connectionString);
  const owners = await Promise.all(
    Array.from({ length: 120 }, (_, index) => createOwner(node, `${receiver.url}/${index}`)),
  );
  const bystander = await createOrganization(node, { name: 'Bystander' });
  await emit(node, bystander.id, 50);
  const expected = await Promise.all(owners.map(({ organizationId }) => emit(node, organizationId, 2)));
  await until('everyone has theirs', () => receiver.received.length >= 240 || undefined);
  for (const [index, ids] of expected.entries()) {
    const got = receiver.received.filter((request) => request.path === `/hook/${index}`).map((request) => request.id);
    assert.deepEqual(new Set(got), new Set(ids));
  }
  assert.equal(receiver.received.length, 240);
});

test('events are dealt out while endpoints change all the time', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  await using node = await startDeliveryNode(connectionString, {
    // An endpoint is changed whenever it has been looked how far dealing out has come.
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

test('a change counts whose node has a clock that is behind', async (t) => {
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

test('of endpoints that change, are made and are deleted each counts at once, and no other is read again', async (t) => {
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

test('that an endpoint changes has nobody else’s queue read anew', async (t) => {
  const connectionString = await database(t);
  await using receiver = await startReceiver();
  const reads: unknown[] = [];
  await using node = await startDeliveryNode(connectionString, {
    afterQuery: async ({ name, values = [] }) => {
      if (name === 'webhook_queue_list_fresh') reads.push(...(values[0] as string[]));
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
