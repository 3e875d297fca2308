/** Bodies are kept for one to two of these periods. */
const GENERATION_MS = 30_000;

interface Generation {
  /** Keyed by message id: after a PostgreSQL failover that lost commits, the same seq may belong to another message. */
  readonly bodies: Map<string, string>;
  characters: number;
}

/**
 * Caches the bodies of messages that this process accepted until they are sent, so that they need not be read back. Bounded in size: when
 * full, newer bodies are not kept, because messages accepted first are sent first.
 * Bodies unsent for a while are evicted: their number may be stopped, or their shard may have moved to another node.
 */
export class BodyCache {
  readonly #charactersMax: number;
  #young = newGeneration();
  #old = newGeneration();
  #turnsAtMs = Number.NEGATIVE_INFINITY;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** Caches a body. `nowMs` comes from a monotonic clock. */
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

  /** Returns the body and evicts it. */
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
