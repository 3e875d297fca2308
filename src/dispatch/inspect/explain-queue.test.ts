import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import type { Queryable } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import { explainWaiting, longestQueues } from './explain-queue.ts';

test("number not open here: reason names the queue's owner → this node, another or none", async () => {
  const { numberId } = NUMBER;
  const reasonsOf = (isLeased: boolean, isOwn: boolean) => {
    const query = async () => (isLeased ? [{ shard: shardOf(numberId) }] : []);
    const db = { query } as unknown as Queryable;
    const dispatcher = { explain: () => null, hasQueueOf: () => isOwn };
    return explainWaiting({ db, dispatcher, numbers: { findByNumberIds: async () => [NUMBER] } }, numberId, '491');
  };
  assert.deepEqual(await reasonsOf(true, true), ['being taken over']);
  assert.deepEqual(await reasonsOf(true, false), ['another node']);
  assert.deepEqual(await reasonsOf(false, false), ['no node']);
});

test('more numbers than the limit: those with the most waiting; else all, in their order', () => {
  const waiting = (queued: number) => ({ flows: [{ queued, flowId: 4, apiKeyId: null, oldestWaitSeconds: 0 }] });
  const numbers = [waiting(3), waiting(9), waiting(1), waiting(5)];
  assert.deepEqual(longestQueues(numbers, 4), numbers);
  assert.deepEqual(longestQueues(numbers, 2), [numbers[1], numbers[3]]);
});
