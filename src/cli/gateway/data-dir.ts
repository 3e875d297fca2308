import { stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { ConfigError } from '../../config.ts';

const NOT_A_DIRECTORY = 'It must be a directory that can be created and written to.';
const READ_ONLY = 'Its file system is read-only: mount it for writing, or name another directory.';
const FULL = 'Its file system is full: make room, or name another directory.';
/** Messages of PostgreSQL's programs and SQLite about a full disk. */
const TOLD_FULL = /No space left on device|disk is full/;

/** Runs `work` in `dataDir`. Turns refusals of the file system into a ConfigError that names the path, its owner and the remedy. */
export async function inDataDir<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, path = dataDir, message } = error as NodeJS.ErrnoException;
    // The path is the directory, inside it, or one of its parents.
    const concernsIt = isWithin(path, dataDir) || isWithin(dataDir, path);
    const advice = TOLD_FULL.test(message) ? FULL : concernsIt ? await adviceOn(code, path) : undefined;
    if (advice === undefined) throw error;
    throw new ConfigError([`DATA_DIR (${dataDir}) cannot be used: ${message}. ${advice}`]);
  }
}

function isWithin(path: string, dir: string): boolean {
  return join(path, sep).startsWith(join(dir, sep));
}

async function adviceOn(code: string | undefined, path: string): Promise<string | undefined> {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return await ownerAdvice(path);
    case 'EROFS':
      return READ_ONLY;
    case 'ENOSPC':
    case 'EDQUOT':
      return FULL;
    case 'ENOENT':
    case 'ENOTDIR':
      return NOT_A_DIRECTORY;
    default:
      return undefined;
  }
}

/** Advice that names the owner of the path, or of its nearest parent that this user can see. */
async function ownerAdvice(path: string): Promise<string> {
  const owner = await stat(path).catch(() => undefined);
  if (owner === undefined && dirname(path) !== path) return await ownerAdvice(dirname(path));
  const user = process.geteuid?.();
  return (
    `${path} belongs to user ${owner?.uid}, and this process runs as user ${user}: run it as the owner, ` +
    `give DATA_DIR and all in it to user ${user} (chown -R), or name another directory.`
  );
}
