import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import type { Changes } from './change-feed.ts';
import { followFailovers } from './failovers.ts';

test('failover: another timeline → reported until the report succeeds; a mere restart → not', async () => {
  let startOver: () => unknown = () => assert.fail('not followed');
  const changes: Pick<Changes, 'follow'> = {
    follow(_topics, _onChange, onMissed) {
      startOver = onMissed;
    },
  };
  let timeline = '00000001';
  let reports = 0;
  let fails = true;
  const db = fakeDatabase({ query: async () => [{ timeline }] });
  followFailovers({ db, changes: changes as Changes }, async () => {
    reports += 1;
    if (fails) throw new Error('not yet');
  });
  await startOver();
  await startOver();
  assert.equal(reports, 0);
  timeline = '00000002';
  await assert.rejects(async () => startOver(), { message: 'not yet' });
  fails = false;
  await startOver();
  await startOver();
  assert.equal(reports, 2);
});
