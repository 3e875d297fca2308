import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export const isLinux = process.platform === 'linux';

/** Returns the ids of `nobody`. */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** Returns the first row of an answer. */
export async function queryRow(connectionString: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end();
  }
}

/** Puts an `unshare` before the real one on the PATH, in `dir`, that runs `script` first; returns a function that undoes it. */
export async function replaceUnshare(dir: string, script: string): Promise<() => void> {
  const { PATH = '' } = process.env;
  await mkdir(dir);
  await writeFile(join(dir, 'unshare'), `#!/bin/sh\n${script}\nPATH='${PATH}' exec unshare "$@"\n`, { mode: 0o755 });
  process.env.PATH = [dir, PATH].join(delimiter);
  return () => {
    process.env.PATH = PATH;
  };
}

/** Waits until `condition` is true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

/** Returns true unless the process has ended, even if its parent has not waited for it. */
export async function isRunning(pid: number): Promise<boolean> {
  // An ended process that was not waited for still accepts signals, but has no working directory.
  if (isLinux) return exists(`/proc/${pid}/cwd`);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills a process that may have ended. */
export function sigkill(pid: number): void {
  process.kill(pid, 'SIGKILL');
}

/** Returns the id of the parent process. */
export async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** Returns the ids of the child processes. */
export async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.trim().split(/\s+/).map(Number);
}

/** Returns true if the file exists. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
