import assert from 'node:assert/strict';
import type { Database, Queryable, Statement } from '../../src/database/database.ts';

interface Answers {
  /** Returns the rows of a statement. */
  query?(statement: Statement): Promise<unknown[]>;
  transaction?(work: (tx: Queryable) => Promise<unknown>): Promise<unknown> | undefined;
}

/** Returns a database that answers as given, and fails on everything else. */
export function fakeDatabase({ query, transaction }: Answers): Database {
  return {
    query: (query ?? (() => assert.fail('no statement is expected'))) as Database['query'],
    transaction: (transaction ?? (() => assert.fail('no transaction is expected'))) as Database['transaction'],
    waiting: () => 0,
    close: async () => {},
  };
}
