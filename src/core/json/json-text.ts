/** The name of a member and its value as JSON text; undefined leaves the member out. */
export type Member = [name: string, json: string | undefined];

/** Builds the text of a JSON object; members without a value are left out. */
export function object(members: readonly Member[]): string {
  const parts = members.flatMap(([name, json]) => (json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]));
  return `{${parts.join(',')}}`;
}

/** Merges the members of two objects into one; both texts without surrounding white space. */
export function join(first: string, second: string): string {
  if (/^\{\s*\}$/.test(second)) return first;
  return first === '{}' ? second : `${first.slice(0, -1)},${second.slice(1)}`;
}

/** JSON text of a string; `null` for null. */
export function quoted(text: string | null): string {
  return JSON.stringify(text);
}

/** JSON text of a string; undefined for null, so that `object` leaves the member out. */
export function present(text: string | null): string | undefined {
  return text === null ? undefined : JSON.stringify(text);
}

/** The same JSON in ASCII, with all other characters escaped. */
export function escapeBeyondAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
