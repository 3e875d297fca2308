import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/core/clock.ts';
import { openDatabase, type Queryable, type Statement } from '../src/database/database.ts';
import { listEventsByKey, listEventsByRef, listEventsOfMessage, readEventsByRef } from '../src/events/queries.ts';
import { recordEvents } from '../src/events/record-queries.ts';
import { preparePartitions } from '../src/maintenance.ts';
import { applyStatuses } from '../src/messages/status-queries.ts';
import { insertQueueRows } from '../src/outbound-webhooks/queue-queries.ts';
import { recordPostponements, recordSettlements } from '../src/outbound-webhooks/settlement-queries.ts';
import { createTestDatabase } from './harness/database.ts';

interface PlanNode {
  'Index Name'?: string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

const TABLES = /^(?:message|event)_\d{8}$|^webhook_queue$/;
const EVENT = {
  id: '0',
  organizationId: '0',
  type: 'upstream.other',
  occurredAtMs: 0,
  detail: '{}',
} as const;

test('plans made while tables are empty find rows by their keys, not among all of an organization', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  await preparePartitions({ db, clock: systemClock });

  const statements = new Map<string, string>();
  const noted: Queryable = {
    async query({ name = '', text }: Statement) {
      statements.set(name, text);
      return [];
    },
  };
  await applyStatuses(noted, []);
  await listEventsByKey(noted, '0', []);
  await listEventsByRef(noted, []);
  await listEventsOfMessage(noted, '0', '0');
  await readEventsByRef(noted, [], 0);
  await recordEvents(noted, [EVENT]);
  await insertQueueRows(noted, [], 0);
  await recordSettlements(noted, []);
  await recordPostponements(noted, []);

  for (const [name, text] of statements) {
    const [row] = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
      text: `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
    });
    assert.ok(row, name);
    for (const node of nodesOf(row['QUERY PLAN'].map(({ Plan }) => Plan))) {
      if (node['Index Name'] === undefined || !TABLES.test(node['Relation Name'] ?? '')) continue;
      const used = `${name}: ${node['Index Name']} ${node['Index Cond']}`;
      assert.match(node['Index Name'], /_pkey$/, used);
      assert.match(node['Index Cond'] ?? '', /\b(?:id|subject_id|seq) = /, used);
    }
  }
});

function nodesOf(plans: readonly PlanNode[]): PlanNode[] {
  return plans.flatMap((plan) => [plan, ...nodesOf(plan.Plans ?? [])]);
}
