import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { recordEvents } from '../../src/events/index.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';

test('concurrent transactions with the same changes in any order: written once', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const organizationId = newId();
  const [a, b, c] = [newId(), newId(), newId()].sort();
  const tell = (...ids: (string | undefined)[]) =>
    ids.map((id = '') => ({
      id,
      organizationId,
      type: 'account.updated' as const,
      occurredAtMs: Date.now(),
      detail: '{}',
    }));
  const { promise: told, resolve: tellOthers } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = db.transaction(async (tx) => {
    await recordEvents(tx, tell(c));
    tellOthers();
    await released;
  });
  await told;
  const others = [tell(a, c, b), tell(b, c, a)].map((events) => db.transaction((tx) => recordEvents(tx, events)));
  await untilWaiting(db, 2);
  release();
  await first;
  const written = await Promise.all(others);
  assert.deepEqual(written.map(({ size }) => size).sort(), [0, 2]);
});
