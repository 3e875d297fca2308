import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';

export interface StatusGapsDeps {
  clock: Clock;
  log: Logger;
  /** Whether some process is there for the platform to tell; rejects where that is not known. */
  canBeTold: () => Promise<boolean>;
}

/** A time, just over, in which no status could come in: it took `gapMs` surely and `gapMsMax` at most. */
export interface StatusGap {
  gapMs: number;
  gapMsMax: number;
}

/** Looks come four times a second; when none has succeeded for so long, statuses cannot have come in either. */
const GAP_MS_MIN = 2_000;
/** When no attempt has reached the platform for so long, it cannot be expected to reach us. What that lengthens is written down so often. */
const UNREACHED_MS = 5_000;

/**
 * Whether statuses can come in. They cannot while the database or the platform is out of reach, this process stands still, or no process
 * is there to be told. Whoever looks for statuses says how each look went, and hears of the gap that ended with it.
 */
export class StatusGaps {
  readonly #deps: StatusGapsDeps;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** A look has failed since the last that has not, or the platform could not be reached. */
  #isMissed = false;
  #isUntold = false;
  /** Since when attempts have failed to reach the platform, with none that did. */
  #unreachedSinceMs = Number.POSITIVE_INFINITY;
  #unreachedNotedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StatusGapsDeps) {
    this.#deps = deps;
  }

  /** No gap reaches back further than to now: nothing was waited for, or statuses came in. */
  begin(): void {
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
  }

  /** A look has failed. */
  miss(): void {
    this.#isMissed = true;
  }

  /** A look has succeeded. Answers the gap that is over with it; undefined where there was none, or nobody can be told yet. */
  async endWithLook(): Promise<StatusGap | undefined> {
    const { canBeTold, clock, log } = this.#deps;
    const wasUntold = this.#isUntold;
    this.#isUntold = !(await canBeTold());
    if (this.#isUntold) {
      if (!wasUntold)
        log.warn('no node serves the API: the platform cannot tell what has been sent, and unknown outcomes wait');
      return undefined;
    }
    const gapMs = clock.monotonicMs() - this.#lookedAtMs;
    this.begin();
    if (gapMs < GAP_MS_MIN && !this.#isMissed && !wasUntold) return undefined;
    this.#isMissed = false;
    // It may have begun any time ago, while other nodes were those that looked.
    return { gapMs, gapMsMax: wasUntold ? Number.POSITIVE_INFINITY : gapMs };
  }

  /** Whether the last look found nobody whom the platform could tell. */
  get isUntold(): boolean {
    return this.#isUntold;
  }

  /** Whether no attempt has reached the platform for some seconds: it may not be able to tell anything, either. */
  get isPlatformAway(): boolean {
    return this.#deps.clock.monotonicMs() - this.#unreachedSinceMs >= UNREACHED_MS;
  }

  /** Notes that an attempt has reached the platform, or could not. */
  notePlatform(isReached: boolean): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#unreachedSinceMs = isReached ? Number.POSITIVE_INFINITY : Math.min(this.#unreachedSinceMs, nowMs);
    if (!this.isPlatformAway || nowMs - this.#unreachedNotedAtMs < UNREACHED_MS) return;
    this.#unreachedNotedAtMs = nowMs;
    this.miss();
  }
}
