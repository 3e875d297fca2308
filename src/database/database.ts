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
  /** Time limit for the answer, instead of the pool's own. A connection that exceeds it is closed. */
  timeoutMs?: number;
}

/** Runs statements. A pool and a transaction both satisfy it, so functions of `queries.ts` work with either. */
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
  /** Called when an idle connection fails. */
  onIdleError: (error: Error) => void;
  /** Called when any connection breaks, idle or in use. */
  onBreak?: () => void;
}

const READ_ONLY = '25006';
/** SQLSTATE of a statement that reached `lock_timeout` while it waited for a lock. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** The SQLSTATE of a statement that PostgreSQL ended to resolve a deadlock. */
export const DEADLOCK_DETECTED = '40P01';
/**
 * Average lifetime of a connection; the actual one is random, from half to one and a half of it. A connection keeps every statement it
 * has prepared, and some statements have a different text each day. The random part spreads reconnects: connections opened together at
 * a start would otherwise expire together, and preparing all statements again takes seconds of work.
 */
const LIFETIME_MS = 6 * 60 * 60_000;

/** Time limit for the answer on the client side. Longer than the server's limit, because the server's error says more. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

const { BYTEA, INT8 } = pg.types.builtins;
const parsers = new pg.TypeOverrides();
// bigint columns hold sequence numbers and counters, far below 2^53.
parsers.setTypeParser(INT8, (text: string) => Number(text));
const readBytes: (text: string) => Buffer = pg.types.getTypeParser(BYTEA, 'text');
// Sealed secrets live as long as the process, so they must not pin the driver's larger buffer.
parsers.setTypeParser(BYTEA, (text: string) => ownBytes(readBytes(text)));

/**
 * Opens a pool on PostgreSQL. Every wait is bounded: connecting, the statement on the server, and its answer on this side. Without the
 * last, a half-open connection would never answer. Plans are generic: a queue's statistics change faster than the best plan for it.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...withSettings(options.connectionString, SESSION_SETTINGS),
    max: options.connectionsMax ?? 16,
    types: parsers,
    connectionTimeoutMillis: 5_000,
    // A new connection opens every retained day and plans its statements: tenths of a second with 90 days.
    idleTimeoutMillis: 10 * 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'fairway',
    verify: beginSession,
  });
  pool.on('error', (error) => {
    // A closing pool does not wait for its connections to end, so the server may end them first.
    if (!pool.ending) options.onIdleError(error);
  });
  const endsAtMs = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => {
    // The pool listens to idle connections only: without this, one that breaks within a transaction would end the process. The
    // caller learns of the break from its failing statement.
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
 * Lifts the transaction timeout, which cannot be among the settings, and refuses a session that takes no writes. A primary that became
 * a standby still answers while its name leads there, and a session that began read-only stays read-only. Such a connection is closed,
 * and the next attempt opens another.
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
 * Resolves with the rows. If no answer arrives in time, the connection is closed; the statement may still take effect. The driver's own
 * `query_timeout` is not used: it attaches a function to an object, which V8 then allocates in the old generation. The statement and its
 * answer would stay in memory until the next full collection.
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

/** Rolls back. A connection whose rollback failed is closed instead of reused: a later statement would wait behind the broken one. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await ask(client, { text: 'ROLLBACK' });
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

/** The SQLSTATE of a failed statement; undefined if the server did not answer. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * True if a failed commit may have taken effect: the server did not answer, or answered that it is shutting down, which it may say after
 * the commit.
 */
export function leavesCommitInDoubt(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/**
 * True if the same statement may succeed later. Covers deadlocks, serialization failures, lock and statement timeouts, shutdowns, broken
 * connections, missing day partitions, and a password, right or database that an operator can correct. Says nothing about whether the
 * failed statement took effect.
 */
export function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return true;
  if (/^(08|28|3D|40|53|57|58)/.test(state)) return true;
  return ['42501', '55000', LOCK_NOT_AVAILABLE, READ_ONLY].includes(state) || isDayMissing(error);
}

/** True if a day has no partition: naming it is an unknown table, and inserting its row is a check violation without a constraint. */
function isDayMissing(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '42P01' || (state === '23514' && (error as pg.DatabaseError).constraint === undefined);
}
