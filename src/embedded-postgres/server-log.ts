import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const filesKept = 5;
const tailBytes = 2_000;

/** Deletes all but the newest log files of the server, which bounds their disk space. */
export async function pruneServerLog(logDir: string): Promise<void> {
  const outdated = (await listLogFiles(logDir)).slice(0, -filesKept);
  for (const file of outdated) await rm(join(logDir, file), { force: true });
}

/** The last lines of the newest log file; empty if nothing was written since `sinceMs` (epoch ms). */
export async function readServerLogTail(logDir: string, sinceMs: number): Promise<string> {
  const newest = (await listLogFiles(logDir)).at(-1);
  if (newest === undefined) return '';
  await using file = await open(join(logDir, newest));
  const { size, mtimeMs } = await file.stat();
  if (mtimeMs < sinceMs) return '';
  const position = Math.max(0, size - tailBytes);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(tailBytes), position });
  return buffer.toString('utf8', 0, bytesRead).trim();
}

/** Lists the log files, oldest first: their names contain the time. */
async function listLogFiles(logDir: string): Promise<string[]> {
  const files = await readdir(logDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files.filter((file) => file.startsWith('postgres-')).sort();
}
