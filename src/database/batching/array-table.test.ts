import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayTable } from './array-table.ts';

interface Person {
  id: number;
  name: string | null;
}

const PEOPLE = arrayTable<Person>()({
  id: ['int', (person) => person.id],
  name: ['text', (person) => person.name],
});

const ROWS: Person[] = [
  { id: 7, name: 'Ada' },
  { id: 8, name: null },
];

test('array table: columns → a query whose parameters follow the order of declaration', () => {
  assert.equal(PEOPLE.rows(), 'SELECT unnest($1::int[]) AS id, unnest($2::text[]) AS name');
  assert.equal(
    PEOPLE.rows(3, 'ord'),
    'SELECT unnest($3::int[]) AS id, unnest($4::text[]) AS name, generate_subscripts($3::int[], 1) AS ord',
  );
});

test('array table: rows → one array for each column, and back by name', () => {
  const values = PEOPLE.values(ROWS);
  assert.deepEqual(values, [
    [7, 8],
    ['Ada', null],
  ]);
  assert.deepEqual(PEOPLE.parse(['before', ...values], 2), ROWS);
  assert.deepEqual(PEOPLE.parse(PEOPLE.values([])), []);
});
