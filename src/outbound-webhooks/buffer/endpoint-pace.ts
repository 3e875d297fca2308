import { chargedTatMs, type RateLimit, readyAtMs } from '../../core/limits/rate-limit.ts';
import { showsLife, type Verdict } from '../attempt/attempt-verdict.ts';
import { type Health, isOpen, probeIntervalMs } from '../attempt/circuit-breaker.ts';
import type { Endpoint } from '../endpoint.ts';

/** Attempts that may go at once, in milliseconds of the owner's rate. */
const BURST_MS = 200;
const CONCURRENCY = { first: 8, recovered: 2, max: 32 };

/**
 * Decides how fast one endpoint is served. It combines its owner's rate, the pause it asked for, a concurrency that follows its results,
 * and the circuit breaker. Times are monotonic milliseconds unless stated otherwise.
 */
export class EndpointPace {
  #ratePerSecond: number | null = null;
  /** Limit of the owner's rate, and the theoretical arrival time of the next attempt under it. */
  #limit: RateLimit | undefined;
  #tatMs = Number.NEGATIVE_INFINITY;
  readonly #random: () => number;
  #concurrency = CONCURRENCY.first;
  #failuresInRow: number;
  #failingSinceMs: number | null;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, random: () => number) {
    this.setRate(endpoint.ratePerSecond);
    this.#failuresInRow = endpoint.failuresInRow;
    this.#failingSinceMs = endpoint.failingSinceMs;
    this.#random = random;
  }

  get health(): Health {
    return { failuresInRow: this.#failuresInRow, failingSinceMs: this.#failingSinceMs };
  }

  /** True while the circuit breaker is open, so that the endpoint is only probed. */
  get isOpen(): boolean {
    return isOpen(this.#failuresInRow);
  }

  /** Most attempts that may be in flight at once. */
  get concurrency(): number {
    return this.isOpen ? 1 : this.#concurrency;
  }

  /** Earliest time of the next attempt without the owner's rate: the end of the pause the endpoint asked for, or the next probe. */
  get notBeforeMs(): number {
    return this.isOpen ? Math.max(this.#pausedUntilMs, this.#probeAtMs) : this.#pausedUntilMs;
  }

  /** Earliest time of the next attempt, with the owner's rate included. */
  get readyAtMs(): number {
    const permittedAtMs = this.#limit === undefined ? Number.NEGATIVE_INFINITY : readyAtMs(this.#limit, this.#tatMs);
    return Math.max(permittedAtMs, this.notBeforeMs);
  }

  /** True after the endpoint answered 410. */
  get isGone(): boolean {
    return this.#pausedUntilMs === Number.POSITIVE_INFINITY;
  }

  /** Sets the owner's rate; `null` is no limit. A different rate is in force at once: attempts at the old rate no longer count. */
  setRate(ratePerSecond: number | null): void {
    if (ratePerSecond === this.#ratePerSecond) return;
    this.#ratePerSecond = ratePerSecond;
    this.#limit = ratePerSecond === null ? undefined : { intervalMs: 1000 / ratePerSecond, toleranceMs: BURST_MS };
    this.#tatMs = Number.NEGATIVE_INFINITY;
  }

  /** Clears the endpoint's failures. Called if it was enabled, moved to another address, or was changed while it counted as gone. */
  restart(): void {
    this.#failuresInRow = 0;
    this.#failingSinceMs = null;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    this.#concurrency = CONCURRENCY.first;
  }

  /** Counts an attempt that starts. */
  started(nowMs: number): void {
    if (this.#limit !== undefined) this.#tatMs = chargedTatMs(this.#limit, this.#tatMs, nowMs, 1);
  }

  /** Counts an attempt that ended at `nowMs`, which is `wallMs` by the wall clock. */
  answered(verdict: Verdict, nowMs: number, wallMs: number): void {
    if (verdict.kind === 'void') return;
    if (showsLife(verdict)) {
      if (this.isOpen) this.#concurrency = CONCURRENCY.recovered;
      else if (verdict.kind === 'delivered') this.#concurrency = Math.min(CONCURRENCY.max, this.#concurrency + 1);
      this.#failuresInRow = 0;
      this.#failingSinceMs = null;
      return;
    }
    this.#failuresInRow += 1;
    // The stored time is later only if the clock was set back since.
    this.#failingSinceMs = Math.min(this.#failingSinceMs ?? wallMs, wallMs);
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    // Blocks all attempts. The endpoint will be disabled, unless its owner changes it first.
    if (verdict.kind === 'gone') this.#pausedUntilMs = Number.POSITIVE_INFINITY;
    if (verdict.kind === 'retry') this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + verdict.pauseMs);
    if (this.isOpen) this.#probeAtMs = nowMs + probeIntervalMs(this.#failuresInRow, this.#random());
  }
}
