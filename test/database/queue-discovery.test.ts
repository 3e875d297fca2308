import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { skipTransactionIds } from '../../src/database/changes/transaction-ids.ts';
import type { Database, Queryable, Statement } from '../../src/database/database.ts';
import { Scheduler } from '../../src/dispatch/scheduler/index.ts';
import { QueueDiscovery, type QueueDiscoveryDeps } from '../../src/dispatch/shards/queue-discovery.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { until } from '../harness/tenant.ts';

const SHARD = 7;
const NODE = newId();

const db = await openTestDatabase({ after });

async function queueMessage(tx: Queryable = db, shard = SHARD): Promise<string> {
  const messageId = newId();
  await tx.query({
    text: `INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
           VALUES ($1, 1, 4, 15550001, $2, $3, now(), now() + interval '1 day')`,
    values: [shard, NODE, messageId],
  });
  return messageId;
}

/** Creates a discovery of this node and the list of messages found. `meanwhile` is called before each of its statements. */
function discover(
  options: Partial<Pick<QueueDiscoveryDeps, 'clock' | 'alone'>> = {},
  meanwhile: (statement: Statement) => Promise<void> | void = () => {},
) {
  const found: string[] = [];
  const watchedDb: Database = {
    ...db,
    async query<Row extends Record<string, unknown>>(statement: Statement) {
      await meanwhile(statement);
      return await db.query<Row>(statement);
    },
  };
  const discovery = new QueueDiscovery({
    ...{ db: watchedDb, clock: systemClock, nodeId: NODE, alone: false, scheduler: new Scheduler(), ...options },
    found: (rows) => void found.push(...rows.map((row) => row.messageId)),
  });
  return { discovery, found };
}

it('rows stored while a shard was reacquired: found, although an older look ends later', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { discovery, found } = discover({}, async ({ name }) => {
    if (name !== 'queue_discover') return;
    asked.resolve();
    await answered.promise;
  });

  const { look, messageId } = await db.transaction(async (tx) => {
    // While this transaction is open, a reacquired shard has the same horizon as before.
    await tx.query({ text: 'SELECT pg_current_xact_id()' });
    await discovery.begin([SHARD]);
    const underWay = discovery.look([SHARD]);
    await asked.promise;
    discovery.end([SHARD]);
    await discovery.begin([SHARD]);
    return { look: underWay, messageId: await queueMessage() };
  });
  answered.resolve();
  await look;
  // That look's rows are discarded, because the shard was still being read.
  found.length = 0;
  await discovery.look([SHARD]);
  assert.deepEqual(found, [messageId]);
});

it('a late commit: found once, and nothing again while another transaction stays open', async () => {
  const shard = SHARD + 1;
  const { discovery, found } = discover();
  const look = async () => {
    found.length = 0;
    await discovery.look([shard]);
    return [...found];
  };
  const late = await db.transaction(async (forgotten) => {
    await forgotten.query({ text: 'SELECT pg_current_xact_id()' });
    await discovery.begin([shard]);
    const [messageId, early] = await db.transaction(async (slow) => {
      const uncommitted = await queueMessage(slow, shard);
      const committed = await queueMessage(db, shard);
      assert.deepEqual(await look(), [committed]);
      await skipTransactionIds(db, 2_000);
      await look();
      assert.deepEqual(await look(), []);
      return [uncommitted, committed];
    });
    assert.notEqual(messageId, early);
    assert.deepEqual(await look(), [messageId]);
    await skipTransactionIds(db, 2_000);
    await look();
    assert.deepEqual(await look(), []);
    return await queueMessage(forgotten, shard);
  });
  assert.deepEqual(await look(), [late]);
  assert.deepEqual(await look(), []);
});

it('a statement in doubt that stored its row: found, however long the database was away', async () => {
  const shard = SHARD + 2;
  const clock = createManualClock();
  let isSilent = false;
  const { discovery, found } = discover({ clock, alone: true }, () => {
    if (isSilent) throw new Error('silent');
  });
  await discovery.begin([shard]);
  discovery.noteOffer(1);
  discovery.doubt(1);
  discovery.forgetOffer(1);
  isSilent = true;
  for (let minute = 0; minute < 10; minute += 1) {
    await assert.rejects(discovery.look([shard]));
    clock.advance(60_000);
  }
  isSilent = false;
  await discovery.look([shard]);
  const messageId = await queueMessage(db, shard);
  await discovery.look([shard]);
  assert.deepEqual(found, [messageId]);
});

it('a row left to the last look before a doubt ends: found, none is skipped', async () => {
  const shard = SHARD + 5;
  const clock = createManualClock();
  const { discovery, found } = discover({ clock, alone: true });
  await discovery.begin([shard]);
  discovery.noteOffer(1);
  discovery.doubt(1);
  discovery.forgetOffer(1);
  await discovery.look([shard]);
  const left = await queueMessage(db, shard);
  discovery.leave();
  clock.advance(600_000);
  assert.equal(discovery.findsOwn, true);
  await discovery.look([shard]);
  assert.deepEqual(found, [left]);
  assert.equal(discovery.findsOwn, false);
});

it('rows behind a transaction still open at the beginning: not read, on any page', async () => {
  const shard = SHARD + 6;
  let beforePage = async () => {};
  const { discovery, found } = discover({}, async ({ name }) => {
    if (name === 'queue_discover') await beforePage();
  });
  await discovery.begin([shard]);
  const stored = Promise.withResolvers<string>();
  const mayCommit = Promise.withResolvers<void>();
  const committed = db.transaction(async (slow) => {
    stored.resolve(await queueMessage(slow, shard));
    await mayCommit.promise;
  });
  const first = await stored.promise;
  for (let page = 0; page < 500; page += 1) await queueMessage(db, shard);
  let second = '';
  let pages = 0;
  beforePage = async () => {
    pages += 1;
    if (pages !== 2) return;
    mayCommit.resolve();
    await committed;
    second = await queueMessage(db, shard);
  };
  await discovery.look([shard]);
  assert.deepEqual([found.length, pages], [500, 2]);
  found.length = 0;
  await discovery.look([shard]);
  assert.deepEqual(new Set(found.filter((messageId) => [first, second].includes(messageId))), new Set([first, second]));
});

it('after a crash: rows with reused numbers are read again, and no more than those', async () => {
  let isAway = false;
  const { discovery, found } = discover({}, () => {
    if (isAway) throw new Error('away');
  });
  const shard = SHARD + 3;
  await queueMessage(db, shard);
  await skipTransactionIds(db, 15_000);
  const late = await queueMessage(db, shard);
  await discovery.begin([shard]);
  isAway = true;
  for (let time = 0; time < 3; time += 1) await assert.rejects(discovery.look([shard]));
  isAway = false;
  await discovery.look([shard]);
  assert.deepEqual(found, [late]);
});

it('after a broken connection: the same range is read again, even during a look', async () => {
  let meanwhile = () => {};
  const { discovery, found } = discover({}, () => meanwhile());
  const shard = SHARD + 4;
  const late = await queueMessage(db, shard);
  const look = async () => {
    found.length = 0;
    await discovery.look([shard]);
    return [...found];
  };
  // The horizon lies before every transaction open anywhere.
  const untilBehind = () => until('it lies before the horizon', async () => (await look()).length === 0 || undefined);
  await discovery.begin([shard]);
  await untilBehind();
  discovery.rewind();
  assert.deepEqual(await look(), [late]);
  await untilBehind();
  // The answer to such a look may be from before the crash.
  discovery.rewind();
  meanwhile = () => discovery.rewind();
  assert.deepEqual(await look(), [late]);
  meanwhile = () => {};
  assert.deepEqual(await look(), [late]);
  await untilBehind();
  meanwhile = () => discovery.rewind();
  await discovery.begin([shard]);
  meanwhile = () => {};
  assert.deepEqual(await look(), [late]);
  await untilBehind();
});
