import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestUuid, newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { createMessageWriter } from '../../src/messages/index.ts';
import { type Plan, UNLIMITED_PLAN } from '../../src/organizations/plans/plan-rules.ts';
import { createMetrics } from '../../src/telemetry/index.ts';
import { openTestDatabase } from '../harness/database.ts';
import { countWaiting } from '../harness/lock-waits.ts';
import { until } from '../harness/tenant.ts';

const LIMITED: Plan = { ...UNLIMITED_PLAN, monthlyMessageLimit: 10 };

function messageOf(organizationId: string, key?: string) {
  const digest = key === undefined ? undefined : digestUuid(key);
  return {
    ...{ id: newId(), organizationId, numberId: 1, shard: 1, flowId: 4, contact: '15550001', recipient: '15550001' },
    ...{ wabaId: '7', userId: undefined },
    ...{
      type: 'template',
      templateName: 'offer',
      templateLanguage: 'en',
      category: 'utility',
      priceMicros: 20_000,
      country: '',
      prices: undefined,
    },
    ...{ body: '{}', callbackData: undefined, apiKeyId: newId(), traceparent: undefined },
    idempotency: digest === undefined ? undefined : { keyDigest: digest, fingerprint: digest },
    expiresAtMs: Date.now() + 60_000,
  };
}

const writerOn = (db: Database, doubt = () => {}) =>
  createMessageWriter({
    ...{ db, clock: systemClock, nodeId: newId(), metrics: createMetrics(), recent: { note() {} } },
    queue: { beginOffer: () => 0, claim: () => undefined, endOffer() {}, doubt },
  });

test('batches: two hold one key, one organization has a limit → no deadlock', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const [limited, unlimited] = [newId(), newId()];
  const begun = Promise.withResolvers<void>();
  const other = Promise.withResolvers<void>();
  const pausing: Database = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          async query(statement) {
            if (statement.name === 'message_accept_keyed') {
              begun.resolve();
              await other.promise;
            }
            return await tx.query(statement);
          },
        }),
      ),
  };
  const mixed = writerOn(pausing);
  const first = Promise.all([
    mixed.submit({ message: messageOf(limited), plan: LIMITED }),
    mixed.submit({ message: messageOf(unlimited, 'key'), plan: UNLIMITED_PLAN }),
  ]);
  await begun.promise;
  let isStored = false;
  const second = writerOn(db)
    .submit({ message: messageOf(unlimited, 'key'), plan: UNLIMITED_PLAN })
    .finally(() => {
      isStored = true;
    });
  await until('the other is stored, or waits', async () => {
    return isStored || (await countWaiting(db)) > 0 || undefined;
  });
  other.resolve();
  assert.deepEqual(
    (await Promise.all([first, second])).flat().map(({ kind }) => kind),
    ['stored', 'taken', 'stored'],
  );
});

test('a batch: its commit loses the answer → each message is answered as it was stored', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const plan = { ...LIMITED, monthlyMessageLimit: 1 };
  let doubts = 0;
  const submit = (commit: Database['transaction']) => {
    const writer = writerOn({ ...db, transaction: commit }, () => {
      doubts += 1;
    });
    const organizationId = newId();
    const messages = ['first', 'first', 'second'].map((key) => messageOf(organizationId, key));
    return Promise.all(messages.map((message) => writer.submit({ message, plan })));
  };

  const stored = submit(async (work) => {
    await db.transaction(work);
    throw new Error('connection lost');
  });
  assert.deepEqual(await stored, [
    { kind: 'stored', place: undefined },
    { kind: 'taken' },
    { kind: 'refused', code: 'PLAN_MESSAGE_LIMIT_REACHED' },
  ]);
  await assert.rejects(
    submit(() => Promise.reject(new Error('connection lost'))),
    /connection lost/,
  );
  assert.equal(doubts, 2);
});
