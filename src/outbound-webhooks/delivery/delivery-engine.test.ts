import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { createEngine, deliverOne } from '../../../test/support/outbound-webhooks/delivery-engine.ts';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { messageEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import type { Queryable, Statement } from '../../database/database.ts';
import type { Egress } from '../../egress/index.ts';
import { createSecret } from '../attempt/signature.ts';
import { createSigner } from '../attempt/webhook-request.ts';
import { HEALTH } from '../endpoints/endpoint-queries.ts';
import { SETTLED } from '../queue/settlement-queries.ts';

test('remove: delivery without a form in the format is ending → waits for its record', {
  timeout: 10_000,
}, async () => {
  const reading = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<never[]>();
  const query = async ({ name }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reading.resolve();
    if (name !== 'webhook_delivery_record') return [];
    writing.resolve();
    return await written;
  };
  const engine = createEngine(fakeDatabase({ query }));
  engine.put(sampleEndpoint({ format: 'cloud_api' }), createSigner('cloud_api', 'secret', undefined));
  await reading.promise;
  await turn();
  engine.offer([{ row: new QueueTable().insert(null), event: messageEvent({ type: 'message.queued' }) }]);
  await writing.promise;
  let isRemoved = false;
  const removed = engine
    .remove(() => true)
    .then(() => {
      isRemoved = true;
    });
  await turn();
  assert.equal(isRemoved, false);
  write([]);
  await removed;
});

test('format changed: deliveries without a form in it → they end, and the endpoint goes on', {
  timeout: 10_000,
}, async () => {
  const { promise: read, resolve: reading } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const table = new QueueTable();
  const query = async ({ name, values = [] }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reading();
    if (name === 'webhook_delivery_record') for (const { seq } of SETTLED.parse(values)) table.rows.delete(Number(seq));
    if (table.rows.size === 0) end();
    return [];
  };
  const engine = createEngine(fakeDatabase({ query }));
  for (let count = 0; count < 20; count += 1) table.insert(null);
  engine.put(sampleEndpoint({ format: 'cloud_api' }), createSigner('cloud_api', 'secret', undefined));
  await read;
  await turn();
  engine.offer(table.copyRows().map((row) => ({ row, event: messageEvent({ type: 'message.queued' }) })));
  await ended;
});

test('deliveries without events: very many → read no faster than their ends are recorded', {
  timeout: 10_000,
}, async () => {
  const noted = Promise.withResolvers<never[]>();
  const noting = Promise.withResolvers<void>();
  const later = Promise.withResolvers<void>();
  let reads = 0;
  const query = async ({ name, values = [] }: Statement) => {
    if (name === 'webhook_delivery_record') {
      noting.resolve();
      return await noted.promise;
    }
    if (name !== 'webhook_queue_list_fresh') return [];
    reads += 1;
    const [[organization_id], [endpoint_number], [afterSeq = 0], [rowsMax = 0]] = values as [
      string[],
      number[],
      number[],
      number[],
    ];
    if (reads > 1) later.resolve();
    const seqs = Array.from({ length: Math.min(rowsMax, 5_000 - afterSeq) }, (_, index) => afterSeq + 1 + index);
    const { subjectId, sequence, eventType } = new QueueTable().insert(null);
    const row = { organization_id, endpoint_number, subject_id: subjectId, sequence, event_type: eventType };
    const state = {
      conversation: null,
      attempts: 0,
      due_at: null,
      event_at: new Date(0),
      is_blocked: false,
      is_cut: false,
    };
    return seqs.map((seq) => ({ ...row, ...state, seq }));
  };
  const engine = createEngine(fakeDatabase({ query }));
  engine.put(sampleEndpoint({}), createSigner('cloud_api', 'secret', undefined));
  await noting.promise;
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.equal(reads, 1);
  noted.resolve([]);
  await later.promise;
});

test('put: settings older than the current ones → ignored', () => {
  const engine = createEngine(fakeDatabase({ query: async () => [] }));
  const signer = createSigner('cloud_api', 'secret', undefined);
  const later = sampleEndpoint({ updatedAtMs: 2 });
  for (const endpoint of [later, sampleEndpoint({ updatedAtMs: 1 })]) engine.put(endpoint, signer);
  assert.equal(engine.knows(later), true);
});

test('health: settings change before it is written → written again', {
  timeout: 10_000,
}, async () => {
  const { promise: noted, resolve: note } = Promise.withResolvers<unknown[]>();
  const query = async ({ name, values }: Statement) => {
    if (name === 'webhook_endpoint_update_health') note(values ?? []);
    return [];
  };
  const engine = createEngine(fakeDatabase({ query }));
  const signer = createSigner('cloud_api', 'secret', undefined);
  engine.put(sampleEndpoint({ failuresInRow: 2, failingSinceMs: 5 }), signer);
  const changed = sampleEndpoint({ failuresInRow: 1, failingSinceMs: 5, description: 'mine', updatedAtMs: 7 });
  engine.put(changed, signer);
  assert.deepEqual(await noted, [[changed.organizationId], [changed.id], [2], [new Date(5)], [new Date(7)]]);
});

test('recovery: a delivery succeeds → health recorded, and failed deliveries tried at once', {
  timeout: 10_000,
}, async () => {
  const { promise: lookedAgain, resolve: lookAgain } = Promise.withResolvers<void>();
  const noted: ReturnType<typeof HEALTH.parse> = [];
  let isPulled = false;
  const query = async ({ name, values = [] }: Statement) => {
    if (name === 'webhook_endpoint_update_health') noted.push(...HEALTH.parse(values));
    if (name === 'webhook_queue_pull_forward') isPulled = true;
    if (name === 'webhook_queue_list_retries' && isPulled) lookAgain();
    return [];
  };
  await deliverOne(fakeDatabase({ query }), { failuresInRow: 12, failingSinceMs: 0 }, 204);
  await lookedAgain;
  assert.deepEqual(
    noted.map((health) => [health.failures_in_row, health.failing_since]),
    [[0, null]],
  );
});

test('gone endpoint: first write fails → disabled by the next one', { timeout: 10_000 }, async () => {
  const clock = createManualClock();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const tries = [() => Promise.reject(new Error('away')), async () => write()];
  const db = fakeDatabase({ query: async () => [], transaction: () => tries.shift()?.() });
  await deliverOne(db, {}, 410, clock);
  await clock.whenScheduled(250);
  clock.advance(250);
  await written;
});

test('stop: attempt in flight → nothing more starts, and its result is written first', {
  timeout: 10_000,
}, async () => {
  const { promise: read, resolve: reading } = Promise.withResolvers<void>();
  const { promise: begun, resolve: writing } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const query = async ({ name }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reading();
    if (name === 'webhook_delivery_record') {
      writing();
      await written;
    }
    return [];
  };
  let posted = 0;
  const engine = createEngine(fakeDatabase({ query }), async () => {
    posted += 1;
    return { kind: 'response', status: 204, bodyStart: '', latencyMs: 1 };
  });
  engine.put(sampleEndpoint({}), createSigner('standard', createSecret('standard', 'hmac'), undefined));
  await read;
  await turn();
  const table = new QueueTable();
  const offer = () => engine.offer([{ row: table.insert(null), event: messageEvent({ type: 'message.sent' }) }]);
  offer();
  await begun;
  offer();
  let isStopped = false;
  const stopped = engine.stop(60_000).then(() => {
    isStopped = true;
  });
  await turn();
  assert.equal(isStopped, false);
  write();
  await stopped;
  assert.equal(posted, 1);
});

for (const [status, statement] of [
  [204, 'webhook_delivery_record'],
  [503, 'webhook_attempt_record'],
] as const) {
  test(`result (${status}): queue was given up meanwhile → written together with the notice`, {
    timeout: 10_000,
  }, async () => {
    const { promise: read, resolve: reading } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const written: string[] = [];
    const queryAs = (where: string) => async (asked: Statement) => {
      if (asked.name === 'webhook_queue_list_fresh') reading();
      if (asked.name === statement || asked.name === 'publish_changes') written.push(`${asked.name} ${where}`);
      if (asked.name === 'publish_changes') tell();
      return [];
    };
    const transaction = (work: (tx: Queryable) => Promise<unknown>) =>
      work(fakeDatabase({ query: queryAs('together') }));
    const db = fakeDatabase({ query: queryAs('alone'), transaction });
    const engine = createEngine(db, async () => {
      begin();
      await answered;
      return { kind: 'response', status, bodyStart: '', latencyMs: 1 };
    });
    const ordered = sampleEndpoint({ ordered: true });
    engine.put(ordered, createSigner('standard', createSecret('standard', 'hmac'), undefined));
    await read;
    await turn();
    engine.offer([{ row: new QueueTable().insert('conversation'), event: messageEvent({ type: 'message.sent' }) }]);
    await begun;
    const removed = engine.remove(() => true);
    answer();
    await Promise.all([removed, told]);
    assert.deepEqual(written, [`${statement} together`, 'publish_changes together']);
  });
}

test('stop: database takes no results → waits no longer than the grace period', { timeout: 10_000 }, async () => {
  const { promise: read, resolve: reading } = Promise.withResolvers<void>();
  const { promise: begun, resolve: writing } = Promise.withResolvers<void>();
  let isAway = true;
  const query = async ({ name }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reading();
    if (name !== 'webhook_delivery_record' || !isAway) return [];
    writing();
    throw new Error('away');
  };
  const engine = createEngine(fakeDatabase({ query }), async () => {
    return { kind: 'response', status: 204, bodyStart: '', latencyMs: 1 };
  });
  engine.put(sampleEndpoint({}), createSigner('standard', createSecret('standard', 'hmac'), undefined));
  await read;
  await turn();
  engine.offer([{ row: new QueueTable().insert(null), event: messageEvent({ type: 'message.sent' }) }]);
  await begun;
  await engine.stop(50);
  isAway = false;
  await engine.stop(10_000);
});

test('queue: read fails → read again', { timeout: 10_000 }, async () => {
  const clock = createManualClock();
  const { promise: readAgain, resolve: readingAgain } = Promise.withResolvers<void>();
  const reads = [() => assert.fail('away'), readingAgain];
  const query = async ({ name }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reads.shift()?.();
    return [];
  };
  const engine = createEngine(fakeDatabase({ query }), undefined, clock);
  engine.put(sampleEndpoint({}), createSigner('standard', createSecret('standard', 'hmac'), undefined));
  await clock.whenScheduled(250);
  clock.advance(250);
  await readAgain;
});

test('full budget: organization with many endpoints → same share as one with a single one', {
  timeout: 10_000,
}, async () => {
  const counts = { many: 0, one: 0 };
  const hanging: (() => void)[] = [];
  const postWebhook: Egress['postWebhook'] = async (url) => {
    const isOne = url.includes('one');
    counts[isOne ? 'one' : 'many'] += 1;
    if (!isOne) await new Promise<void>((resolve) => hanging.push(resolve));
    return { kind: 'response', status: 204, bodyStart: '', latencyMs: 1 };
  };
  const engine = createEngine(fakeDatabase({ query: async () => [] }), postWebhook, createManualClock());
  const signer = createSigner('standard', createSecret('standard', 'hmac'), undefined);
  const owners = [...Array<'many'>(50).fill('many'), 'one' as const];
  owners.forEach((organizationId, endpointNumber) => {
    const url = `https://${organizationId}.example.com/`;
    engine.put(sampleEndpoint({ organizationId, id: `e${endpointNumber}`, endpointNumber, url }), signer);
  });
  const settle = async () => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  await settle();
  const table = new QueueTable();
  const event = messageEvent({ type: 'message.sent' });
  engine.offer(
    owners.flatMap((owner, endpointNumber) =>
      Array.from({ length: owner === 'one' ? 60 : 12 }, () => ({
        row: { ...table.insert(null), endpointNumber },
        event,
      })),
    ),
  );
  await settle();
  assert.equal(hanging.length, 256, 'no more may be under way');
  const before = { ...counts };
  for (let answered = 0; answered < 30; answered += 1) {
    hanging.shift()?.();
    await settle();
  }
  assert.equal(counts.many - before.many, 30);
  const ofOne = counts.one - before.one;
  assert.ok(ofOne >= 28 && ofOne <= 32, `${ofOne} of the other one`);
});
