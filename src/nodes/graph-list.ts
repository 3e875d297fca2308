import { invalid } from '../core/errors.ts';

interface Node {
  id: string;
}

/** Where a list is to begin or to end: the cursors of an earlier answer. */
export interface Cursors {
  after: string | undefined;
  before: string | undefined;
}

/**
 * Nodes as the Graph API lists them, with cursors, all on one page. Behind the last one is an empty page, where clients end that go on
 * until nothing comes. Raises VALIDATION_ERROR for a cursor that is none.
 */
export function graphList(nodes: readonly Node[], { after, before }: Cursors): object {
  const start = after === undefined ? 0 : placeOf(nodes, after) + 1;
  const end = before === undefined ? nodes.length : placeOf(nodes, before);
  const data = nodes.slice(start, end);
  const [first, last] = [data[0], data.at(-1)];
  return first && last ? { data, paging: { cursors: { before: cursorOf(first), after: cursorOf(last) } } } : { data };
}

function cursorOf({ id }: Node): string {
  return Buffer.from(id).toString('base64url');
}

function placeOf(nodes: readonly Node[], cursor: string): number {
  const place = nodes.findIndex((node) => cursorOf(node) === cursor);
  if (place < 0) throw invalid('The cursor is not one of this list.');
  return place;
}
