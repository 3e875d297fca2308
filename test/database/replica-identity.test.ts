import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Queryable } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/database/days/partitions.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { freshRecipient, pause, resume, sendTemplate, untilStatus } from '../harness/tenant.ts';

/** The tables that logical replication cannot identify rows of: no primary key, and no other replica identity. */
async function listUnidentified(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    text: `
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND c.relpersistence = 'p'
        AND NOT (c.relreplident = 'f' OR c.relreplident = 'd' AND EXISTS (
          SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid
        ))
      ORDER BY name`,
  });
  return rows.map(({ name }) => name);
}

test('replica identity: every table has one, and so have the days that come', async (t) => {
  const db = await openTestDatabase(t);
  assert.deepEqual(await listUnidentified(db), []);
  for (const days of [0, 5]) {
    await preparePartitions({ db, clock: { now: () => Date.now() + days * DAY_MS } as never });
    assert.deepEqual(await listUnidentified(db), [], `${days} days later`);
  }
  const days = await db.query({ text: "SELECT FROM pg_inherits WHERE inhparent = 'webhook_attempt'::regclass" });
  assert.ok(days.length >= 8, `${days.length} days`);
});

describe('a publication of all tables', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('sends, cancels and sweeps: no statement fails', async () => {
    const { db } = gateway.app;
    const tables = await db.query<{ name: string }>({
      text: `
        SELECT relname AS name FROM pg_class
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`,
    });
    const names = tables.map(({ name }) => name).join();
    await db.query({
      text: `CREATE PUBLICATION everything FOR TABLE ${names} WITH (publish_via_partition_root = true)`,
    });
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, id, 'read');
    await pause(gateway, tenant);
    await sendTemplate(gateway, tenant, freshRecipient());
    await resume(gateway, tenant);
    for (const { name } of tables) {
      await db.query({ text: `DELETE FROM ${name} WHERE false` });
      const [column] = await db.query<{ name: string }>({
        text: 'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND attidentity = $2 LIMIT 1',
        values: [name, ''],
      });
      await db.query({ text: `UPDATE ${name} SET ${column?.name} = ${column?.name} WHERE false` });
    }
    await db.query({ text: "DELETE FROM change_feed WHERE at < now() + interval '1 hour'" });
  });
});
