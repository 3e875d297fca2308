import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardOf } from '../../leases/index.ts';
import { InFlight } from './in-flight.ts';

const NUMBER_ID = 7;
const SHARD = shardOf(NUMBER_ID);

function dispatchOf(seq: number) {
  const times = { acceptedAtMs: 0, pairFreeAtMs: 0 };
  return {
    organizationId: 'o',
    messageId: `m${seq}`,
    numberId: NUMBER_ID,
    flowId: 4,
    contact: '1',
    seq,
    attempt: 0,
    ...times,
  };
}

test('a promised batch: its shard is busy until the promise is redeemed by no message', () => {
  const inFlight = new InFlight();
  const batch = inFlight.promise([SHARD]);
  assert.equal(inFlight.isBusy(SHARD), true);
  assert.equal(inFlight.redeem(batch, [], 1), true);
  assert.equal(inFlight.isBusy(SHARD), false);
});

test('a redeemed promise: its messages are in flight under the promised batch', async () => {
  const inFlight = new InFlight();
  const batch = inFlight.promise([SHARD]);
  assert.equal(inFlight.redeem(batch, [dispatchOf(1), dispatchOf(2)], 1), true);
  assert.deepEqual(inFlight.journals(), { batches: batch, inFlight: [1, 2] });
  assert.equal(inFlight.remove(1), undefined);
  const emptied = inFlight.emptied(new Set([SHARD]));
  assert.partialDeepStrictEqual(inFlight.remove(2), { shard: SHARD, batch });
  await emptied;
});

test('a takeover before a promise is redeemed: the promise is void, its messages do not go', () => {
  const inFlight = new InFlight();
  const batch = inFlight.promise([SHARD]);
  assert.deepEqual(inFlight.journals(), { batches: batch, inFlight: [] });
  assert.equal(inFlight.isBusy(SHARD), false);
  assert.equal(inFlight.redeem(batch, [dispatchOf(1)], 1), false);
  assert.deepEqual([inFlight.size, inFlight.isBusy(SHARD)], [0, false]);
});

test('a promise after a takeover began: holds', () => {
  const inFlight = new InFlight();
  inFlight.journals();
  assert.equal(inFlight.redeem(inFlight.promise([SHARD]), [dispatchOf(1)], 1), true);
});
