const SAID_AGAIN_AFTER_MS = 60_000;
const LINES_MAX = 1_000;

/** Which lines of a log say nothing new: while a database is away everything that needs it fails several times a second, for as long as that lasts. */
export class RepeatedLines {
  /** By what they say, the one that came longest ago first. */
  readonly #lines = new Map<string, { saidAtMs: number; leftOut: number }>();

  /** How often the same has been left out since it was last written; undefined when it was written within the last minute, and is left out. */
  leftOut(line: string, nowMs: number): number | undefined {
    const known = this.#lines.get(line);
    const isNew = known === undefined || nowMs - known.saidAtMs >= SAID_AGAIN_AFTER_MS;
    this.#lines.delete(line);
    this.#lines.set(line, isNew ? { saidAtMs: nowMs, leftOut: 0 } : { ...known, leftOut: known.leftOut + 1 });
    for (const [oldest] of this.#lines) {
      if (this.#lines.size <= LINES_MAX) break;
      this.#lines.delete(oldest);
    }
    return isNew ? (known?.leftOut ?? 0) : undefined;
  }
}
