import pg from 'pg';
import { ownBytes } from '../core/own-bytes.ts';
import { encodeArrays } from './batching/array-parameters.ts';
import {
  LIFT_TRANSACTION_TIMEOUT,
  SESSION_SETTINGS,
  STATEMENT_TIMEOUT_MS,
  withSettings,
} from './connection/session-settings.ts';

/** A statement with its parameters; `name` makes it a prepared statement of the connection. */
export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
  /** Instead of the pool's own patience with an answer. A connection that does not keep to it is closed. */
  timeoutMs?: number;
}

/** What `queries.ts` functions need: a pool or a transaction alike. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<Row[]>;
}

/** The connection pool. Dispose it with `close()`. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. The handle refuses
   * statements once the transaction has ended.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Connections waiting to be handed out; above zero the pool is the bottleneck. */
  waiting(): number;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  connectionString: string;
  connectionsMax?: number;
  /** Told of connections that fail while idle. */
  onIdleError: (error: Error) => void;
  /** Told of every connection that breaks, whether or not it is in use. */
  onBreak?: () => void;
}

const READ_ONLY = '25006';
/** The SQLSTATE of a statement that has waited for a lock as long as `lock_timeout` lets it. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** The SQLSTATE of a statement that PostgreSQL ended to resolve a deadlock. */
export const DEADLOCK_DETECTED = '40P01';
/**
 * How long a connection is used, give or take half: it keeps every statement it has prepared, and some are worded anew for each day.
 * Those that were made together, as at a start, must not end together: new ones plan everything anew, seconds of work for all of them.
 */
const LIFETIME_MS = 6 * 60 * 60_000;

/** For the answer on this side: longer than the server's own, which tells more. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

const { BYTEA, INT8 } = pg.types.builtins;
const parsers = new pg.TypeOverrides();
// bigint columns hold sequence numbers and counters, far below 2^53.
parsers.setTypeParser(INT8, (text: string) => Number(text));
const readBytes: (text: string) => Buffer = pg.types.getTypeParser(BYTEA, 'text');
// Sealed secrets are kept for as long as the process lives.
parsers.setTypeParser(BYTEA, (text: string) => ownBytes(readBytes(text)));

/**
 * Opens a pool on PostgreSQL. Every wait is bounded: connecting, a statement on the server, and its answer on this side,
 * since a half-open connection would otherwise never answer. Plans are generic, because the queue's statistics change
 * faster than its right plan does.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...withSettings(options.connectionString, SESSION_SETTINGS),
    max: options.connectionsMax ?? 16,
    types: parsers,
    connectionTimeoutMillis: 5_000,
    // A new one has to open all the days that are kept and to plan what is asked of them: tenths of a second for 90 days.
    idleTimeoutMillis: 10 * 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'fairway',
    verify: beginSession,
  });
  pool.on('error', (error) => {
    // A closed pool does not wait for its connections to be gone, and the server may end first.
    if (!pool.ending) options.onIdleError(error);
  });
  const endsAtMs = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => {
    // The pool listens to idle connections alone: one that breaks within a transaction would end the process unheard. Whoever
    // uses it is told by the failing statement.
    client.on('error', () => options.onBreak?.());
    endsAtMs.set(client, performance.now() + LIFETIME_MS * (0.5 + Math.random()));
  });
  const release = (client: pg.PoolClient) =>
    client.release(performance.now() >= (endsAtMs.get(client) ?? Number.POSITIVE_INFINITY));

  return {
    async query<Row extends pg.QueryResultRow>(statement: Statement) {
      const client = await pool.connect();
      try {
        const rows = await ask<Row>(client, statement);
        release(client);
        return rows;
      } catch (error) {
        client.release(error instanceof Error ? error : true);
        throw error;
      }
    },
    async transaction(work) {
      const client = await pool.connect();
      let open = true;
      const tx: Queryable = {
        async query<Row extends pg.QueryResultRow>(statement: Statement) {
          if (!open) throw new Error('statement on a transaction that has ended');
          return await ask<Row>(client, statement);
        },
      };
      try {
        await ask(client, { text: 'BEGIN' });
        const value = await work(tx);
        await ask(client, { text: 'COMMIT' });
        open = false;
        release(client);
        return value;
      } catch (error) {
        open = false;
        await rollBack(client);
        throw error;
      }
    },
    waiting: () => pool.waitingCount,
    close: () => pool.end(),
  };
}

/**
 * Lifts the one limit that is not among the settings, and refuses a session that takes no writes. A primary that became a standby
 * answers for as long as the name still leads there, and a session that began while writes were forbidden keeps to that for good:
 * such a connection is closed, and the next attempt makes another.
 */
function beginSession(client: pg.PoolClient, done: (error?: Error) => void): void {
  ask<{ readOnly: string }>(client, {
    text: `SELECT current_setting('transaction_read_only') AS "readOnly", ${LIFT_TRANSACTION_TIMEOUT}`,
  }).then(([row]) => done(row?.readOnly === 'off' ? undefined : readOnlyError()), done);
}

function readOnlyError(): Error {
  const error = new pg.DatabaseError('the database takes no writes', 0, 'error');
  error.code = READ_ONLY;
  return error;
}

/**
 * Resolves with the rows. When no answer comes in time, the connection is ended: what it has been asked may still happen. The
 * driver's own `query_timeout` would keep all that a statement was made with and answered in memory until the next full
 * collection: it hangs a function on an object, and those V8 makes in the old generation.
 */
function ask<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  { timeoutMs = ANSWER_TIMEOUT_MS, text, values, name }: Statement,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const config: pg.QueryConfig = { text };
    if (name !== undefined) config.name = name;
    if (values !== undefined) config.values = encodeArrays(text, values);
    const timer = setTimeout(() => {
      reject(Object.assign(new Error('PostgreSQL did not answer in time'), { code: 'ETIMEDOUT' }));
      void client.end();
    }, timeoutMs);
    void client.query<Row>(config, (error: Error | undefined, result: pg.QueryResult<Row>) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result.rows);
    });
  });
}

/** A connection whose rollback failed is closed, never handed out again: a later statement would wait behind the broken one. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await ask(client, { text: 'ROLLBACK' });
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

/** The server's SQLSTATE of a failed statement, if the server said anything. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether a failed commit may have taken effect: nothing was heard of it, or the server said that it was going down, which it
 * may do after the fact.
 */
export function leavesCommitInDoubt(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/**
 * Whether the same statement may succeed later: deadlock, serialization, lock or statement timeout, shutdown, a connection that broke,
 * a server that does not let this user in, whose password, rights or database somebody is about to put right, or a day that has yet to
 * be made. Says nothing about whether the failed one took effect.
 */
export function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return true;
  if (/^(08|28|3D|40|53|57|58)/.test(state)) return true;
  return ['42501', '55000', LOCK_NOT_AVAILABLE, READ_ONLY].includes(state) || isDayMissing(error);
}

/** Named by its partition a day that has no place is an unknown table; a row of its own is a violation, of no constraint. */
function isDayMissing(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '42P01' || (state === '23514' && (error as pg.DatabaseError).constraint === undefined);
}
