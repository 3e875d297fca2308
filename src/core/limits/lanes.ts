import type { Clock } from '../time/clock.ts';

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

/** Bounds the operations each party has in progress at once. */
export class Lanes {
  readonly #runningMax: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Resolves with true when the party may start, in order of arrival; with false if `patience` ends first. */
  async enter(party: string, patience?: { clock: Clock; timeoutMs: number }): Promise<boolean> {
    const lane = this.#lanes.get(party) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(party, lane);
    if (lane.running < this.#runningMax) {
      lane.running += 1;
      return true;
    }
    return await new Promise((resolve) => {
      const begin = () => {
        cancel?.();
        resolve(true);
      };
      const cancel = patience?.clock.schedule(patience.timeoutMs, () => {
        lane.waiting.delete(begin);
        resolve(false);
      });
      lane.waiting.add(begin);
    });
  }

  /** Call it when an operation has ended: its slot goes to the party's next waiting operation. */
  leave(party: string): void {
    const lane = this.#lanes.get(party);
    if (lane === undefined) return;
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
    } else {
      lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(party);
    }
  }
}
