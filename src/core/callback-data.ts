import { storableText } from './storable-text.ts';

/** Eight times the platform's own limit. */
const CHARACTERS_MAX = 4_096;

/**
 * Returns the part of a `biz_opaque_callback_data` to store and to repeat in every event of its message. Undefined if it is no text, or
 * longer than the limit: the platform refuses such a message, and hundreds of events are in memory at once.
 */
export function keptCallbackData(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= CHARACTERS_MAX ? storableText(value) : undefined;
}
