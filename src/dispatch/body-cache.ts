/** Texts of messages accepted by this process, kept until they are sent so that they need not be read back. Bounded; forgets the oldest first. */
export class BodyCache {
  readonly #charactersMax: number;
  readonly #bodies = new Map<number, string>();
  #characters = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  put(seq: number, body: string): void {
    if (this.#bodies.has(seq)) return;
    this.#bodies.set(seq, body);
    this.#characters += body.length;
    for (const [oldest, text] of this.#bodies) {
      if (this.#characters <= this.#charactersMax) break;
      this.#bodies.delete(oldest);
      this.#characters -= text.length;
    }
  }

  has(seq: number): boolean {
    return this.#bodies.has(seq);
  }

  /** The text, no longer kept afterwards. */
  take(seq: number): string | undefined {
    const body = this.#bodies.get(seq);
    if (body === undefined) return undefined;
    this.#bodies.delete(seq);
    this.#characters -= body.length;
    return body;
  }
}
