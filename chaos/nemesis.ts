import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../src/core/seeded-random.ts';

/** A fault. `strike` injects it, waits, and heals it. */
export interface Fault {
  name: string;
  /** Returns its relative frequency; called before each choice, 0 for never. */
  weight: () => number;
  strike: (random: Random) => Promise<void>;
}

export interface NemesisOptions {
  random: Random;
  faults: readonly Fault[];
  /** Bounds of the pause between two faults, ms. */
  calmMs: readonly [number, number];
  /** Called when a fault starts and when it is healed. */
  told: (name: string, phase: 'strikes' | 'healed') => void;
}

/** Injects faults one after the other, chosen by its seed. Dispose it with `stop()`. */
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

  /** Runs `work` while this nemesis injects no fault. */
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

  /** Resolves after `isOver` returns true or `stop` is called. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Waits until the current fault is healed, and injects no other. */
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

  /** Chooses a fault by weight; undefined if every weight is 0, which ends the run. */
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
