import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

type Member = { name: string };

/** Creates members named by their group and a digit; all take part. */
function turnsOf(...names: string[]) {
  const turns = new Turns<Member>(({ name }) => name.slice(0, 1));
  const members = new Map(names.map((name) => [name, { name }]));
  for (const member of members.values()) turns.add(member);
  const member = (name: string) => members.get(name) ?? assert.fail(name);
  /** Returns the members that use the next `count` turns, if those in `idle` never do. */
  const next = (count: number, idle: string[] = []) => {
    const used: string[] = [];
    const use = ({ name }: Member) => !idle.includes(name) && used.push(name) > 0;
    for (let turn = 0; turn < count && turns.next(use); turn += 1);
    return used.join(' ');
  };
  return { turns, member, next };
}

test('turns: several groups → groups rotate, and members rotate within them', () => {
  const { next } = turnsOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  assert.equal(next(9), 'a1 b1 c1 a2 b1 c2 a3 b1 c1');
});

test('turns: member does not use its turn → removed, the next of its group has it', () => {
  const { turns, member, next } = turnsOf('a1', 'a2', 'a3', 'b1');
  assert.equal(next(4, ['a1', 'a2']), 'a3 b1 a3 b1');
  turns.add(member('a2'));
  assert.equal(next(4), 'a3 b1 a2 b1');
});

test('turns: group without members → no turn; with a member again → comes last', () => {
  const { turns, member, next } = turnsOf('a1', 'b1', 'c1');
  assert.equal(next(1), 'a1');
  turns.delete(member('b1'));
  assert.equal(next(3), 'c1 a1 c1');
  turns.add(member('b1'));
  assert.equal(next(4), 'a1 c1 b1 a1');
});

test('turns: member added twice → keeps its place; all members idle → empty', () => {
  const { turns, member, next } = turnsOf('a1', 'a2', 'b1');
  turns.add(member('a1'));
  assert.equal(next(3), 'a1 b1 a2');
  assert.equal(turns.isEmpty, false);
  assert.equal(next(1, ['a1', 'a2', 'b1']), '');
  assert.equal(turns.isEmpty, true);
  turns.delete(member('a1'));
  turns.add(member('b1'));
  assert.equal(next(2), 'b1 b1');
});

test('turns: member added during its own turn → takes part once', () => {
  const { turns, next } = turnsOf('a1', 'b1');
  const use = (member: Member) => {
    turns.add(member);
    return true;
  };
  assert.equal(turns.next(use), true);
  assert.equal(next(3), 'b1 a1 b1');
});
