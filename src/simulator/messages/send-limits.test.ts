import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SendLimits } from './send-limits.ts';

test('throughput: no sliding second exceeds the limit, no send is refused without need', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 200 }),
      (limit, gapsMs) => {
        const limits = new SendLimits();
        const admittedAt: number[] = [];
        let nowMs = 10_000;
        for (const [index, gapMs] of gapsMs.entries()) {
          nowMs += gapMs;
          const inWindow = admittedAt.filter((at) => at > nowMs - 1000).length;
          const verdict = limits.admit('number', `user-${index}`, limit, nowMs);
          assert.equal(verdict.kind, inWindow < limit ? 'admitted' : 'throughput');
          if (verdict.kind === 'admitted') admittedAt.push(nowMs);
        }
      },
    ),
  );
});

test('pair: burst of 45, then one every six seconds', () => {
  const limits = new SendLimits();
  const admit = (nowMs: number) => limits.admit('number', 'user', 1000, nowMs).kind;
  for (let sent = 0; sent < 45; sent += 1) assert.equal(admit(0), 'admitted');
  assert.equal(admit(0), 'pair');
  assert.equal(admit(5999), 'pair');
  assert.equal(admit(6000), 'admitted');
  assert.equal(admit(6000), 'pair');
  assert.equal(limits.admit('number', 'another user', 1000, 6000).kind, 'admitted');
  assert.equal(limits.admit('another number', 'user', 1000, 6000).kind, 'admitted');
});

test('refused send: uses up neither throughput nor pair', () => {
  const limits = new SendLimits();
  for (let sent = 0; sent < 45; sent += 1) limits.admit('number', 'user', 50, 0);
  for (let refused = 0; refused < 100; refused += 1) assert.equal(limits.admit('number', 'user', 50, 0).kind, 'pair');
  for (let sent = 0; sent < 5; sent += 1) assert.equal(limits.admit('number', `other-${sent}`, 50, 0).kind, 'admitted');
  assert.equal(limits.admit('number', 'last', 50, 0).kind, 'throughput');
});

test('arrival known to be at one of two times: over the limit only if it is at both', () => {
  const limits = new SendLimits();
  assert.equal(limits.admit('number', 'user', 1, 13, 0).kind, 'admitted');
  assert.equal(limits.admit('number', 'user', 1, 999).kind, 'throughput');
  assert.equal(limits.admit('number', 'user', 1, 1_000).kind, 'admitted');
  assert.equal(limits.admit('number', 'user', 1, 2_000, 1_990).kind, 'admitted');
});

test('limit of zero → every send refused', () => {
  assert.equal(new SendLimits().admit('number', 'user', 0, 0).kind, 'throughput');
});

test('limit changed: sends of the current second still count', () => {
  const limits = new SendLimits();
  for (let sent = 0; sent < 5; sent += 1) limits.admit('number', `user-${sent}`, 80, 0);
  assert.equal(limits.admit('number', 'user', 5, 10).kind, 'throughput');
  assert.equal(limits.admit('number', 'user', 6, 20).kind, 'admitted');
  assert.equal(limits.admit('number', 'user', 6, 30).kind, 'throughput');
  assert.equal(limits.admit('number', 'user', 6, 1000).kind, 'admitted');
});
