import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';

/** Debts up to that of a single message are not stored: a new owner of the number assumes one such debt for every pair. */
export const UNWRITTEN_DEBT_MS_MAX = 6_000;

interface PairDebt {
  numberId: number;
  contact: string;
  /** Time at which the pair's burst is full again, epoch ms. */
  freeAtMs: number;
}

export const DEBTS = arrayTable<PairDebt>()({
  number_id: ['int', (debt) => debt.numberId],
  contact: ['bigint', (debt) => debt.contact],
  free_at: ['timestamptz', (debt) => new Date(debt.freeAtMs)],
});

/** More debts than a node accumulates between two calls, and deleted in a fraction of a second. */
const FORGOTTEN_AT_ONCE_MAX = 20_000;

/**
 * Stores the used bursts of pairs, so that a new owner does not grant them again. Deletes passed debts in limited batches. Rows locked by
 * another process are skipped: they are met in no fixed order, so waiting for them could deadlock.
 */
export async function savePairDebt(db: Queryable, debts: PairDebt[]): Promise<void> {
  await db.query({
    name: 'pair_debt_save',
    text: `
      WITH passed AS (
        DELETE FROM pair_debt WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM pair_debt WHERE free_at < now() - interval '10 minutes' LIMIT ${FORGOTTEN_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED
        ))
      )
      INSERT INTO pair_debt (${DEBTS.names})
      SELECT ${DEBTS.names} FROM ${DEBTS.from('d')} ORDER BY number_id, contact
      ON CONFLICT (number_id, contact) DO UPDATE SET free_at = excluded.free_at
        -- A debt this large was written before the clock was set back. Without this, each new owner would make the pair wait again.
        WHERE pair_debt.free_at < excluded.free_at OR pair_debt.free_at > now() + interval '1 hour'`,
    values: DEBTS.values(debts),
  });
}

/** Lists debts of these numbers' pairs that have not passed. */
export async function listPairDebt(db: Queryable, numberIds: number[]): Promise<PairDebt[]> {
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
