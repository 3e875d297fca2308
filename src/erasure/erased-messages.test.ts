import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabase } from '../../test/harness/fake-database.ts';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { wamidDigest } from '../core/ids.ts';
import { ErasedMessages } from './erased-messages.ts';

const WAMID = 'wamid.HBgLMTU1NTA3ODM4ODEVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA';
const NO_CHANGES = { follow: () => {} };

test('two look-ups at once, after the start → both wait for the word that people were erased', async () => {
  const looks: PromiseWithResolvers<unknown[]>[] = [];
  const db = fakeDatabase({
    query({ name }) {
      if (name !== 'erasure_has_any') return Promise.resolve([{ digest: wamidDigest(WAMID) }]);
      const look = Promise.withResolvers<unknown[]>();
      looks.push(look);
      return look.promise;
    },
  });
  const erased = new ErasedMessages({ db, clock: createManualClock(), changes: NO_CHANGES });
  const found = Promise.all([erased.listErased([WAMID]), erased.listErased([WAMID])]);
  for (const look of looks) look.resolve([{}]);
  assert.deepEqual(await found, [new Set([WAMID]), new Set([WAMID])]);
});

test('a look-up that fails → rejected, and the next one looks again', async () => {
  let fails = true;
  const db = fakeDatabase({
    async query({ name }) {
      if (fails) throw new Error('planted');
      return name === 'erasure_has_any' ? [{}] : [{ digest: wamidDigest(WAMID) }];
    },
  });
  const erased = new ErasedMessages({ db, clock: createManualClock(), changes: NO_CHANGES });
  await assert.rejects(erased.listErased([WAMID]), /planted/);
  fails = false;
  assert.deepEqual(await erased.listErased([WAMID]), new Set([WAMID]));
});
