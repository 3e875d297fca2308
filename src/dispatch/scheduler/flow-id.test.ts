import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowIdOf, trafficClasses, trafficClassOf } from './flow-id.ts';

test('flow id: any key and class → unique, and gives its class back, up to the largest key', () => {
  const seen = new Set<number>();
  for (const keyNumber of [1, 2, 77, 500_000_000]) {
    for (const trafficClass of Object.values(trafficClasses)) {
      const flowId = flowIdOf(keyNumber, trafficClass);
      assert.equal(trafficClassOf(flowId), trafficClass);
      seen.add(flowId);
      assert.ok(flowId < 2 ** 31);
    }
  }
  assert.equal(seen.size, 16);
});
