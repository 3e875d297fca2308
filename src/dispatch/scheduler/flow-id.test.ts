import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowIdOf, listByClass, trafficClasses, trafficClassOf } from './flow-id.ts';

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

test('values by class: any order of names → listed by the number of each class', () => {
  const values = { marketing: 'm', utility: 'u', session: 's', authentication: 'a' };
  assert.deepEqual(listByClass(values), ['a', 's', 'u', 'm']);
});
