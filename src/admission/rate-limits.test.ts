import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { UNLIMITED_PLAN } from '../organizations/index.ts';
import { createRateLimits } from './rate-limits.ts';

test('rate limits: exhausted key → stays exhausted, however many other keys are used', async () => {
  const plan = { ...UNLIMITED_PLAN, keyRequestsPerSecond: 1 };
  const checkRate = createRateLimits({ plans: { get: () => plan }, clock: createManualClock() });
  const isAllowed = async (apiKeyId: string) =>
    (await checkRate({ organizationId: 'one', apiKeyId, keyNumber: 1, limits: null }, true))?.exceeded === undefined;
  assert.equal(await isAllowed('busy'), true);
  for (let other = 0; other < 10_001; other += 1) await isAllowed(`other ${other}`);
  assert.equal(await isAllowed('busy'), false);
});
