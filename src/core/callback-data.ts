import { storableText } from './storable-text.ts';

/** Eight times what the upstream takes. */
const CHARACTERS_MAX = 4_096;

/**
 * What is kept of a `biz_opaque_callback_data`, to be told with every event of its message; undefined for what is no text, and
 * for one so long that the upstream refuses its message: hundreds of events are in memory at once.
 */
export function keptCallbackData(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= CHARACTERS_MAX ? storableText(value) : undefined;
}
