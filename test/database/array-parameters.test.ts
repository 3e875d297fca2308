import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeArrays } from '../../src/database/batching/array-parameters.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from '../harness/database.ts';

const INT64_MAX = Number.MAX_SAFE_INTEGER;

// PostgreSQL text cannot contain NUL, and a lone surrogate has no UTF-8 bytes.
const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0') && value.isWellFormed());
const elements: Record<string, fc.Arbitrary<unknown>> = {
  uuid: fc.uuid(),
  text: fc.oneof(text, fc.constantFrom('', 'NULL', '{}', '"', '\\', 'é', '😀', 'a,b')),
  smallint: fc.integer({ min: -32_768, max: 32_767 }),
  int: fc.integer(),
  bigint: fc.oneof(fc.integer({ min: -INT64_MAX, max: INT64_MAX }), fc.constantFrom(INT64_MAX, -INT64_MAX, 0, -1)),
  boolean: fc.boolean(),
  bytea: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  timestamptz: fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
};

test('arrays of every type: come out of the database as they went in, nulls included', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const database = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => database.close());
  for (const [type, element] of Object.entries(elements)) {
    const statement = `SELECT e FROM unnest($1::${type}[]) WITH ORDINALITY AS a(e, ord) ORDER BY ord`;
    assert.ok(encodeArrays(statement, [[null]])[0] instanceof Buffer, `${type} is written in binary`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(element), { maxLength: 300 }), async (values) => {
        const rows = await database.query<{ e: unknown }>({
          name: `array_of_${type}`,
          text: statement,
          values: [values],
        });
        assert.deepEqual(
          rows.map((row) => row.e),
          values,
        );
      }),
      { numRuns: 40 },
    );
  }
});

test('bigint arrays: numbers spelled as text → accepted', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const database = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => database.close());
  const rows = await database.query({ text: 'SELECT $1::bigint[] AS it', values: [['14155550123', undefined]] });
  assert.deepEqual(rows, [{ it: ['14155550123', null] }]);
});
