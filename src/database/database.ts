import pg from 'pg';
import { ownBytes } from '../core/own-bytes.ts';
import { encodeArrays } from './batching/array-parameters.ts';
import { type ServerClient, Servers } from './connection/servers.ts';
import {
  asOptions,
  LIFT_TRANSACTION_TIMEOUT,
  SESSION_SETTINGS,
  STATEMENT_TIMEOUT_MS,
} from './connection/session-settings.ts';
import { READ_ONLY } from './failures.ts';

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
  /** A URL as psql reads it; it may name several servers. */
  connectionString: string;
  connectionsMax?: number;
  /** True if a pooler is in between: sessions then have the settings that are stored with the role (`pooler.ts`). */
  throughPooler?: boolean;
  /** False if the pooler cannot keep the prepared statements of its clients apart; true when absent. */
  preparesStatements?: boolean;
  /** Called when an idle connection fails. */
  onIdleError: (error: Error) => void;
  /** Called when any connection breaks, idle or in use. */
  onBreak?: () => void;
}

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
  const servers = new Servers(options.connectionString);
  const { throughPooler = false, preparesStatements = true } = options;
  const pool = new pg.Pool({
    Client: servers.Client,
    ...(!throughPooler && { options: asOptions(SESSION_SETTINGS) }),
    max: options.connectionsMax ?? 16,
    types: parsers,
    connectionTimeoutMillis: 5_000,
    // A new connection opens every retained day and plans its statements: tenths of a second with 90 days.
    idleTimeoutMillis: 10 * 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'fairway',
    verify: (client, done) => beginSession(client, throughPooler, done),
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
  const acquire = () => servers.reach(() => pool.connect());
  const ask = <Row extends pg.QueryResultRow>(client: pg.PoolClient, { name, ...statement }: Statement) =>
    run<Row>(client, name !== undefined && preparesStatements ? { ...statement, name } : statement);
  const release = (client: pg.PoolClient) =>
    client.release(performance.now() >= (endsAtMs.get(client) ?? Number.POSITIVE_INFINITY));

  return {
    async query<Row extends pg.QueryResultRow>(statement: Statement) {
      const client = await acquire();
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
      const client = await acquire();
      let open = true;
      const tx: Queryable = {
        async query<Row extends pg.QueryResultRow>(statement: Statement) {
          if (!open) throw new Error('statement on a transaction that has ended');
          return await ask<Row>(client, statement);
        },
      };
      try {
        await run(client, { text: 'BEGIN' });
        const value = await work(tx);
        await run(client, { text: 'COMMIT' });
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
 * and the next attempt opens another, to the next server if the URL names several. A pooler shares the session with other clients, so
 * there the timeout is lifted by the role's settings.
 */
function beginSession(client: pg.PoolClient, throughPooler: boolean, done: (error?: Error) => void): void {
  const lift = throughPooler ? '' : `, ${LIFT_TRANSACTION_TIMEOUT}`;
  run<{ readOnly: string }>(client, {
    text: `SELECT current_setting('transaction_read_only') AS "readOnly"${lift}`,
  })
    .then(([row]) => {
      if (row?.readOnly !== 'off') throw readOnlyError();
      done();
    })
    .catch((error: Error) => {
      (client as unknown as ServerClient).failed(error);
      done(error);
    });
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
function run<Row extends pg.QueryResultRow>(
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
    await run(client, { text: 'ROLLBACK' });
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}
