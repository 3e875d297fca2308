/** Share of the budget one party may use: nobody's slow requests keep everybody else's out. */
const PARTY_SHARE = 0.5;

/** Bounds the memory that all of a kind take together, and each party's part of it. Counts what it is told; keeps nothing itself. */
export class ByteBudget {
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

  /** Bytes taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there is room for `bytes` more. */
  has(party: string, bytes: number): boolean {
    return this.#fits(bytes, this.#bytesOf(party));
  }

  /** Takes room for `bytes` more; false, and nothing is taken, when there is none. */
  take(party: string, bytes: number): boolean {
    const held = this.#bytesOf(party);
    if (!this.#fits(bytes, held)) return false;
    this.#bytes += bytes;
    this.#partyBytes.set(party, held + bytes);
    return true;
  }

  /** Gives back what was taken, all of it or a part. */
  giveBack(party: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = this.#bytesOf(party) - bytes;
    if (left > 0) this.#partyBytes.set(party, left);
    else this.#partyBytes.delete(party);
  }

  #fits(bytes: number, held: number): boolean {
    return this.#bytes + bytes <= this.bytesMax && held + bytes <= this.partyBytesMax;
  }

  #bytesOf(party: string): number {
    return this.#partyBytes.get(party) ?? 0;
  }
}
