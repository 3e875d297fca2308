const CALLS_PER_HOUR = 5000;

/** Counts management calls per account and hour for the usage headers. No call is refused because of it. */
export class ManagementUsage {
  #hour = 0;
  /** Calls of this hour. */
  readonly #calls = new Map<string, number>();

  /** Counts one call and returns the percentage of the hour's budget used. */
  count(wabaId: string, nowMs: number): number {
    const hour = Math.floor(nowMs / 3_600_000);
    if (hour !== this.#hour) this.#calls.clear();
    this.#hour = hour;
    const count = (this.#calls.get(wabaId) ?? 0) + 1;
    this.#calls.set(wabaId, count);
    return Math.ceil((count * 100) / CALLS_PER_HOUR);
  }
}
