import { isObject, type JsonPath, readStoredJson, replaceRanges } from '../../core/json/index.ts';
import { digitsOf } from '../../core/phone-number.ts';

/** Members that hold a person's number, at any depth of a payload. */
const NUMBERS = new Set(['wa_id', 'new_wa_id', 'from', 'to', 'recipient_id', 'recipient_participant_id']);
/** Members that hold a person's number only inside these members. Elsewhere they name other things. */
const NUMBERS_INSIDE = new Map([
  ['phone_number', ['contact', 'sender']],
  ['id', ['threads']],
]);

/**
 * Writes the people's numbers of a payload in the upstream's format with `+`, as the `to` of a send requires. The organization's own number
 * stays unchanged, and so do user ids and group ids. The phone of a shared contact gets its `+` only if it is the number of its `wa_id`:
 * without a country code, digits are not made international.
 */
export function withPlusNumbers(payload: string): string {
  const { text, value, rangeOf } = readStoredJson(payload);
  const changes = (value.entry as { changes: { value: unknown }[] }[])[0]?.changes[0];
  const path: JsonPath = ['entry', 0, 'changes', 0, 'value'];
  const ours = isObject(changes?.value) ? ownNumberOf(changes.value) : undefined;
  const plusses = listNumbers(changes?.value, path, '', ours).flatMap((found) => {
    const start = rangeOf(found)?.start;
    return start === undefined ? [] : { start: start + 1, end: start + 1, text: '+' };
  });
  return replaceRanges(text, plusses);
}

function ownNumberOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const shown = isObject(value.metadata) ? value.metadata.display_phone_number : undefined;
  return typeof shown === 'string' ? digitsOf(shown) : undefined;
}

/** Returns the paths of all numbers that get a `+`. `inside` is the name of the member that holds `value`. */
function listNumbers(value: unknown, path: JsonPath, inside: string, ours: string | undefined): JsonPath[] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => listNumbers(element, [...path, index], inside, ours));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]): JsonPath[] => {
    const at = [...path, name];
    if (typeof member !== 'string') return name === 'metadata' ? [] : listNumbers(member, at, name, ours);
    const isNumber = NUMBERS.has(name) || NUMBERS_INSIDE.get(name)?.includes(inside);
    if (isNumber) return /^\d+$/.test(member) && member !== ours ? [at] : [];
    const isShared = name === 'phone' && /^\d/.test(member) && digitsOf(member) === value.wa_id;
    return isShared ? [at] : [];
  });
}
