import { showsLife, type Verdict } from '../attempt/attempt-verdict.ts';
import { type Health, isOpen, probeIntervalMs } from '../attempt/circuit-breaker.ts';
import type { Endpoint } from '../endpoint.ts';
import { RateGate } from './rate-gate.ts';

const CONCURRENCY = { first: 8, recovered: 2, max: 32 };

/**
 * How fast one endpoint may be served: its owner's rate, the pause it asked for, as many attempts at once as it has shown to
 * take, and the circuit breaker. Times are monotonic milliseconds unless they say otherwise.
 */
export class EndpointPace {
  readonly #gate: RateGate;
  readonly #random: () => number;
  #concurrency = CONCURRENCY.first;
  #failuresInRow: number;
  #failingSinceMs: number | null;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, random: () => number) {
    this.#gate = new RateGate(endpoint.ratePerSecond);
    this.#failuresInRow = endpoint.failuresInRow;
    this.#failingSinceMs = endpoint.failingSinceMs;
    this.#random = random;
  }

  get health(): Health {
    return { failuresInRow: this.#failuresInRow, failingSinceMs: this.#failingSinceMs };
  }

  /** It is only probed. */
  get isOpen(): boolean {
    return isOpen(this.#failuresInRow);
  }

  /** Attempts that may be under way at once. */
  get concurrency(): number {
    return this.isOpen ? 1 : this.#concurrency;
  }

  /** Before this it wants nothing: it asked for a pause, or was probed not long ago. */
  get notBeforeMs(): number {
    return this.isOpen ? Math.max(this.#pausedUntilMs, this.#probeAtMs) : this.#pausedUntilMs;
  }

  /** Before this nothing may go, its owner's rate considered too. */
  get readyAtMs(): number {
    return Math.max(this.#gate.openAtMs(), this.notBeforeMs);
  }

  /** It said that it wants nothing any more. */
  get isGone(): boolean {
    return this.#pausedUntilMs === Number.POSITIVE_INFINITY;
  }

  setRate(ratePerSecond: number | null): void {
    this.#gate.setRate(ratePerSecond);
  }

  /** It was enabled or has another address, or was changed as it said it was gone: what it did before counts no more. */
  restart(): void {
    this.#failuresInRow = 0;
    this.#failingSinceMs = null;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    this.#concurrency = CONCURRENCY.first;
  }

  /** An attempt begins. */
  started(nowMs: number): void {
    this.#gate.pass(nowMs);
  }

  /** An attempt has ended at `nowMs`, by the wall clock `wallMs`. */
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
    // Later only when the clock was set back since.
    this.#failingSinceMs = Math.min(this.#failingSinceMs ?? wallMs, wallMs);
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    // It wants nothing any more; it is disabled for that, unless its owner changes it first.
    if (verdict.kind === 'gone') this.#pausedUntilMs = Number.POSITIVE_INFINITY;
    if (verdict.kind === 'retry') this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + verdict.pauseMs);
    if (this.isOpen) this.#probeAtMs = nowMs + probeIntervalMs(this.#failuresInRow, this.#random());
  }
}
