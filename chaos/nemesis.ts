import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../src/core/seeded-random.ts';

/** Something that goes wrong. `strike` injects it, waits, and heals it. */
export interface Fault {
  name: string;
  /** How often it is chosen, relative to the others; asked anew each time, 0 for never. */
  weight: () => number;
  strike: (random: Random) => Promise<void>;
}

export interface NemesisOptions {
  random: Random;
  faults: readonly Fault[];
  /** Bounds of the calm between two faults. */
  calmMs: readonly [number, number];
  /** Told of every fault when it starts and when it is healed. */
  told: (name: string, phase: 'strikes' | 'healed') => void;
}

/** Lets faults strike one after the other, chosen by its seed. Dispose it with `stop()`. */
export class Nemesis {
  readonly #options: NemesisOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #truce: Promise<void> | undefined;
  #striking: Promise<void> = Promise.resolve();

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Runs `work` while nothing of this nemesis strikes. */
  async during(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#truce = promise;
    await this.#striking;
    try {
      await work();
    } finally {
      this.#truce = undefined;
      resolve();
    }
  }

  /** Resolves when it has ended, once `isOver` says so or `stop` is called. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Lets the fault that strikes now be healed, and no other strike. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random, calmMs, told } = this.#options;
    for (;;) {
      await delay(random.between(...calmMs), undefined, { signal: this.#stopping.signal }).catch(() => {});
      await this.#truce;
      const fault = this.#stopping.signal.aborted ? undefined : this.#choose();
      if (fault === undefined) return;
      told(fault.name, 'strikes');
      this.#striking = fault.strike(random);
      await this.#striking;
      told(fault.name, 'healed');
    }
  }

  /** Undefined when every fault's weight is 0: there is nothing left to do. */
  #choose(): Fault | undefined {
    const { random, faults } = this.#options;
    const weighed = faults.map((fault) => ({ fault, weight: fault.weight() }));
    let point = random.next() * weighed.reduce((sum, { weight }) => sum + weight, 0);
    for (const { fault, weight } of weighed) {
      if (weight > 0 && point < weight) return fault;
      point -= weight;
    }
    return undefined;
  }
}
