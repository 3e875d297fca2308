import { ByteBudget } from '../../core/limits/byte-budget.ts';

/** Texts up to this size need no room: as many of them as may be in flight take next to none. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** Of the large texts read back for one journal. */
export const BODIES_READ_BYTES_MAX = 8 * 1024 * 1024;
/** In memory: two bytes a character. */
const LARGEST_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Bounds the memory that large texts in flight take together, and each organization's part of it: an upstream that is slow to answer
 * would otherwise have as many of them held here as messages may be in flight.
 */
export class BodyRoom {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  /** Whether one more text of any size would find room. */
  has(organizationId: string): boolean {
    return this.#budget.has(organizationId, LARGEST_BODY_BYTES);
  }

  /** Room for a text until it is disposed of; undefined when there is none. */
  take(organizationId: string, body: string): Disposable | undefined {
    const bytes = body.length <= SMALL_BODY_BYTES_MAX ? 0 : 2 * body.length;
    if (bytes > 0 && !this.#budget.take(organizationId, bytes)) return undefined;
    return { [Symbol.dispose]: () => bytes > 0 && this.#budget.giveBack(organizationId, bytes) };
  }
}
