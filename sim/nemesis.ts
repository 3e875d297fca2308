import type { Random } from '../src/core/seeded-random.ts';
import type { Cluster } from './cluster.ts';
import type { Coverage, Site } from './coverage.ts';
import { type EventLoop, recur } from './event-loop.ts';
import type { SimulatedServer } from './store/simulated-server.ts';
import type { Trace } from './trace.ts';
import type { Disasters } from './weather.ts';

export interface NemesisOptions {
  loop: EventLoop;
  random: Random;
  disasters: Disasters;
  coverage: Coverage;
  trace: Trace;
  cluster: Cluster;
  server: SimulatedServer;
}

const LEASE_MS = 5_000;

/** Causes disasters at random times until `calm`. */
export class Nemesis {
  readonly #options: NemesisOptions;
  #isCalm = false;

  constructor(options: NemesisOptions) {
    this.#options = options;
    const { cluster, disasters, server, random } = options;
    const chances = { ...options, isOver: () => this.#isCalm };
    recur(chances, disasters.killEveryMs, () => this.#onSomeGateway('gateway killed', (slot) => cluster.kill(slot)));
    recur(chances, disasters.stopEveryMs, () =>
      this.#onSomeGateway('gateway stopped cleanly', (slot) => cluster.stop(slot)),
    );
    recur(chances, disasters.pauseEveryMs, () => {
      const durationMs = random.next() * disasters.pauseMsMax;
      if (durationMs > LEASE_MS) options.coverage.hit('gateway paused beyond its lease');
      this.#onSomeGateway('gateway paused', (slot) => cluster.pause(slot, durationMs));
    });
    recur(chances, disasters.stallEveryMs, () =>
      this.#onSomeGateway('link to the database stalled', (slot) =>
        cluster.find(slot)?.link.stall(random.next() * disasters.stallMsMax),
      ),
    );
    recur(chances, disasters.crashEveryMs, () => {
      options.trace.note('database crashes');
      server.crash(100 + random.next() * disasters.crashMsMax);
    });
  }

  calm(): void {
    this.#isCalm = true;
  }

  #onSomeGateway(site: Site, act: (slot: number) => void): void {
    const { cluster, random, coverage, trace } = this.#options;
    const slots = cluster.running();
    if (slots.length === 0) return;
    const slot = random.pick(slots);
    coverage.hit(site);
    trace.note(`${site}: ${cluster.find(slot)?.process.name}`);
    act(slot);
  }
}
