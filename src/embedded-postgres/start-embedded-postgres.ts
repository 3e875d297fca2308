import { existsSync } from 'node:fs';
import { access, chmod, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { makeDirectory } from '../core/make-directory.ts';
import { databaseName, prepareCluster, roleName } from './cluster.ts';
import { findFreePort } from './find-free-port.ts';
import { acquireInstanceLock, type InstanceLock } from './instance-lock.ts';
import { stopLeftoverServer } from './leftover-server.ts';
import { chooseServerAccount, giveTo, type ServerAccount } from './server-account.ts';
import { findServerBinaries } from './server-binaries.ts';
import { pruneServerLog } from './server-log.ts';
import { ServerProcess, ServerStartError } from './server-process.ts';
import { serverLogDirName, serverSettings } from './server-settings.ts';
import { SupervisedServer } from './supervised-server.ts';

const startRetryMs = 100;
const startRetryForMs = 15_000;
const pruneIntervalMs = 3_600_000;

export interface EmbeddedPostgresOptions {
  /** Created with mode 0700 when missing. Holds the cluster, its password and the instance lock. */
  dataDir: string;
  log: Logger;
  /** Days of messages that it will hold; a month of them when absent. */
  messageDays?: number;
  /** Connections the gateway makes; 16 when absent. */
  connections?: number;
  /** TCP port on 127.0.0.1; a free one by default. */
  port?: number;
  /** For tests: nothing is made durable, and `dataDir` is deleted when the server ends, whatever ends it. */
  disposable?: boolean;
  /** Gives the start up. */
  stop?: AbortSignal | undefined;
}

export interface EmbeddedPostgres {
  /** Connects to the gateway's database as a role that owns it and may create others. Holds the password. */
  readonly connectionString: string;
  readonly port: number;
  /** The server's process; another one after the server has crashed and was started again. */
  readonly pid: number;
  /** Ends the server within 10 s and gives up the data directory. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Runs the bundled PostgreSQL on `dataDir/postgres`, which is created on the first start. A server that an earlier
 * process left behind is stopped first. The server is started again should it crash; it ends with this process,
 * however that ends, and never keeps it alive.
 *
 * Throws an error that says what to do when `dataDir` is in use by a living instance, when the
 * binaries are missing, or when this account cannot run PostgreSQL; ServerStartError with the server's own words when
 * it does not start. Rejects soon when `stop` aborts, however long the server would take; nothing runs then.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  await prepareDataDir(dataDir);
  const lock = acquireInstanceLock(dataDir);
  try {
    return await startOwned(options, dataDir, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startOwned(
  { log, port: fixedPort, messageDays = 30, connections = 16, disposable = false, stop }: EmbeddedPostgresOptions,
  dataDir: string,
  lock: InstanceLock,
): Promise<EmbeddedPostgres> {
  const clusterDir = join(dataDir, 'postgres');
  const logDir = join(clusterDir, serverLogDirName);
  const account = await chooseServerAccount({ log }, await findServerBinaries(), dataDir);
  if (existsSync(clusterDir)) {
    await stopLeftoverServer({ log }, clusterDir);
    await giveTo(account, clusterDir);
    // The server refuses a directory that others may write to, as copies and what mounts volumes for a group make it.
    await chmod(clusterDir, 0o700);
  }
  const passwordFile = join(dataDir, 'postgres-password');
  const password = await prepareCluster({ account, clusterDir, passwordFile, disposable, stop });
  await pruneServerLog(logDir);

  const trashDir = disposable ? dataDir : null;
  const launch: Launch = { log, account, clusterDir, disposable, messageDays, connections, trashDir };
  const { server: first, port } = await launchServer({ ...launch, stop }, fixedPort);
  const restart = async () => (await launchServer(launch, port)).server;
  // Nothing is left to start again on once disposable data is gone.
  const server = disposable ? first : new SupervisedServer({ log, restart }, first);
  const pruning = setInterval(() => {
    pruneServerLog(logDir).catch((error) => log.warn({ err: error }, 'old PostgreSQL logs cannot be deleted'));
  }, pruneIntervalMs).unref();

  return {
    // It speaks no TLS, whatever PGSSLMODE asks of another server.
    connectionString: `postgresql://${roleName}:${password}@127.0.0.1:${port}/${databaseName}?sslmode=disable`,
    port,
    get pid() {
      return server.pid;
    },
    async stop() {
      clearInterval(pruning);
      await server.stop();
      lock.release();
    },
  };
}

interface Launch {
  log: Logger;
  account: ServerAccount;
  clusterDir: string;
  disposable: boolean;
  messageDays: number;
  connections: number;
  trashDir: string | null;
  stop?: AbortSignal | undefined;
}

/** Starts a server on `fixedPort`, or on a free port, waiting out what goes away by itself. */
async function launchServer(launch: Launch, fixedPort?: number): Promise<{ server: ServerProcess; port: number }> {
  const { log, account, clusterDir, disposable, messageDays, connections, trashDir, stop } = launch;
  const deadline = performance.now() + startRetryForMs;
  for (;;) {
    const port = fixedPort ?? (await findFreePort());
    const unrelatedPid = await stopLeftoverServer({ log }, clusterDir);
    const settings = serverSettings({ port, disposable, messageDays, connections });
    try {
      const server = await ServerProcess.start({ account, clusterDir, settings, unrelatedPid, trashDir, stop });
      return { server, port };
    } catch (error) {
      const passing = error instanceof ServerStartError && isPassing(error, fixedPort === undefined);
      if (!passing || performance.now() > deadline) throw error;
      await delay(startRetryMs, undefined, { signal: stop });
    }
  }
}

/**
 * A port somebody else was faster to take, backends that are still noticing that their server was killed, and a process that only
 * now got the pid in a stale `postmaster.pid`.
 */
function isPassing(error: ServerStartError, portIsFree: boolean): boolean {
  if (error.message.includes('lock file "postmaster.pid" already exists')) return true;
  if (error.message.includes('pre-existing shared memory block')) return true;
  return portIsFree && error.message.includes('Address already in use');
}

/** Rejects with what the file system says where SQLite and PostgreSQL would tell less. */
async function prepareDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir);
  await access(`${dataDir}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
  await access(join(dataDir, 'instance.lock'), constants.R_OK | constants.W_OK).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
