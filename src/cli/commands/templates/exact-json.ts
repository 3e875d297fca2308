/** Functions of `JSON` that TypeScript's library does not declare yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Parses JSON. Whole numbers that a double cannot hold, such as long ids, keep their digits. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source: string }) => {
    const source = context?.source ?? '';
    const isInexact = typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value);
    return isInexact ? rawJSON(source) : value;
  });
}

/** True for an object with members: no list, and no number of many digits. */
export function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** Returns the value with the members of all objects in one order: the `first` ones, then the others by name. */
export function inOrder(value: unknown, first: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, first));
  if (!isMembers(value)) return value;
  const rankOf = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const names = Object.keys(value).sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name], first)]));
}
