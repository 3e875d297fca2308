import { stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { ConfigError } from '../config.ts';

const NOT_A_DIRECTORY = 'It must be a directory that can be made and written to.';
const READ_ONLY = 'Its file system is read-only: mount it for writing, or name another directory.';
const FULL = 'Its file system is full: make room, or name another directory.';
/** What PostgreSQL's programs and SQLite say of it. */
const TOLD_FULL = /No space left on device|disk is full/;

/** Runs what works in `dataDir`. What the file system refuses it, it fails with as a ConfigError: which path, whose it is, what to do. */
export async function inDataDir<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, path = dataDir, message } = error as NodeJS.ErrnoException;
    // In it, itself, or on the way to it.
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

/** Says whose the path is, or what of it this user can see. */
async function ownerAdvice(path: string): Promise<string> {
  const owner = await stat(path).catch(() => undefined);
  if (owner === undefined && dirname(path) !== path) return await ownerAdvice(dirname(path));
  const user = process.geteuid?.();
  return (
    `${path} belongs to user ${owner?.uid}, and this process runs as user ${user}: run it as the owner, ` +
    `give DATA_DIR and all in it to user ${user} (chown -R), or name another directory.`
  );
}
