import { callGraph, type GraphCall } from './call-graph.ts';
import { type CallResult, unavailable } from './call-result.ts';
import type { GraphClient } from './graph-client.ts';
import { type JsonObject, objectField, textField } from './json-fields.ts';

/** A listing: the call for one page, and `read` to take the page's items. */
export type ListCall<T> = GraphCall<T[]> & { query: Record<string, string> };

interface Page<T> {
  items: T[];
  after: string | null;
  bytes: number;
}

// 6,000 templates, the most a business account holds, are 60 pages of 100.
const pagesMax = 1_000;
// A page of a hundred carousel templates takes a few MiB, because each sample is a signed URL.
const pageBytesMax = 16 * 1024 * 1024;
// Callers keep a listing in memory until the last page, and several listings are read at once.
const listingBytesMax = 48 * 1024 * 1024;

/**
 * Reads a listing page by page. Ends after the last page, or after the first failed page, whose failure is the last value yielded.
 * Follows the cursor, never the `next` address, which holds the token and may point anywhere.
 */
export async function* listPages<T>(client: GraphClient, call: ListCall<T>): AsyncGenerator<CallResult<T[]>, void> {
  const cursors = new Set<string>();
  let after: string | null = null;
  let bytes = 0;
  while (cursors.size < pagesMax && bytes < listingBytesMax) {
    const result: CallResult<Page<T>> = await callGraph(client, {
      ...call,
      answerBytesMax: pageBytesMax,
      query: after === null ? call.query : { ...call.query, after },
      read: (answer, body) => {
        const items = call.read(answer, body);
        const next = nextCursorOf(answer);
        return items === null || next === undefined ? null : { items, after: next, bytes: body.length };
      },
    });
    yield result.kind === 'ok' ? { kind: 'ok', value: result.value.items } : result;
    if (result.kind !== 'ok' || result.value.after === null) return;
    after = result.value.after;
    bytes += result.value.bytes;
    // Without this, a cursor that repeats would loop until the page limit.
    if (cursors.has(after)) break;
    cursors.add(after);
  }
  yield unavailable('unreadable_answer', { mayHaveHappened: false });
}

/** Returns all items of a listing, or the failure that stopped it. */
export async function collectPages<T>(client: GraphClient, call: ListCall<T>): Promise<CallResult<T[]>> {
  let items: T[] = [];
  for await (const page of listPages(client, call)) {
    if (page.kind !== 'ok') return page;
    items = items.concat(page.value);
  }
  return { kind: 'ok', value: items };
}

/** Returns null after the last page; undefined if there is a next page without a usable cursor. */
function nextCursorOf(answer: JsonObject): string | null | undefined {
  const paging = objectField(answer, 'paging');
  const next = paging === null ? null : textField(paging, 'next');
  if (paging === null || next === null) return null;
  const cursors = objectField(paging, 'cursors');
  const after = cursors === null ? null : textField(cursors, 'after');
  return after ?? URL.parse(next)?.searchParams.get('after') ?? undefined;
}
