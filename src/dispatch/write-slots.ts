/** A place in a number's sequence of writes. */
export interface WriteSlot {
  /** When the message may be written. */
  readonly atMs: number;
  readonly place: number;
}

/**
 * A little more than the second the upstream counts in, because messages do not all travel equally fast; less than a number
 * that keeps to its pace takes for as many messages, so that keeping to it is never held up.
 */
const SPAN_MS = 1_010;

/**
 * When a number's messages are written. Pace is kept when messages are released; then comes a journal, whose commit takes now
 * less and now more, and what it held back would arrive in a bunch. So the upstream's own rule is kept once more at the last
 * moment: of `perSecond` + 1 messages in a row, the last is written more than a second after the first. Times are monotonic
 * milliseconds.
 */
export class WriteSlots {
  /** When the last `perSecond` places are or were written; place p is at p modulo their number. */
  #writtenAtMs: number[];
  #places = 0;

  constructor(perSecond: number) {
    this.#writtenAtMs = unused(perSecond);
  }

  /** The next message's slot. */
  reserve(nowMs: number): WriteSlot {
    const place = this.#places;
    const index = place % this.#writtenAtMs.length;
    const atMs = Math.max(nowMs, (this.#writtenAtMs[index] ?? 0) + SPAN_MS);
    this.#places += 1;
    this.#writtenAtMs[index] = atMs;
    return { atMs, place };
  }

  /** The slot's message is written now, and not when it might have been. */
  write({ place }: WriteSlot, nowMs: number): void {
    const count = this.#writtenAtMs.length;
    if (place >= this.#places - count) this.#writtenAtMs[place % count] = nowMs;
  }

  /** Holds to another limit from now on; what was written still counts. */
  setLimit(perSecond: number): void {
    const writtenAtMs = unused(perSecond);
    const known = this.#writtenAtMs.length;
    const count = writtenAtMs.length;
    if (count === known) return;
    for (let place = this.#places - 1; place >= Math.max(0, this.#places - Math.min(known, count)); place -= 1) {
      writtenAtMs[place % count] = this.#writtenAtMs[place % known] ?? 0;
    }
    this.#writtenAtMs = writtenAtMs;
  }
}

function unused(perSecond: number): number[] {
  return new Array<number>(Math.max(1, Math.ceil(perSecond))).fill(Number.NEGATIVE_INFINITY);
}
