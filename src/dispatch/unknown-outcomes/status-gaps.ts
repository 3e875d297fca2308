import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';

export interface StatusGapsDeps {
  clock: Clock;
  log: Logger;
  /** Resolves to true if some process can receive the platform's webhooks. Rejects if that is unknown. */
  hasReceiver: () => Promise<boolean>;
}

/** A period that has just ended in which no status could arrive: at least `gapMs` long, at most `gapMsMax`. */
export interface StatusGap {
  gapMs: number;
  gapMsMax: number;
}

/** Looks run four times a second. If none has succeeded for this long, statuses cannot have arrived either. */
const GAP_MS_MIN = 2_000;
/**
 * If no attempt has reached the platform for this long, the platform probably cannot reach the gateway. Longer holds are written at this
 * interval.
 */
const UNREACHED_MS = 5_000;

/**
 * Tracks if statuses can arrive. They cannot while the database or the platform is out of reach, this process is suspended, or no process
 * serves the API. The code that looks for statuses reports the result of each look, and gets the gap that ended with it.
 */
export class StatusGaps {
  readonly #deps: StatusGapsDeps;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** A look has failed since the last successful one, or the platform could not be reached. */
  #isMissed = false;
  #hasReceiver = true;
  /** Start of the current series of attempts that all failed to reach the platform. */
  #unreachedSinceMs = Number.POSITIVE_INFINITY;
  #unreachedNotedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StatusGapsDeps) {
    this.#deps = deps;
  }

  /** Starts the clock of a gap now: before this, no outcome was open, or statuses did arrive. */
  begin(): void {
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
  }

  /** Records that a look failed. */
  miss(): void {
    this.#isMissed = true;
  }

  /**
   * Records that a look succeeded. Returns the gap that ended with it; undefined if there was none, or if no process can receive statuses
   * yet.
   */
  async endWithLook(): Promise<StatusGap | undefined> {
    const { hasReceiver, clock, log } = this.#deps;
    const hadReceiver = this.#hasReceiver;
    this.#hasReceiver = await hasReceiver();
    if (!this.#hasReceiver) {
      if (hadReceiver)
        log.warn('no node serves the API: the platform cannot report statuses, so unknown outcomes wait');
      return undefined;
    }
    const gapMs = clock.monotonicMs() - this.#lookedAtMs;
    this.begin();
    if (gapMs < GAP_MS_MIN && !this.#isMissed && hadReceiver) return undefined;
    this.#isMissed = false;
    // Other nodes may have done the looks before, so the gap may have begun at any time.
    return { gapMs, gapMsMax: hadReceiver ? gapMs : Number.POSITIVE_INFINITY };
  }

  /** False if the last look found no process that can receive the platform's webhooks. */
  get hasReceiver(): boolean {
    return this.#hasReceiver;
  }

  /** True if no attempt has reached the platform for some seconds: its webhooks may not arrive either. */
  get isPlatformAway(): boolean {
    return this.#deps.clock.monotonicMs() - this.#unreachedSinceMs >= UNREACHED_MS;
  }

  /** Records if an attempt reached the platform. */
  notePlatform(isReached: boolean): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#unreachedSinceMs = isReached ? Number.POSITIVE_INFINITY : Math.min(this.#unreachedSinceMs, nowMs);
    if (!this.isPlatformAway || nowMs - this.#unreachedNotedAtMs < UNREACHED_MS) return;
    this.#unreachedNotedAtMs = nowMs;
    this.miss();
  }
}
