import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Contents of `postmaster.pid`, which a running server keeps in its data directory. */
export interface PostmasterFile {
  pid: number;
  /** Start time, port and shared memory of the server: unique to a run, whereas a pid can recur. */
  run: string;
  /** True once the server accepts connections. */
  ready: boolean;
}

/** Reads `postmaster.pid` in `clusterDir`; null if it is missing or incomplete. */
export async function findPostmasterFile(clusterDir: string): Promise<PostmasterFile | null> {
  try {
    return parsePostmasterFile(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Parses the text of a `postmaster.pid`; null if it is incomplete, as for a moment while it is written. */
export function parsePostmasterFile(text: string): PostmasterFile | null {
  const lines = text.split('\n');
  // A single-user backend writes its pid negated.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return null;
  return { pid, run: lines.slice(2, 7).join(' '), ready: lines[7]?.trim() === 'ready' };
}
