/** Share of the budget one party may use, so that one party's slow requests cannot lock out all others. */
const PARTY_SHARE = 0.5;

/** Bounds the memory of one kind of object, in total and per party. Only counts bytes; holds no memory itself. */
export class ByteBudget {
  readonly bytesMax: number;
  readonly #partyBytes = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Most bytes one party may use. */
  get partyBytesMax(): number {
    return this.bytesMax * PARTY_SHARE;
  }

  /** Bytes in use now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if `bytes` more fit. */
  has(party: string, bytes: number): boolean {
    return this.#fits(bytes, this.#bytesOf(party));
  }

  /** Reserves `bytes`; returns false and reserves nothing if they do not fit. */
  take(party: string, bytes: number): boolean {
    const held = this.#bytesOf(party);
    if (!this.#fits(bytes, held)) return false;
    this.#bytes += bytes;
    this.#partyBytes.set(party, held + bytes);
    return true;
  }

  /** Returns reserved bytes, all or part of them. */
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
