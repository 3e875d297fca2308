import { invalidParameter } from './graph-errors.ts';
import type { JsonObject } from './json-object.ts';

export interface PageQuery {
  limit: string | undefined;
  after: string | undefined;
  before: string | undefined;
}

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 1000;

/**
 * One page of `items` as a Graph list: `{data, paging: {cursors, next?, previous?}}`. `address` is the request's own URL
 * without cursors; `next` repeats it with `after`. Raises 100 for a cursor that was never handed out or has expired.
 */
export function pageOf<Item extends { id: string }>(
  items: readonly Item[],
  query: PageQuery,
  address: string,
  show: (item: Item) => JsonObject,
): JsonObject {
  const limit = limitOf(query.limit);
  const [from, to] = range(items, query, limit);
  const page = items.slice(from, to);
  const first = page[0];
  const last = page.at(-1);
  if (first === undefined || last === undefined) return { data: [] };
  const cursors = { before: cursorOf(first.id), after: cursorOf(last.id) };
  return {
    data: page.map(show),
    paging: {
      cursors,
      ...(to < items.length ? { next: withCursor(address, 'after', cursors.after, limit) } : {}),
      ...(from > 0 ? { previous: withCursor(address, 'before', cursors.before, limit) } : {}),
    },
  };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw invalidParameter('Param limit must be a positive integer.');
  return Math.min(limit, LIMIT_MAX);
}

function range(items: readonly { id: string }[], query: PageQuery, limit: number): [number, number] {
  if (query.before !== undefined) {
    const end = indexOfCursor(items, query.before);
    return [Math.max(0, end - limit), end];
  }
  const start = query.after === undefined ? 0 : indexOfCursor(items, query.after) + 1;
  return [start, Math.min(items.length, start + limit)];
}

function indexOfCursor(items: readonly { id: string }[], cursor: string): number {
  const id = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .replace(/^cursor:/, '');
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw invalidParameter('Invalid cursors values.');
  return index;
}

function cursorOf(id: string): string {
  return Buffer.from(`cursor:${id}`, 'latin1').toString('base64url');
}

function withCursor(address: string, name: 'after' | 'before', cursor: string, limit: number): string {
  const url = new URL(address);
  url.searchParams.delete('after');
  url.searchParams.delete('before');
  url.searchParams.set('limit', String(limit));
  url.searchParams.set(name, cursor);
  return url.href;
}
