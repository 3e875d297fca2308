import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { sqlStateOf } from '../failures.ts';
import { POOLER_ADVICE } from './check-postgres.ts';
import { Servers, UnusableUrl } from './servers.ts';
import { asOptions, SESSION_SETTINGS } from './session-settings.ts';
import { isUnreached } from './unreached.ts';

interface PatientConnection {
  connectionString: string;
  applicationName: string;
  log: Logger;
  /** Settings of the session (`name=value`); those of the gateway when absent, none through a pooler. */
  settings?: readonly string[] | undefined;
  /** True if answers may take longer than 5 s. */
  answersLate?: boolean | undefined;
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
 * Connects to a PostgreSQL that takes writes, the first such server if the URL names several. Waits if no server is up yet, or it starts,
 * recovers, or has no free connection, and logs that once: a gateway and its database are often started together. Throws the reason:
 * after the wait, when `stop` aborts, or at once if waiting cannot help (wrong password, missing database, TLS). An answer may take 5 s.
 */
export async function connectPatiently(options: PatientConnection): Promise<pg.Client> {
  const { log, stop, patienceMs = PATIENCE_MS } = options;
  const servers = new Servers(options.connectionString);
  const deadline = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    const failures = new Map<string, unknown>();
    try {
      return await servers.reach(() => connect(servers, options, failures));
    } catch {
      stop?.throwIfAborted();
      const mayCome = failures.values().some(isPassing);
      const reason = reasonOf(failures, options.connectionString);
      if (!mayCome || performance.now() >= deadline) {
        const waited = mayCome ? ` (after ${patienceMs / 1_000} s of waiting)` : '';
        throw new Error(`PostgreSQL cannot be used: ${reason}${waited}`, { cause: [...failures.values()].at(-1) });
      }
      if (isFirst) log.warn({ reason, secondsMax: patienceMs / 1_000 }, 'waiting for PostgreSQL');
    }
    await delay(PAUSE_MS, undefined, { signal: stop });
  }
}

/** Connects to the present server; its failure is added to `failures` by its name. Rejects as soon as `stop` aborts. */
async function connect(
  servers: Servers,
  { applicationName, settings = SESSION_SETTINGS, answersLate = false, stop }: PatientConnection,
  failures: Map<string, unknown>,
): Promise<pg.Client> {
  const socket = new Socket();
  const client = new servers.Client({
    ...(settings.length > 0 && { options: asOptions(settings) }),
    application_name: applicationName,
    connectionTimeoutMillis: ANSWER_MS_MAX,
    ...(!answersLate && { query_timeout: ANSWER_MS_MAX }),
    keepAlive: true,
    stream: () => socket,
  });
  // Without a listener, a connection lost between two queries would end the process.
  client.on('error', () => {});
  // Ends the attempt: the driver waits for the socket.
  const cutOff = () => socket.destroy();
  stop?.throwIfAborted();
  stop?.addEventListener('abort', cutOff, { once: true });
  try {
    await client.connect();
    const { rows } = await client.query<{ recovers: boolean }>('SELECT pg_is_in_recovery() AS recovers');
    if (rows[0]?.recovers) throw new InRecovery();
    return client;
  } catch (error) {
    socket.destroy();
    failures.set(client.target.name, error);
    client.failed(error);
    throw error;
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

/** The reasons for failed connections, each with its server if there are several. */
function reasonOf(failures: ReadonlyMap<string, unknown>, connectionString: string): string {
  const reasons = [...failures].map(([name, error]) => [name, reasonOfOne(error, connectionString)] as const);
  if (reasons.length < 2) return reasons[0]?.[1] ?? '';
  return reasons.map(([name, reason]) => `${name}: ${reason}`).join('; ');
}

/** A host with several addresses has one error each, and a code but no message of its own. */
function reasonOfOne(error: unknown, connectionString: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (isOfPooler(error)) return `${message}. ${POOLER_ADVICE}`;
  if (error instanceof UnusableUrl) {
    // The error of a file does not say which setting named it.
    const query = new URLSearchParams(connectionString.slice(connectionString.indexOf('?') + 1));
    const setting = [...query].find(([, value]) => value === error.path)?.[0];
    return `${setting === undefined ? 'DATABASE_URL' : `${setting} of DATABASE_URL`}: ${message}`;
  }
  return message || String(code);
}
