const CALLS_PER_HOUR = 5000;

/** Counts management calls per account and hour for the usage headers. No call is refused because of it. */
export class ManagementUsage {
  readonly #calls = new Map<string, { hour: number; count: number }>();

  /** Counts one call and returns the percentage of the hour's budget used. */
  count(wabaId: string, nowMs: number): number {
    const hour = Math.floor(nowMs / 3_600_000);
    const known = this.#calls.get(wabaId);
    const count = (known?.hour === hour ? known.count : 0) + 1;
    this.#calls.set(wabaId, { hour, count });
    return Math.ceil((count * 100) / CALLS_PER_HOUR);
  }
}
