import type { Database, Queryable, Statement } from '../../src/database/database.ts';
import type { EventLoop } from '../event-loop.ts';
import type { VirtualProcess } from '../virtual-process.ts';
import type { Row } from './model-store.ts';
import type { Reply, ServerTransaction, SimulatedServer } from './simulated-server.ts';

/** Default time after which the driver gives up on an answer, ms. */
const ANSWER_TIMEOUT_MS = 12_000;

/** A process's connections to the database, which have latency and can stall all at once. */
export class Link {
  readonly #loop: EventLoop;
  readonly #server: SimulatedServer;
  readonly #process: VirtualProcess;
  /** Requests in progress on this side. */
  readonly #open = new Set<(error: Error) => void>();
  readonly #transactions = new Set<ServerTransaction>();
  #stalledUntilMs = 0;
  /** Rises when all connections break, which also drops the requests on their way to the server. */
  #generation = 0;

  constructor(loop: EventLoop, server: SimulatedServer, process: VirtualProcess) {
    this.#loop = loop;
    this.#server = server;
    this.#process = process;
    server.attach(this);
    process.onKilled(() => {
      // The kernel closes the connections: open transactions are rolled back.
      this.#loop.in(server.latencyMs(), () => {
        for (const transaction of this.#transactions) transaction.rollBack();
      });
    });
  }

  /** Blocks both directions for `durationMs`; delayed traffic arrives afterwards. */
  stall(durationMs: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#loop.nowMs + durationMs);
  }

  /** Breaks all connections. */
  cutAll(): void {
    this.#generation += 1;
    for (const fail of [...this.#open]) this.#receive(() => fail(connectionLost()));
  }

  /** Returns the `Database` that the process uses. */
  database(): Database {
    return {
      query: <R extends object>(statement: Statement) =>
        this.#request((reply) => this.#server.execute(statement, reply), statement.timeoutMs) as Promise<R[]>,
      transaction: (work) => this.#transaction(work),
      waiting: () => 0,
      close: () => Promise.resolve(),
    };
  }

  async #transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    let transaction: ServerTransaction | undefined;
    await this.#request((reply) => {
      transaction = this.#server.begin();
      this.#transactions.add(transaction);
      reply.rows([]);
    });
    const open = transaction;
    if (open === undefined) throw new Error('a transaction begins before its answer');
    try {
      const value = await work({
        query: <R extends object>(statement: Statement) =>
          this.#request((reply) => open.execute(statement, reply), statement.timeoutMs) as Promise<R[]>,
      });
      await this.#request((reply) => open.commit(reply));
      return value;
    } catch (error) {
      await this.#request((reply) => {
        open.rollBack();
        reply.rows([]);
      }).catch(() => {
        // The connection is closed, which also rolls back.
        this.#transmit(() => open.rollBack());
      });
      throw error;
    } finally {
      this.#transactions.delete(open);
    }
  }

  #request(arrive: (reply: Reply) => void, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const end = (settle: () => void) => {
      if (!this.#open.delete(fail)) return;
      cancelTimeout();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const cancelTimeout = this.#process.clock.schedule(timeoutMs, () => fail(new Error('Query read timeout')));
    this.#open.add(fail);
    const reply: Reply = {
      rows: (rows) => this.#receive(() => end(() => resolve(rows))),
      error: (error) => this.#receive(() => fail(error)),
      cut: () => this.#receive(() => fail(connectionLost())),
    };
    this.#transmit(() => {
      if (this.#server.isDown) reply.error(new Error('connect ECONNREFUSED'));
      else arrive(reply);
    });
    return promise;
  }

  #transmit(arrive: () => void): void {
    const generation = this.#generation;
    this.#loop.in(this.#delayMs(), () => {
      if (generation === this.#generation) arrive();
    });
  }

  #receive(arrive: () => void): void {
    this.#loop.in(this.#delayMs(), () => this.#process.deliver(arrive));
  }

  #delayMs(): number {
    return Math.max(0, this.#stalledUntilMs - this.#loop.nowMs) + this.#server.latencyMs();
  }
}

function connectionLost(): Error {
  return new Error('Connection terminated unexpectedly');
}
