import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { readNextTransactionId } from '../../src/database/changes/transaction-ids.ts';
import { openDatabase } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { catchUpWithDump } from '../../src/restored-dump.ts';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { createTestDatabase, openTestDatabase } from '../harness/database.ts';
import { pullPage } from '../harness/events.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { call, createTenant, freshRecipient, send, templateTo, until } from '../harness/tenant.ts';

/** Transactions that the dumped PostgreSQL is ahead of the new one. */
const AHEAD = 50_000;

test('events after a dump was restored into a younger PostgreSQL: delivered like all others', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  await using receiver = await startReceiver();
  const gateway = await createRestartableGateway({
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
    FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  });
  t.after(() => gateway.close());
  const before = await gateway.start();
  const tenant = await createTenant(before);
  await call(before, tenant, 'POST', '/v1/webhooks', { body: { url: receiver.url } });
  await send(before, tenant, templateTo(freshRecipient()));
  await until('all is told', () => receiver.received.length >= 4 || undefined);
  const { next: cursor } = await pullPage(before, tenant, { after: 'now' });
  before.kill('SIGTERM');
  await before.ended;

  const later = (column: string) => `${column} = (${column}::text::bigint + ${AHEAD})::text::xid8`;
  await db.query({ text: `UPDATE event SET ${later('xid')}` });
  await db.query({ text: `UPDATE message SET ${later('event_xid')}` });
  await db.query({
    text: `UPDATE webhook_endpoint SET since = format('%1$s:%1$s:', pg_snapshot_xmin(since)::text::bigint + ${AHEAD})::pg_snapshot`,
  });
  const after = await gateway.start();
  const sent = await send(after, tenant, templateTo(freshRecipient()));
  const { id } = sent.json.messages[0];
  const told = () => receiver.received.filter(({ json }) => json.data.id === id).map(({ json }) => json.type);
  await until('all is told again', () => told().length >= 4 || undefined);
  const { data } = await pullPage(after, tenant, { after: cursor, limit: 500 });
  assert.equal(data.filter((event: { data: { id: string } }) => event.data.id === id).length, 4);
});

test('events of a message whose own events were dropped: delivered, too', async (t) => {
  const db = await openTestDatabase(t);
  const id = newId();
  await preparePartitions({ db, clock: systemClock });
  const newest = (await readNextTransactionId(db)) + 5_000;
  await db.query({
    text: `INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at, event_xid)
           VALUES ($1, $1, 1, 0, 'text', '{}', 1, now(), $2::text::xid8)`,
    values: [id, newest],
  });
  await catchUpWithDump({ db, log: pino({ level: 'silent' }) });
  assert.ok((await readNextTransactionId(db)) > newest);
});
