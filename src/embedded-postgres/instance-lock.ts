import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/** Held for as long as this process owns a data directory. */
export interface InstanceLock {
  /** Gives it up. Safe to call twice. */
  release(): void;
}

/**
 * Claims `dataDir` for this process; throws an error naming the owner when a living process has it.
 *
 * The lock is SQLite's lock on a file, which is the kernel's: it ends with its holder however that dies, it cannot be
 * mistaken for the lock of another process that got the same pid, and it holds between containers sharing a directory.
 */
export function acquireInstanceLock(dataDir: string): InstanceLock {
  const file = new DatabaseSync(join(dataDir, 'instance.lock'));
  try {
    file.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT`);
    // The lock itself: a write transaction left open. Others can still read whose it is.
    file.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const owner = isBusy(error) ? ownerPid(file) : null;
    file.close();
    if (!isBusy(error)) throw error;
    throw new Error(
      `${dataDir} is in use by another running instance${owner === null ? '' : ` (process ${owner})`}. ` +
        'Stop that instance, or give this one a DATA_DIR of its own.',
      { cause: error },
    );
  }
  return {
    release() {
      if (file.isOpen) file.close();
    },
  };
}

function ownerPid(file: DatabaseSync): number | null {
  try {
    const row = file.prepare('PRAGMA user_version').get();
    return typeof row?.user_version === 'number' ? row.user_version : null;
  } catch {
    // The other one is just writing it: being refused is the news, its number is not.
    return null;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
