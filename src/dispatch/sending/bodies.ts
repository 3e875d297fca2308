import { BodyBudget } from './body-budget.ts';
import { BodyCache } from './body-cache.ts';

/** The body of a message, in memory until it is disposed of. */
export interface TakenBody extends Disposable {
  readonly body: string;
}

const CACHED_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Memory for large bodies in flight. */
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;

/** The bodies of messages that wait or are in flight: cached since acceptance, or read back with the journal. */
export class Bodies {
  readonly #cache = new BodyCache(CACHED_CHARACTERS_MAX);
  readonly #budget = new BodyBudget(IN_FLIGHT_BYTES_MAX);

  /** Caches the body of a message that this node accepted. `nowMs` comes from a monotonic clock. */
  put(nowMs: number, messageId: string, body: string): void {
    this.#cache.put(nowMs, messageId, body);
  }

  /** Returns true if the body need not be read back. */
  has(messageId: string): boolean {
    return this.#cache.has(messageId);
  }

  /** Returns true if one more body of any size fits. */
  takesLarge(organizationId: string): boolean {
    return this.#budget.has(organizationId);
  }

  /** Takes the cached body, or else `stored`; undefined if there is neither, or no memory for it now. */
  take(
    { messageId, organizationId }: { messageId: string; organizationId: string },
    stored: string | null,
  ): TakenBody | undefined {
    const body = this.#cache.take(messageId) ?? stored;
    const place = body === null ? undefined : this.#budget.take(organizationId, body);
    if (body === null || place === undefined) return undefined;
    return { body, [Symbol.dispose]: () => place[Symbol.dispose]() };
  }
}
