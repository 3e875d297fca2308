const WINDOW_MS = 1_000;
const PAIR_BURST = 45;
const PAIR_INTERVAL_MS = 6_000;

/** A number and a person, and the key under which the gateway has queued the message. */
export interface Pair {
  phoneNumberId: string;
  person: string;
  key: string;
}

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
  /** By pair: keys of the messages that its bucket still counts. */
  readonly #pairKeys = new Map<string, Set<string>>();

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

  /** Judges a request. The gateway cannot know the limit of a person to whom it writes under several keys. */
  admit({ phoneNumberId, person, key }: Pair, nowMs: number): LimitVerdict {
    const admitted = (this.#admitted.get(phoneNumberId) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
    this.#admitted.set(phoneNumberId, admitted);
    const isPardoned = (this.#pardonedUntilMs.get(phoneNumberId) ?? 0) > nowMs;
    if (admitted.length >= this.levelOf(phoneNumberId)) {
      if (!isPardoned) this.refusals.number += 1;
      return 'number';
    }
    const pair = `${phoneNumberId}/${person}`;
    const fullAtMs = Math.max(this.#pairFullAtMs.get(pair) ?? 0, nowMs);
    const keys = fullAtMs > nowMs ? (this.#pairKeys.get(pair) ?? new Set()) : new Set<string>();
    this.#pairKeys.set(pair, keys.add(key));
    // Times are sums of thousands of floating point steps; the tolerance is far below one message.
    if (fullAtMs - nowMs > (PAIR_BURST - 1) * PAIR_INTERVAL_MS + 1e-3) {
      if (!isPardoned && keys.size === 1) this.refusals.pair += 1;
      return 'pair';
    }
    this.#pairFullAtMs.set(pair, fullAtMs + PAIR_INTERVAL_MS);
    admitted.push(nowMs);
    return 'admitted';
  }

  /** Returns true if the pair has to wait for its next message. */
  isBurstUsedUp({ phoneNumberId, person }: Pair, nowMs: number): boolean {
    const fullAtMs = this.#pairFullAtMs.get(`${phoneNumberId}/${person}`) ?? 0;
    return fullAtMs - nowMs > (PAIR_BURST - 1) * PAIR_INTERVAL_MS;
  }
}
