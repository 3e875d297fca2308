import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../core/time/clock.ts';
import type { Database, Statement } from '../../database/database.ts';
import { abandonCancelled, abandonExpired } from './abandon-waiting.ts';

const ROW = { accepted_at: new Date(0), due_at: null, hold_until: null, attempted_at: null };

test('cancelled messages: their number moved to another node → looked up once, not endlessly', async () => {
  const looks = new Map<string | undefined, number>();
  const db = {
    query: async ({ name, values }: Statement) => {
      const count = (looks.get(name) ?? 0) + 1;
      looks.set(name, count);
      if (count > 3) throw new Error('still looking');
      return Array.from({ length: Number(values?.at(-1)) }, (_, seq) => ({ ...ROW, seq }));
    },
  } as unknown as Database;
  const deps = { db, clock: systemClock, abandoner: { abandon: async () => false } };
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

test('expired messages: many are in flight → the waiting ones still end', async () => {
  const onTheirWay = 1_024;
  const expired = Array.from({ length: onTheirWay + 1 }, (_, seq) => ({ ...ROW, seq }));
  const db = {
    query: async ({ values }: Statement) => expired.slice(0, Number(values?.at(-1))),
  } as unknown as Database;
  const ended: number[] = [];
  const abandon = async ({ seq }: { seq: number }) => {
    if (seq < onTheirWay) return false;
    ended.push(seq);
    return true;
  };
  await abandonExpired({ db, clock: systemClock, abandoner: { abandon } }, [1]);
  assert.deepEqual(ended, [onTheirWay]);
});
