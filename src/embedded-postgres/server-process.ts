import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPostmasterFile, type PostmasterFile } from './postmaster-file.ts';
import type { ServerAccount } from './server-account.ts';
import { dataDirPath, openDataDir, serverEnvironment } from './server-command.ts';
import { readServerLogTail } from './server-log.ts';
import { serverLogDirName } from './server-settings.ts';

const readyPollMs = 10;
// Crash recovery replays at most max_wal_size, which takes a slow disk some time.
const startTimeoutMs = 180_000;
const fastShutdownMs = 6_000;
const immediateShutdownMs = 3_000;
const lastWordsChars = 2_000;

/**
 * Script of the server's parent process. It prints the server's pid, and asks the server for a fast shutdown when descriptor 3 reports
 * end of file: the gateway has closed it or has died, however it died. While the parent lives, the system cannot give the server's
 * pid to another process. $1 is a directory to delete at the end, or empty.
 */
const supervisorScript = `
trash=$1; shift
"$@" 3<&- >&2 &
server=$!
echo "$server"
{ read -r line <&3; kill -INT "$server"; } >/dev/null 2>&1 &
watch=$!
wait "$server"
status=$?
kill "$watch" 2>/dev/null
[ -z "$trash" ] || rm -rf -- "$trash"
exit "$status"
`;

export interface ServerProcessOptions {
  account: ServerAccount;
  clusterDir: string;
  settings: Record<string, string>;
  /** The pid of a stale `postmaster.pid` that is known not to be a server; null if there is none. */
  unrelatedPid: number | null;
  /** Directory to delete when the server has ended, even if this process has died before. */
  trashDir: string | null;
  /** Aborts the start. */
  stop?: AbortSignal | undefined;
}

/** A server that failed before it accepted connections; `message` ends with the server's own output. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}

/** A running server. It ends with this process, and does not keep this process alive. */
export class ServerProcess {
  /** Resolves when the server has ended, with the shell's exit status: 128 + signal if it was killed. */
  readonly exited: Promise<number | null>;
  readonly #supervisor: ChildProcess;
  #pid = 0;
  #lastWords = '';

  /** Starts a server and waits until it accepts connections. Throws ServerStartError if it does not; rejects when `stop` aborts. */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const stale = await findPostmasterFile(options.clusterDir);
    const dataDir = await openDataDir(options.clusterDir);
    try {
      const server = new ServerProcess(spawnSupervisor(options, dataDir.fd));
      await server.#waitUntilReady(options.clusterDir, stale, options.stop);
      return server;
    } finally {
      await dataDir.close();
    }
  }

  private constructor(supervisor: ChildProcess) {
    this.#supervisor = supervisor;
    this.exited = new Promise((resolve) => supervisor.once('close', resolve));
    supervisor.on('error', (error) => {
      this.#lastWords += error.message;
    });
    supervisor.stdout?.once('data', (line) => {
      this.#pid = Number(line);
    });
    supervisor.stderr?.on('data', (chunk) => {
      this.#lastWords = (this.#lastWords + chunk).slice(-lastWordsChars);
    });
    // A pipe breaks when the other side ends, which `exited` reports.
    for (const socket of this.#sockets()) socket.on('error', () => {});
  }

  get pid(): number {
    return this.#pid;
  }

  /**
   * Ends the server with a fast shutdown: transactions are rolled back and everything is written. After 6 s an immediate shutdown follows,
   * from which the next start recovers. Safe to call twice.
   */
  async stop(): Promise<void> {
    this.#keepParentAlive(true);
    this.#sockets().at(-1)?.destroy();
    if (await this.#exitsWithin(fastShutdownMs)) return;
    this.#signal('SIGQUIT');
    if (await this.#exitsWithin(immediateShutdownMs)) return;
    this.#signal('SIGKILL');
    await this.exited;
  }

  async #waitUntilReady(
    clusterDir: string,
    stale: PostmasterFile | null,
    stop: AbortSignal | undefined,
  ): Promise<void> {
    const startedMs = Date.now();
    const deadline = performance.now() + startTimeoutMs;
    while (!this.#hasExited() && !stop?.aborted && performance.now() < deadline) {
      const file = await findPostmasterFile(clusterDir);
      // A dead server's file may still be there, with "ready" in it; in a container its pid may equal this server's.
      if (file?.ready && file.pid === this.#pid && file.run !== stale?.run) {
        this.#keepParentAlive(false);
        return;
      }
      await delay(readyPollMs);
    }
    const outcome = this.#hasExited() ? 'ended at once' : `not ready after ${startTimeoutMs} ms`;
    await this.stop();
    stop?.throwIfAborted();
    const log = await readServerLogTail(join(clusterDir, serverLogDirName), startedMs);
    throw new ServerStartError(`PostgreSQL did not start (${outcome}): ${this.#lastWords.trim()}\n${log}`.trim());
  }

  #hasExited(): boolean {
    return this.#supervisor.exitCode !== null || this.#supervisor.signalCode !== null;
  }

  async #exitsWithin(waitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const timeout = delay(waitMs, false, { signal: timer.signal }).catch(() => false);
    try {
      return await Promise.race([this.exited.then(() => true), timeout]);
    } finally {
      timer.abort();
    }
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#pid === 0) return;
    try {
      process.kill(this.#pid, signal);
    } catch {
      // The process has already ended.
    }
  }

  #keepParentAlive(keep: boolean): void {
    for (const handle of [this.#supervisor, ...this.#sockets()]) {
      if (keep) handle.ref();
      else handle.unref();
    }
  }

  /** stdout, stderr, and last the pipe whose end stops the server. */
  #sockets(): Socket[] {
    return this.#supervisor.stdio.filter((stream) => stream instanceof Socket);
  }
}

function spawnSupervisor(options: ServerProcessOptions, dataDirFd: number): ChildProcess {
  const { account, clusterDir, settings, unrelatedPid, trashDir } = options;
  const server = [
    ...account.prefix,
    account.binaries.postgres,
    '-D',
    dataDirPath(account, clusterDir),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const env = serverEnvironment();
  // PostgreSQL takes any living process named in a stale postmaster.pid for its predecessor, except the pid in this variable.
  // Deleting the file instead would also lose its record of the predecessor's shared memory.
  if (unrelatedPid !== null) env.PG_GRANDPARENT_PID = String(unrelatedPid);
  return spawn('/bin/sh', ['-c', supervisorScript, 'fairway-postgres', trashDir ?? '', ...server], {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', dataDirFd],
    // A session of its own: Ctrl-C in a terminal reaches only this process, which then stops the server in its own order.
    detached: true,
  });
}
