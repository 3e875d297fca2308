import { isObject, type JsonDocument, type JsonPath, object } from '../../core/json/index.ts';

/** Value of a change, and its place in the payload, whose text is passed on word for word. */
export interface ChangeValue {
  document: JsonDocument;
  path: JsonPath;
  value: Record<string, unknown>;
}

const FRAME = ['messaging_product', 'metadata', 'contacts'];

/**
 * Returns the parts of a value under `messages` that are neither a person's message nor a delivery status. They keep the platform's
 * words: payments and other statuses, errors of the number, unknown members, and unreadable items. Undefined if there are none. `isRead`
 * returns true if an item is applied as a message or status.
 */
export function restOfMessages(
  { document, path, value }: ChangeValue,
  isRead: (list: 'messages' | 'statuses', item: Record<string, unknown>) => boolean,
): string | undefined {
  if (value.statuses === undefined && value.messages === undefined) return document.rawOf(path);
  const left = Object.keys(value).flatMap((name): [string, string][] => {
    if (FRAME.includes(name)) return [];
    const member = value[name];
    const raw = document.rawOf([...path, name]);
    if (raw === undefined || (Array.isArray(member) && member.length === 0)) return [];
    if ((name !== 'messages' && name !== 'statuses') || !Array.isArray(member)) return [[name, raw]];
    const items = member.flatMap((item, index) =>
      isObject(item) && isRead(name, item) ? [] : (document.rawOf([...path, name, index]) ?? []),
    );
    return items.length === 0 ? [] : [[name, `[${items.join(',')}]`]];
  });
  if (left.length === 0) return undefined;
  const frame = FRAME.map((name): [string, string | undefined] => [name, document.rawOf([...path, name])]);
  return object([...frame, ...left]);
}
