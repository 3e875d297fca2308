import type { Queryable } from '../../database/database.ts';

/** More than a node comes to owe in the time between two calls, and done in a fraction of a second. */
const FORGOTTEN_AT_ONCE_MAX = 20_000;

/**
 * How far pairs have drawn on their burst, so that a new owner does not grant it again. Times that have passed are removed, so many
 * at once; those somebody else is writing are left, for they are met in no order, and two could wait for each other.
 */
export async function savePairDebt(
  db: Queryable,
  debts: { numberId: number; contact: string; freeAtMs: number }[],
): Promise<void> {
  await db.query({
    name: 'pair_debt_save',
    text: `
      WITH passed AS (
        DELETE FROM pair_debt WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM pair_debt WHERE free_at < now() - interval '10 minutes' LIMIT ${FORGOTTEN_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED
        ))
      )
      INSERT INTO pair_debt (number_id, contact, free_at)
      SELECT * FROM unnest($1::int[], $2::bigint[], $3::timestamptz[]) AS d(number_id, contact, free_at) ORDER BY 1, 2
      ON CONFLICT (number_id, contact) DO UPDATE SET free_at = excluded.free_at
        -- No debt is as large: it was noted by a clock that was set back since, and each owner would have the pair wait anew.
        WHERE pair_debt.free_at < excluded.free_at OR pair_debt.free_at > now() + interval '1 hour'`,
    values: [
      debts.map((debt) => debt.numberId),
      debts.map((debt) => debt.contact),
      debts.map((debt) => new Date(debt.freeAtMs)),
    ],
  });
}

/** Debts of these numbers' pairs that still hold. */
export async function listPairDebt(
  db: Queryable,
  numberIds: number[],
): Promise<{ numberId: number; contact: string; freeAtMs: number }[]> {
  const rows = await db.query<{ number_id: number; contact: number; free_at: Date }>({
    name: 'pair_debt_list',
    text: 'SELECT number_id, contact, free_at FROM pair_debt WHERE number_id = ANY($1::int[]) AND free_at > now()',
    values: [numberIds],
  });
  return rows.map((row) => ({
    numberId: row.number_id,
    contact: String(row.contact),
    freeAtMs: row.free_at.getTime(),
  }));
}
