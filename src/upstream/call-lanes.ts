import type { Clock } from '../core/clock.ts';

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Bounds how many calls with one token are under way at once. Calls that the platform leaves without an answer hold their connections
 * until their time is over, and those of one tenant must not hold all there are.
 */
export class CallLanes {
  readonly #callsMax: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(callsMax: number) {
    this.#callsMax = callsMax;
  }

  /** Resolves with true once a call with the token may begin, in the order they came; with false when `timeoutMs` pass before. */
  async enter(token: string, clock: Clock, timeoutMs: number): Promise<boolean> {
    const lane = this.#lanes.get(token) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(token, lane);
    if (lane.running < this.#callsMax) {
      lane.running += 1;
      return true;
    }
    return await new Promise((resolve) => {
      const begin = () => {
        cancel();
        resolve(true);
      };
      const cancel = clock.schedule(timeoutMs, () => {
        lane.waiting.delete(begin);
        resolve(false);
      });
      lane.waiting.add(begin);
    });
  }

  /** To be called when a call that began has ended: it passes its place on. */
  leave(token: string): void {
    const lane = this.#lanes.get(token);
    if (lane === undefined) return;
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
    } else {
      lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(token);
    }
  }
}
