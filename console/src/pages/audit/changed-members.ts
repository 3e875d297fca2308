/** A member of an object that a change gave another value. A side without the member has no text. */
export interface ChangedMember {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

type State = Record<string, unknown> | null;

/** Returns the members whose values differ. An object that began or ended shows all its members with a value. */
export function changedMembers(before: State, after: State): ChangedMember[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => ({ name, before: textOf(before, name), after: textOf(after, name) }))
    .filter(({ before: was, after: is }) => was !== is);
}

function textOf(state: State, name: string): string | undefined {
  const value = state?.[name];
  if (value === undefined || value === null) return state !== null && name in state ? 'null' : undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
