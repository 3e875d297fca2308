import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PaceControl } from './pace-control.ts';

const CEILING = { ratePerSecond: 80, inFlightMax: 80 };

describe('pace control', () => {
  it('accepted messages only → stays at its ceiling', () => {
    const pace = new PaceControl(CEILING);
    assert.equal(pace.note('accepted', 0), false);
    assert.equal(pace.ratePerSecond, 80);
    assert.equal(pace.inFlightMax, 80);
  });

  it('several throttles within a second → halves the rate once', () => {
    const pace = new PaceControl(CEILING);
    assert.equal(pace.note('throttled', 0), true);
    for (let at = 1; at < 1000; at += 100) assert.equal(pace.note('throttled', at), false);
    assert.equal(pace.ratePerSecond, 40);
    pace.note('throttled', 1000);
    assert.equal(pace.ratePerSecond, 20);
  });

  it('long throttling → never below a twentieth of the ceiling', () => {
    const pace = new PaceControl(CEILING);
    for (let at = 0; at < 60_000; at += 1000) pace.note('throttled', at);
    assert.equal(pace.ratePerSecond, 4);
  });

  it('a single throttle → back at the ceiling after one second', () => {
    const pace = new PaceControl(CEILING);
    for (const at of [0, 30_000, 60_000]) {
      pace.note('throttled', at);
      assert.equal(pace.note('accepted', at + 999), false);
      assert.equal(pace.ratePerSecond, 40);
      assert.equal(pace.note('accepted', at + 1_000), true);
      assert.equal(pace.ratePerSecond, 80);
    }
  });

  it('two throttles within 30 s → back to the ceiling in steps of one second', () => {
    const pace = new PaceControl(CEILING);
    pace.note('throttled', -29_999);
    pace.note('accepted', -1);
    pace.note('throttled', 0);
    const rates: number[][] = [];
    for (let at = 50; at <= 5_000; at += 50) if (pace.note('accepted', at)) rates.push([at, pace.ratePerSecond]);
    assert.deepEqual(rates, [
      [1_000, 44],
      [2_000, 48],
      [3_000, 52],
      [4_000, 56],
      [5_000, 60],
    ]);
    for (let at = 5_050; at <= 12_000; at += 50) pace.note('accepted', at);
    assert.equal(pace.ratePerSecond, 80);
  });

  it('a full round of trouble → halves the messages in flight, accepted messages restore them', () => {
    const pace = new PaceControl(CEILING);
    let changes = 0;
    for (let answer = 0; answer < 80; answer += 1) if (pace.note('trouble', 0)) changes += 1;
    assert.deepEqual([pace.inFlightMax, changes], [40, 40]);
    changes = 0;
    for (let answer = 0; answer < 42; answer += 1) if (pace.note('accepted', 10)) changes += 1;
    assert.deepEqual([pace.inFlightMax, changes], [41, 1]);
    for (let answer = 0; answer < 10_000; answer += 1) pace.note('accepted', 10);
    assert.equal(pace.inFlightMax, 80);
  });

  it('long trouble → at least four in flight, or the ceiling if lower', () => {
    const pace = new PaceControl(CEILING);
    for (let answer = 0; answer < 1_000; answer += 1) pace.note('trouble', answer);
    assert.equal(pace.inFlightMax, 4);
    const narrow = new PaceControl({ ratePerSecond: 80, inFlightMax: 2 });
    narrow.note('trouble', 0);
    assert.equal(narrow.inFlightMax, 2);
  });

  it('one answer in a hundred is trouble → room for the whole rate', () => {
    const pace = new PaceControl({ ratePerSecond: 1_000, inFlightMax: 1_000 });
    let least = pace.inFlightMax;
    for (let answer = 0; answer < 60_000; answer += 1) {
      pace.note(answer % 100 === 0 ? 'trouble' : 'accepted', answer);
      least = Math.min(least, pace.inFlightMax);
    }
    // A thousand per second, at a platform that answers after 190 ms.
    assert.ok(least >= 190, `${least} in flight`);
  });

  it('new ceiling: raised → followed at once from the old one, lowered → always', () => {
    const free = new PaceControl(CEILING);
    free.setCeiling({ ratePerSecond: 1000, inFlightMax: 1000 });
    assert.deepEqual([free.ratePerSecond, free.inFlightMax], [1000, 1000]);
    free.setCeiling({ ratePerSecond: 20, inFlightMax: 20 });
    assert.deepEqual([free.ratePerSecond, free.inFlightMax], [20, 20]);
    const slowed = new PaceControl({ ratePerSecond: 160, inFlightMax: 80 });
    for (const at of [-1_000, 0]) slowed.note('throttled', at);
    for (let answer = 0; answer < 80; answer += 1) slowed.note('trouble', 0);
    slowed.setCeiling({ ratePerSecond: 1000, inFlightMax: 1000 });
    assert.deepEqual([slowed.ratePerSecond, slowed.inFlightMax], [40, 40]);
    slowed.note('accepted', 1_000);
    assert.equal(slowed.ratePerSecond, 90);
    slowed.setCeiling({ ratePerSecond: 10, inFlightMax: 10 });
    assert.deepEqual([slowed.ratePerSecond, slowed.inFlightMax], [10, 10]);
  });
});
