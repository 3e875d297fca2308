import type { Database } from '../../src/database/database.ts';

/** Returns the database of a process that dies at the end of each second transaction, before the commit. */
export function dyingDatabase(db: Database): Database {
  let transactions = 0;
  return {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        transactions += 1;
        if (transactions % 2 === 0) throw new Error('killed');
        return result;
      }),
  };
}
