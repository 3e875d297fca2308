import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/ids.ts';
import { type Database, openDatabase, type Statement } from '../src/database/database.ts';
import { QueueDiscovery } from '../src/dispatch/queue-discovery.ts';
import { createScheduler } from '../src/dispatch/scheduler/index.ts';
import { createTestDatabase, type TestDatabase } from './harness/database.ts';

const SHARD = 7;
const NODE = newId();

let database: TestDatabase;
let db: Database;
before(async () => {
  database = await createTestDatabase();
  db = openDatabase({ connectionString: database.connectionString, onIdleError: () => {} });
});
after(async () => {
  await db.close();
  await database.drop();
});

async function queueMessage(): Promise<string> {
  const messageId = newId();
  await db.query({
    text: `INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
           VALUES ($1, 1, 4, 15550001, $2, $3, now(), now() + interval '1 day')`,
    values: [SHARD, NODE, messageId],
  });
  return messageId;
}

it('finds what came while a shard was taken anew, though a look begun before ends after it', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let found: string[] = [];
  const discovery = new QueueDiscovery({
    db: {
      ...db,
      async query<Row extends Record<string, unknown>>(statement: Statement) {
        if (statement.name === 'queue_discover') {
          asked.resolve();
          await answered.promise;
        }
        return await db.query<Row>(statement);
      },
    },
    clock: systemClock,
    nodeId: NODE,
    alone: false,
    scheduler: createScheduler(),
    found: async (rows) => void found.push(...rows.map((row) => row.messageId)),
  });

  const { look, messageId } = await db.transaction(async (tx) => {
    // As long as this transaction is open, a shard taken anew has the horizon it had before.
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
  // What that look has found is nobody's: the shard was still being read.
  found = [];
  await discovery.look([SHARD]);
  assert.deepEqual(found, [messageId]);
});
