import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { runDetached } from './detached.ts';

test('detached work: context of the caller → not visible, before or after a wait', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen = await storage.run('caller', async () => {
    const detached = runDetached(async () => {
      const before = storage.getStore();
      await setImmediate();
      return [before, storage.getStore()];
    });
    return [...(await detached), storage.getStore()];
  });
  assert.deepEqual(seen, [undefined, undefined, 'caller']);
});
