import type pg from 'pg';
import { type Line, perSecond } from '../report.ts';

const BATCH = 256;

/** Measures a bare loop of batched inserts of the same size into two plain tables: the database's rate without any other work. */
export async function insertFloor(client: pg.Client, seconds: number): Promise<Line> {
  await client.query(
    'CREATE TABLE bench_message (id bigint PRIMARY KEY, body text NOT NULL); CREATE TABLE bench_queue (id bigint PRIMARY KEY, message bigint NOT NULL)',
  );
  const body = 'x'.repeat(400);
  const endsAt = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  let rows = 0;
  while (performance.now() < endsAt) {
    const ids = Array.from({ length: BATCH }, (_, index) => rows + index);
    await client.query({
      name: 'bench_insert',
      text: `WITH m AS (INSERT INTO bench_message SELECT * FROM unnest($1::bigint[], $2::text[]) RETURNING id)
             INSERT INTO bench_queue SELECT id, id FROM m`,
      values: [ids, ids.map(() => body)],
    });
    rows += BATCH;
  }
  const rate = rows / ((performance.now() - startedAt) / 1000);
  await client.query('DROP TABLE bench_message, bench_queue');
  return {
    what: 'bare batched insert loop, 256 rows',
    value: perSecond(rate),
    note: 'one connection, message and queue row',
  };
}
