const LOOKUPS_MAX = 60;
const WINDOW_MS = 60_000;
const ORGANIZATIONS_MAX = 10_000;

/** Bounds how often an organization's unknown media ids are looked up upstream: sixty a minute. */
export class LookupBudget {
  readonly #spent = new Map<string, { untilMs: number; lookups: number }>();

  /** Whether another id may be looked up now; counts it if so. `nowMs` by a clock that never goes back. */
  take(organizationId: string, nowMs: number): boolean {
    let window = this.#spent.get(organizationId);
    if (window === undefined || window.untilMs <= nowMs) {
      if (this.#spent.size >= ORGANIZATIONS_MAX) this.#spent.clear();
      window = { untilMs: nowMs + WINDOW_MS, lookups: 0 };
      this.#spent.set(organizationId, window);
    }
    if (window.lookups >= LOOKUPS_MAX) return false;
    window.lookups += 1;
    return true;
  }
}
