import { isObject, type JsonDocument, type JsonPath, type Member, object } from '../../core/json/index.ts';

/** Value of a change, and its place in the payload, whose text is passed on word for word. */
export interface ChangeValue {
  document: JsonDocument;
  path: JsonPath;
  value: Readonly<Record<string, unknown>>;
}

/** Lists of a value whose items are read one by one. */
export type ItemList = 'messages' | 'statuses' | 'message_echoes';

/** Returns true if an item of a list is applied as a message or status. */
export type IsRead = (list: ItemList, item: Readonly<Record<string, unknown>>) => boolean;

const FRAME = ['messaging_product', 'metadata', 'contacts'];
const LISTS: ReadonlySet<string> = new Set<ItemList>(['messages', 'statuses', 'message_echoes']);

/**
 * Returns the parts of a value that `isRead` does not cover, in the platform's words: payments and other statuses, errors of the number,
 * unknown members, and unreadable items. Undefined if there are none.
 */
export function restOfValue({ document, path, value }: ChangeValue, isRead: IsRead): string | undefined {
  const members = membersLeft({ document, path, value }, isRead);
  if (members === undefined) return document.rawOf(path);
  return members.length === 0 ? undefined : object([...frameOf({ document, path, value }), ...members]);
}

/** Does the same as `restOfValue` for the field `standby`, whose lists are one level deeper. */
export function restOfStandby({ document, path, value }: ChangeValue, isRead: IsRead): string | undefined {
  const { standby } = value;
  if (!isObject(standby)) return document.rawOf(path);
  const inner = { document, path: [...path, 'standby'], value: standby };
  const rest = restOfValue(inner, isRead);
  const others = Object.keys(value)
    .filter((name) => name !== 'standby' && !FRAME.includes(name))
    .map((name): Member => [name, document.rawOf([...path, name])]);
  if (rest === undefined && others.length === 0) return undefined;
  return object([...frameOf({ document, path, value }), ['standby', rest], ...others]);
}

/** Returns the members outside of the frame that are left; undefined if the value has none of the lists. */
function membersLeft({ document, path, value }: ChangeValue, isRead: IsRead): Member[] | undefined {
  const names = Object.keys(value);
  if (!names.some((name) => LISTS.has(name))) return undefined;
  return names.flatMap((name): Member[] => {
    if (FRAME.includes(name)) return [];
    const member = value[name];
    const raw = document.rawOf([...path, name]);
    if (raw === undefined || (Array.isArray(member) && member.length === 0)) return [];
    if (!isList(name) || !Array.isArray(member)) return [[name, raw]];
    const items = member.flatMap((item, index) =>
      isObject(item) && isRead(name, item) ? [] : (document.rawOf([...path, name, index]) ?? []),
    );
    return items.length === 0 ? [] : [[name, `[${items.join(',')}]`]];
  });
}

function isList(name: string): name is ItemList {
  return LISTS.has(name);
}

function frameOf({ document, path }: ChangeValue): Member[] {
  return FRAME.map((name): Member => [name, document.rawOf([...path, name])]);
}
