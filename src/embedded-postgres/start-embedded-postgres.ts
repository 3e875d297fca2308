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
import { binariesIn, findServerBinaries } from './server-binaries.ts';
import { pruneServerLog } from './server-log.ts';
import { ServerProcess, ServerStartError } from './server-process.ts';
import { serverLogDirName, serverSettings } from './server-settings.ts';
import { SupervisedServer } from './supervised-server.ts';

const startRetryMs = 100;
const startRetryForMs = 15_000;
const pruneIntervalMs = 3_600_000;

export interface EmbeddedPostgresOptions {
  /** Created with mode 0700 if missing. Holds the cluster, its password and the instance lock. */
  dataDir: string;
  log: Logger;
  /** Days of messages the database will hold; 30 when absent. */
  messageDays?: number;
  /** Connections the gateway opens; 16 when absent. */
  connections?: number;
  /** TCP port on 127.0.0.1; a free one by default. */
  port?: number;
  /** Directory of another PostgreSQL installation, with `bin/`; the bundled one when absent. */
  installation?: string | undefined;
  /** For tests: nothing is made durable, and `dataDir` is deleted when the server ends for any reason. */
  disposable?: boolean;
  /** Aborts the start. */
  stop?: AbortSignal | undefined;
}

export interface EmbeddedPostgres {
  /** Connects to the gateway's database as a role that owns it and may create others. Holds the password. */
  readonly connectionString: string;
  readonly port: number;
  /** Process id of the server; it changes if the server crashes and is restarted. */
  readonly pid: number;
  /** Ends the server within 10 s and releases the data directory. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Runs the bundled PostgreSQL on `dataDir/postgres`, which is created on the first start. A server left behind by an earlier process is
 * stopped first. The server is restarted if it crashes. It ends with this process, however that ends, and never keeps it alive.
 *
 * Throws an error that says what to do if a living instance uses `dataDir`, the binaries are missing, or this account cannot run
 * PostgreSQL. Throws ServerStartError with the server's own output if it does not start. Rejects soon after `stop` aborts, even if the
 * server would take longer; no server runs then.
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
  options: EmbeddedPostgresOptions,
  dataDir: string,
  lock: InstanceLock,
): Promise<EmbeddedPostgres> {
  const { log, port: fixedPort, messageDays = 30, connections = 16, disposable = false, installation, stop } = options;
  const clusterDir = join(dataDir, 'postgres');
  const logDir = join(clusterDir, serverLogDirName);
  const binaries = installation === undefined ? await findServerBinaries() : binariesIn(installation);
  const account = await chooseServerAccount({ log }, binaries, dataDir);
  if (existsSync(clusterDir)) {
    await stopLeftoverServer({ log }, clusterDir);
    await giveTo(account, clusterDir);
    // The server refuses a directory that others may write to; copies and volumes mounted for a group create such directories.
    await chmod(clusterDir, 0o700);
  }
  const passwordFile = join(dataDir, 'postgres-password');
  const password = await prepareCluster({ account, clusterDir, passwordFile, disposable, stop });
  await pruneServerLog(logDir);

  const trashDir = disposable ? dataDir : null;
  const launch: Launch = { log, account, clusterDir, disposable, messageDays, connections, trashDir };
  const { server: first, port } = await launchServer({ ...launch, stop }, fixedPort);
  const restart = async () => (await launchServer(launch, port)).server;
  // Disposable data is deleted when the server ends, so there is nothing to restart on.
  const server = disposable ? first : new SupervisedServer({ log, restart }, first);
  const pruning = setInterval(() => {
    pruneServerLog(logDir).catch((error) => log.warn({ err: error }, 'old PostgreSQL logs cannot be deleted'));
  }, pruneIntervalMs).unref();

  return {
    // The server has no TLS, whatever PGSSLMODE requires of other servers.
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

/** Starts a server on `fixedPort` or a free port. Waits and retries if the cause of a failure passes by itself. */
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
 * True for failures that pass. Another process took the port first, or backends have not noticed yet that their server was killed. Or a
 * new process has just got the pid of a stale `postmaster.pid`.
 */
function isPassing(error: ServerStartError, portIsFree: boolean): boolean {
  if (error.message.includes('lock file "postmaster.pid" already exists')) return true;
  if (error.message.includes('pre-existing shared memory block')) return true;
  return portIsFree && error.message.includes('Address already in use');
}

/** Prepares the directory. Rejects with the file system's error, because SQLite and PostgreSQL would say less. */
async function prepareDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir);
  await access(`${dataDir}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
  await access(join(dataDir, 'instance.lock'), constants.R_OK | constants.W_OK).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
