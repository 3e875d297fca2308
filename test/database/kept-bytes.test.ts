import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../harness/database.ts';

test('bytes read and kept: use no more memory than their length', async (t) => {
  const db = await openTestDatabase(t);
  const kept = Buffer.from([0, 127, 128, 255]);
  const rows = await db.query<{ bytes: Buffer | null }>({
    text: 'SELECT bytes FROM unnest($1::bytea[]) AS bytes',
    values: [[kept, Buffer.alloc(0), null]],
  });
  const read = rows.map((row) => row.bytes);
  assert.deepEqual(read, [kept, Buffer.alloc(0), null]);
  assert.equal(read[0]?.buffer.byteLength, kept.length);
});

test('bytes: read in every output format of PostgreSQL', async (t) => {
  const db = await openTestDatabase(t);
  const kept = Buffer.from([0, 65, 92, 127, 128, 255]);
  const read = async (form: string) =>
    await db.transaction(async (tx) => {
      await tx.query({ text: `SET LOCAL bytea_output = ${form}` });
      const [row] = await tx.query<{ bytes: Buffer }>({ text: 'SELECT $1::bytea AS bytes', values: [kept] });
      return row?.bytes;
    });
  assert.deepEqual(await read('hex'), kept);
  assert.deepEqual(await read('escape'), kept);
});
