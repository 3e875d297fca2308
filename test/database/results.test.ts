import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { DispatchOutcome } from '../../src/dispatch/outcomes/dispatch-outcome.ts';
import { recordCompletions, recordPostponements } from '../../src/dispatch/outcomes/result-queries.ts';
import { listHeldRows } from '../../src/dispatch/queue/queue-queries.ts';
import { UNKNOWN_OUTCOME } from '../../src/dispatch/unknown-outcomes/unknown-outcome.ts';
import { eventTypeOf } from '../../src/events/event-types.ts';
import { beat, takeShards } from '../../src/leases/lease-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import type { StatusUpdate } from '../../src/messages/index.ts';
import { insertAccepted } from '../../src/messages/send/accept-queries.ts';
import { recordStatuses } from '../../src/messages/statuses/record-statuses.ts';
import { billingMonth, listUsage } from '../../src/organizations/usage/usage-queries.ts';
import { openTestDatabase } from '../harness/database.ts';

const db = await openTestDatabase({ after });
await preparePartitions({ db, clock: systemClock });

const SENT: DispatchOutcome = { kind: 'sent', wamid: 'wamid.first' };
const NODE = newId();

/** Accepts a message for a new organization and returns its place in the queue. */
async function accept() {
  const nowMs = Date.now();
  const [organizationId, messageId] = [newId(), newId()];
  const message = {
    ...{ id: messageId, organizationId, numberId: 1, shard: 1, flowId: 4, contact: '15550001', recipient: '15550001' },
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
    ...{ body: '{}', callbackData: undefined, apiKeyId: newId(), traceparent: undefined, idempotency: undefined },
    expiresAtMs: nowMs + 60_000,
  };
  const places = await insertAccepted(db, { nodeId: NODE, nowMs }, [message]);
  return { organizationId, messageId, numberId: 1, flowId: 4, seq: places.get(messageId)?.seq ?? 0 };
}

type Accepted = Awaited<ReturnType<typeof accept>>;

async function record(message: Accepted, result: DispatchOutcome): Promise<void> {
  const nowMs = Date.now();
  await recordCompletions(db, NODE, [{ ...message, atMs: nowMs, result }], [], nowMs);
}

/** Records that the platform reports `status` for a wamid. */
async function tell({ organizationId }: Accepted, wamid: string, status: StatusUpdate['status']): Promise<void> {
  const nothing = { errorCode: undefined, errorMessage: undefined, category: undefined, pricingType: undefined };
  const words = { contact: undefined, callbackData: undefined, value: undefined, ...nothing };
  const update = { wamid, phoneNumberId: '1', status, atMs: Date.now(), ...words };
  await db.transaction((tx) => recordStatuses(tx, [update], () => [organizationId], Date.now()));
}

/** Returns a message's state, its events and its organization's usage. */
async function read({ organizationId, messageId }: Accepted) {
  const [message] = await db.query({
    text: 'SELECT status, wamid, sent_at IS NOT NULL AS sent, failed_at IS NOT NULL AS failed, error_code FROM message WHERE id = $1',
    values: [messageId],
  });
  const events = await db.query<{ type: number }>({
    text: 'SELECT type FROM event WHERE subject_id = $1 ORDER BY sequence',
    values: [messageId],
  });
  const usage = await listUsage(db, organizationId, billingMonth(Date.now()).slice(0, 7));
  return {
    message,
    told: events.map(({ type }) => eventTypeOf(type)),
    used: Object.fromEntries(usage.map(({ metric, value }) => [metric, value])),
  };
}

test('a result recorded again after a commit in doubt: reported and counted once', async () => {
  const message = await accept();
  await record(message, SENT);
  const once = await read(message);
  assert.deepEqual(once.message, { status: 1, wamid: 'wamid.first', sent: true, failed: false, error_code: null });
  assert.deepEqual(once.told, ['message.queued', 'message.sent']);
  assert.equal(once.used.sent, 1);
  await record(message, SENT);
  assert.deepEqual(await read(message), once);
});

test('two owners of a number end one message: the first record wins', async () => {
  const sent = await accept();
  await record(sent, { kind: 'sent', wamid: 'wamid.second' });
  const asSent = await read(sent);
  await record(sent, UNKNOWN_OUTCOME);
  assert.deepEqual(await read(sent), asSent);

  const failed = await accept();
  await record(failed, UNKNOWN_OUTCOME);
  const asFailed = await read(failed);
  const { errorCode: error_code } = UNKNOWN_OUTCOME;
  assert.deepEqual(asFailed.message, { status: 4, wamid: null, sent: false, failed: true, error_code });
  assert.deepEqual(asFailed.told, ['message.queued', 'message.failed']);
  assert.deepEqual([asFailed.used.failed, asFailed.used.spent_micros], [1, 0]);
  await record(failed, { kind: 'sent', wamid: 'wamid.third' });
  assert.deepEqual(await read(failed), asFailed);
  for (const status of ['sent', 'delivered', 'read'] as const) await tell(failed, 'wamid.third', status);
  assert.deepEqual((await read(failed)).told, asFailed.told, 'what is told of it afterwards makes no event');
});

test('a former owner: records nothing of a message that the next owner holds', async () => {
  const message = await accept();
  const nowMs = Date.now();
  const held = { ...message, attempt: 0, dueAtMs: null, attemptedAtMs: nowMs };
  const readHold = () =>
    db.query({
      text: 'SELECT attempt, unknown_count, hold_until FROM send_queue WHERE seq = $1',
      values: [message.seq],
    });
  await recordPostponements(db, NODE, [{ ...held, unknownCount: 1, holdUntilMs: nowMs + 30_000 }]);
  const asHeld = await readHold();
  await recordPostponements(db, newId(), [{ ...held, attempt: 3, unknownCount: 0, holdUntilMs: null }]);
  assert.deepEqual(await readHold(), asHeld);
});

test('a former owner: does not hold again a message that the next owner has released', async () => {
  const [message, before] = [await accept(), newId()];
  const nowMs = Date.now();
  const attempted = { ...message, attempt: 0, dueAtMs: null, attemptedAtMs: nowMs };
  const held = { ...attempted, unknownCount: 1, holdUntilMs: nowMs + 30_000 };
  const isHeld = async () => (await listHeldRows(db, [1])).some(({ seq }) => seq === message.seq);
  const works = [{ work: 'dispatch', firstShard: 1, shardCount: 1, isLeaving: false }] as const;
  await beat(db, { nodeId: NODE, startedAtMs: 0, servesApi: true, works });
  await takeShards(db, NODE, 'dispatch', [1], false);
  for (const holdUntilMs of [nowMs, null])
    await recordPostponements(db, NODE, [{ ...attempted, unknownCount: 1, holdUntilMs }]);
  await recordPostponements(db, before, [held]);
  assert.equal(await isHeld(), false);
  await recordPostponements(db, NODE, [held]);
  assert.equal(await isHeld(), true);
});

test('a hold: withdrawn with its own outcome, and not with a later unknown one', async () => {
  const message = await accept();
  const firstMs = Date.now();
  const attempt = { ...message, attempt: 0, dueAtMs: null };
  const hold = (unknownCount: number, attemptedAtMs: number) =>
    recordPostponements(db, NODE, [{ ...attempt, unknownCount, holdUntilMs: firstMs + 30_000, attemptedAtMs }]);
  const takeBack = () =>
    recordPostponements(db, NODE, [
      { ...attempt, attempt: 1, unknownCount: 0, holdUntilMs: null, attemptedAtMs: null, undoneAtMs: firstMs },
    ]);
  const read = () =>
    db.query({
      text: 'SELECT attempt, unknown_count, hold_until IS NOT NULL AS held FROM send_queue WHERE seq = $1',
      values: [message.seq],
    });
  await hold(1, firstMs);
  await takeBack();
  assert.deepEqual(await read(), [{ attempt: 1, unknown_count: 0, held: false }]);
  await hold(1, firstMs + 5_000);
  await takeBack();
  assert.deepEqual(await read(), [{ attempt: 0, unknown_count: 1, held: true }]);
});
