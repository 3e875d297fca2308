import type { Clock } from '../time/clock.ts';

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

/** Bounds how much of something each party has under way at once. */
export class Lanes {
  readonly #runningMax: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Resolves with true once the party may begin, in the order it asked; with false when its patience is over before. */
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

  /** To be called when what began has ended: it passes its place on. */
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
