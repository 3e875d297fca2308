import { callGraph, type GraphCall } from './call-graph.ts';
import { type CallResult, unavailable } from './call-result.ts';
import type { GraphClient } from './graph-client.ts';
import { type JsonObject, objectField, textField } from './json-fields.ts';

/** A listing: the call for one page, whose `read` takes that page's items. */
export type ListCall<T> = GraphCall<T[]> & { query: Record<string, string> };

interface Page<T> {
  items: T[];
  after: string | null;
}

// 6,000 templates, the most a business account holds, are 60 pages of 100.
const pagesMax = 1_000;

/**
 * Reads a listing page by page. Ends after the last page, or after the first page that could not be read, which is then
 * what it yields last. Follows the cursor, never the `next` address: that one holds the token and may point anywhere.
 */
export async function* listPages<T>(client: GraphClient, call: ListCall<T>): AsyncGenerator<CallResult<T[]>, void> {
  let after: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const result: CallResult<Page<T>> = await callGraph(client, {
      ...call,
      query: after === null ? call.query : { ...call.query, after },
      read: (answer, body) => {
        const items = call.read(answer, body);
        return items === null ? null : { items, after: nextCursorOf(answer) };
      },
    });
    yield result.kind === 'ok' ? { kind: 'ok', value: result.value.items } : result;
    if (result.kind !== 'ok' || result.value.after === null) return;
    // A cursor that leads to itself would never end.
    if (result.value.after === after) break;
    after = result.value.after;
  }
  yield unavailable('unreadable_answer', { mayHaveHappened: false });
}

/** All items of a listing, or what stopped it. */
export async function collectPages<T>(client: GraphClient, call: ListCall<T>): Promise<CallResult<T[]>> {
  const items: T[] = [];
  for await (const page of listPages(client, call)) {
    if (page.kind !== 'ok') return page;
    items.push(...page.value);
  }
  return { kind: 'ok', value: items };
}

function nextCursorOf(answer: JsonObject): string | null {
  const paging = objectField(answer, 'paging');
  const next = paging === null ? null : textField(paging, 'next');
  if (paging === null || next === null) return null;
  const cursors = objectField(paging, 'cursors');
  const after = cursors === null ? null : textField(cursors, 'after');
  return after ?? (URL.canParse(next) ? new URL(next).searchParams.get('after') : null);
}
