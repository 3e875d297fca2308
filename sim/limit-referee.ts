const WINDOW_MS = 1_000;
const PAIR_BURST = 45;
const PAIR_INTERVAL_MS = 6_000;

export type LimitVerdict = 'admitted' | 'number' | 'pair';

/**
 * The platform's limits: a number's messages within any second, and per (number, recipient) a bucket of 45 messages that refills by one
 * every six seconds. Only admitted messages count.
 */
export class LimitReferee {
  /** Requests refused for a limit, without those sent while the gateway could not know the new limit. */
  readonly refusals = { number: 0, pair: 0 };
  readonly #messagesPerSecond: number;
  /** By phone number id: limits that differ from the default. */
  readonly #levels = new Map<string, number>();
  readonly #pardonedUntilMs = new Map<string, number>();
  readonly #admitted = new Map<string, number[]>();
  readonly #pairFullAtMs = new Map<string, number>();

  constructor(messagesPerSecond: number) {
    this.#messagesPerSecond = messagesPerSecond;
  }

  /** Returns the messages per second that the platform allows a number. */
  levelOf(phoneNumberId: string): number {
    return this.#levels.get(phoneNumberId) ?? this.#messagesPerSecond;
  }

  setLevel(phoneNumberId: string, messagesPerSecond: number): void {
    this.#levels.set(phoneNumberId, messagesPerSecond);
  }

  /** Until `untilMs` the number's limits are enforced, but refusals are not counted as violations. */
  pardon(phoneNumberId: string, untilMs: number): void {
    this.#pardonedUntilMs.set(phoneNumberId, Math.max(untilMs, this.#pardonedUntilMs.get(phoneNumberId) ?? 0));
  }

  admit(phoneNumberId: string, contact: string, nowMs: number): LimitVerdict {
    const admitted = (this.#admitted.get(phoneNumberId) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
    this.#admitted.set(phoneNumberId, admitted);
    const isPardoned = (this.#pardonedUntilMs.get(phoneNumberId) ?? 0) > nowMs;
    if (admitted.length >= this.levelOf(phoneNumberId)) {
      if (!isPardoned) this.refusals.number += 1;
      return 'number';
    }
    const pair = `${phoneNumberId}/${contact}`;
    const fullAtMs = Math.max(this.#pairFullAtMs.get(pair) ?? 0, nowMs);
    // Times are sums of thousands of floating point steps; the tolerance is far below one message.
    if (fullAtMs - nowMs > (PAIR_BURST - 1) * PAIR_INTERVAL_MS + 1e-3) {
      if (!isPardoned) this.refusals.pair += 1;
      return 'pair';
    }
    this.#pairFullAtMs.set(pair, fullAtMs + PAIR_INTERVAL_MS);
    admitted.push(nowMs);
    return 'admitted';
  }

  /** Returns true if the pair has to wait for its next message. */
  isBurstUsedUp(phoneNumberId: string, contact: string, nowMs: number): boolean {
    const fullAtMs = this.#pairFullAtMs.get(`${phoneNumberId}/${contact}`) ?? 0;
    return fullAtMs - nowMs > (PAIR_BURST - 1) * PAIR_INTERVAL_MS;
  }
}
