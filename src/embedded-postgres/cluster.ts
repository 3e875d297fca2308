import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerAccount } from './server-account.ts';
import { dataDirPath, runServerCommand } from './server-command.ts';

/** Role of the gateway: it owns its database and may create others, and is no superuser. */
export const roleName = 'fairway';
export const databaseName = 'fairway';

// The superuser has no password, so with this file no client can connect as superuser.
const hostBasedAccess = 'host all all 127.0.0.1/32 scram-sha-256\n';

interface ClusterOptions {
  account: ServerAccount;
  clusterDir: string;
  passwordFile: string;
  /** Does not wait for the disk. */
  disposable: boolean;
  /** Aborts the preparation. */
  stop?: AbortSignal | undefined;
}

/**
 * Ensures that `clusterDir` holds a database cluster and `passwordFile` the password of its role, and returns the password. No server may
 * run on it. An interrupted attempt leaves nothing that the next one trusts.
 */
export async function prepareCluster(options: ClusterOptions): Promise<string> {
  const { clusterDir, passwordFile } = options;
  const stored = await findText(passwordFile);
  const password = stored ?? randomBytes(24).toString('base64url');
  if (existsSync(join(clusterDir, 'PG_VERSION'))) {
    if (stored !== null) return stored;
    // A lost password file is replaced: a process that can write here can read the data anyway.
    await runSql(options, clusterDir, [`ALTER ROLE ${roleName} PASSWORD '${password}'`]);
    await storeSecret(passwordFile, password);
  } else {
    await storeSecret(passwordFile, password);
    await createCluster(options, password);
  }
  return password;
}

async function createCluster(options: ClusterOptions, password: string): Promise<void> {
  const { account, clusterDir, disposable, stop } = options;
  const staging = `${clusterDir}.partial`;
  // Retries because an initdb whose parent was killed may still be writing there.
  await rm(staging, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(staging, { mode: 0o700 });
  if (account.owner !== null) await chown(staging, account.owner.uid, account.owner.gid);
  await runServerCommand({
    account,
    program: 'initdb',
    dataDir: staging,
    stop,
    args: [
      `--pgdata=${dataDirPath(account, staging)}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
      // Commits wait while a new segment is filled with zeros, so segments are short.
      '--wal-segsize=1',
      ...(disposable ? ['--no-sync'] : []),
    ],
  });
  await writeFile(join(staging, 'pg_hba.conf'), hostBasedAccess);
  await runSql(options, staging, [
    `CREATE ROLE ${roleName} LOGIN CREATEDB PASSWORD '${password}'`,
    `CREATE DATABASE ${databaseName} OWNER ${roleName}`,
  ]);
  await rename(staging, clusterDir);
}

/** Runs statements without a listening port or authentication: a single backend reads them from its standard input. */
function runSql(options: ClusterOptions, dataDir: string, statements: string[]): Promise<void> {
  const path = dataDirPath(options.account, dataDir);
  // With the default log_min_error_statement, a failing statement would be logged with its password.
  const settings = ['-c', 'exit_on_error=true', '-c', 'log_min_error_statement=panic'];
  return runServerCommand({
    account: options.account,
    program: 'postgres',
    dataDir,
    stop: options.stop,
    args: ['--single', '-D', path, ...settings, 'postgres'],
    input: statements.map((statement) => `${statement};\n`).join(''),
  });
}

async function storeSecret(path: string, secret: string): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, secret, { mode: 0o600, flush: true });
  await rename(partial, path);
}

async function findText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
