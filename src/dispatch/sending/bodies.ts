import { ByteBudget } from '../../core/limits/byte-budget.ts';
import { BodyCache } from './body-cache.ts';

/** The body of a message, in memory until it is disposed of. */
export interface TakenBody extends Disposable {
  readonly body: string;
}

const CACHED_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Memory for large bodies in flight. */
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
/** Bodies up to this size need no budget: even a full set of messages in flight takes little memory. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** Limit for the large bodies read back for one journal batch. */
export const BODIES_READ_BYTES_MAX = 8 * 1024 * 1024;
/** In memory, at two bytes per character. */
const LARGEST_BODY_BYTES = 2 * 1024 * 1024;

/**
 * The bodies of messages that wait or are in flight: cached since acceptance, or read back with the journal. Bounds the memory that large
 * bodies in flight take, in total and per organization. Without this, a slow platform makes the process hold as many of them as messages
 * may be in flight.
 */
export class Bodies {
  readonly #cache = new BodyCache(CACHED_CHARACTERS_MAX);
  readonly #budget = new ByteBudget(IN_FLIGHT_BYTES_MAX);

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
    return this.#budget.has(organizationId, LARGEST_BODY_BYTES);
  }

  /** Takes the cached body, or else `stored`; undefined if there is neither, or no memory for it now. */
  take(
    { messageId, organizationId }: { messageId: string; organizationId: string },
    stored: string | null,
  ): TakenBody | undefined {
    const body = this.#cache.take(messageId) ?? stored;
    if (body === null) return undefined;
    const bytes = body.length <= SMALL_BODY_BYTES_MAX ? 0 : 2 * body.length;
    if (bytes > 0 && !this.#budget.take(organizationId, bytes)) return undefined;
    return { body, [Symbol.dispose]: () => bytes > 0 && this.#budget.giveBack(organizationId, bytes) };
  }
}
