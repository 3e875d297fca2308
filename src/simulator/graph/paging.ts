import type { FastifyRequest } from 'fastify';
import { invalidParameter } from './graph-errors.ts';
import { queryParameter } from './graph-request.ts';
import type { JsonObject } from './json-object.ts';

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 1000;

/**
 * Returns the requested page of `items` as a Graph list: `{data, paging: {cursors, next?, previous?}}`. `next` repeats the request with
 * `after`. Raises 100 for an unknown or expired cursor.
 */
export function pageOf<Item extends { id: string }>(
  items: readonly Item[],
  request: FastifyRequest,
  show: (item: Item) => JsonObject,
): JsonObject {
  const limit = limitOf(queryParameter(request, 'limit'));
  const [from, to] = range(items, request, limit);
  const page = items.slice(from, to);
  const first = page[0];
  const last = page.at(-1);
  if (first === undefined || last === undefined) return { data: [] };
  const address = `http://${request.host}${request.originalUrl}`;
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

function range(items: readonly { id: string }[], request: FastifyRequest, limit: number): [number, number] {
  const [before, after] = [queryParameter(request, 'before'), queryParameter(request, 'after')];
  if (before !== undefined) {
    const end = indexOfCursor(items, before);
    return [Math.max(0, end - limit), end];
  }
  const start = after === undefined ? 0 : indexOfCursor(items, after) + 1;
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
