import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const STATES = new Set(['met', 'partly', 'not met', 'does not apply']);

/** Number of requirements of levels 1 and 2 in each section of the standard, by the section's place in its chapter. */
const SECTIONS: Readonly<Record<string, readonly number[]>> = {
  V1: [2, 9, 11, 3, 2],
  V2: [3, 3, 4, 1],
  V3: [0, 2, 4, 6, 5, 0, 2],
  V4: [3, 1, 2, 4],
  V5: [1, 3, 2, 3],
  V6: [3, 12, 4, 4, 5, 3, 0, 4],
  V7: [3, 4, 2, 5, 2, 2],
  V8: [2, 3, 1, 1],
  V9: [3, 4],
  V10: [2, 2, 4, 11, 5, 2, 3],
  V11: [2, 3, 3, 4, 1, 1],
  V12: [3, 2, 4],
  V13: [1, 5, 2, 5],
  V14: [2, 4, 3],
  V15: [3, 3, 7],
  V16: [1, 5, 4, 3, 3],
  V17: [1, 4, 2],
};
const TOTAL = 253;

interface Row {
  requirements: string[];
  state: string;
  by: string;
}

/** Returns the requirements that a first column names: single ones, and ranges within a section. */
function listRequirements(column: string): string[] {
  return column.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split(' to ');
    const [section, from] = [first.slice(0, first.lastIndexOf('.')), Number(first.slice(first.lastIndexOf('.') + 1))];
    const to = Number(last.slice(last.lastIndexOf('.') + 1));
    return Array.from({ length: to - from + 1 }, (_, index) => `${section}.${from + index}`);
  });
}

const rows: Row[] = [
  ...readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8').matchAll(/^\| (V[^|]+) \|[^|]+\|([^|]+)\|(.+)\|$/gm),
].map(([, column = '', state = '', by = '']) => ({
  requirements: listRequirements(column),
  state: state.trim(),
  by: by.trim(),
}));

test('ASVS: every requirement of levels 1 and 2 has a row, and no other has', () => {
  const listed = rows.flatMap(({ requirements }) => requirements);
  const expected = Object.entries(SECTIONS).flatMap(([chapter, counts]) =>
    counts.map((count, index) => [`${chapter}.${index + 1}`, count] as const),
  );
  assert.deepEqual(
    expected.map(([section]) => [section, listed.filter((one) => one.startsWith(`${section}.`)).length]),
    expected,
  );
  assert.equal(new Set(listed).size, listed.length);
  assert.equal(listed.length, TOTAL);
});

test('ASVS: every row has a state and a reason, and the sums are true', () => {
  for (const { requirements, state, by } of rows) assert.ok(STATES.has(state) && by !== '', requirements.join());
  const text = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');
  for (const state of STATES) {
    const count = rows.flatMap((row) => (row.state === state ? row.requirements : [])).length;
    assert.ok(text.includes(`| ${state} | ${count} |`), `${state}: ${count}`);
  }
});

test('ASVS and security page: every file that they name exists', () => {
  for (const page of ['docs/asvs.md', 'docs/security.md']) {
    const named = [
      ...readFileSync(join(ROOT, page), 'utf8').matchAll(
        /`((?:\.?[\w-]+\/)+[\w.-]*|[\w.-]+\.(?:md|json|ts))(?:#[\w-]+)?`/g,
      ),
    ];
    const files = named.map(([, file = '']) => file).filter((file) => !file.startsWith('/'));
    assert.ok(files.length > 20, page);
    for (const file of files) assert.ok(existsSync(join(ROOT, file)), `${page} names ${file}`);
  }
});
