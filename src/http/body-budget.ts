/** Share of the budget one party may use: nobody's slow uploads keep everybody else's requests out. */
const PARTY_SHARE = 0.5;

/**
 * Bounds the memory all request bodies take together, as text and parsed, and each party's part of it. Counts what has arrived,
 * not what was announced, so that a slow client holds no more than it sent.
 */
export class BodyBudget {
  readonly bytesMax: number;
  readonly #partyBytes = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** The most that one party alone may have. */
  get partyBytesMax(): number {
    return this.bytesMax * PARTY_SHARE;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes room for `bytes` more; false, and nothing is taken, when there is none. */
  take(party: string, bytes: number): boolean {
    const partyBytes = (this.#partyBytes.get(party) ?? 0) + bytes;
    if (this.#bytes + bytes > this.bytesMax || partyBytes > this.partyBytesMax) return false;
    this.#bytes += bytes;
    this.#partyBytes.set(party, partyBytes);
    return true;
  }

  giveBack(party: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = (this.#partyBytes.get(party) ?? 0) - bytes;
    if (left > 0) this.#partyBytes.set(party, left);
    else this.#partyBytes.delete(party);
  }
}
