import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** `fairway serve` in its own process group. */
export interface ServeProcess {
  baseUrl: string;
  /** Process id of the first process, which may have children. */
  pid: number;
  adminToken: string;
  /** Signals the whole group: the process and all its children. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts the gateway as an operator would, and resolves once it reports that it is ready. Rejects with its output if it ends before. */
export async function startServeProcess(dataDir: string, environment: Record<string, string>): Promise<ServeProcess> {
  const { child, ended, output } = spawnServe(dataDir, environment);
  const ready = new Promise<string>((found) => {
    child.stdout?.on('data', () => {
      const url = /Fairway is ready: (\S+)/.exec(output())?.[1];
      if (url !== undefined) found(url);
    });
  });
  const failed = ended.then(({ code }) => {
    throw new Error(`fairway serve ended with ${code} before it was ready:\n${output()}`);
  });
  const baseUrl = await Promise.race([ready, failed]);
  failed.catch(() => {});
  const adminToken = environment.ADMIN_TOKEN ?? (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  return { baseUrl, pid: child.pid ?? 0, adminToken, ended, kill: (signal) => killGroup(child, signal) };
}

/** Begins to start the gateway; `output` returns its output so far. */
export function beginServeProcess(
  dataDir: string,
  environment: Record<string, string>,
): Pick<ServeProcess, 'kill' | 'ended'> & { output: () => string } {
  const { child, ended, output } = spawnServe(dataDir, environment);
  return { ended, output, kill: (signal) => child.kill(signal) };
}

/** Runs a gateway that is expected to fail at start; resolves with its exit code and output. */
export async function runServeProcess(
  dataDir: string,
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const { ended, output } = spawnServe(dataDir, environment);
  const { code } = await ended;
  return { code, output: output() };
}

function spawnServe(dataDir: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000);
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, ended, output: () => output };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}
