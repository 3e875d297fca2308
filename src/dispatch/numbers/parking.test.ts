import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import { Parking, type ParkingDeps } from './parking.ts';

const { organizationId, wabaId } = NUMBER;
const PLACE = { organizationId, numberId: 1, contact: 'r' };

test('pair: throttled repeatedly → waits longer each time, with at most 20,000 pairs remembered', () => {
  const scheduler = { penalizePair: () => {} };
  const parking = new Parking({ scheduler, clock: { monotonicMs: () => 0 } } as unknown as ParkingDeps);
  const throttle = (contact: string) =>
    parking.park({ ...PLACE, contact }, wabaId, { scope: 'pair', waitMs: 1, reason: 'throttled' });
  for (let strikes = 0; strikes < 3; strikes += 1) throttle('first');
  assert.equal(parking.strikesOf({ numberId: 1, contact: 'first' }), 3);
  const others = Array.from({ length: 100_000 }, (_, index) => String(index));
  for (const other of others) throttle(other);
  const remembered = others.filter((contact) => parking.strikesOf({ numberId: 1, contact }) > 0).length;
  assert.ok(remembered <= 20_000, `${remembered} pairs`);
  assert.equal(parking.strikesOf({ numberId: 1, contact: '99999' }), 1);
});

test('revoked token: many messages of a number in flight → noted once', async () => {
  let transactions = 0;
  let number = NUMBER;
  const parking = new Parking({
    clock: { now: () => 0, monotonicMs: () => 0 },
    log: { warn() {} },
    db: {
      async transaction() {
        transactions += 1;
        return true;
      },
    },
    book: {
      find: () => number,
      async refresh() {
        number = { ...NUMBER, parked: { code: '190', reason: 'expired' } };
      },
    },
  } as unknown as ParkingDeps);
  const refusal = { kind: 'stop', scope: 'credential', code: '190', reason: 'expired' } as const;
  const used = { wabaId, version: 1, readAt: null, begunAtMs: 0 };
  const note = () => parking.noteStop(PLACE, refusal, used);
  await Promise.all(Array.from({ length: 100 }, note));
  await note();
  assert.equal(transactions, 1);
  await parking.noteStop(PLACE, { ...refusal, scope: 'number', code: '133010' }, used);
  assert.equal(transactions, 2, 'a different problem is noted');
  number = NUMBER;
  await note();
  assert.equal(transactions, 3, 'the same problem is noted again after a fix');
});

test('refusal: of a number → it waits alone, of a token → all numbers of its account wait', () => {
  const account = [1, 2].map((numberId) => ({ ...NUMBER, numberId }));
  let parked: number[] = [];
  const parking = new Parking({
    scheduler: { stopNumber: (_nowMs: number, numberId: number) => parked.push(numberId) },
    clock: { monotonicMs: () => 0 },
    book: { listAccount: () => account },
  } as unknown as ParkingDeps);
  const parkedBy = (scope: 'number' | 'waba' | 'credential') => {
    parked = [];
    parking.stop(PLACE, wabaId, { kind: 'stop', scope, code: '131031', reason: 'locked' });
    return parked;
  };
  assert.deepEqual([parkedBy('number'), parkedBy('waba'), parkedBy('credential')], [[1], [1, 2], [1, 2]]);
});

test("refusal: its number has moved to another node → the account's other numbers wait too", () => {
  const throttled: unknown[] = [];
  const stopped: number[] = [];
  const parking = new Parking({
    scheduler: { stopNumber: (_nowMs: number, numberId: number) => stopped.push(numberId) },
    clock: { monotonicMs: () => 0 },
    book: {
      find: () => undefined,
      listAccount: (account: unknown) => {
        assert.deepEqual(account, { organizationId, wabaId });
        return [{ ...NUMBER, numberId: 2 }];
      },
    },
    throttles: { send: (throttle: unknown) => throttled.push(throttle) },
  } as unknown as ParkingDeps);
  for (const scope of ['waba', 'app'] as const) parking.park(PLACE, wabaId, { scope, waitMs: 60_000, reason: scope });
  parking.stop(PLACE, wabaId, { kind: 'stop', scope: 'credential', code: '190', reason: 'expired' });
  assert.deepEqual(throttled, [
    { scope: 'waba', account: { organizationId, wabaId }, appId: undefined, waitMs: 60_000, reason: 'waba' },
    { scope: 'app', account: { organizationId, wabaId }, appId: undefined, waitMs: 60_000, reason: 'app' },
  ]);
  assert.deepEqual(stopped, [2]);
});

test('problem: it can neither be noted nor looked up → the number waits', async () => {
  const away = () => Promise.reject(new Error('away'));
  const parked: number[] = [];
  const parking = new Parking({
    scheduler: { stopNumber: (_nowMs: number, numberId: number) => parked.push(numberId) },
    clock: { now: () => 0, monotonicMs: () => 0 },
    log: { warn() {}, error() {} },
    db: { transaction: away, query: away },
    book: { find: () => NUMBER, refresh: away },
  } as unknown as ParkingDeps);
  const refusal = { kind: 'stop', scope: 'number', code: '133010', reason: 'not registered' } as const;
  await parking.noteStop(PLACE, refusal, { wabaId, version: 1, readAt: null, begunAtMs: 0 });
  assert.deepEqual(parked, [1]);
});
