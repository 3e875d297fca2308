import { ByteBudget } from '../../core/limits/byte-budget.ts';

/** Bodies up to this size need no budget: even a full set of messages in flight takes little memory. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** Limit for the large bodies read back for one journal batch. */
export const BODIES_READ_BYTES_MAX = 8 * 1024 * 1024;
/** In memory, at two bytes per character. */
const LARGEST_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Bounds the memory that large bodies in flight take, in total and per organization. Without this, a slow platform makes the process hold
 * as many of them as messages may be in flight.
 */
export class BodyBudget {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  /** Returns true if one more body of any size fits. */
  has(organizationId: string): boolean {
    return this.#budget.has(organizationId, LARGEST_BODY_BYTES);
  }

  /** Reserves memory for a body until the result is disposed of; undefined if the budget is exhausted. */
  take(organizationId: string, body: string): Disposable | undefined {
    const bytes = body.length <= SMALL_BODY_BYTES_MAX ? 0 : 2 * body.length;
    if (bytes > 0 && !this.#budget.take(organizationId, bytes)) return undefined;
    return { [Symbol.dispose]: () => bytes > 0 && this.#budget.giveBack(organizationId, bytes) };
  }
}
