/** The name of a member and its value as JSON text. */
export type Member = [name: string, json: string | undefined];

/** A JSON object of its members' texts; those without one are left out. */
export function object(members: readonly Member[]): string {
  const parts = members.flatMap(([name, json]) => (json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]));
  return `{${parts.join(',')}}`;
}

/** One object with the members of two, both as text without white space around. */
export function join(first: string, second: string): string {
  if (/^\{\s*\}$/.test(second)) return first;
  return first === '{}' ? second : `${first.slice(0, -1)},${second.slice(1)}`;
}

/** JSON text of a string, `null` for none. */
export function quoted(text: string | null): string {
  return JSON.stringify(text);
}

/** JSON text of a string; undefined, and so left out of an object, for none. */
export function present(text: string | null): string | undefined {
  return text === null ? undefined : JSON.stringify(text);
}

/** The same JSON in ASCII, other characters escaped. */
export function escapeBeyondAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
