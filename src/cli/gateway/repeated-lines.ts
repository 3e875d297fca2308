const SAID_AGAIN_AFTER_MS = 60_000;
const LINES_MAX = 1_000;

/** Recognises repeated log lines: while a database is unreachable, all work that needs it fails several times a second. */
export class RepeatedLines {
  /** State of each line, by its content; the line seen longest ago comes first. */
  readonly #lines = new Map<string, { saidAtMs: number; leftOut: number }>();

  /** Returns the number of equal lines left out since the last one written; undefined if this line is to be left out, too. */
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
