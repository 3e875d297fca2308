/** Reads the parameters of statements. */

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`not a text: ${String(value)}`);
  return value;
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`not a number: ${String(value)}`);
  return value;
}

/** Returns a timestamp as epoch ms. */
export function timeOrNull(value: unknown): number | null {
  return value instanceof Date ? value.getTime() : null;
}

export function time(value: unknown): number {
  const atMs = timeOrNull(value);
  if (atMs === null) throw new TypeError(`not a time: ${String(value)}`);
  return atMs;
}

export function dateOrNull(atMs: number | null): Date | null {
  return atMs === null ? null : new Date(atMs);
}

/** `least(a, b)`, which ignores nulls. */
export function least(...values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Compares text as the C collation does, for keys. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
