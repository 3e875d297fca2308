import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a server writes into `postmaster.pid` in its data directory while it runs. */
export interface PostmasterFile {
  pid: number;
  /** When it started, its port and its shared memory: unlike any other run's, where `pid` may come again. */
  run: string;
  /** True once the server accepts connections. */
  ready: boolean;
}

/** Reads `postmaster.pid` in `clusterDir`; null when there is none, or none that is complete. */
export async function findPostmasterFile(clusterDir: string): Promise<PostmasterFile | null> {
  try {
    return parsePostmasterFile(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Understands the text of a `postmaster.pid`; null when it is incomplete, as it is for a moment while being written. */
export function parsePostmasterFile(text: string): PostmasterFile | null {
  const lines = text.split('\n');
  // A single-user backend writes its pid negated.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return null;
  return { pid, run: lines.slice(2, 7).join(' '), ready: lines[7]?.trim() === 'ready' };
}
