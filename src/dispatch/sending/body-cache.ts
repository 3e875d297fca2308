/** Texts are kept for one to two of these. */
const GENERATION_MS = 30_000;

interface Generation {
  /** By message: a PostgreSQL that lost its last commits gives their numbers in the queue to other messages. */
  readonly bodies: Map<string, string>;
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
  put(nowMs: number, messageId: string, body: string): void {
    if (nowMs >= this.#turnsAtMs) {
      [this.#old, this.#young] = [this.#young, newGeneration()];
      this.#turnsAtMs = nowMs + GENERATION_MS;
    }
    if (this.#old.characters + this.#young.characters + body.length > this.#charactersMax) return;
    this.#young.bodies.set(messageId, body);
    this.#young.characters += body.length;
  }

  has(messageId: string): boolean {
    return this.#young.bodies.has(messageId) || this.#old.bodies.has(messageId);
  }

  /** The text, no longer kept afterwards. */
  take(messageId: string): string | undefined {
    const generation = this.#old.bodies.has(messageId) ? this.#old : this.#young;
    const body = generation.bodies.get(messageId);
    if (body === undefined) return undefined;
    generation.bodies.delete(messageId);
    generation.characters -= body.length;
    return body;
  }
}

function newGeneration(): Generation {
  return { bodies: new Map(), characters: 0 };
}
