import { putLoad } from '../load.ts';
import { ask, type BenchGateway, type BenchProcess, pause, takenBy } from '../processes.ts';
import { sendRequest } from '../requests.ts';
import type { Tenant } from './organizations.ts';

const CONNECTIONS = 256;
const COUNT_MS = 10;
/** The engine compiles most of a path in some fifty thousand messages. */
const WARM_UP_SECONDS = 12;
const FIRST_LOOK_MS = 20;
const FIRST_WAIT_MS = 120_000;

/** A gateway whose measurements take turns with those of another one. */
export class Entrant {
  readonly gateway: BenchGateway;
  readonly sink: BenchProcess;
  readonly tenants: readonly Tenant[];
  /** Messages that filled its queue. */
  readonly filled: number;
  /** Messages per second, of each turn. */
  readonly rates: number[] = [];
  /** Times from the start of the process to the first arrival at the upstream, ms. */
  readonly starts: number[] = [];
  readonly startsAfterKill: number[] = [];
  /** Sum over the measured parts. */
  readonly cost = { gateway: 0, database: 0, messages: 0 };
  highestMemory = 0;
  refused = 0;
  #accepted = 0;
  #taken = 0;
  /** Messages that the upstream took from other gateways before this turn. */
  #fromOthers = 0;

  constructor(gateway: BenchGateway, sink: BenchProcess, tenants: readonly Tenant[], filled: number) {
    this.gateway = gateway;
    this.sink = sink;
    this.tenants = tenants;
    this.filled = filled;
  }

  /** Starts the process. Resolves with the ms until its first message arrived at the upstream; at once if none waits. */
  async start(): Promise<number[]> {
    this.#fromOthers = (await takenBy(this.sink)) - this.#taken;
    await ask(this.sink, 'mark');
    const startedAtMs = Date.now();
    await this.gateway.resume();
    if (this.filled + this.#accepted <= this.#taken) return [];
    for (;;) {
      const { firstAtMs } = await ask<{ firstAtMs: number | null }>(this.sink, 'first?');
      if (firstAtMs !== null) return [firstAtMs - startedAtMs];
      if (Date.now() - startedAtMs > FIRST_WAIT_MS) throw new Error('no message left within two minutes');
      await pause(FIRST_LOOK_MS);
    }
  }

  /** Ends the process. */
  async halt(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.highestMemory = Math.max(this.highestMemory, await this.gateway.highestMemory());
    await this.gateway.halt(signal);
    await this.#count();
  }

  /** Measures the rate of dispatch for `seconds`, after a warm-up, while each message that leaves is followed by an accepted one. */
  async measure(seconds: number): Promise<void> {
    const counting = this.#keepCounting();
    const feeding = putLoad({
      port: this.gateway.port,
      connections: CONNECTIONS,
      seconds: WARM_UP_SECONDS + seconds,
      mayStart: () => this.#accepted < this.#taken,
      request: () => this.#nextRequest(),
    });
    await pause(WARM_UP_SECONDS * 1000);
    const before = await this.#look();
    await feeding;
    const after = await this.#look();
    await counting.stop();
    const messages = after.taken - before.taken;
    this.rates.push((messages / (after.atMs - before.atMs)) * 1000);
    this.cost.gateway += after.gateway - before.gateway;
    this.cost.database += after.database - before.database;
    this.cost.messages += messages;
    const { statuses, answered } = await feeding;
    this.refused += answered - (statuses['202'] ?? 0);
  }

  async #look() {
    return { ...(await this.gateway.cpu()), taken: this.#taken, atMs: performance.now() };
  }

  async #count(): Promise<void> {
    this.#taken = (await takenBy(this.sink)) - this.#fromOthers;
  }

  /** Counts the messages that left until stopped. */
  #keepCounting(): { stop(): Promise<void> } {
    let goesOn = true;
    const count = async () => {
      while (goesOn) {
        await this.#count();
        await pause(COUNT_MS);
      }
    };
    const counting = count();
    return {
      stop() {
        goesOn = false;
        return counting;
      },
    };
  }

  #nextRequest(): string {
    this.#accepted += 1;
    const tenant = this.tenants[Math.floor(this.#accepted / 5) % this.tenants.length];
    if (tenant === undefined) throw new Error('no organizations');
    return sendRequest(tenant);
  }
}
