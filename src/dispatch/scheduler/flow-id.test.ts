import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyNumberOf, flowIdOf, trafficClasses, trafficClassOf } from './flow-id.ts';

test('a flow id gives back its API key and traffic class, up to the largest key number', () => {
  for (const keyNumber of [1, 2, 77, 500_000_000]) {
    for (const trafficClass of Object.values(trafficClasses)) {
      const flowId = flowIdOf(keyNumber, trafficClass);
      assert.deepEqual([apiKeyNumberOf(flowId), trafficClassOf(flowId)], [keyNumber, trafficClass]);
      assert.ok(flowId < 2 ** 31);
    }
  }
});
