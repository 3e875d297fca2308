import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/** Held as long as this process owns a data directory. */
export interface InstanceLock {
  /** Releases the lock. Safe to call twice. */
  release(): void;
}

/**
 * Claims `dataDir` for this process. Throws an error that names the owner if another living process holds it.
 *
 * The lock is SQLite's lock on a file, held by the kernel. It ends with its holder, however that dies. It cannot be mistaken for the lock
 * of another process with the same pid, and it works between containers that share a directory.
 */
export function acquireInstanceLock(dataDir: string): InstanceLock {
  const file = new DatabaseSync(join(dataDir, 'instance.lock'));
  try {
    file.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT`);
    // The lock itself is a write transaction left open. Other processes can still read the owner's pid.
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
    // The other process is just writing its pid: the refusal matters, the pid does not.
    return null;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
