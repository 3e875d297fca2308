import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { findPostmasterFile } from './postmaster-file.ts';

const run = promisify(execFile);
const pollMs = 20;

/** How a server is asked to end, one after the other, and how long each is given. */
const endings = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Ends the server that an earlier process, now dead, left running on `clusterDir`. Call it only while holding the
 * instance lock. Returns the pid in a stale `postmaster.pid` that meanwhile belongs to some other living process, which
 * is left alone; null otherwise. Throws when the server cannot be ended.
 */
export async function stopLeftoverServer(deps: { log: Logger }, clusterDir: string): Promise<number | null> {
  const found = await findPostmasterFile(clusterDir);
  if (found === null || !isAlive(found.pid)) return null;
  if (!(await runsIn(found.pid, clusterDir))) return found.pid;

  deps.log.warn({ pid: found.pid }, 'stopping the PostgreSQL that an earlier run left behind');
  for (const { signal, waitMs } of endings) {
    if (!send(found.pid, signal)) return null;
    if (await ends(found.pid, clusterDir, waitMs)) return null;
  }
  throw new Error(
    `The PostgreSQL left running as process ${found.pid} on ${clusterDir} does not end. Stop it, then retry.`,
  );
}

async function ends(pid: number, clusterDir: string, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  // Not isAlive: a process that has ended counts as alive until its parent takes note, which in a container may be never.
  while (await runsIn(pid, clusterDir)) {
    if (performance.now() > deadline) return false;
    await delay(pollMs);
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isDenied(error);
  }
}

/** False when there is no such process any more. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (isDenied(error)) throw error;
    return false;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPERM';
}

/** Whether the process is a server on `clusterDir`: a server's working directory is its data directory. */
async function runsIn(pid: number, clusterDir: string): Promise<boolean> {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
      return stdout.includes('postgres') && stdout.includes(clusterDir);
    }
    const [working, cluster] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(clusterDir)]);
    return working.dev === cluster.dev && working.ino === cluster.ino;
  } catch {
    return false;
  }
}
