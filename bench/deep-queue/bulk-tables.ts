import type pg from 'pg';

/**
 * Drops the indexes and primary keys of these tables. Resolves with a function that adds them again: building an index of random keys takes a
 * small part of the time that its growth takes.
 */
export async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `SELECT CASE WHEN k.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
                 ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, k.conname) END AS drop,
            CASE WHEN k.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
                 ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) END AS add
     FROM pg_index i LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid
     WHERE i.indrelid = ANY ($1::regclass[])`,
    [tables],
  );
  for (const { drop } of rows) await client.query(drop);
  return async () => {
    await client.query("SET maintenance_work_mem = '512MB'");
    for (const { add } of rows) await client.query(add);
  };
}

/** Detaches a partition, whose indexes are then its own. Resolves with a function that attaches it again. */
export async function detachPartition(
  client: pg.Client,
  table: string,
  partition: string,
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ bounds: string }>(
    'SELECT pg_get_expr(relpartbound, oid) AS bounds FROM pg_class WHERE oid = $1::regclass',
    [partition],
  );
  await client.query(`ALTER TABLE ${table} DETACH PARTITION ${partition}`);
  return async () => {
    await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${partition} ${rows[0]?.bounds ?? ''}`);
  };
}
