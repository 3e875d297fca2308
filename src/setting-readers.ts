/** One environment variable: its default, and how its text becomes a value. */
export interface Variable<Value> {
  /** Describes valid values; completes "NAME must be …". Never quotes the text, which may be a secret. */
  expected: string;
  /** The value if the variable is unset or empty. */
  absent: Value;
  /** Parses the text; `undefined` if it is invalid. */
  read: (text: string) => Value | undefined;
}

export function variable<Value>(
  expected: string,
  absent: Value,
  read: (text: string) => Value | undefined,
): Variable<Value> {
  return { expected, absent, read };
}

export function integerOf(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
}

export function switchOf(text: string): boolean | undefined {
  return /^on$/i.test(text) ? true : /^off$/i.test(text) ? false : undefined;
}

function urlOf(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

export function baseUrlOf(text: string): string | undefined {
  const url = urlOf(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  // `search` and `hash` of a URL hide an empty query or fragment, but a path appended to the URL would become a part of it.
  const plain = url.username === '' && url.password === '' && !/[?#]/.test(url.href);
  return plain ? url.href.replace(/\/+$/, '') : undefined;
}

export function listOf(text: string): string[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  return items.every((item) => item !== '') ? items : undefined;
}

export function timeOf(text: string): Date | undefined {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = new Date(text);
  return isWhole && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** Accepts characters that are valid in an HTTP header and in a query. */
export function tokenOf(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}
