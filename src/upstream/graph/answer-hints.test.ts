import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regainMsOf, retryAfterMsOf, usageOf } from './answer-hints.ts';

test('throttled budgets: account → longest wait of all; app → its own wait only', () => {
  const business = {
    1: [{ type: 'a', call_count: 10, total_cputime: 99, total_time: 1, estimated_time_to_regain_access: 0 }],
    2: [
      { type: 'b', call_count: 3 },
      { type: 'c', call_count: 100, estimated_time_to_regain_access: 12 },
    ],
  };
  const headers = {
    'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":25}',
    'x-business-use-case-usage': JSON.stringify(business),
  };
  assert.equal(regainMsOf(headers, 'waba'), 12 * 60_000);
  assert.equal(regainMsOf(headers, 'app'), null);
  assert.deepEqual(usageOf(headers), { percent: 100, regainMs: 12 * 60_000 });
  const app = JSON.stringify({ call_count: 100, estimated_time_to_regain_access: 2 });
  assert.equal(regainMsOf({ ...headers, 'x-app-usage': app }, 'app'), 120_000);
});

test('usage headers: absent → no wait known', () => {
  assert.equal(regainMsOf({}, 'waba'), null);
  assert.equal(usageOf({}), null);
});

test('usage headers: malformed → read as empty budgets', () => {
  for (const value of ['', 'x', '[]', 'null', '{"1":5}', '{"1":[null,"x"]}', '{"1":[{"call_count":"many"}]}']) {
    assert.equal(usageOf({ 'x-business-use-case-usage': value })?.percent ?? 0, 0, value);
    for (const scope of ['waba', 'app'] as const)
      assert.equal(regainMsOf({ 'x-business-use-case-usage': value, 'x-app-usage': value }, scope), null, value);
  }
});

test('Retry-After: absent or unreadable → no wait known', () => {
  for (const headers of [{}, { 'retry-after': 'soon' }]) assert.equal(retryAfterMsOf(headers, 0), null);
  assert.equal(retryAfterMsOf({ 'retry-after': '1.5' }, 0), 1_500);
});
