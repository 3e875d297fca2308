import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { Queryable } from '../../database/database.ts';
import { OutcomeWaiters } from './outcome-waiters.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('waiters: polled until an outcome, a failed query or their timeout does not stop others', async () => {
  const clock = createManualClock();
  const settled: unknown[] = [];
  let looks = 0;
  const db: Queryable = {
    async query<Row>() {
      looks += 1;
      if (looks === 1) throw new Error('the database is gone');
      return settled as Row[];
    },
  };
  const waiters = new OutcomeWaiters({ db, clock });
  const pass = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      clock.advance(100);
      await turn();
    }
  };

  const [sent, late] = [waiters.wait('one', 'sent', 1_000), waiters.wait('one', 'late', 1_000)];
  await pass(2);
  settled.push({ messageId: 'sent', wamid: 'wamid.1', upstreamStatus: 'paused' });
  await pass(1);
  assert.deepEqual(await sent, { kind: 'sent', wamid: 'wamid.1', upstreamStatus: 'paused' });
  await pass(10);
  assert.equal(await late, undefined);
  const before = looks;
  await pass(10);
  assert.equal(looks, before);
});
