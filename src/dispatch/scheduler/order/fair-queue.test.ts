import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ShareReferee } from '../../../../test/support/scheduler-model/share-referee.ts';
import { FairMember, FairQueue } from './fair-queue.ts';

const weights = fc.array(fc.constantFrom(0.5, 1, 2, 3, 8, 16), { minLength: 2, maxLength: 6 });

test('members active together: any interval → differ by at most one turn each', () => {
  const toggles = fc.array(fc.option(fc.nat(5), { freq: 3 }), { maxLength: 300 });
  fc.assert(
    fc.property(weights, toggles, (memberWeights, steps) => {
      const queue = new FairQueue<number>();
      const members = memberWeights.map((weight, index) => new FairMember(index, weight));
      const referee = new ShareReferee(memberWeights);
      for (const step of steps) {
        const toggled = step === null ? undefined : members[step % members.length];
        if (toggled?.isActive) queue.deactivate(toggled);
        else if (toggled !== undefined) queue.activate(toggled);
        referee.see(members.map((member) => member.isActive));
        const head = queue.head();
        const served = head === undefined ? undefined : members[head];
        if (head === undefined || served === undefined) continue;
        queue.serve(served);
        referee.serve(head);
      }
    }),
  );
});

test('absent member: returns → has earned no credit', () => {
  const queue = new FairQueue<string>();
  const [present, absent] = [new FairMember('present', 1), new FairMember('absent', 1)];
  queue.activate(present);
  for (let turn = 0; turn < 100; turn += 1) queue.serve(present);
  queue.activate(absent);
  const order: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const head = queue.head();
    order.push(head ?? '');
    queue.serve(head === 'present' ? present : absent);
  }
  const turns = order.filter((who) => who === 'absent').length;
  assert.ok(turns >= 3 && turns <= 4, order.join());
});

test('member in debt: leaves and returns → still owes its debt', () => {
  const queue = new FairQueue<string>();
  const [heavy, light] = [new FairMember('heavy', 4), new FairMember('light', 1)];
  queue.activate(heavy);
  queue.activate(light);
  const turns = { heavy: 0, light: 0 };
  for (let turn = 0; turn < 50; turn += 1) {
    const who = queue.head() === 'heavy' ? 'heavy' : 'light';
    const member = who === 'heavy' ? heavy : light;
    queue.serve(member);
    turns[who] += 1;
    queue.deactivate(light);
    queue.activate(light);
  }
  assert.deepEqual(turns, { heavy: 40, light: 10 });
});

test('turn out of order → the others get it back', () => {
  const queue = new FairQueue<string>();
  const [a, b] = [new FairMember('a', 1), new FairMember('b', 1)];
  queue.activate(a);
  queue.activate(b);
  queue.charge(a);
  queue.charge(a);
  const order: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const head = queue.head();
    order.push(head ?? '');
    queue.serve(head === 'a' ? a : b);
  }
  assert.deepEqual(order.slice(0, 2), ['b', 'b']);
  assert.deepEqual(order.slice(2).sort(), ['a', 'b']);
});

test('new weight → applies from the next turn, debt unchanged in turns', () => {
  const queue = new FairQueue<string>();
  const [slow, other] = [new FairMember('slow', 0.001), new FairMember('other', 1)];
  queue.activate(slow);
  queue.activate(other);
  queue.serve(other);
  queue.serve(slow);
  queue.setWeight(slow, 1);
  const turns = { slow: 0, other: 0 };
  for (let turn = 0; turn < 20; turn += 1) {
    const who = queue.head() === 'slow' ? 'slow' : 'other';
    queue.serve(who === 'slow' ? slow : other);
    turns[who] += 1;
  }
  assert.ok(Math.abs(turns.slow - turns.other) <= 2, JSON.stringify(turns));
});

test('inactive member: the others have caught up → can be forgotten', () => {
  const queue = new FairQueue<string>();
  const [gone, stays] = [new FairMember('gone', 1), new FairMember('stays', 1)];
  queue.activate(gone);
  queue.serve(gone);
  queue.deactivate(gone);
  assert.equal(queue.hasLapsed(gone), false);
  queue.activate(stays);
  queue.serve(stays);
  queue.serve(stays);
  assert.equal(queue.hasLapsed(gone), true);
});
