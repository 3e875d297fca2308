import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayTable, type Columns } from './array-table.ts';

interface Person {
  id: number;
  name?: string;
}

const PERSON = {
  id: ['int', (person) => person.id],
  name: ['text', (person) => person.name],
} satisfies Columns<Person>;
const PEOPLE = arrayTable<Person>()(PERSON);
/** The parameters of a statement after two of its own. */
const LATER = arrayTable<Person>(3)({ ...PERSON, born: ['timestamptz', () => null] });

const ROWS: Person[] = [{ id: 7, name: 'Ada' }, { id: 8 }];

test('array table: columns → queries whose parameters follow the order of declaration', () => {
  assert.equal(PEOPLE.rows(), 'SELECT unnest($1::int[]) AS id, unnest($2::text[]) AS name');
  assert.equal(PEOPLE.from('p'), 'unnest($1::int[], $2::text[]) AS p (id, name)');
  assert.deepEqual([PEOPLE.names, PEOPLE.next], ['id, name', 3]);
});

test('array table: first parameter and ordinal → in both queries', () => {
  assert.equal(
    LATER.rows('ord'),
    'SELECT unnest($3::int[]) AS id, unnest($4::text[]) AS name, unnest($5::timestamptz[]) AS born, generate_subscripts($3::int[], 1) AS ord',
  );
  assert.equal(
    LATER.from('p', 'ord'),
    'unnest($3::int[], $4::text[], $5::timestamptz[]) WITH ORDINALITY AS p (id, name, born, ord)',
  );
  assert.equal(LATER.next, 6);
});

test('array table: rows → one array for each column, back by name, NULL for a missing value', () => {
  const values = LATER.values(ROWS);
  assert.deepEqual(values, [
    [7, 8],
    ['Ada', undefined],
    [null, null],
  ]);
  const parsed = [
    { id: 7, name: 'Ada', born: null },
    { id: 8, name: null, born: null },
  ];
  assert.deepEqual(LATER.parse(['one', 'two', ...values, 'last']), parsed);
  assert.deepEqual(PEOPLE.parse(PEOPLE.values([])), []);
});
