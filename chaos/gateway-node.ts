import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Link } from './link-process.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface GatewayNodeOptions {
  name: string;
  port: number;
  runDir: string;
  /** URL of the database through `databaseLink`. */
  databaseUrl: string;
  databaseLink: Link;
  upstreamLink: Link;
  secrets: { encryptionKey: string; adminToken: string; appSecret: string };
}

/** Longest time to become ready, ms: a node rarely manages to start while its database is killed every other second. */
const READY_MS_MAX = 300_000;
const MAIN = join(import.meta.dirname, '../src/main.ts');

/** One `fairway serve` process on a fixed port. It reaches its database and its upstream through its own links. */
export class GatewayNode {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  readonly databaseLink: Link;
  readonly upstreamLink: Link;
  readonly #process: SupervisedProcess;

  constructor(options: GatewayNodeOptions) {
    const { name, port, runDir, databaseUrl, databaseLink, upstreamLink, secrets } = options;
    this.name = name;
    this.port = port;
    this.databaseLink = databaseLink;
    this.upstreamLink = upstreamLink;
    this.logFile = join(runDir, `gateway-${name}.log`);
    this.#process = new SupervisedProcess({
      args: [MAIN, 'serve'],
      logFile: this.logFile,
      isNice: true,
      env: {
        PATH: process.env.PATH ?? '',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: join(runDir, `gateway-${name}`),
        DATABASE_URL: databaseUrl,
        DATABASE_CONNECTIONS_MAX: '12',
        ENCRYPTION_KEY: secrets.encryptionKey,
        ADMIN_TOKEN: secrets.adminToken,
        UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamLink.port}/v24.0`,
        UPSTREAM_APP_SECRET: secrets.appSecret,
        UPSTREAM_VERIFY_TOKEN: 'chaos-verify-token',
        LOG_LEVEL: 'info',
      },
    });
  }

  start(): void {
    this.#process.start();
  }

  /** SIGKILL; the supervisor restarts the process at once. */
  kill(): void {
    this.#process.signal('SIGKILL');
  }

  /** SIGSTOP: the process is alive for the kernel and silent for all its peers. */
  pause(): void {
    this.#process.signal('SIGSTOP');
  }

  resume(): void {
    this.#process.signal('SIGCONT');
  }

  /** SIGTERM; resolves with the exit code. The supervisor restarts the process at once. */
  async terminate(): Promise<number | null> {
    const exited = this.#process.exited();
    this.#process.signal('SIGTERM');
    return await exited;
  }

  /** Ends the process for good. */
  async stop(): Promise<void> {
    await this.#process.stop();
  }

  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal: AbortSignal.timeout(1_000) });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** Resolves once the gateway reports that it is ready. Throws after five minutes. */
  async whenReady(): Promise<void> {
    const deadline = performance.now() + READY_MS_MAX;
    while (!(await this.isReady())) {
      if (performance.now() > deadline) throw new Error(`gateway ${this.name} is not ready; see ${this.logFile}`);
      await delay(50);
    }
  }
}
