import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../src/database/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';

const READY_MS_MAX = 60_000;

/** The PostgreSQL of the run, which is started again whenever it ends, and a connection of the runner's own to it. */
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

  /** The address of the database as seen through `port`. */
  urlThrough(port: number): string {
    const url = new URL(this.#server.connectionString);
    url.port = String(port);
    return url.href;
  }

  /** The server's process; null while one is being started. */
  get #pid(): number | null {
    return this.#server.pid > 0 ? this.#server.pid : null;
  }

  /** SIGKILL of the server and everything it has started, as when the machine's memory runs out. */
  async kill(): Promise<void> {
    const server = this.#pid;
    if (server === null) return;
    // Or it starts one more while they are listed, which may wait forever for what the dead held, and so for its own end.
    signal(server, 'SIGSTOP');
    const backends = await childrenOf(server);
    for (const each of [server, ...backends]) signal(each, 'SIGKILL');
  }

  /** What `pg_ctl stop -m immediate` does. */
  stopImmediately(): void {
    if (this.#pid !== null) signal(this.#pid, 'SIGQUIT');
  }

  /** Stops every backend there is now in the middle of whatever it does. Answers how to let them go on. */
  async freezeBackends(): Promise<() => void> {
    const backends = this.#pid === null ? [] : await childrenOf(this.#pid);
    for (const each of backends) signal(each, 'SIGSTOP');
    return () => {
      for (const each of backends) signal(each, 'SIGCONT');
    };
  }

  /** Resolves once it answers. Throws after a minute. */
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
    // A process may end between being listed and being looked at.
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
    // It has ended by itself.
  }
}
