import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import { expireWaiting } from './expire-waiting.ts';

const ROW = { accepted_at: new Date(0), expires_at: new Date(0), due_at: null, hold_until: null, attempted_at: null };

test('messages that expired while their number went to another node are looked for once, not over and over', async () => {
  let looks = 0;
  const db = {
    query: async () => {
      looks += 1;
      if (looks > 3) throw new Error('still looking');
      return Array.from({ length: 256 }, (_, seq) => ({ ...ROW, seq }));
    },
  } as unknown as Database;
  await expireWaiting({ db, clock: systemClock, outbox: { expire: async () => false } }, [1]);
  assert.equal(looks, 1);
});
