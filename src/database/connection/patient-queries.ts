import { type Database, type Queryable, type Statement, sqlStateOf } from '../database.ts';

const GIVEN_UP = '57014';
const PATIENCE_MS = 120_000;

/**
 * Asks again, with two minutes for the answer, what PostgreSQL has given up after the time any statement has. For what nothing goes on
 * without: beside an old snapshot, everything deleted since it was taken lies in the way of the first row that is left. Not with as much
 * time from the beginning, since a connection that has died is found out by the usual one.
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
