import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { UNLIMITED_PLAN } from '../organizations/index.ts';
import { createRateLimits } from './rate-limits.ts';
import { type AdmittedRequests, RequestsGatherer, type SharedRequests } from './shared-requests.ts';

test('rate limits: exhausted key → stays exhausted, however many other keys are used', async () => {
  const plan = { ...UNLIMITED_PLAN, keyRequestsPerSecond: 1 };
  const checkRate = createRateLimits({ plans: { get: () => plan }, clock: createManualClock() });
  const isAllowed = async (apiKeyId: string) =>
    (await checkRate({ organizationId: 'one', apiKeyId, keyNumber: 1, limits: null }, true))?.exceeded === undefined;
  assert.equal(await isAllowed('busy'), true);
  for (let other = 0; other < 10_001; other += 1) await isAllowed(`other ${other}`);
  assert.equal(await isAllowed('busy'), false);
});

/** Two workers that learn of each other's requests when `exchange` is called. */
function createTwoWorkers(keyRequestsPerSecond: number) {
  const clock = createManualClock();
  const plan = { ...UNLIMITED_PLAN, keyRequestsPerSecond };
  const waiting: [AdmittedRequests[], AdmittedRequests[]] = [[], []];
  const counts: ((requests: readonly AdmittedRequests[]) => void)[] = [];
  const workers = waiting.map((own) => {
    const shared: SharedRequests = {
      admitted: (party, intervalMs) => void own.push({ party, intervalMs, count: 1 }),
      follow: (count) => void counts.push(count),
    };
    const checkRate = createRateLimits({ plans: { get: () => plan }, clock, shared });
    return async () => {
      const verdict = await checkRate({ organizationId: 'one', apiKeyId: 'key', keyNumber: 1, limits: null }, false);
      return verdict?.exceeded === undefined;
    };
  });
  const exchange = () => {
    counts[1]?.(waiting[0].splice(0));
    counts[0]?.(waiting[1].splice(0));
  };
  return { clock, workers, exchange };
}

test('rate limits: a client of one worker → its whole rate', async () => {
  const { workers, exchange } = createTwoWorkers(4);
  const [first] = workers;
  const admitted: (boolean | undefined)[] = [];
  for (let request = 0; request < 5; request += 1) {
    admitted.push(await first?.());
    exchange();
  }
  assert.deepEqual(admitted, [true, true, true, true, false]);
});

test('rate limits: a client of two workers → its rate once, over seconds', async () => {
  const { clock, workers, exchange } = createTwoWorkers(4);
  let admitted = 0;
  for (let step = 0; step < 100; step += 1) {
    for (const isAdmitted of workers) if (await isAdmitted()) admitted += 1;
    exchange();
    await clock.advance(100);
  }
  // A burst of 4, and 4 a second for ten seconds; one request more if both workers admit one before they exchange.
  assert.ok(admitted >= 43 && admitted <= 46, `${admitted} requests in ten seconds`);
});

test('shared requests: many of one party → one message with their count', async () => {
  const { promise, resolve } = Promise.withResolvers<AdmittedRequests[]>();
  const gatherer = new RequestsGatherer(resolve, 1);
  // The gatherer's own timer does not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  for (const party of ['one', 'two', 'one']) gatherer.add(party, 250);
  assert.deepEqual(await promise, [
    { party: 'one', intervalMs: 250, count: 2 },
    { party: 'two', intervalMs: 250, count: 1 },
  ]);
  clearInterval(alive);
});
