import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import {
  findEndpoint,
  insertEndpoint,
  updateEndpoint,
  updateHealth,
} from '../../src/outbound-webhooks/endpoints/endpoint-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { sampleEndpoint } from '../support/outbound-webhooks/sample-endpoint.ts';

test('a failure recorded late: counts only if it happened after its endpoint was enabled', async (t) => {
  const db = await openTestDatabase(t);
  const organizationId = newId();
  await db.query({
    text: "INSERT INTO organization (id, name, created_at) VALUES ($1, 'o', now())",
    values: [organizationId],
  });
  const created = await insertEndpoint(db, organizationId, sampleEndpoint({ id: newId() }), 1_000);
  assert.ok(created);
  const failed = { ...created, failuresInRow: 3, failingSinceMs: 900 };
  await updateHealth(db, [failed]);
  const failing = await findEndpoint(db, organizationId, created.id);
  assert.deepEqual([failing?.failuresInRow, failing?.failingSinceMs], [3, 900]);

  const enabled = await updateEndpoint(db, { ...created, failuresInRow: 0, failingSinceMs: null }, 1_000);
  await updateHealth(db, [{ ...failed, failuresInRow: 4 }]);
  assert.deepEqual(await findEndpoint(db, organizationId, created.id), enabled);

  await updateHealth(db, [{ ...enabled, failuresInRow: 1, failingSinceMs: 2_000 }]);
  assert.equal((await findEndpoint(db, organizationId, created.id))?.failuresInRow, 1);
});
