import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AccountPeople, type Alias } from './account-people.ts';
import type { Sighting } from './sighting.ts';

let numbers = 1e15;

function people(known: readonly Alias[] = [], waiting: readonly string[] = []): AccountPeople {
  return new AccountPeople(known, { waiting: new Set(waiting), nextNumber: () => String(numbers++) });
}

function seen(names: Partial<Sighting>): Sighting {
  return { organizationId: 'o', wabaId: '7', numbers: [], userIds: [], parentUserIds: [], atMs: 1_000, ...names };
}

const phone = (...list: string[]) => seen({ numbers: list });
const both = (number: string, userId: string, atMs = 1_000) => seen({ numbers: [number], userIds: [userId], atMs });
const id = (...userIds: string[]) => seen({ userIds });
const stated = (names: Partial<Sighting>) => seen({ ...names, formerNumbers: names.numbers ?? [] });
const changed = (from: string, to: string, userIds: string[], atMs = 1_000) =>
  seen({ numbers: [from, to], userIds, formerNumbers: [from], atMs });

function taught(sightings: readonly Sighting[], waiting: readonly string[] = []): AccountPeople {
  const account = people([], waiting);
  for (const one of sightings) account.learn(one);
  return account;
}

test('people: a phone number alone → its key, nothing learned', () => {
  const account = taught([phone('5511987654321')]);
  assert.equal(account.changed.size, 0);
  assert.deepEqual(account.find(phone('551187654321')), { number: '551187654321', name: '551187654321', also: [] });
});

test('people: a number is hidden → the user id finds the same person and conversation', () => {
  const account = taught([both('447700900001', 'GB.1')]);
  assert.deepEqual(account.find(id('GB.1')), { number: '447700900001', name: '447700900001', also: [] });
});

test('people: a user id first, its number later → one record, which keeps the conversation', () => {
  const account = taught([id('GB.1'), both('447700900001', 'GB.1')]);
  assert.deepEqual(account.find(id('GB.1')), { number: '447700900001', name: 'GB.1', also: [] });
  assert.deepEqual(account.find(phone('447700900001')), account.find(id('GB.1')));
  assert.equal(account.keyChanges.at(-1)?.to, '447700900001');
});

test('people: messages wait under the user id → its key stays', () => {
  const record = { number: '1000000000000000', name: 'GB.1' };
  const known: Alias = { alias: 'GB.1', kind: 1, person: record, learnedAtMs: 0 };
  const account = people([known], [record.number]);
  account.learn(both('447700900001', 'GB.1'));
  assert.deepEqual(account.find(phone('447700900001')), { ...record, also: [] });
});

test('people: messages of both records wait → both kept, merged by a later sighting', () => {
  const record = { number: '1000000000000000', name: 'GB.1' };
  const known: Alias = { alias: 'GB.1', kind: 1, person: record, learnedAtMs: 0 };
  const waiting = people([known], [record.number, '447700900001']);
  waiting.learn(both('447700900001', 'GB.1'));
  assert.equal(waiting.changed.size, 0);
  assert.deepEqual(waiting.find(both('447700900001', 'GB.1')), { ...record, also: ['447700900001'] });
  const later = people([known], ['447700900001']);
  later.learn(both('447700900001', 'GB.1'));
  assert.deepEqual(later.find(id('GB.1')), { number: '447700900001', name: 'GB.1', also: [] });
});

test('people: a number with the id of another person → passes on, without the conversation', () => {
  const account = taught([both('447700900001', 'GB.1'), both('447700900001', 'GB.2', 2_000)]);
  const [former, present] = [account.find(id('GB.1')), account.find(id('GB.2'))];
  assert.equal(former?.name, '447700900001');
  assert.notEqual(former?.number, present?.number);
  assert.deepEqual(present, { number: '447700900001', name: 'GB.2', also: [] });
  assert.deepEqual(account.find(phone('447700900001')), present);
});

test('people: messages wait under a number → it passes on at a later sighting', () => {
  const known = [...taught([both('447700900001', 'GB.1')]).changed.values()];
  const waiting = people(known, ['447700900001']);
  waiting.learn(both('447700900001', 'GB.2', 2_000));
  assert.deepEqual([...waiting.postponed], ['447700900001']);
  assert.equal(waiting.find(id('GB.1'))?.number, '447700900001');
  assert.notEqual(waiting.find(id('GB.2'))?.number, '447700900001');
  const later = people([...known, ...waiting.changed.values()]);
  later.learn(both('447700900001', 'GB.2', 3_000));
  assert.equal(later.find(phone('447700900001'))?.number, later.find(id('GB.2'))?.number);
  assert.notEqual(later.find(id('GB.1'))?.number, later.find(id('GB.2'))?.number);
});

test('people: a number leaves a record with waiting messages → once they are over', () => {
  const record = { number: '1000000000000001', name: 'GB.1' };
  const known: Alias[] = [
    { alias: 'GB.1', kind: 1, person: record, learnedAtMs: 1_000 },
    { alias: '447700900001', kind: 0, person: record, learnedAtMs: 1_000 },
  ];
  const waiting = people(known, [record.number]);
  waiting.learn(both('447700900001', 'GB.2', 2_000));
  assert.deepEqual([...waiting.postponed], [record.number]);
  assert.deepEqual(waiting.find(phone('447700900001')), { ...record, also: [] });
  const later = people(known);
  later.learn(both('447700900001', 'GB.2', 3_000));
  assert.deepEqual([...later.left], [record.number]);
  assert.notEqual(later.find(phone('447700900001'))?.number, record.number);
});

test('people: a stated change to the number of another person → two people', () => {
  for (const userIds of [[], ['GB.3', 'GB.4']]) {
    const account = taught([
      both('447700900001', 'GB.1'),
      changed('447700900001', '447700900009', ['GB.1', 'GB.2'], 2_000),
      both('447700900003', 'GB.3', 2_000),
      changed('447700900003', '447700900001', userIds, 3_000),
    ]);
    assert.notEqual(account.find(id('GB.1'))?.number, account.find(id('GB.3'))?.number);
    assert.equal(account.find(phone('447700900001'))?.number, account.find(id('GB.3'))?.number);
    assert.equal(account.find(phone('447700900009'))?.number, account.find(id('GB.1'))?.number);
  }
});

test('people: a number that was left, its next owner leaves it too → two people', () => {
  for (const userIds of [['GB.3', 'GB.4'], ['GB.4']]) {
    const account = taught([
      both('447700900001', 'GB.1'),
      changed('447700900001', '447700900009', ['GB.1', 'GB.2'], 2_000),
      both('447700900003', 'GB.3', 2_000),
      changed('447700900001', '447700900008', userIds, 3_000),
    ]);
    assert.notEqual(account.find(phone('447700900009'))?.number, account.find(phone('447700900008'))?.number);
    assert.equal(account.find(id('GB.4'))?.number, account.find(phone('447700900008'))?.number);
  }
});

test('people: a late statement about a number that has passed on → two people', () => {
  const account = taught([both('447700900001', 'GB.1'), both('447700900001', 'GB.3', 3_000)]);
  account.learn(changed('447700900001', '447700900009', ['GB.1', 'GB.2'], 2_000));
  assert.notEqual(account.find(id('GB.1'))?.number, account.find(id('GB.3'))?.number);
  assert.equal(account.find(phone('447700900009'))?.number, account.find(id('GB.1'))?.number);
});

test('people: an old report of a former owner → changes nothing', () => {
  const account = taught([both('447700900001', 'GB.2', 2_000)]);
  account.learn(both('447700900001', 'GB.1', 1_000));
  assert.equal(account.find(phone('447700900001'))?.number, account.find(id('GB.2'))?.number);
  assert.notEqual(account.find(id('GB.1'))?.number, account.find(id('GB.2'))?.number);
});

test('people: one number shared by no id, two ids never together → two people', () => {
  const account = taught([id('GB.1'), id('GB.2')]);
  assert.notEqual(account.find(id('GB.1'))?.number, account.find(id('GB.2'))?.number);
});

test('people: a stated change of number and user id → one person with one conversation', () => {
  const account = taught([both('447700900001', 'GB.1')]);
  account.learn(changed('447700900001', '447700900002', ['GB.1', 'GB.2']));
  const person = account.find(id('GB.2'));
  assert.deepEqual(person, { number: '447700900002', name: '447700900001', also: [] });
  for (const one of [id('GB.1'), phone('447700900001'), phone('447700900002')])
    assert.deepEqual(account.find(one), person);
});

/** Reports about people of whom each has two numbers and three ids. A report with a number has the person's first id as well. */
const REPORTS = fc
  .array(fc.record({ person: fc.integer({ min: 0, max: 3 }), names: fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }) }))
  .map((reports) =>
    reports.map(({ person, names }) =>
      stated({
        numbers: names.filter((name) => name < 2).map((name) => `44770090${person}00${name}`),
        userIds: [2, 3]
          .filter((name) => names.includes(name) || (name === 2 && names.some((one) => one < 2)))
          .map((name) => `GB.${person}${name}`),
        parentUserIds: names.filter((name) => name === 4).map((name) => `GB.ENT.${person}${name}`),
      }),
    ),
  );

/** Returns the names that belong together, as sorted text. */
function groupsOf(account: AccountPeople, reports: readonly Sighting[]): string[] {
  const names = new Set(
    reports.flatMap(({ numbers: phones, userIds, parentUserIds }) => [...phones, ...userIds, ...parentUserIds]),
  );
  const found = [...names].map((name) => ({
    name,
    person: account.find(
      /^\d+$/.test(name) ? phone(name) : name.includes('ENT') ? seen({ parentUserIds: [name] }) : id(name),
    ),
  }));
  const groups = Map.groupBy(found, ({ person }) => `${person?.number} ${person?.name}`);
  return [...groups.values()]
    .map((group) =>
      group
        .map(({ name }) => name)
        .sort()
        .join(),
    )
    .sort();
}

test('people: reports in any order → the same people', () => {
  const shuffled = REPORTS.chain((reports) =>
    fc.tuple(fc.constant(reports), fc.shuffledSubarray(reports, { minLength: reports.length })),
  );
  fc.assert(
    fc.property(shuffled, ([reports, others]) => {
      assert.deepEqual(groupsOf(taught(reports), reports), groupsOf(taught(others), reports));
      const again = taught([...reports, ...reports]);
      assert.deepEqual(groupsOf(again, reports), groupsOf(taught(reports), reports));
    }),
    { numRuns: 500 },
  );
});
