import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { Slots } from './slots.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('party at its limit → refused until one of its slots is free; others are not', () => {
    const slots = new Slots({ max: 10, partyMax: 2 });
    const first = slots.tryAcquire('a');
    assert.ok(first && slots.tryAcquire('a'));
    assert.equal(slots.tryAcquire('a'), undefined);
    assert.equal(slots.isFullFor('a'), true);
    assert.ok(slots.tryAcquire('b'));
    first[Symbol.dispose]();
    assert.ok(slots.tryAcquire('a'));
    assert.equal(slots.tryAcquire('a'), undefined);
  });

  it('total at its limit → refused for every party, and for operations of none', () => {
    const slots = new Slots({ max: 2, partyMax: 2 });
    const held = [slots.tryAcquire('a'), slots.tryAcquire()];
    assert.deepEqual([slots.tryAcquire('b'), slots.tryAcquire()], [undefined, undefined]);
    for (const slot of held) slot?.[Symbol.dispose]();
    assert.ok(slots.tryAcquire('b'));
  });

  it('waiting parties → take turns, each in its own order', async () => {
    const slots = new Slots({ max: 1, partyMax: 1 });
    const order: string[] = [];
    const run = async (party: string, name: string) => {
      using _slot = await slots.acquire(party);
      order.push(name);
      await turn();
    };
    const runs = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')];
    assert.equal(slots.waiting, 4);
    await Promise.all(runs);
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2']);
    assert.equal(slots.waiting, 0);
  });

  it('patience ends → undefined, and no slot is taken later', async () => {
    const clock = createManualClock();
    const slots = new Slots({ partyMax: 1 });
    const first = slots.tryAcquire('a');
    const late = slots.acquire('a', { clock, timeoutMs: 100 });
    clock.advance(100);
    assert.equal(await late, undefined);
    first?.[Symbol.dispose]();
    assert.ok(slots.tryAcquire('a'));
  });
});
