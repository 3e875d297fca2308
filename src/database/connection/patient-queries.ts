import type { Database, Queryable, Statement } from '../database.ts';
import { sqlStateOf } from '../failures.ts';

const GIVEN_UP = '57014';
const PATIENCE_MS = 120_000;

/**
 * Repeats a statement that PostgreSQL cancelled at the usual timeout, with two minutes for the second try. For reads without which the
 * gateway cannot go on: beside an old snapshot, a read passes all rows deleted since then before it finds the first live one. The first
 * try keeps the usual timeout, which detects a dead connection.
 */
export function patient(db: Database): Queryable {
  return {
    async query<Row extends Record<string, unknown>>(statement: Statement): Promise<Row[]> {
      try {
        return await db.query<Row>(statement);
      } catch (error) {
        if (sqlStateOf(error) !== GIVEN_UP) throw error;
      }
      return await db.transaction(async (tx) => {
        await tx.query({
          name: 'statement_timeout_extend',
          text: "SELECT set_config('statement_timeout', $1, true)",
          values: [String(PATIENCE_MS)],
        });
        return await tx.query<Row>({ ...statement, timeoutMs: PATIENCE_MS });
      });
    },
  };
}
