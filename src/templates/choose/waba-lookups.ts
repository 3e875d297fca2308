const PER_WABA = 20;
const WINDOW_MS = 60_000;
const WABAS_MAX = 10_000;

/** Interval before a failed lookup is repeated. */
export const AGAIN_MS = 5_000;

interface Window<Found> {
  untilMs: number;
  calls: number;
  lookups: Map<string, { found: Promise<Found>; againAtMs: number }>;
}

/**
 * Bounds the upstream calls about a WABA that requests cause: lookups of unknown template names, and counts. The same lookup runs once a
 * minute, or again after 5 s if it failed. A WABA has 20 lookups a minute. Concurrent callers share a lookup.
 */
export class WabaLookups<Found> {
  readonly #windows = new Map<string, Window<Found>>();

  /** Returns the result of `lookUp`, or of a recent one; `undefined` when the WABA (organization and id) has spent its lookups. */
  find(waba: string, what: string, nowMs: number, lookUp: () => Promise<Found>): Promise<Found> | undefined {
    const window = this.#windowOf(waba, nowMs);
    const last = window.lookups.get(what);
    const isSpent = window.calls >= PER_WABA;
    if (isSpent || (last !== undefined && nowMs < last.againAtMs)) return last?.found;
    const lookup = { found: lookUp(), againAtMs: Number.POSITIVE_INFINITY };
    lookup.found.catch(() => {
      lookup.againAtMs = nowMs + AGAIN_MS;
    });
    window.calls += 1;
    window.lookups.set(what, lookup);
    return lookup.found;
  }

  #windowOf(waba: string, nowMs: number): Window<Found> {
    let window = this.#windows.get(waba);
    if (window === undefined || window.untilMs <= nowMs) {
      if (this.#windows.size >= WABAS_MAX) this.#windows.clear();
      window = { untilMs: nowMs + WINDOW_MS, calls: 0, lookups: new Map() };
      this.#windows.set(waba, window);
    }
    return window;
  }
}
