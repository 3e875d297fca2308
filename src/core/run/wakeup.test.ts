import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Wakeup } from './wakeup.ts';

test('wakeup: many calls in one turn → one run, at the end of the turn', async () => {
  let runs = 0;
  const wakeup = new Wakeup(() => {
    runs += 1;
  });
  for (let call = 0; call < 3; call += 1) wakeup.wake();
  assert.equal(runs, 0);
  await turn();
  assert.equal(runs, 1);
  wakeup.wake();
  await turn();
  assert.equal(runs, 2);
});

test('wakeup: called by its own work → runs again in the next turn', async () => {
  const seen: string[] = [];
  const wakeup = new Wakeup(() => {
    seen.push('run');
    if (seen.length < 3) wakeup.wake();
  });
  wakeup.wake();
  await turn();
  seen.push('turn');
  await turn();
  assert.deepEqual(seen, ['run', 'turn', 'run']);
});

test('wakeup: stopped → drops the due run and later calls', async () => {
  let runs = 0;
  const wakeup = new Wakeup(() => {
    runs += 1;
  });
  wakeup.wake();
  wakeup.stop();
  await turn();
  wakeup.wake();
  await turn();
  assert.equal(runs, 0);
});

test('wakeup: context of the caller → not visible to the work', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const wakeup = new Wakeup(() => seen.push(storage.getStore()));
  storage.run('caller', () => wakeup.wake());
  await turn();
  assert.deepEqual(seen, [undefined]);
});
