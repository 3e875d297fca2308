import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRegistered, upstreamPaceOf } from './sending-number.ts';

test('isRegistered: connected with an applicable platform type → true', () => {
  const cases: [string | null, string | null, boolean][] = [
    ['CONNECTED', 'CLOUD_API', true],
    ['CONNECTED', null, true],
    ['CONNECTED', 'NOT_APPLICABLE', false],
    ['DISCONNECTED', 'CLOUD_API', false],
    ['PENDING', null, false],
    [null, 'CLOUD_API', false],
  ];
  for (const [status, platformType, expected] of cases) {
    assert.equal(isRegistered({ status, platformType }), expected, `${status} ${platformType}`);
  }
});

test('upstreamPaceOf: level and business app → pace of the platform', () => {
  assert.equal(upstreamPaceOf({ throughputLevel: 'HIGH', isOnBizApp: false }), 1_000);
  assert.equal(upstreamPaceOf({ throughputLevel: 'STANDARD', isOnBizApp: false }), 80);
  assert.equal(upstreamPaceOf({ throughputLevel: null, isOnBizApp: false }), 80);
  assert.equal(upstreamPaceOf({ throughputLevel: 'HIGH', isOnBizApp: true }), 20);
});
