/** Texts are kept for one to two of these. */
const GENERATION_MS = 30_000;

interface Generation {
  readonly bodies: Map<number, string>;
  characters: number;
}

/**
 * Texts of messages accepted by this process, kept until they are sent so that they need not be read back. Bounded: while there
 * is no room newer ones are not kept, since what was accepted first goes first. What is not sent for a while, because its number
 * may not or its shard has gone elsewhere, makes room.
 */
export class BodyCache {
  readonly #charactersMax: number;
  #young = newGeneration();
  #old = newGeneration();
  #turnsAtMs = Number.NEGATIVE_INFINITY;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** `nowMs` by a clock that never goes back. */
  put(nowMs: number, seq: number, body: string): void {
    if (nowMs >= this.#turnsAtMs) {
      [this.#old, this.#young] = [this.#young, newGeneration()];
      this.#turnsAtMs = nowMs + GENERATION_MS;
    }
    if (this.#old.characters + this.#young.characters + body.length > this.#charactersMax || this.has(seq)) return;
    this.#young.bodies.set(seq, body);
    this.#young.characters += body.length;
  }

  has(seq: number): boolean {
    return this.#young.bodies.has(seq) || this.#old.bodies.has(seq);
  }

  /** The text, no longer kept afterwards. */
  take(seq: number): string | undefined {
    const generation = this.#old.bodies.has(seq) ? this.#old : this.#young;
    const body = generation.bodies.get(seq);
    if (body === undefined) return undefined;
    generation.bodies.delete(seq);
    generation.characters -= body.length;
    return body;
  }
}

function newGeneration(): Generation {
  return { bodies: new Map(), characters: 0 };
}
