import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import type { Database, Statement } from '../database/database.ts';
import { abandonCancelled, abandonExpired } from './abandon-waiting.ts';

const ROW = { accepted_at: new Date(0), due_at: null, hold_until: null, attempted_at: null };

test('messages that cannot be ended, their number having gone to another node, are looked for once, not over and over', async () => {
  const looks = new Map<string | undefined, number>();
  const db = {
    query: async ({ name, values }: Statement) => {
      const count = (looks.get(name) ?? 0) + 1;
      looks.set(name, count);
      if (count > 3) throw new Error('still looking');
      return Array.from({ length: Number(values?.at(-1)) }, (_, seq) => ({ ...ROW, seq }));
    },
  } as unknown as Database;
  const deps = { db, clock: systemClock, outbox: { abandon: async () => false } };
  await abandonCancelled(deps, [1]);
  await abandonExpired(deps, [1]);
  assert.deepEqual(
    [...looks],
    [
      ['queue_list_cancelled', 1],
      ['queue_list_expired', 1],
    ],
  );
});
