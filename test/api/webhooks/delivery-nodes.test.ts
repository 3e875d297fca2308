import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import { publishChange } from '../../../src/database/changes/change-feed.ts';
import { eventId } from '../../../src/events/index.ts';
import { createOrganization } from '../../../src/organizations/index.ts';
import { changeEndpoint, enableEndpoint } from '../../../src/outbound-webhooks/endpoints/change-endpoint.ts';
import { createEndpoint } from '../../../src/outbound-webhooks/endpoints/create-endpoint.ts';
import { until } from '../../harness/tenant.ts';
import { type DeliveryNode, startDeliveryNode } from './delivery-node.ts';
import { createOwner, database, emit, SETTINGS } from './endpoint-owner.ts';
import { startReceiver, takeIt } from './receiver.ts';

test('a node killed mid-delivery: its successor delivers the rest at once under the same ids', async (t) => {
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

test('two nodes: share the endpoints, and one takes over when the other leaves', async (t) => {
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

test('a node that loses its endpoints during the takeover: leaves them to their owner', async (t) => {
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
      if (name === 'node_beat') {
        if (state === 'has heard of it') beatsAfterwards += 1;
        if (state === 'is robbed' && rows.every(({ shard }) => shard === null)) state = 'has heard of it';
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

for (const laterEnd of ['failure', 'success'] as const) {
  const title = `a conversation goes on when a node that lost its endpoint delivers what its successor cannot, the ${laterEnd} last`;
  test(title, { timeout: 60_000 }, async (t) => {
    const held: ServerResponse[] = [];
    const connectionString = await database(t);
    await using receiver = await startReceiver((request, response, count) => {
      if (count <= 2) held.push(response);
      else takeIt(request, response, count);
    });
    await using node = await startDeliveryNode(connectionString, { alone: false });
    const { organizationId, endpointId } = await createOwner(node, receiver.url);
    await changeEndpoint(node, organizationId, endpointId, { disabled: true });
    const events = await emit(node, organizationId, 3);
    const waiting = () => node.db.query({ text: 'SELECT due_at FROM webhook_queue ORDER BY seq' });
    await until('all are queued', async () => (await waiting()).length === 3 || undefined);
    await node.db.query({ text: 'UPDATE webhook_queue SET conversation = $1', values: [newId()] });
    await enableEndpoint(node, organizationId, endpointId, undefined);
    await until('the first is under way', () => held.length === 1 || undefined);
    await node.db.query({
      text: `UPDATE shard_lease SET owner = gen_random_uuid(), epoch = epoch + 1, expires_at = now() + interval '2 seconds'`,
    });
    await until('it is under way again', () => held.length === 2 || undefined);
    const succeed = () => held[0]?.writeHead(204).end();
    const fail = () => held[1]?.writeHead(500).end();
    if (laterEnd === 'failure') {
      succeed();
      await until('it is settled', async () => (await waiting()).length === 2 || undefined);
      fail();
    } else {
      fail();
      await until('it is put off', async () => (await waiting())[0]?.due_at !== null || undefined);
      succeed();
    }
    await until('none waits', async () => (await waiting()).length === 0 || undefined);
    const order = [...events].sort();
    assert.deepEqual(
      receiver.received.map(({ id }) => id),
      [order[0], ...order],
    );
  });
}

test('a moved endpoint with an unreadable secret: gets nothing until the secret opens', async (t) => {
  const connectionString = await database(t);
  await using left = await startReceiver();
  await using reached = await startReceiver();
  await using bystander = await startReceiver();
  await using node = await startDeliveryNode(connectionString);
  const { organizationId, endpointId } = await createOwner(node, left.url);
  await createEndpoint(node, organizationId, { ...SETTINGS, url: bystander.url });
  const other = await createOwner(node, bystander.url);
  const emitTo = async (id: string) => {
    const came = bystander.received.length;
    const events = await emit(node, id, 1);
    await until('the bystander has it', () => bystander.received.length > came || undefined);
    return events;
  };
  await emitTo(organizationId);
  await until('it is worked', () => left.received.length === 1 || undefined);
  const change = async (sql: string, values: unknown[]) => {
    await node.db.transaction(async (tx) => {
      await tx.query({ text: `UPDATE webhook_endpoint SET ${sql}, updated_at = now() WHERE id = $1`, values });
      await publishChange(tx, 'webhook', endpointId);
    });
    await node.catchUp();
  };
  const sealed = 'SELECT secret_sealed AS sealed FROM webhook_endpoint WHERE id = $1';
  const [row] = await node.db.query<{ sealed: Buffer }>({ text: sealed, values: [endpointId] });
  await change('url = $2, secret_sealed = $3', [endpointId, reached.url, Buffer.alloc(64)]);
  const missed: string[] = [];
  for (let round = 0; round < 3; round += 1) missed.push(...(await emitTo(organizationId)));
  await emitTo(other.organizationId);
  assert.equal(left.received.length, 1);
  await change('secret_sealed = $2', [endpointId, row?.sealed]);
  await until('all have come', () => reached.received.length === 3 || undefined);
  assert.deepEqual(new Set(reached.received.map(({ id }) => id)), new Set(missed));
  assert.equal(left.received.length, 1);
});

test('a backlog of long events: read a few at a time, with short ones of other endpoints', async (t) => {
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

test('deliveries older than the retention of events: end, and delay no others', async (t) => {
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

test('each of very many organizations: gets its own events', async (t) => {
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

test('events for many endpoints of one organization: queued in parts, each once, in order', async (t) => {
  await using node = await startDeliveryNode(await database(t));
  const { id: organizationId } = await createOrganization(node, { name: 'Owner' });
  // Disabled endpoints keep their deliveries in the queue.
  for (let count = 0; count < 50; count += 1) {
    const { id } = await createEndpoint(node, organizationId, { ...SETTINGS, url: 'http://127.0.0.1:9/' });
    await changeEndpoint(node, organizationId, id, { disabled: true });
  }
  const events = await emit(node, organizationId, 500);
  const queued = await until('everything is queued', async () => {
    const rows = await node.db.query<{ endpoint_number: number; subject_id: string; xmin: string }>({
      text: 'SELECT endpoint_number, subject_id, xmin::text AS xmin FROM webhook_queue ORDER BY seq',
    });
    return rows.length >= 25_000 ? rows : undefined;
  });
  const ofEach = Map.groupBy(queued, (row) => row.endpoint_number);
  assert.equal(ofEach.size, 50);
  for (const rows of ofEach.values()) {
    assert.deepEqual(
      rows.map((row) => eventId({ subjectId: row.subject_id, sequence: 1 })),
      events.toSorted(),
    );
  }
  for (const rows of Map.groupBy(queued, (row) => row.xmin).values()) assert.ok(rows.length <= 2_050, `${rows.length}`);
});
