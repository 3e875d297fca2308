import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ServerProcess } from './server-process.ts';

const restartDelayMs = 100;
const restartDelayMsMax = 10_000;

interface Deps {
  log: Logger;
  /** Starts another server in place of one that has ended. */
  restart: () => Promise<ServerProcess>;
}

/** Restarts a server whenever it ends unexpectedly, and retries until a start succeeds. */
export class SupervisedServer {
  readonly #deps: Deps;
  readonly #stopping = new AbortController();
  readonly #supervision: Promise<void>;
  #server: ServerProcess;

  constructor(deps: Deps, server: ServerProcess) {
    this.#deps = deps;
    this.#server = server;
    this.#supervision = this.#supervise();
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** Ends the server for good. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.stop();
    await this.#supervision;
    // The supervision may have just started another server.
    await this.#server.stop();
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const status = await this.#server.exited;
      if (this.#stopping.signal.aborted) return;
      this.#deps.log.error({ status }, 'PostgreSQL ended unexpectedly; starting it again');
      const replacement = await this.#startReplacement();
      if (replacement === null) return;
      this.#server = replacement;
    }
  }

  async #startReplacement(): Promise<ServerProcess | null> {
    for (let delayMs = restartDelayMs; ; delayMs = Math.min(2 * delayMs, restartDelayMsMax)) {
      // Rejects if `stop` was called meanwhile; the next line checks that.
      await delay(delayMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
      if (this.#stopping.signal.aborted) return null;
      try {
        return await this.#deps.restart();
      } catch (error) {
        this.#deps.log.error({ err: error }, 'PostgreSQL cannot be started again yet');
      }
    }
  }
}
