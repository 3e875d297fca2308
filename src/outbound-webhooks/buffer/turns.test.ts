import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

type Member = { name: string };

/** Members named by their group and a digit, all taking part. */
function turnsOf(...names: string[]) {
  const turns = new Turns<Member>(({ name }) => name.slice(0, 1));
  const members = new Map(names.map((name) => [name, { name }]));
  for (const member of members.values()) turns.add(member);
  const member = (name: string) => members.get(name) ?? assert.fail(name);
  /** Who uses the next `count` turns, when those in `idle` never do. */
  const next = (count: number, idle: string[] = []) => {
    const used: string[] = [];
    const use = ({ name }: Member) => !idle.includes(name) && used.push(name) > 0;
    for (let turn = 0; turn < count && turns.next(use); turn += 1);
    return used.join(' ');
  };
  return { turns, member, next };
}

test('groups have turns in rotation, and their members within them', () => {
  const { next } = turnsOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  assert.equal(next(9), 'a1 b1 c1 a2 b1 c2 a3 b1 c1');
});

test('who makes no use of a turn takes part no more, and the next of its group has it', () => {
  const { turns, member, next } = turnsOf('a1', 'a2', 'a3', 'b1');
  assert.equal(next(4, ['a1', 'a2']), 'a3 b1 a3 b1');
  turns.add(member('a2'));
  assert.equal(next(4), 'a3 b1 a2 b1');
});

test('a group without members has no turn, and comes last when it has one again', () => {
  const { turns, member, next } = turnsOf('a1', 'b1', 'c1');
  assert.equal(next(1), 'a1');
  turns.delete(member('b1'));
  assert.equal(next(3), 'c1 a1 c1');
  turns.add(member('b1'));
  assert.equal(next(4), 'a1 c1 b1 a1');
});

test('adding who takes part already moves nobody, and nobody is left in the end', () => {
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

test('whoever is added while it uses its turn takes part once', () => {
  const { turns, next } = turnsOf('a1', 'b1');
  const use = (member: Member) => {
    turns.add(member);
    return true;
  };
  assert.equal(turns.next(use), true);
  assert.equal(next(3), 'b1 a1 b1');
});
