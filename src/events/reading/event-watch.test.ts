import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { Statement } from '../../database/database.ts';
import { EventWatch } from './event-watch.ts';

const [MINE, OTHER] = ['mine', 'other'];
const LONG_MS = 60_000;

/** A watch with a settable result of its looks: organizations with events, or undefined for a database that does not answer. */
function createWatch() {
  const clock = createManualClock();
  let xid = 100;
  const askedFrom: unknown[] = [];
  const state: { found: string[] | undefined; lookedAt: number } = { found: [], lookedAt: 0 };
  const db = fakeDatabase({
    async query({ name, values }: Statement) {
      const at = new Date(clock.now());
      if (name === 'event_horizon' && state.found !== undefined) return [{ xid: String(xid), at }];
      if (name !== 'event_horizon') askedFrom.push(values?.[0]);
      if (state.found === undefined) throw new Error('away');
      xid += 1;
      const horizon = { xid: String(xid), at, looked_at: state.lookedAt };
      return state.found.length === 0
        ? [{ ...horizon, organization_id: null }]
        : state.found.map((organization_id) => ({ ...horizon, organization_id }));
    },
  });
  const watch = new EventWatch({ db, clock, log: pino({ level: 'silent' }) });
  const look = async () => {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { watch, clock, look, state, askedFrom };
}

/** True if the watcher resolves without further time passing. */
async function isTold(news: Promise<void>): Promise<boolean> {
  const nothing = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return await Promise.race([news.then(() => true as const), nothing]);
}

test('event before the call: next call of news → resolves once, other organizations wait', async () => {
  const { watch, look, state } = createWatch();
  const [mine, other] = [await watch.open(MINE), await watch.open(OTHER)];
  state.found = [MINE];
  await look();
  state.found = [];
  assert.equal(await isTold(mine.news(LONG_MS)), true);
  assert.equal(await isTold(mine.news(LONG_MS)), false);
  assert.equal(await isTold(other.news(LONG_MS)), false);
  await watch.stop();
});

test('failed look → next look starts from the same horizon', async () => {
  const { watch, look, state, askedFrom } = createWatch();
  const news = (await watch.open(MINE)).news(LONG_MS);
  state.found = undefined;
  await look();
  assert.equal(await isTold(news), false);
  state.found = [MINE];
  await look();
  assert.equal(await isTold(news), true);
  assert.deepEqual(askedFrom, ['100', '100']);
  await watch.stop();
});

test('too many events in one look → all watchers wake', async () => {
  const { watch, look, state } = createWatch();
  const news = (await watch.open(MINE)).news(LONG_MS);
  Object.assign(state, { found: [OTHER], lookedAt: 10_000 });
  await look();
  assert.equal(await isTold(news), true);
  await watch.stop();
});

test('several watchers → one look, starting at the previous horizon', async () => {
  const { watch, look, askedFrom } = createWatch();
  await Promise.all([watch.open(MINE), watch.open(OTHER)]);
  await look();
  await look();
  assert.deepEqual(askedFrom, ['100', '101']);
  await watch.stop();
});

test('no watchers → no looks; a later watcher → wakes', async () => {
  const { watch, look, state, askedFrom } = createWatch();
  (await watch.open(MINE)).close();
  await look();
  await look();
  assert.deepEqual(askedFrom, []);
  const news = (await watch.open(MINE)).news(LONG_MS);
  state.found = [MINE];
  await look();
  assert.equal(await isTold(news), true);
  await watch.stop();
});

test('open: above 50 per organization or 2,000 in all → refused; closed ones not counted', async () => {
  const { watch, state } = createWatch();
  state.found = undefined;
  for (let times = 0; times < 50; times += 1) await assert.rejects(watch.open(MINE), /away/);
  state.found = [];
  const waiting = await Promise.all(Array.from({ length: 50 }, () => watch.open(MINE)));
  await assert.rejects(watch.open(MINE), { code: 'RATE_LIMITED' });
  for (let times = 0; times < 2; times += 1) waiting[0]?.close();
  await watch.open(MINE);
  await assert.rejects(watch.open(MINE), { code: 'RATE_LIMITED' });
  for (let count = 50; count < 2_000; count += 1) await watch.open(`organization ${count % 39}`);
  await assert.rejects(watch.open(OTHER), { code: 'UNAVAILABLE' });
  await watch.stop();
});

test('stop → all watchers wake, new ones are refused', async () => {
  const { watch, clock, look, askedFrom } = createWatch();
  const news = (await watch.open(MINE)).news(LONG_MS);
  clock.advance(50);
  await watch.stop();
  assert.equal(await isTold(news), true);
  await assert.rejects(watch.open(MINE), { code: 'UNAVAILABLE' });
  await look();
  assert.equal(askedFrom.length, 1, 'nor does anybody look any more');
});
