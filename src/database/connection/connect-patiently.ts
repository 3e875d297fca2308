import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { sqlStateOf } from '../database.ts';
import { POOLER_ADVICE } from './check-postgres.ts';
import { SESSION_SETTINGS, withSettings } from './session-settings.ts';
import { isUnreached } from './unreached.ts';

interface PatientConnection {
  connectionString: string;
  applicationName: string;
  log: Logger;
  /** Ends the wait at once. */
  stop?: AbortSignal | undefined;
  /** Longest wait in milliseconds; 30 s when absent. */
  patienceMs?: number | undefined;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 200;
const ANSWER_MS_MAX = 5_000;

class InRecovery extends Error {
  override readonly name = 'InRecovery';
  override readonly message = 'it is in recovery, and takes no writes until it is promoted';
}

/**
 * Connects to a PostgreSQL that takes writes. Waits if the server is not up yet, starts, recovers, or has no free connection, and logs
 * that once: a gateway and its database are often started together. Throws the reason: after the wait, when `stop` aborts, or at once if
 * waiting cannot help (wrong password, missing database, TLS). An answer may take 5 s.
 */
export async function connectPatiently(options: PatientConnection): Promise<pg.Client> {
  const { log, stop, patienceMs = PATIENCE_MS } = options;
  const deadline = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    const socket = new Socket();
    const client = openClient(options, socket);
    try {
      await connect(client, socket, stop);
      return client;
    } catch (error) {
      socket.destroy();
      stop?.throwIfAborted();
      const mayCome = isPassing(error);
      if (!mayCome || performance.now() >= deadline) {
        const waited = mayCome ? ` (after ${patienceMs / 1_000} s of waiting)` : '';
        throw new Error(`PostgreSQL cannot be used: ${reasonOf(error)}${waited}`, { cause: error });
      }
      if (isFirst) log.warn({ reason: reasonOf(error), secondsMax: patienceMs / 1_000 }, 'waiting for PostgreSQL');
    }
    await delay(PAUSE_MS, undefined, { signal: stop });
  }
}

function openClient({ connectionString, applicationName }: PatientConnection, socket: Socket): pg.Client {
  try {
    const client = new pg.Client({
      ...withSettings(connectionString, SESSION_SETTINGS),
      application_name: applicationName,
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      stream: () => socket,
    });
    // Without a listener, a connection lost between two queries would end the process.
    client.on('error', () => {});
    return client;
  } catch (error) {
    // The driver reads the files that the URL names, and its error does not say which setting named them.
    const { message, path } = error as NodeJS.ErrnoException;
    const setting = [...new URL(connectionString).searchParams].find(([, value]) => value === path)?.[0];
    const where = setting === undefined ? 'DATABASE_URL' : `${setting} of DATABASE_URL`;
    throw new Error(`PostgreSQL cannot be used: ${where}: ${message}`, { cause: error });
  }
}

/** Connects; rejects as soon as `stop` aborts, because that destroys the connection's socket. */
async function connect(client: pg.Client, socket: Socket, stop: AbortSignal | undefined): Promise<void> {
  const cutOff = () => socket.destroy();
  stop?.throwIfAborted();
  stop?.addEventListener('abort', cutOff, { once: true });
  try {
    await client.connect();
    const { rows } = await client.query<{ recovers: boolean }>('SELECT pg_is_in_recovery() AS recovers');
    if (rows[0]?.recovers) throw new InRecovery();
  } finally {
    stop?.removeEventListener('abort', cutOff);
  }
}

/** True for a pooler's error: PostgreSQL itself knows every startup parameter used here. */
function isOfPooler(error: unknown): boolean {
  return sqlStateOf(error) !== undefined && /^unsupported startup parameter/.test((error as Error).message);
}

/** True if the next attempt may succeed. */
function isPassing(error: unknown): boolean {
  if (isOfPooler(error)) return false;
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(08|57P)/.test(state) || state === '53300';
  return error instanceof InRecovery || isUnreached(error);
}

/** The reason for a failed connection. A host with several addresses has one error each, and a code but no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return isOfPooler(error) ? `${message}. ${POOLER_ADVICE}` : message || String(code);
}
