import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import type { Queryable } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import { explainWaiting } from './explain-queue.ts';

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
