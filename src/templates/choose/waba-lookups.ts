const PER_WABA = 20;
const WINDOW_MS = 60_000;
const WABAS_MAX = 10_000;

/** How long a lookup that failed is not repeated. */
export const AGAIN_MS = 5_000;

interface Window<Found> {
  untilMs: number;
  calls: number;
  lookups: Map<string, { found: Promise<Found>; againAtMs: number }>;
}

/**
 * Bounds how often the upstream is asked about a WABA because somebody asks here, for a template name that nobody knows or for counts:
 * the same once a minute, soon again only after a failure, and few different things per WABA. Whoever asks meanwhile shares the lookup.
 */
export class WabaLookups<Found> {
  readonly #windows = new Map<string, Window<Found>>();

  /** What `lookUp` finds, or found of late; `undefined` when the WABA, named with its organization, has had its lookups. */
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
