import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import {
  insertQueueRows,
  listFreshRows,
  listRetryRows,
  type NewQueueRow,
} from '../../src/outbound-webhooks/queue/queue-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { planOf, rowsRead, statementsOf } from '../harness/query-plans.ts';

const HOUR_MS = 60 * 60_000;

test('rows behind a failed one of their conversation: left out, except the last examined', async (t) => {
  const db = await openTestDatabase(t);
  const [mine, theirs] = [newId(), newId()];
  const [failed, free] = [newId(), newId()];
  const row = (organizationId: string, conversation: string | null): NewQueueRow => ({
    organizationId,
    endpointNumber: organizationId === mine ? 1 : 2,
    subjectId: newId(),
    sequence: 1,
    eventType: 1,
    atSeconds: 0,
    conversation,
  });
  const read = async (organizationId: string, afterSeq: number, rowsMax: number) => {
    const endpointNumber = organizationId === mine ? 1 : 2;
    const rows = await listFreshRows(db, [{ organizationId, endpointNumber, afterSeq, rowsMax }]);
    return rows.map(({ seq, conversation, isBlocked, isCut }) => ({ seq, conversation, isBlocked, isCut }));
  };
  const conversations = [failed, null, failed, free, failed, free, failed];
  for (const organizationId of [mine, theirs]) {
    const rows = conversations.map((conversation) => row(organizationId, conversation));
    await insertQueueRows(db, rows, 0);
  }
  await db.query({
    text: `
      UPDATE webhook_queue SET attempts = 1, due_at = now()
      WHERE (organization_id, seq) IN (SELECT $1::uuid, min(seq) FROM webhook_queue WHERE organization_id = $1)`,
    values: [mine],
  });

  const untouched = await read(theirs, 0, 100);
  assert.deepEqual(
    untouched.map(({ conversation }) => conversation),
    conversations,
  );
  assert.ok(untouched.every(({ isBlocked, isCut }) => !isBlocked && !isCut));

  const found = await read(mine, 0, 100);
  assert.deepEqual(
    found.map(({ conversation, isBlocked }) => [conversation, isBlocked]),
    [
      [null, false],
      [free, false],
      [free, false],
      [failed, true],
    ],
  );
  assert.ok(found.every(({ isCut }) => !isCut));
  assert.deepEqual(await read(mine, 0, 2), found.slice(0, 2));
  assert.deepEqual(await read(mine, found[1]?.seq ?? 0, 2), found.slice(2));
  assert.deepEqual(await read(mine, found[3]?.seq ?? 0, 2), []);

  // More rows than one read examines.
  const many = Array.from({ length: 1_500 }, () => row(mine, failed));
  await insertQueueRows(db, [...many, row(mine, null)], 0);
  const last = found[3]?.seq ?? 0;
  const [cut, ...more] = await read(mine, last, 100);
  assert.ok(cut?.isBlocked && cut.isCut);
  assert.deepEqual(more, []);
  assert.deepEqual(
    (await read(mine, cut.seq, 100)).map(({ conversation, isBlocked, isCut }) => [conversation, isBlocked, isCut]),
    [[null, false, false]],
  );
});

test('a row behind any number of retries: reached by reads of equal size', async (t) => {
  const db = await openTestDatabase(t);
  const organizationId = newId();
  for (let part = 0; part < 20; part += 1) {
    await db.query({
      text: `
        INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at, attempts, due_at)
        SELECT $1, 1, gen_random_uuid(), 1, 1, now(), 1, now() + interval '1 day' FROM generate_series(1, 10000)`,
      values: [organizationId],
    });
  }
  const ref = { organizationId, subjectId: newId(), sequence: 1, atSeconds: 0 };
  await insertQueueRows(db, [{ ...ref, endpointNumber: 1, eventType: 1, conversation: null }], 0);
  const wanted = { organizationId, endpointNumber: 1, afterSeq: 0, rowsMax: 32 };

  const [statement] = await statementsOf((noted) => listFreshRows(noted, [wanted]));
  const read = Math.max(...(await planOf(db, statement?.text, statement?.values)).map(rowsRead));
  assert.ok(read <= 1_000, `${read} rows were read at once`);

  for (let reads = 1; ; reads += 1) {
    const [row, ...others] = await listFreshRows(db, [wanted]);
    assert.ok(row, `nothing more after ${reads} reads`);
    assert.deepEqual(others, []);
    wanted.afterSeq = row.seq;
    if (row.subjectId !== ref.subjectId) {
      assert.ok(row.isBlocked && row.isCut);
      continue;
    }
    assert.deepEqual([row.dueAtMs, row.isBlocked, row.isCut, reads], [null, false, false, 201]);
    break;
  }
  assert.deepEqual(await listFreshRows(db, [wanted]), []);
});

test('retries of a clock set back since: due first, and only those of their endpoint', async (t) => {
  const db = await openTestDatabase(t);
  const [mine, theirs] = [newId(), newId()];
  const nowMs = Date.now();
  const hours = [-1, 1, 28, 30, 24 * 30];
  for (const [organizationId, endpointNumber] of [
    [mine, 1],
    [theirs, 2],
  ]) {
    await db.query({
      text: `
        INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at, attempts, due_at)
        SELECT $1, $2, gen_random_uuid(), 1, 1, now(), 1, due_at FROM unnest($3::timestamptz[]) due_at`,
      values: [organizationId, endpointNumber, hours.map((count) => new Date(nowMs + count * HOUR_MS))],
    });
  }
  const read = async (organizationId: string, endpointNumber: number, rowsMax: number) => {
    const rows = await listRetryRows(db, [{ organizationId, endpointNumber, rowsMax }], nowMs);
    return rows.map(({ dueAtMs }) => ((dueAtMs ?? 0) - nowMs) / HOUR_MS);
  };
  assert.deepEqual(await read(mine, 1, 100), [-1, 0, 0, 1, 28]);
  assert.deepEqual(await read(theirs, 2, 3), [-1, 0, 0]);
  assert.deepEqual(await read(mine, 2, 100), []);

  const [statement] = await statementsOf((noted) =>
    listRetryRows(noted, [{ organizationId: mine, endpointNumber: 1, rowsMax: 100 }], nowMs),
  );
  const nodes = await planOf(db, statement?.text, statement?.values);
  const found = nodes.filter((node) => node['Relation Name'] === 'webhook_queue');
  assert.deepEqual(
    found.map((node) => node['Index Name']),
    ['webhook_queue_by_due', 'webhook_queue_by_due'],
  );
});
