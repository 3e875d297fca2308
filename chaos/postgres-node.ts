import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../src/database/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';

const READY_MS_MAX = 60_000;

/** The PostgreSQL server of the run, which is restarted whenever it ends, and the runner's own connection to it. */
export class PostgresNode {
  readonly db: Database;
  readonly #server: EmbeddedPostgres;

  private constructor(server: EmbeddedPostgres) {
    this.#server = server;
    this.db = openDatabase({
      connectionString: server.connectionString,
      connectionsMax: 2,
      onIdleError: () => {},
    });
  }

  static async start(options: { dataDir: string; log: Logger }): Promise<PostgresNode> {
    return new PostgresNode(await startEmbeddedPostgres(options));
  }

  get port(): number {
    return this.#server.port;
  }

  /** Returns the database's URL through `port`. */
  urlThrough(port: number): string {
    const url = new URL(this.#server.connectionString);
    url.port = String(port);
    return url.href;
  }

  /** The server's process id; null while the server starts. */
  get #pid(): number | null {
    return this.#server.pid > 0 ? this.#server.pid : null;
  }

  /** Kills the server and all its processes with SIGKILL, as the kernel does when memory runs out. */
  async kill(): Promise<void> {
    const server = this.#pid;
    if (server === null) return;
    // Without SIGSTOP, the server may fork another backend during the listing. That backend could wait forever for locks of dead processes.
    signal(server, 'SIGSTOP');
    const backends = await childrenOf(server);
    for (const each of [server, ...backends]) signal(each, 'SIGKILL');
  }

  /** Does the same as `pg_ctl stop -m immediate`. */
  stopImmediately(): void {
    if (this.#pid !== null) signal(this.#pid, 'SIGQUIT');
  }

  /** Stops every present backend in the middle of its work. Returns a function that resumes them. */
  async freezeBackends(): Promise<() => void> {
    const backends = this.#pid === null ? [] : await childrenOf(this.#pid);
    for (const each of backends) signal(each, 'SIGSTOP');
    return () => {
      for (const each of backends) signal(each, 'SIGCONT');
    };
  }

  /** Resolves once the server answers. Throws after a minute. */
  async whenReady(): Promise<void> {
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      try {
        await this.db.query({ text: 'SELECT 1' });
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await delay(50);
      }
    }
  }

  async stop(): Promise<void> {
    await this.db.close();
    await this.#server.stop();
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the listing and the read.
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parentPid) === parent) children.push(Number(entry));
  }
  return children;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
