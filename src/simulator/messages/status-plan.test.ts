import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryFault } from '../control/faults.ts';
import { planStatuses } from './status-plan.ts';

const latenciesMs = { sent: 10, delivered: 20, read: 30 };
const plan = (faults: DeliveryFault[] = [], failure: { code: number } | null = null) =>
  planStatuses({ isReaction: false, latenciesMs, failure, faults });
const departures = (faults: DeliveryFault[]) =>
  plan(faults).map(({ status, happensAfterMs, leavesAfterMs }) => [status, happensAfterMs, leavesAfterMs]);

test('no faults: sent, delivered, read', () => {
  assert.deepEqual(departures([]), [
    ['sent', 10, 10],
    ['delivered', 20, 20],
    ['read', 30, 30],
  ]);
});

test('phone off → stays sent; read receipts off → ends at delivered', () => {
  const statuses = (latencies: typeof latenciesMs | { sent: number; delivered: number | null; read: number | null }) =>
    planStatuses({ isReaction: false, latenciesMs: latencies, failure: null, faults: [] }).map(({ status }) => status);
  assert.deepEqual(statuses({ sent: 1, delivered: null, read: 3 }), ['sent']);
  assert.deepEqual(statuses({ sent: 1, delivered: 2, read: null }), ['sent', 'delivered']);
});

test('dropped message: one status, failed', () => {
  const [only, ...rest] = plan([], { code: 131047 });
  assert.deepEqual([only?.status, only?.errorCode, only?.leavesAfterMs], ['failed', 131047, 10]);
  assert.equal(rest.length, 0);
});

test('failure: possible instead of any status', () => {
  const codes = (after?: 'sent' | 'delivered') =>
    plan([{ kind: 'fail', code: 131026, ...(after === undefined ? {} : { after }) }]).map(
      ({ status, errorCode }) => errorCode ?? status,
    );
  assert.deepEqual(codes(), [131026]);
  assert.deepEqual(codes('sent'), ['sent', 131026]);
  assert.deepEqual(codes('delivered'), ['sent', 'delivered', 131026]);
});

test('reordered webhooks: posted in reverse, timestamps stay true', () => {
  assert.deepEqual(departures([{ kind: 'webhook_reordered' }]), [
    ['sent', 10, 30],
    ['delivered', 20, 20],
    ['read', 30, 10],
  ]);
});

test('late webhooks: posted later, timestamps stay true', () => {
  assert.deepEqual(departures([{ kind: 'webhook_late', delayMs: 500, status: 'sent' }]), [
    ['sent', 10, 510],
    ['delivered', 20, 20],
    ['read', 30, 30],
  ]);
});

test('lost or duplicated: one status or all of them', () => {
  assert.deepEqual(plan([{ kind: 'webhook_lost' }]), []);
  assert.deepEqual(
    plan([{ kind: 'webhook_lost', status: 'delivered' }]).map(({ status }) => status),
    ['sent', 'read'],
  );
  assert.ok(plan([{ kind: 'webhook_duplicated', copies: 3 }]).every(({ copies }) => copies === 3));
});

test('held template: sent later or dropped with 132015', () => {
  assert.deepEqual(departures([{ kind: 'held', outcome: 'sent', delayMs: 100 }])[0], ['sent', 110, 110]);
  const dropped = plan([{ kind: 'held', outcome: 'dropped', delayMs: 100 }]);
  assert.deepEqual(
    dropped.map(({ status, errorCode }) => [status, errorCode]),
    [['failed', 132015]],
  );
});
