import { AppError } from '../core/errors.ts';

const PER_MINUTE = 60;
const AT_ONCE = 4;
const WINDOW_MS = 60_000;
const ORGANIZATIONS_MAX = 10_000;

interface Lane {
  windowEndMs: number;
  admitted: number;
  running: number;
  waiting: (() => void)[];
}

/** Bounds what one organization makes this node fetch: 60 files a minute, four at once. */
export class SampleGate {
  readonly #lanes = new Map<string, Lane>();

  /** Counts `files` to be fetched. Raises RATE_LIMITED when they are more than the organization has left. */
  admit(organizationId: string, files: number, nowMs: number): void {
    const lane = this.#laneOf(organizationId, nowMs);
    if (lane.windowEndMs <= nowMs) {
      lane.windowEndMs = nowMs + WINDOW_MS;
      lane.admitted = 0;
    }
    if (lane.admitted + files > PER_MINUTE) {
      throw new AppError(
        'RATE_LIMITED',
        `At most ${PER_MINUTE} sample files a minute are fetched for an organization.`,
        {
          retryAfterSeconds: (lane.windowEndMs - nowMs) / 1000,
        },
      );
    }
    lane.admitted += files;
  }

  /** Runs `task` when the organization has a place free, in the order of the calls. */
  async run<T>(organizationId: string, nowMs: number, task: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(organizationId, nowMs);
    if (lane.running < AT_ONCE) lane.running += 1;
    // Whoever ends passes its place on.
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = lane.waiting.shift();
      if (next === undefined) lane.running -= 1;
      else next();
    }
  }

  #laneOf(organizationId: string, nowMs: number): Lane {
    let lane = this.#lanes.get(organizationId);
    if (lane === undefined) {
      if (this.#lanes.size >= ORGANIZATIONS_MAX) this.#dropIdle(nowMs);
      lane = { windowEndMs: nowMs + WINDOW_MS, admitted: 0, running: 0, waiting: [] };
      this.#lanes.set(organizationId, lane);
    }
    return lane;
  }

  #dropIdle(nowMs: number): void {
    for (const [organizationId, lane] of this.#lanes) {
      if (lane.running === 0 && lane.windowEndMs <= nowMs) this.#lanes.delete(organizationId);
    }
  }
}
