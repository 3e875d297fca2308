import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { findPostmasterFile } from './postmaster-file.ts';

const run = promisify(execFile);
const pollMs = 20;

/** Signals that ask a server to end, in order, and the wait after each. */
const endings = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Ends the server that an earlier, dead process left running on `clusterDir`. Call it only with the instance lock held. Returns the pid of
 * a stale `postmaster.pid` if it now belongs to an unrelated living process, which is left alone; null otherwise. Throws if the
 * server does not end.
 */
export async function stopLeftoverServer(deps: { log: Logger }, clusterDir: string): Promise<number | null> {
  const found = await findPostmasterFile(clusterDir);
  if (found === null || !isAlive(found.pid)) return null;
  if (!(await runsIn(found.pid, clusterDir))) return found.pid;

  deps.log.warn({ pid: found.pid }, 'stopping a PostgreSQL server left behind by an earlier run');
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
  // isAlive would not do: an ended process counts as alive until its parent reaps it, which in a container may never happen.
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

/** Sends a signal; false if the process no longer exists. */
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

/** True if the process is a server on `clusterDir`: a server's working directory is its data directory. */
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
