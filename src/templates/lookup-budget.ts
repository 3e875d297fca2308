const PER_WABA = 20;
const WINDOW_MS = 60_000;
const WABAS_MAX = 10_000;

/** Bounds how often unknown template names are looked up upstream: each name once a minute, and few names per WABA. */
export class LookupBudget {
  readonly #spent = new Map<string, { untilMs: number; names: Set<string> }>();

  /** Whether `name` may be looked up now; counts it if so. */
  take(wabaId: string, name: string, nowMs: number): boolean {
    let window = this.#spent.get(wabaId);
    if (window === undefined || window.untilMs <= nowMs) {
      if (this.#spent.size >= WABAS_MAX) this.#spent.clear();
      window = { untilMs: nowMs + WINDOW_MS, names: new Set() };
      this.#spent.set(wabaId, window);
    }
    if (window.names.has(name) || window.names.size >= PER_WABA) return false;
    window.names.add(name);
    return true;
  }
}
