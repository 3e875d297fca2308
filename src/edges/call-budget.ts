import type { CallUsage, Throttle } from '../upstream/index.ts';

/** Management calls of a business account an hour, at the platform: with a registered number, and without any. */
const CALLS_MAX = { registered: 5_000, unregistered: 200 };
/** Part of the budget for clients. The rest is for the gateway's own calls: syncs, reviews of templates, subscriptions. */
const CLIENTS_SHARE = 0.9;
const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Percentage of the budget, by the platform's own count, from which clients pause. */
const USED_UP_PERCENT = 90;
/** Accounts at which those without a recent call are forgotten. */
const SWEPT_AT = 10_000;

interface Calls {
  /** Calls in each of the last minutes, by the minute's place. */
  counts: number[];
  minute: number;
  closedUntilMs: number;
}

/**
 * Counts the management calls of clients for each business account, over the last hour, and holds them back before the platform does. The
 * platform's own count and its throttles close the account for as long as they say. Times are monotonic milliseconds.
 */
export class CallBudget {
  readonly #accounts = new Map<string, Calls>();
  #sweptAt = SWEPT_AT;

  /** Counts a call and returns 0. If the budget is used up, returns the wait in milliseconds, and counts nothing. */
  take({ wabaId, hasRegisteredNumber }: { wabaId: string; hasRegisteredNumber: boolean }, nowMs: number): number {
    const calls = this.#callsOf(wabaId, nowMs);
    if (calls.closedUntilMs > nowMs) return calls.closedUntilMs - nowMs;
    const max = CLIENTS_SHARE * (hasRegisteredNumber ? CALLS_MAX.registered : CALLS_MAX.unregistered);
    if (calls.counts.reduce((sum, count) => sum + count, 0) >= max) return waitOf(calls, nowMs);
    const place = calls.minute % MINUTES;
    calls.counts[place] = (calls.counts[place] ?? 0) + 1;
    return 0;
  }

  /** Heeds the answer to a call. */
  heed(
    wabaId: string,
    { throttle, usage }: { throttle: Throttle | null; usage: CallUsage | null },
    nowMs: number,
  ): void {
    const isBudget = throttle !== null && (throttle.scope === 'waba' || throttle.scope === 'app');
    const waitMs = isBudget
      ? (throttle.retryAfterMs ?? MINUTE_MS)
      : usage !== null && usage.percent >= USED_UP_PERCENT
        ? Math.max(usage.regainMs, MINUTE_MS)
        : 0;
    if (waitMs > 0) this.#callsOf(wabaId, nowMs).closedUntilMs = nowMs + waitMs;
  }

  #callsOf(wabaId: string, nowMs: number): Calls {
    const minute = Math.floor(nowMs / MINUTE_MS);
    let calls = this.#accounts.get(wabaId);
    if (calls === undefined) {
      this.#forgetIdle(minute, nowMs);
      calls = { counts: new Array<number>(MINUTES).fill(0), minute, closedUntilMs: 0 };
      this.#accounts.set(wabaId, calls);
    }
    for (let passed = Math.max(calls.minute + 1, minute - MINUTES + 1); passed <= minute; passed += 1) {
      calls.counts[passed % MINUTES] = 0;
    }
    calls.minute = minute;
    return calls;
  }

  #forgetIdle(minute: number, nowMs: number): void {
    if (this.#accounts.size < this.#sweptAt) return;
    for (const [wabaId, calls] of this.#accounts) {
      if (calls.minute + MINUTES < minute && calls.closedUntilMs <= nowMs) this.#accounts.delete(wabaId);
    }
    this.#sweptAt = Math.max(SWEPT_AT, this.#accounts.size * 2);
  }
}

/** Returns the time until the oldest minute with calls leaves the hour. */
function waitOf({ counts, minute }: Calls, nowMs: number): number {
  let oldest = minute - MINUTES + 1;
  while (oldest < minute && counts[oldest % MINUTES] === 0) oldest += 1;
  return (oldest + MINUTES) * MINUTE_MS - nowMs;
}
